"""What the recorded calls say of one argument, of answers, and of the facts of machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from froude.mining.canonical import Token
from froude.mining.knowledge import THINGS, fact_of
from froude.mining.relocation import is_passing
from froude.mining.rows import EMPTY
from froude.mining.said import is_distinctive
from froude.mining.structure import Occurrence
from froude.workload.rules import Special, Value
from froude.workload.types import Scalar

SOURCES_TRIED = 300
"""Possible sources of one value that are looked at; ids have few, and a value with more is no id."""
SPREAD = 50
"""Calls from everywhere at which a rule is tried first."""
ALWAYS_NEW = 4
"""Distinct values of a leaf of answers before it counts as assigned anew each time."""
_SMALLEST_ID = 1000
"""Generation stamps begin here: a number that long, of one name and ever new in answers, is assigned."""


class Column:
    """One argument at every call of a template."""

    def __init__(self, occurrences: Sequence[Occurrence], values: Sequence[Value], path: str) -> None:
        self.occurrences = occurrences
        self.values = values
        self.path = path

    @cached_property
    def order(self) -> Sequence[int]:
        """All calls, some from everywhere first: a rule that does not hold shows it there."""
        step = max(1, len(self.values) // SPREAD)
        return [at for first in (0, 1) for at in range(len(self.values)) if (at % step > 0) == (first > 0)]

    @property
    def shows(self) -> int | None:
        """A call at which the argument is set; the last one, which has most before it."""
        set_at = [at for at, value in enumerate(self.values) if not isinstance(value, Special)]
        return set_at[-1] if set_at else None

    def only(self, chosen: Sequence[int]) -> Column:
        """The same argument at some of the calls, by their places."""
        return Column([self.occurrences[at] for at in chosen], [self.values[at] for at in chosen], self.path)


class Varying:
    """Which leaves of answers differ between calls."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, str], set[Scalar]] = defaultdict(set)
        self._method: dict[str, tuple[str, str]] = {}

    def learn(self, occurrences: Sequence[Occurrence]) -> None:
        """Take note of what the answers of these calls held."""
        for occurrence in occurrences:
            protocol, method, _ = occurrence.call.token
            self._method[occurrence.template] = (protocol, method)
            for path, value in (occurrence.call.response or EMPTY).items():
                seen = self._seen[protocol, method, path]
                if len(seen) < ALWAYS_NEW:
                    seen.add(value)

    def varies(self, call: str, path: str) -> bool:
        """Whether a leaf of a call's answers does.

        Args:
            call: id of its template.
            path: the leaf.
        """
        seen = self._seen[(*self._method.get(call, ("", "")), path)]
        return len(seen) >= ALWAYS_NEW or (len(seen) > 1 and all(is_distinctive(value) for value in seen))


def changing_facts(occurrences: Iterable[Occurrence]) -> frozenset[tuple[Token, str]]:
    """Facts of machines that change for one and the same thing, as a replica's length does when it is appended to.

    What they are at a call is a matter of its time: reports of one replica are merged, or come late.

    Args:
        occurrences: calls of all kinds and runs.

    Returns:
        The kinds of calls in which a fact changed or is on its way, each with the fact.
    """
    seen: dict[tuple[int, Token, str, Scalar], Scalar] = {}
    changing: set[tuple[Token, str]] = set()
    for occurrence in occurrences:
        if not occurrence.sender.role.emulated:
            continue
        token, request = occurrence.call.token, occurrence.call.request
        for path, value in request.items():
            fact = fact_of(path)
            if fact is None or fact not in THINGS:
                continue
            name = request.get(f"{path.rpartition('.')[0]}.{THINGS[fact]}")
            if (
                is_passing(token)
                or seen.setdefault((id(occurrence.sender), token, fact, name), value) != value
            ):
                changing.add((token, fact))
    return frozenset(changing)


def is_telling(value: Scalar) -> bool:
    """Whether a value that is not always the same says where it comes from.

    Args:
        value: of a leaf.
    """
    return is_distinctive(value) or (type(value) is int and value >= _SMALLEST_ID)
