"""Loopback addresses of emulated nodes: a DataNode and the NodeManager beside it share one, as on a real machine."""

from __future__ import annotations

_FIRST_BYTE = 16
"""Of 127.16.0.0 on, so that the small networks of daemons that run here keep theirs: they draw from 127.1 to 127.254."""
_MOST = 16 << 16


def node_address(number: int) -> str:
    """The address of the node of a number.

    Args:
        number: from 0.
    """
    place = number + 1
    return f"127.{_FIRST_BYTE + (place >> 16)}.{place >> 8 & 255}.{place & 255}"


def number_at(address: str) -> int | None:
    """The number of the node at an address; None for one that no node has."""
    parts = address.split(".")
    if len(parts) != 4 or parts[0] != "127" or not all(part.isdecimal() for part in parts[1:]):
        return None
    second, third, fourth = (int(part) for part in parts[1:])
    place = (second - _FIRST_BYTE << 16) + (third << 8) + fourth
    return place - 1 if 0 < place < _MOST and node_address(place - 1) == address else None
