"""Reads full block reports as a NameNode does.

Source: Hadoop's `BlockListAsLongs`.
"""

from __future__ import annotations

from collections.abc import Iterable

from froude.emulation.programs.hdfs.blocks import Block


def read_buffers(buffers: Iterable[bytes]) -> list[Block]:
    """The replicas of a full block report, as a NameNode reads them.

    Raises:
        ValueError: the buffers end within a replica.
    """
    data = b"".join(buffers)
    blocks, at = [], 0
    while at < len(data):
        values = []
        for _ in range(4):
            value, at = _read_varint(data, at)
            values.append(value)
        zigzag, length, stamp, _state = values
        blocks.append(Block((zigzag >> 1) ^ -(zigzag & 1), length, stamp))
    return blocks


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError(f"block report ends within a replica, at byte {at}")
