"""Where a log begins for an image: behind the last transaction that the image holds.

A line is logged when its transaction is on disk, so its time is that of the transaction or a little later. Let A be the
time of the last transaction in the image, and B that of the first one behind it.

- Lines before A's millisecond are left out: the image holds what they did.
- Lines from B's millisecond on stay.
- Between them, from A's millisecond on, a line that changes something and was allowed is a late one of a transaction in
  the image, and is left out; unless it names a path of a transaction behind the image that has no time of its own (such
  as setPermission's), or the same millisecond as A. Lines that change nothing stay behind A's millisecond: the
  namespace was then as in the image.

Without edits, A is the newest time in the image. Then, and where no transaction behind the image has a time, all lines
behind A's millisecond stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

CHANGING = frozenset(
    """
    create append truncate concat rename delete mkdirs createSymlink setPermission setOwner setTimes
    setReplication setStoragePolicy unsetStoragePolicy setQuota setSpaceQuota clearQuota clearSpaceQuota
    modifyAclEntries removeAclEntries removeDefaultAcl removeAcl setAcl setXAttr removeXAttr allowSnapshot
    disallowSnapshot createSnapshot renameSnapshot deleteSnapshot gcDeletedSnapshot addCacheDirective
    modifyCacheDirective removeCacheDirective addCachePool modifyCachePool removeCachePool
    setErasureCodingPolicy unsetErasureCodingPolicy addErasureCodingPolicies removeErasureCodingPolicy
    enableErasureCodingPolicy disableErasureCodingPolicy createEncryptionZone getDelegationToken
    renewDelegationToken cancelDelegationToken satisfyStoragePolicy
    """.split()  # noqa: SIM905 - a list of so many lines hides what is in it
)
"""Commands whose success is a transaction."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where to cut."""

    last_us: int
    """A: time of the last transaction in the image, microseconds since 1970, UTC."""
    words: str
    """The cut, and how it is known."""
    next_us: int | None = None
    """B: time of the first transaction behind the image; None where there is none, or no edits are at hand."""
    behind: frozenset[str] = frozenset()
    """Paths of transactions behind the image up to B."""

    def applied(self, table: pa.Table) -> tuple[pa.Table, int]:
        """The lines that stay, and how many of them are of B's own millisecond.

        Args:
            table: lines with `time` (microseconds), `allowed`, `command`, `src` and `dst`.
        """
        times = np.asarray(table.column("time"), dtype=np.int64) // 1000
        last = self.last_us // 1000
        if self.next_us is None:
            return table.filter(pa.array(times > last)), 0
        first = self.next_us // 1000
        stay = times >= first
        between = np.flatnonzero((times >= last) & (times < first))
        if len(between):
            stay[between] = self._stay(table.take(between), times[between] > last)
        return table.filter(pa.array(stay)), int((times == first).sum())

    def _stay(self, gap: Any, later: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Which lines stay of those from A to B; `later` says which are behind A's millisecond."""
        names = ("allowed", "command", "src", "dst")
        rows = zip(later.tolist(), *(gap.column(name).to_pylist() for name in names), strict=True)
        return np.array(
            [
                src in self.behind or dst in self.behind if allowed and command in CHANGING else after
                for after, allowed, command, src, dst in rows
            ]
        )
