"""The messages of the NBD protocol, by the numbers of its document."""

from __future__ import annotations

import pytest

from froude.cache.disk.nbd import wire
from froude.cache.disk.nbd.wire import PAYLOAD_LIMIT, Request, refusal_of

_SIZE = 1 << 30


def test_messages_are_as_the_protocol_says() -> None:
    """Byte by byte, as a capture of another server shows them."""
    assert wire.GREETING == b"NBDMAGICIHAVEOPT"
    assert wire.export(1 << 20, 0x16D).hex() == "0000000000100000016d"
    assert wire.option_reply(7, wire.OptionReply.ACK).hex() == "0003e889045565a9000000070000000100000000"
    assert wire.option_reply(9, wire.OptionReply.UNSUPPORTED)[12:16].hex() == "80000001"
    assert wire.reply(0x1122334455667788, 5).hex() == "67446698000000051122334455667788"


@pytest.mark.parametrize(
    ("kind", "flags", "offset", "length", "refusal"),
    [
        (0, 0, 0, 4096, 0),
        (0, 1, _SIZE - 1, 1, 0),  # FUA means nothing for a read
        (0, 0, _SIZE, 1, 22),
        (0, 0, _SIZE - 1, 2, 22),
        (0, 0, (1 << 64) - 1, 4096, 22),
        (0, 0, 0, PAYLOAD_LIMIT, 0),
        (0, 0, 0, PAYLOAD_LIMIT + 1, 22),
        (0, 0, 0, 0, 22),
        (0, 4, 0, 1, 22),  # DF belongs to structured replies
        (1, 1, 0, 512, 0),
        (1, 2, 0, 512, 22),
        (1, 0, _SIZE - 1, 512, 28),
        (3, 0, 0, 0, 0),
        (3, 1, 0, 0, 22),
        (4, 1, 0, _SIZE, 0),
        (4, 2, 0, 1, 22),
        (6, 3, 0, _SIZE, 0),
        (6, 16, 0, 1, 22),  # FAST_ZERO was not offered
        (6, 0, _SIZE, 1, 28),
        (5, 0, 0, 1, 22),
        (7, 0, 0, 1, 22),
        (99, 0, 0, 1, 22),
    ],
)
def test_what_cannot_be_done_is_refused(
    kind: int, flags: int, offset: int, length: int, refusal: int
) -> None:
    """With the protocol's own numbers."""
    assert refusal_of(Request(kind, flags, 1, offset, length, b""), _SIZE) == refusal
