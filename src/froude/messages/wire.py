"""Protobuf's form of numbers, and of fields with a length."""

from __future__ import annotations

SMALL = tuple(bytes((n,)) if n < 0x80 else bytes((n & 0x7F | 0x80, n >> 7)) for n in range(4096))
"""The form of numbers below 4096."""


def varint(value: int) -> bytes:
    """Protobuf's base-128 form of a number from 0 to 2^64 - 1."""
    if value < len(SMALL):
        return SMALL[value]
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    if value < 1 << 28:
        low = value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80
        return (
            bytes((*low, value >> 14))
            if value < 1 << 21
            else bytes((*low, value >> 14 & 0x7F | 0x80, value >> 21))
        )
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number in protobuf's base-128 form, and where the bytes after it begin.

    Raises:
        IndexError: the data end within the number.
        ValueError: it has more than ten bytes.
    """
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError(f"a number is too long at offset {at}")


def delimited(number: int, data: bytes) -> bytes:
    """A field that has a length, such as a submessage, as it is on the wire.

    Args:
        data: its bytes, without tag and length.
    """
    return varint(number << 3 | 2) + varint(len(data)) + data
