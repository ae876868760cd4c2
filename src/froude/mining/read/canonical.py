"""Canonical forms: raw calls made into logical ones that do not depend on timing.

A retry joins its first attempt; a batch becomes one logical call an element; a list that is really a map is
put into order of its keys; a failed attempt that is repeated word for word joins the one that succeeds; calls
repeated until the answer has a value become one `Poll`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from statistics import fmean
from typing import Any, NamedTuple

from froude.messages.rows import EMPTY, Row, Shape, shape_of
from froude.mining.read.ask_names import named
from froude.mining.read.events import Event, Leaves
from froude.mining.read.knowledge import ASKS, BATCHES, POLLS
from froude.mining.read.reports import Reported, Reports
from froude.workload.types import Poll, Scalar

Token = tuple[str, str, str]
"""Protocol, method, and for an element of a batch its kind: what a sequence is made of."""

_KEYED = re.compile(r"^(.*?)\[(\d+)\]\.key$")
_SHAPES_KEPT = 1 << 12
"""Shapes whose canonical form is remembered."""


@dataclass(slots=True)
class Logical:
    """One logical call: an element of the sequences that are mined. Never changed, as an `Event`."""

    event: Event
    """The raw call that brought the answer."""
    token: Token
    request: Row
    raw: tuple[tuple[Event, Mapping[str, str]], ...]
    """Every raw call it stands for, with raw leaf path -> canonical leaf path for those that belong to it."""
    start_s: float
    """Of the first attempt."""
    moved: frozenset[str] = frozenset()
    """Leaves that time decided at the first raw call: those of a report (`reported`) that changed."""

    @property
    def order(self) -> int:
        """Position of the raw call in the trace."""
        return self.event.order

    @property
    def response(self) -> Row | None:
        """The answer's leaves."""
        return self.event.response


def logical_calls(events: Iterable[Event]) -> list[Logical]:
    """One sender's events, retries joined, batches split and empty ones left out, maps ordered.

    `join_polls` does the polls.
    """
    logical: list[Logical | Reported] = []
    seen: dict[tuple[int, int], int] = {}
    reports = Reports()
    for event in events:
        key = (event.connection if event.call_id < 0 else -1, event.call_id)
        first = logical[seen[key]] if key in seen else None
        if isinstance(first, Logical) and first.event.request == event.request:
            logical[seen[key]] = _joined(first, event)
            continue
        if event.method in BATCHES:
            logical.extend(_split(event))  # one without elements is sent to no purpose, when time decides
        else:
            carried, began = reports.split(event)
            seen[key] = len(logical)
            logical += [_whole(event, carried), *began]
    return [_reported(each) if isinstance(each, Reported) else each for each in logical]


def _reported(report: Reported) -> Logical:
    event = report.event
    request = Row.of(report.request)
    return Logical(event, report.token, request, tuple(report.raw), event.start_s, report.moved)


def decided_by_time(event: Event, path: str) -> bool:
    """Whether time alone decides on a leaf: of a batch of no events, or of such as tell of what is on its way."""
    batch = BATCHES.get(event.method)
    return batch is not None and all(
        call.token[2] in batch.passing for call in _split(event) if path in call.raw[0][1]
    )


def _whole(event: Event, carried: Collection[str]) -> Logical:
    token = _token(event.protocol, event.method, "")
    request = event.request
    if not carried and event.method not in ASKS and not _is_keyed(request.shape):
        return Logical(event, token, request, ((event, _same_names(request.shape)),), event.start_s)
    names = {**_map_order(request), **named(event.method, request)}
    raw = {path: names.get(path, path) for path in request if path not in carried}
    leaves = Row.of({name: request[path] for path, name in raw.items()})
    return Logical(event, token, leaves, ((event, raw),), event.start_s)


@lru_cache(maxsize=_SHAPES_KEPT)
def _token(*parts: str) -> Token:
    """One tuple for equal tokens."""
    protocol, method, kind = parts
    return protocol, method, kind


@lru_cache(maxsize=_SHAPES_KEPT)
def _is_keyed(shape: Shape) -> bool:
    """Whether there are elements by number that have keys."""
    return any(_KEYED.match(path) for path in shape.paths)


@lru_cache(maxsize=_SHAPES_KEPT)
def _same_names(shape: Shape) -> Mapping[str, str]:
    return dict(zip(shape.paths, shape.paths, strict=True))


def _joined(first: Logical, again: Event) -> Logical:
    """The logical call with one more attempt, whose answer counts."""
    names = first.raw[0][1]
    return replace(first, event=again, raw=(*first.raw, (again, names)))


class _Element(NamedTuple):
    """One event of a batch, wherever its leaves stand there."""

    names: Mapping[str, str]
    """Raw leaf path -> canonical leaf path."""
    shape: Shape
    cells: Callable[[tuple[Scalar, ...]], Any]
    """Its values, of those of the batch."""
    kind: int | None
    """Which of them is its kind."""


def _split(event: Event) -> list[Logical]:
    """One logical call for each element of a batch; the leaves around it go with every one."""
    logical, cells = [], event.request.cells
    for element in _elements(event.method, event.request.shape):
        kind = "" if element.kind is None else str(cells[element.kind])
        token = _token(event.protocol, event.method, kind)
        request = Row(element.shape, element.cells(cells))
        logical.append(Logical(event, token, request, ((event, element.names),), event.start_s))
    return logical


@lru_cache(maxsize=_SHAPES_KEPT)
def _elements(method: str, shape: Shape) -> tuple[_Element, ...]:
    """The events in batches of a shape."""
    batch = BATCHES[method]
    pattern = batch.pattern
    places: dict[tuple[str, str], dict[str, str]] = {}
    around: dict[str, str] = {}
    outer: dict[str, dict[str, str]] = defaultdict(dict)
    for path in shape.paths:
        match = pattern.match(path)
        if match is None:
            around[path] = path
        elif match[2] is None:
            outer[match[1]][path] = f"{batch.outer}[0]{match[3]}"
        else:
            home = f"{batch.outer}[0].{batch.inner}[0]{match[3]}"
            places.setdefault((match[1], match[2]), {})[path] = home
    elements = []
    for (at, _), inside in places.items():
        own = {**around, **outer[at], **inside}
        names = {path: own[path] for path in sorted(own, key=shape.places.__getitem__)}
        numbers = [shape.places[path] for path in names]
        kind = f"{batch.outer}[0].{batch.inner}[0].{batch.kind}"
        where = next(
            (place for place, name in zip(numbers, names.values(), strict=True) if name == kind), None
        )
        elements.append(_Element(names, shape_of(names.values()), _cells_at(numbers), where))
    return tuple(elements)


def _cells_at(numbers: Sequence[int]) -> Callable[[tuple[Scalar, ...]], Any]:
    if len(numbers) == 1:
        return lambda cells: (cells[numbers[0]],)
    return itemgetter(*numbers)


def _map_order(leaves: Leaves) -> dict[str, str]:
    """Renaming of leaf paths that puts lists of key and value into order of their keys."""
    keys: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path, value in leaves.items():
        match = _KEYED.match(path)
        if match:
            keys[match[1]].append((str(value), int(match[2])))
    renamed: dict[str, str] = {}
    for prefix, listed in keys.items():
        if len({key for key, _ in listed}) != len(listed):
            continue
        # As they are on the wire: short keys first.
        listed.sort(key=lambda entry: (len(entry[0]), entry))
        places = {old: new for new, (_, old) in enumerate(listed)}
        for path in leaves:
            if path.startswith(prefix + "["):
                index, _, rest = path[len(prefix) + 1 :].partition("]")
                renamed[path] = f"{prefix}[{places.get(int(index), int(index))}]{rest}"
    return renamed


# --- polls ------------------------------------------------------------------------------------------------


def find_polls(sequences: Collection[Sequence[Logical]]) -> dict[Token, Poll]:
    """Calls that are repeated word for word until their answer has a value.

    A poll shows itself where one sender repeats a request at once; what ends it is a leaf of the answer that
    has one value at the end of every repetition and never before, other threads' calls between them or not.

    Args:
        sequences: the calls of each sender, in order.
    """
    polls = {}
    for token in sorted({call.token for sequence in sequences for call in sequence}):
        known = POLLS.get(token[1])
        if known is not None and any(
            known.path in (call.response or EMPTY)
            for sequence in sequences
            for call in sequence
            if call.token == token
        ):
            polls[token] = known
    repeating = {
        again.token
        for sequence in sequences
        for before, again in pairwise(sequence)
        if _is_again(before, again)
    }
    for token in sorted(repeating):
        at_once = [group for sequence in sequences for group in _at_once(sequence, token)]
        in_all = [group for sequence in sequences for group in _same_requests(sequence, token)]
        repeated = [group for group in at_once if len(group) > 1]
        ending = _ending(repeated, in_all) or _ending(repeated, at_once)
        if ending is not None:
            path, until = ending
            # The mean keeps the number of attempts where a client asks a few times at once, then waits, and so on.
            gaps = [b.event.start_s - a.event.end_s for g in repeated for a, b in pairwise(g)]
            polls[token] = Poll(path, until, round(max(0.0, fmean(gaps)), 3))
    return polls


def _is_again(before: Logical, call: Logical) -> bool:
    """Whether a call repeats the one right before it."""
    return before.token == call.token and before.request == call.request


def _same_requests(sequence: Sequence[Logical], token: Token) -> list[list[Logical]]:
    groups: dict[object, list[Logical]] = defaultdict(list)
    for call in sequence:
        if call.token == token:
            groups[call.request.shape, call.request.cells].append(call)
    return list(groups.values())


def _at_once(sequence: Sequence[Logical], token: Token) -> list[list[Logical]]:
    """Neighbours with equal requests."""
    groups: list[list[Logical]] = []
    for at, call in enumerate(sequence):
        if call.token != token:
            continue
        if at and _is_again(sequence[at - 1], call):
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


def join_polls(sequence: Sequence[Logical], polls: Mapping[Token, Poll]) -> list[Logical]:
    """The sequence with each poll, and each failed attempt that is repeated word for word, as one call.

    The one call stands where the first attempt was.

    Args:
        polls: what ends the poll of each call that is one, as `find_polls` gives it.
    """
    logical: list[Logical] = []
    waiting: dict[Token, dict[object, int]] = defaultdict(dict)
    for at, call in enumerate(sequence):
        unended = waiting.get(call.token)
        again = unended.pop((call.request.shape, call.request.cells), None) if unended else None
        poll = polls.get(call.token)
        if again is not None and (poll is not None or _is_again(sequence[at - 1], call)):
            first = logical[again]
            logical[again] = replace(call, raw=(*first.raw, *call.raw), start_s=first.start_s)
        else:
            again = len(logical)
            logical.append(call)
        response = call.event.response
        unfinished = poll is not None and response is not None and response.get(poll.path) != poll.until
        if unfinished or call.event.error is not None:
            waiting[call.token][call.request.shape, call.request.cells] = again
    return logical


def _ending(repeated: list[list[Logical]], every: list[list[Logical]]) -> tuple[str, Scalar] | None:
    answers = [[call.response for call in group if call.response is not None] for group in repeated]
    answers = [group for group in answers if len(group) > 1]
    if not answers:
        return None
    finals = [call.response for group in every for call in group[-1:] if call.response is not None]
    for path, value in answers[0][-1].items():
        if not isinstance(value, bool | str | int) or (len(answers) == 1 and not isinstance(value, bool)):
            continue
        if all(f.get(path) == value for f in finals) and all(
            a.get(path) != value for group in answers for a in group[:-1]
        ):
            return path, value
    return None
