"""Small rules of the header fields."""

from __future__ import annotations

import pytest

from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.headers import NAME_LIMIT_BYTES, first_line, signed, text


@pytest.mark.parametrize(
    ("wire", "call_id"), [(0, 0), (0x7FFFFFFF, 0x7FFFFFFF), (0xFFFFFFFF, -1), (0xFFFFFFDF, -33)]
)
def test_response_ids_wrap(wire: int, call_id: int) -> None:
    """A response's id is unsigned on the wire."""
    assert signed(wire) == call_id


def test_text_of_a_peer_never_fails() -> None:
    """Bytes that are no UTF-8 are shown, and only the first line of a stack is kept."""
    assert text(b"a\xffb") == "a\ufffdb"
    assert first_line(b"File does not exist\n\tat org.apache") == "File does not exist"
    assert len(first_line(b"x" * 1_000_000)) == 4096
    with pytest.raises(RemoteProtocolError, match="impossibly long name"):
        text(b"x" * (NAME_LIMIT_BYTES + 1))
