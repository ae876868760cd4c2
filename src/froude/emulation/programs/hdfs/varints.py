"""Many replicas as the varints of a block report, encoded by whole columns."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

_ROWS = 1 << 16
"""Replicas at a time, so that memory does not grow with their number."""


def varints(
    ids: array[int], lengths: array[int], stamps: array[int], states: bytes, *, length_mask: int
) -> bytes:
    """Per replica a zig-zag id, length, generation stamp and state, each a varint.

    Args:
        ids: signed 64-bit numbers.
        lengths: unsigned 64-bit numbers.
        stamps: unsigned 64-bit numbers.
        states: a byte a replica.
        length_mask: which bits of a length count.
    """
    signed, whole_lengths = np.frombuffer(ids, np.int64), np.frombuffer(lengths, np.uint64)
    whole_stamps, whole_states = np.frombuffer(stamps, np.uint64), np.frombuffer(states, np.uint8)
    parts = []
    for start in range(0, len(signed), _ROWS):
        part = slice(start, start + _ROWS)
        rows = np.empty((len(signed[part]), 4), np.uint64)
        rows[:, 0] = (signed[part] << 1 ^ signed[part] >> 63).view(np.uint64)
        rows[:, 1] = whole_lengths[part] & np.uint64(length_mask)
        rows[:, 2], rows[:, 3] = whole_stamps[part], whole_states[part]
        parts.append(_encoded(rows.ravel()))
    return b"".join(parts)


def _encoded(values: npt.NDArray[np.uint64]) -> bytes:
    sizes = np.ones(len(values), np.int64)
    for bits in range(7, 64, 7):
        sizes += values >= np.uint64(1 << bits)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    out = np.zeros(int(ends[-1]), np.uint8)
    for place in range(int(sizes.max())):
        here = sizes > place
        seven = (values[here] >> np.uint64(7 * place) & np.uint64(0x7F)).astype(np.uint8)
        follows = (sizes[here] > place + 1).astype(np.uint8)
        out[starts[here] + place] = seven | follows << np.uint8(7)
    return out.tobytes()
