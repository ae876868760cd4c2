"""What the recorded calls say of one argument, of answers, and of the facts of machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from froude.messages.rows import EMPTY, Shape
from froude.mining.effects.causes import is_passing
from froude.mining.effects.rare_values import is_distinctive
from froude.mining.history.value_uses import Takers
from froude.mining.read.canonical import Token
from froude.mining.read.knowledge import THINGS, fact_of
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value
from froude.workload.types import Scalar

SOURCES_TRIED = 300
"""Possible sources of one value that are looked at; ids have few, and a value with more is no id."""
SPREAD = 50
"""Calls from everywhere at which a rule is tried first."""
ALWAYS_NEW = 4
"""Distinct values of a leaf of answers before it counts as assigned anew each time."""
_SHAPES_KEPT = 1 << 12
_SMALLEST_ID = 1000
"""Generation stamps begin here: a number that long, of one name and ever new in answers, is assigned."""


def spread(number: int) -> range:
    """Some of so many calls, from everywhere: a rule that does not hold shows it there."""
    return range(0, number, max(1, number // SPREAD))


class Column:
    """One argument at every call of a template."""

    def __init__(self, occurrences: Sequence[Occurrence], values: Sequence[Value], path: str) -> None:
        self.occurrences = Takers.of(occurrences)
        self.values = values
        self.path = path

    @property
    def template(self) -> str:
        """Whose argument it is."""
        return self.occurrences[0].template

    @property
    def shows(self) -> int | None:
        """A call at which the argument is set; the last one, which has most before it."""
        places = range(len(self.values) - 1, -1, -1)
        return next((at for at in places if not isinstance(self.values[at], Special)), None)

    def only(self, chosen: Sequence[int]) -> Column:
        """The same argument at some of the calls, by their places."""
        return Column(self.occurrences.part(chosen), [self.values[at] for at in chosen], self.path)


class Varying:
    """Which leaves of answers differ between calls."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, str], set[Scalar]] = defaultdict(set)
        self._method: dict[str, tuple[str, str]] = {}

    def learn(self, occurrences: Sequence[Occurrence]) -> None:
        """Take note of what the answers of these calls held."""
        open_: dict[tuple[str, Shape], list[tuple[int, set[Scalar]]]] = {}
        """By template and shape of answers: the leaves of which too few values were seen yet."""
        for occurrence in occurrences:
            response = occurrence.call.response or EMPTY
            key = (occurrence.template, response.shape)
            if key not in open_:
                protocol, method, _ = occurrence.call.token
                self._method[occurrence.template] = (protocol, method)
                open_[key] = [
                    (at, self._seen[protocol, method, p]) for at, p in enumerate(response.shape.paths)
                ]
            elif not open_[key]:
                continue
            for place, seen in open_[key]:
                if len(seen) < ALWAYS_NEW:
                    seen.add(response.cells[place])
            open_[key] = [(at, seen) for at, seen in open_[key] if len(seen) < ALWAYS_NEW]

    def varies(self, call: str, path: str) -> bool:
        """Whether a leaf of a call's answers does."""
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
        for place, fact, thing in _told(request.shape):
            value, name = request.cells[place], request.get(thing)
            key = (id(occurrence.sender), token, fact, name)
            if is_passing(token) or seen.setdefault(key, value) != value:
                changing.add((token, fact))
    return frozenset(changing)


@lru_cache(maxsize=_SHAPES_KEPT)
def _told(shape: Shape) -> tuple[tuple[int, str, str], ...]:
    """Leaves that are facts of things: place in the shape, the fact, and the leaf that names the thing."""
    told = []
    for place, path in enumerate(shape.paths):
        fact = fact_of(path)
        if fact is not None and fact in THINGS:
            told.append((place, fact, f"{path.rpartition('.')[0]}.{THINGS[fact]}"))
    return tuple(told)


def is_telling(value: Scalar) -> bool:
    """Whether a value that is not always the same says where it comes from."""
    return is_distinctive(value) or (type(value) is int and value >= _SMALLEST_ID)
