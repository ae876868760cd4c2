"""Canonical forms: raw calls made into logical ones that do not depend on timing.

A retry joins its first attempt; a batch becomes one logical call an element; a list that is really a map is
put into order of its keys; a failed attempt that is repeated word for word joins the one that succeeds; calls
repeated until the answer has a value become one `Poll`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from froude.mining.asks import named
from froude.mining.events import Event, Leaves
from froude.mining.knowledge import BATCHES, POLLS, Batch
from froude.mining.reported import Reported, Reports
from froude.workload.types import Poll, Scalar

Token = tuple[str, str, str]
"""Protocol, method, and for an element of a batch its kind: what a sequence is made of."""

_KEYED = re.compile(r"^(.*?)\[(\d+)\]\.key$")


@dataclass(frozen=True, slots=True)
class Logical:
    """One logical call: an element of the sequences that are mined."""

    event: Event
    """The raw call that brought the answer."""
    token: Token
    request: Leaves
    """Canonical leaves."""
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
    def response(self) -> Leaves | None:
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
        batch = BATCHES.get(event.method)
        if batch:
            logical.extend(
                _split(event, batch)
            )  # one without elements is sent to no purpose, when time decides
        else:
            carried, began = reports.split(event)
            seen[key] = len(logical)
            logical += [_whole(event, carried), *began]
    return [_reported(each) if isinstance(each, Reported) else each for each in logical]


def _reported(report: Reported) -> Logical:
    event = report.event
    return Logical(event, report.token, report.request, tuple(report.raw), event.start_s, report.moved)


def decided_by_time(event: Event, path: str) -> bool:
    """Whether time alone decides on a leaf: of a batch of no events, or of such as tell of what is on its way.

    Args:
        event: the call.
        path: leaf path in its request.
    """
    batch = BATCHES.get(event.method)
    return batch is not None and all(
        call.token[2] in batch.passing for call in _split(event, batch) if path in call.raw[0][1]
    )


def _whole(event: Event, carried: Collection[str]) -> Logical:
    names = {**_map_order(event.request), **named(event.method, event.request)}
    own = [path for path in event.request if path not in carried] if carried else list(event.request)
    leaves = {names.get(path, path): event.request[path] for path in own}
    token = (event.protocol, event.method, "")
    raw = {path: names.get(path, path) for path in own}
    return Logical(event, token, leaves, ((event, raw),), event.start_s)


def _joined(first: Logical, again: Event) -> Logical:
    """The logical call with one more attempt, whose answer counts."""
    names = first.raw[0][1]
    return replace(first, event=again, raw=(*first.raw, (again, names)))


def _split(event: Event, batch: Batch) -> list[Logical]:
    """One logical call for each element of a batch; the leaves around it go with every one."""
    places: dict[tuple[str, str], dict[str, str]] = {}
    around: dict[str, str] = {}
    outer: dict[str, dict[str, str]] = defaultdict(dict)
    for path in event.request:
        match = batch.pattern.match(path)
        if match is None:
            around[path] = path
        elif match[2] is None:
            outer[match[1]][path] = f"{batch.outer}[0]{match[3]}"
        else:
            home = f"{batch.outer}[0].{batch.inner}[0]{match[3]}"
            places.setdefault((match[1], match[2]), {})[path] = home
    logical = []
    for (at, _), inside in places.items():
        names = {
            path: {**around, **outer[at], **inside}[path]
            for path in event.request
            if path in around or path in outer[at] or path in inside
        }
        leaves = {canonical: event.request[path] for path, canonical in names.items()}
        kind = str(leaves.get(f"{batch.outer}[0].{batch.inner}[0].{batch.kind}", ""))
        logical.append(
            Logical(event, (event.protocol, event.method, kind), leaves, ((event, names),), event.start_s)
        )
    return logical


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


def find_polls(sequences: Iterable[Sequence[Logical]]) -> dict[Token, Poll]:
    """Calls that are repeated word for word until their answer has a value.

    A poll shows itself where one sender repeats a request at once; what ends it is a leaf of the answer that
    has one value at the end of every repetition and never before, other threads' calls between them or not.
    """
    at_once: dict[Token, list[list[Logical]]] = defaultdict(list)
    in_all: dict[Token, list[list[Logical]]] = defaultdict(list)
    for sequence in sequences:
        for group in _groups(sequence):
            at_once[group[0].token].append(group)
        for group in _same_requests(sequence):
            in_all[group[0].token].append(group)
    polls = {}
    for token, listed in sorted(at_once.items()):
        known = POLLS.get(token[1])
        if known is not None and any(
            known.path in (call.response or {}) for group in listed for call in group
        ):
            polls[token] = known
        repeated = [group for group in listed if len(group) > 1]
        ending = _ending(repeated, in_all[token]) or _ending(repeated, listed)
        if ending is not None:
            path, until = ending
            # The mean keeps the number of attempts where a client asks a few times at once, then waits, and so on.
            gaps = [b.event.start_s - a.event.end_s for g in repeated for a, b in pairwise(g)]
            polls[token] = Poll(path, until, round(max(0.0, fmean(gaps)), 3))
    return polls


def join_polls(sequence: Sequence[Logical], polls: Mapping[Token, Poll]) -> list[Logical]:
    """The sequence with each poll, and each failed attempt that is repeated word for word, as one call.

    The one call stands where the first attempt was.

    Args:
        sequence: one sender's calls in order.
        polls: what ends the poll of each call that is one, as `find_polls` gives it.
    """
    logical: list[Logical] = []
    waiting: dict[tuple[Token, tuple[tuple[str, Scalar], ...]], int] = {}
    for at, call in enumerate(sequence):
        key = (call.token, tuple(call.request.items()))
        again = waiting.pop(key, None)
        if again is not None and (call.token in polls or _follows(sequence, at)):
            first = logical[again]
            logical[again] = replace(call, raw=(*first.raw, *call.raw), start_s=first.start_s)
        else:
            again = len(logical)
            logical.append(call)
        poll = polls.get(call.token)
        unfinished = (
            poll is not None and call.response is not None and call.response.get(poll.path) != poll.until
        )
        if call.event.error is not None or unfinished:
            waiting[key] = again
    return logical


def _follows(sequence: Sequence[Logical], at: int) -> bool:
    """Whether a call repeats the one right before it."""
    return (
        at > 0
        and sequence[at - 1].token == sequence[at].token
        and sequence[at - 1].request == sequence[at].request
    )


def _same_requests(sequence: Sequence[Logical]) -> list[list[Logical]]:
    groups: dict[tuple[Token, tuple[tuple[str, Scalar], ...]], list[Logical]] = defaultdict(list)
    for call in sequence:
        groups[call.token, tuple(call.request.items())].append(call)
    return list(groups.values())


def _groups(sequence: Sequence[Logical]) -> list[list[Logical]]:
    """Neighbours with one method and equal requests."""
    groups: list[list[Logical]] = []
    for call in sequence:
        if groups and groups[-1][-1].token == call.token and groups[-1][-1].request == call.request:
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


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
