"""Where values stand in the calls of a run, for the few values of which it is asked where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from froude.messages.rows import EMPTY, Shape
from froude.mining.history.chronology import Chronology, Ints
from froude.mining.read.knowledge import THINGS, fact_of
from froude.mining.shape.structure import Occurrence
from froude.workload.types import CALLEE_HOST, CALLEE_PORT, Scalar, Side


class Place(NamedTuple):
    """A leaf of calls of one template."""

    template: str
    side: Side
    path: str
    shared: bool
    """Whether other nodes may have its value from there."""


class Seen:
    """The values of one run's calls, each with all its places."""

    def __init__(self, calls: Chronology, run: int) -> None:
        self._calls = calls
        first, last = np.searchsorted(calls.runs, [run, run + 1]).tolist()
        self._first: int = first
        occurrences = calls.occurrences[first:last]
        self._places: list[Place] = []
        kinds: dict[tuple[str, Shape, Shape], tuple[int, int]] = {}
        base, sizes = np.zeros(len(occurrences), np.int64), np.zeros(len(occurrences) + 1, np.int64)
        for at, occurrence in enumerate(occurrences):
            request, response = occurrence.call.request, occurrence.call.response or EMPTY
            kind = (occurrence.template, request.shape, response.shape)
            if kind not in kinds:
                kinds[kind] = len(self._places), len(request) + len(response) + 2
                self._places += _places(occurrence)
            base[at], sizes[at + 1] = kinds[kind]
        self._base = base
        """Of each call: its first place."""
        self._starts: Ints = np.cumsum(sizes)
        """Of each call: its first value in the order of all."""
        codes = _Codes()
        values = chain.from_iterable(map(_values, occurrences))
        coded = np.fromiter(map(codes.__getitem__, values), np.int32, int(self._starts[-1]))
        self._codes: Mapping[Scalar, int] = dict(codes)
        self._order = np.argsort(coded, kind="stable").astype(np.int32 if len(coded) < 1 << 31 else np.int64)
        self._bounds: Ints = np.concatenate(([0], np.cumsum(np.bincount(coded, minlength=len(codes)))))
        names: dict[Place, int] = {}
        self._same: Ints = np.array([names.setdefault(place, len(names)) for place in self._places], np.int64)
        """Of each place: its number among those that differ, for messages have other leaves beside it."""
        self.places = list(names)
        """All places, each once."""
        self._shared = np.array([place.shared for place in self._places], bool)
        self._sides = np.array([place.side is Side.REQUEST for place in self._places], bool)

    def _holding(self, value: Scalar) -> tuple[Ints, Ints]:
        """Calls that hold a value, in order, and the places in them where it stands."""
        code = self._codes.get(value, -1)
        begin, end = self._bounds[[code, code + 1]].tolist() if code >= 0 else (0, 0)
        found = self._order[begin:end].astype(np.int64)
        calls = np.searchsorted(self._starts, found, "right") - 1
        return calls, self._base[calls] + found - self._starts[calls]

    def before(self, taker: Occurrence, value: Scalar, *, others: bool) -> list[Place]:
        """Places where a value was seen before a call, each once, in the order in which it was seen there.

        Args:
            others: in calls of other nodes instead of its own node's; then of the value's very type.
        """
        calls, places = self._holding(value)
        numbers = calls + self._first
        own = self._calls.senders[numbers] == self._calls.senders[taker.number]
        exists = np.where(self._sides[places], self._calls.sent[numbers], self._calls.answered[numbers])
        before = exists < self._calls.sent[taker.number]
        chosen = before & (~own & self._shared[places] if others else own)
        calls, places = calls[chosen], places[chosen]
        if others and isinstance(value, int | float):
            alike = self._of_type(calls, places, type(value))
            places = places[alike]
        distinct, at = np.unique(self._same[places], return_index=True)
        return [self.places[place] for place in distinct[np.argsort(at)].tolist()]

    def _of_type(self, calls: Ints, places: Ints, kind: type) -> npt.NDArray[np.bool_]:
        """Where a number is of a type: what equals it may be a fraction, or a flag."""
        found = [
            type(self._leaves(call, self._places[place].side)[self._places[place].path]) is kind
            for call, place in zip(calls.tolist(), places.tolist(), strict=True)
        ]
        return np.array(found, bool)

    def _leaves(self, call: int, side: Side) -> Mapping[str, Scalar]:
        call_ = self._calls.occurrences[self._first + call].call
        return call_.request if side is Side.REQUEST else call_.response or EMPTY

    def shared(self, value: Scalar) -> Iterator[tuple[Occurrence, Side, str]]:
        """Everywhere that other nodes may have a value from, in order."""
        calls, places = self._holding(value)
        for call, place in zip(calls.tolist(), places.tolist(), strict=True):
            found = self._places[place]
            if found.shared:
                yield self._calls.occurrences[self._first + call], found.side, found.path


class _Codes(dict[Scalar, int]):
    """A number for each value, as it comes."""

    def __missing__(self, value: Scalar) -> int:
        code = self[value] = len(self)
        return code


def _values(occurrence: Occurrence) -> tuple[Scalar, ...]:
    call, target = occurrence.call, occurrence.call.event.target
    return (*call.request.cells, *(call.response or EMPTY).cells, target.host, target.port)


def _places(occurrence: Occurrence) -> list[Place]:
    template, call = occurrence.template, occurrence.call
    emulated = occurrence.sender.role.emulated
    # An emulated machine says what it was told of a thing without a call, as a DataNode a block's length.
    requests = [
        Place(template, Side.REQUEST, path, not (emulated and fact_of(path) in THINGS))
        for path in call.request
    ]
    responses = [Place(template, Side.RESPONSE, path, shared=True) for path in call.response or EMPTY]
    callee = [Place(template, Side.REQUEST, path, shared=False) for path in (CALLEE_HOST, CALLEE_PORT)]
    return [*requests, *responses, *callee]
