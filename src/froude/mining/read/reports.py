"""Reports that a real-time call repeats until what they tell of is over: containers in a NodeManager's heartbeat.

Each report of a thing is a logical call of its own, and stands for all the heartbeats that carried it word for word.
So a heartbeat keeps what is its own, and a report follows from whatever gave the node its thing to do. When a report
changes is a matter of time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from froude.mining.read.events import Event
from froude.mining.read.knowledge import REPORTS, Report
from froude.workload.types import Scalar

Token = tuple[str, str, str]
"""As in `canonical`."""
Thing = tuple[tuple[str, Scalar], ...]
"""What a report is about: the leaves that name it, by path below the message that does."""


@dataclass(slots=True)
class Reported:
    """One report of one thing, as it was from one heartbeat on."""

    event: Event
    """The first call that carried it."""
    kind: str
    request: dict[str, Scalar]
    """Leaves of the element, as of the first of its list."""
    moved: frozenset[str]
    """Leaves that changed when it began."""
    raw: list[tuple[Event, Mapping[str, str]]] = field(default_factory=list)
    """Each call that carried it, with raw leaf path -> canonical leaf path."""

    @property
    def token(self) -> Token:
        """What it is in a sequence."""
        return self.event.protocol, self.event.method, self.kind


class Reports:
    """The reports of one sender, in order."""

    def __init__(self) -> None:
        """None yet."""
        self._open: dict[Thing, Reported] = {}

    def split(self, event: Event) -> tuple[frozenset[str], list[Reported]]:
        """What a call carries for others, and the reports that begin with it.

        Args:
            event: the sender's next call.

        Returns:
            Leaf paths that are no part of the call itself, and new reports.
        """
        report = REPORTS.get(event.method)
        if report is None:
            return frozenset(), []
        began = []
        elements = _elements(event, report)
        for paths in elements:
            each = self._take(event, report, paths)
            began += [each] if each is not None else []
        return frozenset(path for paths in elements for path in paths), began

    def _take(self, event: Event, report: Report, paths: Mapping[str, str]) -> Reported | None:
        leaves = {canonical: event.request[path] for path, canonical in paths.items()}
        thing = thing_of(leaves, report)
        kind = report.kind_of(leaves)
        before = self._open.get(thing)
        same = before is not None and before.kind == kind and _agree(before.request, leaves)
        if before is not None and same:
            before.request.update(leaves)
            before.raw.append((event, paths))
            return None
        moved = report.kind_paths & leaves.keys()
        if before is not None:
            moved |= {path for path, value in leaves.items() if before.request.get(path, value) != value}
        new = Reported(event, kind, leaves, frozenset(moved), [(event, paths)])
        self._open[thing] = new
        return new


def _agree(one: Mapping[str, Scalar], other: Mapping[str, Scalar]) -> bool:
    return all(one[path] == value for path, value in other.items() if path in one)


def _elements(event: Event, report: Report) -> list[dict[str, str]]:
    """Raw leaf path -> canonical leaf path of each element of the list, in its order."""
    elements: dict[str, dict[str, str]] = defaultdict(dict)
    for path in event.request:
        match = report.pattern.match(path)
        if match is not None:
            elements[match[1]][path] = f"{report.element}{match[2]}"
    return list(elements.values())


def thing_of(request: Mapping[str, Scalar], report: Report) -> Thing:
    """What a report is about."""
    prefix = f"{report.element}.{report.thing}."
    return tuple(
        (path.removeprefix(prefix), value) for path, value in request.items() if path.startswith(prefix)
    )


def on_the_way(events: Iterable[Event], told: Container[tuple[int, str]]) -> frozenset[tuple[int, str]]:
    """Leaves of reports that follow from nothing although others of the same thing do, as of a state between two others.

    Whether a report comes in time to tell of it is a matter of time.

    Args:
        told: the leaves that belong to calls of the workload, by the event's place in the run and path.
    """
    known: set[tuple[str, Thing]] = set()
    open_ones: list[tuple[tuple[str, Thing], list[tuple[int, str]]]] = []
    for event in events:
        report = REPORTS.get(event.method)
        for paths in _elements(event, report) if report is not None else ():
            assert report is not None
            thing = thing_of({canonical: event.request[path] for path, canonical in paths.items()}, report)
            leaves = [(event.order, path) for path in paths]
            if any(leaf in told for leaf in leaves):
                known.add((event.client, thing))
            else:
                open_ones.append(((event.client, thing), leaves))
    return frozenset(leaf for thing, leaves in open_ones if thing in known for leaf in leaves)


def named_in(leaves: Mapping[str, Scalar], things: Iterable[Thing]) -> list[tuple[Thing, str]]:
    """Places of a message that name a thing, whatever the message around it is called.

    Args:
        leaves: of the message, by path.
        things: by their leaves; all of them have the same.

    Returns:
        Each thing that is named, with the path of the message that names it.
    """
    by_last: dict[str, dict[Thing, None]] = defaultdict(dict)
    for thing in things:
        by_last[thing[-1][0]][thing] = None
    found = []
    for last, listed in by_last.items():
        ending = re.compile(rf"^(?:(.*)\.)?{re.escape(last)}$")
        for path in leaves:
            match = ending.match(path)
            if match is None:
                continue
            prefix = f"{match[1]}." if match[1] else ""
            names = [name for name, _ in next(iter(listed))]
            thing = tuple((name, leaves.get(prefix + name)) for name in names)
            if thing in listed:
                found.append((thing, match[1] or ""))
    return found
