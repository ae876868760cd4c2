"""Calls of one template that take values, with what is asked of them again and again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from froude.mining.shape.structure import Occurrence
from froude.workload.types import NODE

Found = TypeVar("Found")
_KEPT = 256
"""Parts of the calls that are remembered."""


class Takers(list[Occurrence]):
    """The calls; whoever finds something of all of them may leave it here for the next argument's sake."""

    def __init__(self, calls: Iterable[Occurrence] = ()) -> None:
        """Some calls, in any order."""
        super().__init__(calls)
        self._known: dict[Hashable, Any] = {}
        self._parts: dict[tuple[int, ...], Takers] = {}

    @classmethod
    def of(cls, calls: Sequence[Occurrence]) -> Takers:
        """Calls as such, the same object if they are it already."""
        return calls if isinstance(calls, Takers) else cls(calls)

    def known(self, what: Hashable, find: Callable[[], Found]) -> Found:
        """What was found of these calls.

        Args:
            find: finds it, where nobody asked before.
        """
        if what not in self._known:
            self._known[what] = find()
        found: Found = self._known[what]
        return found

    def part(self, places: Sequence[int]) -> Takers:
        """Some of the calls; the same object for the same ones."""
        key = tuple(places)
        if key not in self._parts:
            if len(self._parts) >= _KEPT:
                self._parts.clear()
            self._parts[key] = Takers([self[place] for place in key])
        return self._parts[key]

    def indices(self, name: str) -> list[int]:
        """The node's number or the iteration at each call.

        Args:
            name: `node`, or a loop's id; of a loop that a call is not in it is the first iteration.
        """
        return self.known(
            ("indices", name),
            lambda: [each.node if name == NODE else each.indices.get(name, 0) for each in self],
        )
