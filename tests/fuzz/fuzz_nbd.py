"""Invariant: whatever bytes come, an NBD connection gives events, never raises, and says the same bytewise.

It holds no more than it was fed, and answers no more than a handshake may.

    python tests/fuzz/fuzz_nbd.py -max_total_time=60

`make test` runs the same function on hypothesis's bytes (`test_fuzz_nbd`).
"""

from __future__ import annotations

import sys

from froude.cache.disk.nbd.connection import Broken, Export, Left, ServerConnection
from froude.cache.disk.nbd.wire import BlockSizes, Request, refusal_of

EXPORT = Export(1 << 30, 0x16D, BlockSizes(1, 4096, 32 << 20))
OPENED = b"\0\0\0\3IHAVEOPT\0\0\0\1\0\0\0\0"
"""The shortest way to where requests are awaited."""


def one_input(data: bytes) -> None:
    """Check the invariant on one input; the first byte says where the connection stands."""
    if data:
        start = OPENED if data[0] % 2 else b""
        whole = _told([start, data[1:]])
        assert whole == _told([start, *(data[at : at + 1] for at in range(1, len(data)))]), data


def _told(pieces: list[bytes]) -> tuple[list[str], bytes]:
    connection, told, sent, fed = ServerConnection(EXPORT), [], b"", 0
    for piece in pieces:
        fed += len(piece)
        connection.receive_data(piece)
        while (event := connection.next_event()) is not None:
            assert isinstance(event, (Request, Left, Broken))
            if isinstance(event, Request):
                refusal_of(event, EXPORT.size)
            told.append(repr(event))
        sent += connection.data_to_send()
        assert connection.buffered <= fed
    assert len(sent) <= 18 + 160 * 65
    return told, sent


def main() -> None:
    """Fuzz until told to stop."""
    import atheris

    atheris.instrument_all()  # the modules are imported already
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
