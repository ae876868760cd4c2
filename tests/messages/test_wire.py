"""Numbers and fields in protobuf's form."""

from __future__ import annotations

import pytest

from froude.messages.wire import delimited, read_varint, varint


@pytest.mark.parametrize(
    "number", [0, 1, 127, 128, 4095, 4096, 16383, 16384, (1 << 21) - 1, 1 << 21, (1 << 28) - 1]
)
def test_varints(number: int) -> None:
    """Seven bits a byte, the low ones first; also of the largest numbers."""
    for value in (number, number << 30, (1 << 64) - 1 - number):
        data = varint(value)
        assert sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data)) == value
        assert [byte >> 7 for byte in data] == [1] * (len(data) - 1) + [0]
        assert read_varint(b"-" + data + b"-", 1) == (value, 1 + len(data))


def test_numbers_that_are_none() -> None:
    """One that the data end in, and one of more than ten bytes."""
    with pytest.raises(IndexError):
        read_varint(b"\x80", 0)
    with pytest.raises(ValueError, match="too long at offset"):
        read_varint(b"\x80" * 11, 0)


def test_fields_with_a_length() -> None:
    """Number and wire type, length, bytes."""
    assert delimited(1, b"ab") == b"\n\x02ab"
    assert delimited(1000, bytes(200))[:4] == b"\xc2\x3e\xc8\x01"
