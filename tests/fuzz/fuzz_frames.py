"""Invariant: whatever bytes come, observer and cores give events, never raise, and say the same bytewise.

They hold no more than they were fed.

    python tests/fuzz/fuzz_frames.py -max_total_time=60

The first byte chooses who is fed. `make test` runs the same function on hypothesis's bytes
(`test_fuzz_frames`).
"""

from __future__ import annotations

import sys

from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.observer import Observer
from froude.hadoop.rpc.server import ServerConnection

LIMIT_BYTES = 1 << 16


def one_input(data: bytes) -> None:
    """Check the invariant on one input."""
    if data:
        _check(data[0] % 5, data[1:])


def _check(who: int, data: bytes) -> None:
    whole = _told(who, [data])
    bytewise = _told(who, [data[at : at + 1] for at in range(len(data))])
    assert whole == bytewise, (who, data)


def _told(who: int, pieces: list[bytes]) -> list[str]:
    if who < 2:
        observer = Observer(LIMIT_BYTES)
        told = [repr(event) for piece in pieces for event in observer.events(piece, from_client=who == 0)]
        assert observer.pending_bytes + observer.skipped_bytes <= sum(map(len, pieces))
        told.append(f"{observer.skipped_bytes} skipped, {observer.pending_bytes} pending")
        return [*told, repr(observer.closed())]
    if who == 4:
        core: ServerConnection | ClientConnection = ServerConnection(limit_bytes=LIMIT_BYTES)
    else:
        core = ClientConnection("p", client_id=bytes(16), user="u", sasl=who == 3, limit_bytes=LIMIT_BYTES)
        core.open()
        if who == 2:
            for call_id in range(4):
                core.request(call_id, "m", b"")
    return [repr(event) for piece in pieces for event in core.receive(piece)] + [
        repr(event) for event in core.receive_end()
    ]


def main() -> None:
    """Fuzz until told to stop."""
    import atheris

    atheris.instrument_all()  # the modules are imported already
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
