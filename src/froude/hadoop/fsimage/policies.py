"""Storage policies: on which types of storage the replicas of a file lie.

Source: org.apache.hadoop.hdfs.server.blockmanagement.BlockStoragePolicySuite; HdfsConstants.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
TYPES = ("DISK", "SSD", "ARCHIVE", "RAM_DISK", "PROVIDED", "NVDIMM")
"""Types of storage that a DataNode names."""
HOT = 7
"""Policy of a file for which nobody chose one."""
_POLICIES = {
    1: ("PROVIDED", "DISK"),
    2: ("ARCHIVE",),
    5: ("DISK", "ARCHIVE"),
    HOT: ("DISK",),
    10: ("SSD", "DISK"),
    12: ("SSD",),
    14: ("NVDIMM",),
    15: ("RAM_DISK", "DISK"),
}
"""By id: the type of each replica in turn; the last one goes for all that follow."""


def storage_choices(policy: int, replica: int, storages: Sequence[str]) -> Ints:
    """Which of a node's storages a replica may lie on.

    Where a node has no storage of the policy's type, HDFS falls back to disks for most of them; here it does for all,
    and to whatever there is where there are no disks either.

    Args:
        policy: id of the file's policy; of one that is not known, the usual one's types count.
        replica: number of the replica, from 0.
        storages: the types of the storages that every node has.

    Returns:
        (choices,) numbers of storages, at least one.
    """
    types = _POLICIES.get(policy, _POLICIES[HOT])
    wanted = types[min(replica, len(types) - 1)]
    for each in (wanted, "DISK", storages[0]):
        if each in storages:
            return np.flatnonzero(np.asarray(storages) == each)
    raise AssertionError
