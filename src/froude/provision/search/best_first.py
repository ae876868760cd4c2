"""Best-first search: parts of what is searched, each with a bound, are taken by the least bound and divided.

Every tree here is one: branch and bound, branch and price, branching over server types and the searches outside the
linear problem. A part that is divided no further leaves its bound behind, so that the
least bound of all, open or closed, holds at any time and the search may stop whenever it likes.

Source: Land and Doig, "An automatic method of solving discrete programming problems" (1960).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

_Part = TypeVar("_Part")


def _never() -> bool:
    return False


class BestFirst(Generic[_Part]):
    """The open parts; among equal bounds the one that came first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, _Part]] = []
        self._serial = 0
        self.closed = math.inf
        """The least bound of the parts that are divided no further."""

    def __bool__(self) -> bool:
        return bool(self._heap)

    @property
    def first(self) -> float:
        """The least bound of the open parts; infinite where none is open."""
        return self._heap[0][0] if self._heap else math.inf

    @property
    def lower(self) -> float:
        """The least bound of all parts."""
        return min(self.closed, self.first)

    def push(self, part: _Part, lower: float) -> None:
        """Open a part.

        Args:
            lower: nothing in it is below.
        """
        heapq.heappush(self._heap, (lower, self._serial, part))
        self._serial += 1

    def pop(self) -> tuple[_Part, float]:
        """The part with the least bound, and that.

        Raises:
            IndexError: none is open.
        """
        lower, _, part = heapq.heappop(self._heap)
        return part, lower

    def close(self, lower: float) -> None:
        """Divide a part no further: its bound stays."""
        self.closed = min(self.closed, lower)

    def until(
        self, target: Callable[[], float], *, most: int, expired: Callable[[], bool] = _never
    ) -> Iterator[tuple[_Part, float]]:
        """Take part after part, as long as that may raise the least bound of all.

        Args:
            target: the bound that is enough, asked anew each time.
        """
        for _ in range(most):
            if not self._heap or self.first >= min(target(), self.closed) or expired():
                return
            yield self.pop()

    def in_order(self) -> list[_Part]:
        """The open parts, the least bound first."""
        return [part for _, _, part in sorted(self._heap, key=lambda entry: entry[:2])]
