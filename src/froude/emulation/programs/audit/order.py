"""Which operations of a log may be made now, so that those in conflict keep the log's order.

Two operations conflict where one path is the other, or lies above it, and either changes something. That is what locks
of several granularities give: an operation takes a lock on its paths and an intention on every folder above, all at
once and in the log's order; each path keeps its locks in that order, so nothing can wait in a circle.

Source: ours; modes after Gray et al., Granularity of Locks (1976).
"""

from __future__ import annotations

from collections.abc import Iterable

MODES = LOOK_BELOW, CHANGE_BELOW, LOOK, CHANGE = 1, 2, 4, 8
MODE_BITS = 4
"""A lock is the number of what is locked, and in its lowest bits the mode."""
_MODE = (1 << MODE_BITS) - 1
_OF_ONE = {
    LOOK_BELOW: CHANGE,
    CHANGE_BELOW: LOOK | CHANGE,
    LOOK: CHANGE_BELOW | CHANGE,
    CHANGE: LOOK_BELOW | CHANGE_BELOW | LOOK | CHANGE,
}


def _against(modes: int) -> int:
    """The modes that some do not go with."""
    result = 0
    for mode, others in _OF_ONE.items():
        result |= others if modes & mode else 0
    return result


AGAINST = [_against(modes) for modes in range(1 << MODE_BITS)]
"""By modes, those that do not go with them."""


class _Group:
    """Operations that hold or await a lock together."""

    __slots__ = ("first", "left", "locked", "modes", "next", "waiting")

    def __init__(self, locked: int, mode: int, *, first: bool) -> None:
        self.locked = locked
        self.modes = mode
        self.first = first
        self.left = 0
        self.waiting: list[Ordered] = []
        self.next: _Group | None = None


class Ordered:
    """An operation that has its place in an order."""

    __slots__ = ("held", "missing")

    def __init__(self) -> None:
        self.held: list[_Group] | None = None
        self.missing = 0
        """Locks that it does not have yet; an operation that misses none may be made."""


class Order:
    """The locks of all operations that were added and are not done."""

    def __init__(self) -> None:
        self._last: dict[int, _Group] = {}

    def __len__(self) -> int:
        """How many locks are held."""
        return len(self._last)

    def add(self, operation: Ordered, locks: Iterable[int]) -> None:
        """Take an operation in, the next of the log; it may be made when it misses none of its locks.

        Args:
            locks: each of another thing.
        """
        held, missing, last = [], 0, self._last
        for lock in locks:
            locked, mode = lock >> MODE_BITS, lock & _MODE
            group = last.get(locked)
            if group is None:
                group = last[locked] = _Group(locked, mode, first=True)
            elif group.modes & AGAINST[mode]:
                group.next = group = last[locked] = _Group(locked, mode, first=False)
            else:
                group.modes |= mode
            if not group.first:
                group.waiting.append(operation)
                missing += 1
            group.left += 1
            held.append(group)
        operation.held, operation.missing = held, missing

    def done(self, operation: Ordered) -> list[Ordered]:
        """An operation is over.

        Args:
            operation: one that misses no lock.

        Returns:
            Those that may be made now because of it.
        """
        allowed: list[Ordered] = []
        for group in operation.held or ():
            group.left -= 1
            if not group.left:
                allowed += self._pass_on(group)
        return allowed

    def _pass_on(self, group: _Group) -> list[Ordered]:
        """The next group has its turn."""
        following = group.next
        if following is None:
            del self._last[group.locked]
            return []
        following.first = True
        allowed = []
        for operation in following.waiting:
            operation.missing -= 1
            if not operation.missing:
                allowed.append(operation)
        return allowed
