"""Erasure-coded files: the internal blocks of their block groups, and how long each is.

A block group of a policy with d data and p parity blocks lies on up to d + p nodes. Its bytes go to the data blocks a
cell at a time, row by row; a parity block is as long as the first data block. Block i of a group has the group's id
plus i.

Source: org.apache.hadoop.hdfs.util.StripedBlockUtil, org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from froude.hadoop.fsimage.sections import Reader

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a policy lays a block group out."""

    data: int
    """Data blocks of a group."""
    parity: int
    cell_bytes: int = 1 << 20

    @property
    def width(self) -> int:
        """Internal blocks of a group."""
        return self.data + self.parity

    def lengths(self, groups: Ints) -> Ints:
        """(groups, width) length of each internal block; 0 of a data block that a short group does not have.

        Args:
            groups: (groups,) bytes of data in each group.
        """
        stripe = self.data * self.cell_bytes
        rest = (groups % stripe)[:, None] - np.arange(self.data) * self.cell_bytes
        data = (groups // stripe * self.cell_bytes)[:, None] + np.clip(rest, 0, self.cell_bytes)
        return np.hstack((data, np.repeat(data[:, :1], self.parity, axis=1)))


SYSTEM = {1: Scheme(6, 3), 2: Scheme(3, 2), 3: Scheme(6, 3), 4: Scheme(2, 1), 5: Scheme(10, 4)}
"""The policies that every release has, by id; an image leaves their numbers out, as they cannot be changed."""
_WHOLE = Scheme(1, 0)
_LIMIT = 16
"""Most internal blocks of a group: the lowest four bits of its id number them (HdfsServerConstants)."""


def schemes(reader: Reader) -> Mapping[int, Scheme]:
    """The schemes of an image's policies, by id: those of its own, and the system's.

    Raises:
        InputError: the section is damaged.
    """
    known = dict(SYSTEM)
    for policy in reader.head("ERASURE_CODING").policies:
        if policy.HasField("schema"):
            units = policy.schema
            width = units.dataUnits + units.parityUnits
            if units.dataUnits and width <= _LIMIT and policy.cellSize:
                known[policy.id] = Scheme(int(units.dataUnits), int(units.parityUnits), int(policy.cellSize))
    return known


def scheme(number: int, known: Mapping[int, Scheme]) -> Scheme:
    """The scheme of a policy; of one that nothing says anything of, groups are taken as they are."""
    return known.get(number, _WHOLE)
