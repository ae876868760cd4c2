"""Which operations of a log may be made now, so that those in conflict keep the log's order.

Two operations conflict where one path is the other, or lies above it, and either changes something. That is what locks
of several granularities give: an operation takes a lock on its paths and an intention on every folder above, all at
once and in the log's order; each path keeps its locks in that order, so nothing can wait in a circle.

Source: ours; modes after Gray et al., Granularity of Locks (1976).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_LOOK_BELOW, _CHANGE_BELOW, _LOOK, _CHANGE = 1, 2, 4, 8
_AGAINST = {
    _LOOK_BELOW: _CHANGE,
    _CHANGE_BELOW: _LOOK | _CHANGE,
    _LOOK: _CHANGE_BELOW | _CHANGE,
    _CHANGE: _LOOK_BELOW | _CHANGE_BELOW | _LOOK | _CHANGE,
}
"""By mode, the modes that it does not go with."""


class _Group:
    """Operations that hold or await a path together."""

    __slots__ = ("first", "left", "modes", "next", "path", "waiting")

    def __init__(self, path: str, mode: int, *, first: bool) -> None:
        self.path = path
        self.modes = mode
        self.first = first
        self.left = 0
        self.waiting: list[int] = []
        self.next: _Group | None = None


class Order:
    """The locks of all operations that were added and are not done."""

    def __init__(self) -> None:
        self._last: dict[str, _Group] = {}
        self._held: dict[int, list[_Group]] = {}
        self._awaited: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._held)

    def add(self, operation: int, paths: Iterable[str], *, changes: bool) -> bool:
        """Take an operation in, the next of the log. O(length of its paths).

        Args:
            operation: its number.
            paths: absolute paths that it is about.
            changes: whether it changes anything there.

        Returns:
            Whether it may be made at once.
        """
        held, awaited = [], 0
        for path, mode in _modes(paths, changes=changes).items():
            group = self._last.get(path)
            if group is None:
                group = self._last[path] = _Group(path, mode, first=True)
            elif group.modes & _AGAINST[mode]:
                group.next = group = self._last[path] = _Group(path, mode, first=False)
            else:
                group.modes |= mode
            if not group.first:
                group.waiting.append(operation)
                awaited += 1
            group.left += 1
            held.append(group)
        self._held[operation] = held
        if awaited:
            self._awaited[operation] = awaited
        return not awaited

    def done(self, operation: int) -> list[int]:
        """An operation is over.

        Args:
            operation: one that was allowed to be made.

        Returns:
            Those that may be made now because of it.
        """
        allowed: list[int] = []
        for group in self._held.pop(operation):
            group.left -= 1
            if not group.left:
                allowed += self._pass_on(group)
        return allowed

    def _pass_on(self, group: _Group) -> list[int]:
        """The next group of a path has its turn."""
        following = group.next
        if following is None:
            del self._last[group.path]
            return []
        following.first = True
        allowed = []
        for operation in following.waiting:
            self._awaited[operation] -= 1
            if not self._awaited[operation]:
                del self._awaited[operation]
                allowed.append(operation)
        return allowed


def _modes(paths: Iterable[str], *, changes: bool) -> Mapping[str, int]:
    """The mode for each path and each folder above."""
    above, here = (_CHANGE_BELOW, _CHANGE) if changes else (_LOOK_BELOW, _LOOK)
    modes: dict[str, int] = {}
    for path in paths:
        end = path.find("/", 1)
        modes.setdefault("/", above)
        while end > 0:
            modes.setdefault(path[:end], above)
            end = path.find("/", end + 1)
        modes[path] = here
    return modes
