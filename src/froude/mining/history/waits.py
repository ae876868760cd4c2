"""Calls that waited until another node had made what they are about: a consumer's, of what a producer has written.

Nobody sees what a waiting node waits for: it asks a queue, or looks for a file. But its call is about a path, another
node made that path or a folder above it, and the call came right after. So the call is held to wait for the path.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from froude.messages.rows import EMPTY
from froude.mining.history.timeline import type_of
from froude.mining.read.knowledge import CONFIRMATION, PATH
from froude.mining.shape.structure import Occurrence
from froude.workload.types import MAKES, Wait

_HELD_UP = 2
"""Calls that must have had to wait before a node is said to wait: one alone may be an accident."""
_SLACK_S = 0.001
"""What was made counts as made before a call that was sent this much earlier, at most: two connections, one clock."""


@dataclass(slots=True)
class Waits:
    """What was found."""

    by_template: dict[str, Wait] = field(default_factory=dict)
    """What the calls of a template wait for."""
    until_s: dict[int, float] = field(default_factory=dict)
    """When a call could go on, by identity of its occurrence: its pause counts from there."""


_Made = Mapping[str, Sequence[Occurrence]]
"""By path, the calls of one run after which it was there."""


@dataclass(frozen=True, slots=True)
class _Need:
    """A call that is the first of its node to be about what another node has made."""

    wait: Wait
    occurrence: Occurrence
    maker: Occurrence
    held_up: bool
    """Whether it was made only after the node's call before had been answered."""
    beside: bool
    """Whether nodes of the maker's type were still at work."""


def find_waits(steps: Mapping[str, Sequence[Occurrence]]) -> Waits:
    """What calls waited for, where that was made by a node at work beside.

    Args:
        steps: the occurrences of each template.
    """
    runs: dict[int, list[Occurrence]] = defaultdict(list)
    for listed in steps.values():
        for occurrence in listed:
            if not occurrence.sender.role.emulated:
                runs[occurrence.run].append(occurrence)
    made = {number: _made(run) for number, run in runs.items()}
    needs: dict[str, list[_Need]] = defaultdict(list)
    for number, run in runs.items():
        for need in _needs(run, made[number]):
            needs[need.occurrence.template].append(need)
    held_up: dict[tuple[str, Wait], int] = defaultdict(int)
    for template, listed_needs in needs.items():
        for need in listed_needs:
            held_up[type_of(template), need.wait] += need.held_up and need.beside
    waits = Waits()
    for template, listed_needs in needs.items():
        wait = listed_needs[0].wait
        alike = all(need.wait == wait for need in listed_needs)
        # A path that was there from the beginning would be waited for in vain.
        alike = alike and all(_is_made(wait, each, made[each.run]) for each in steps[template])
        if alike and held_up[type_of(template), wait] >= _HELD_UP:
            waits.by_template[template] = wait
            waits.until_s.update({id(need.occurrence): _end_s(need.maker) for need in listed_needs})
    return waits


def _end_s(occurrence: Occurrence) -> float:
    return occurrence.call.event.end_s


def _made(run: Iterable[Occurrence]) -> _Made:
    made: dict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in run:
        path = _made_path(occurrence)
        if path is not None:
            made[path].append(occurrence)
    return made


def _makers(path: str, occurrence: Occurrence, made: _Made) -> list[Occurrence]:
    """The calls that had made a path before a call was sent."""
    latest_s = occurrence.call.start_s + _SLACK_S
    return [maker for maker in made.get(path, ()) if _end_s(maker) <= latest_s]


def _is_made(wait: Wait, occurrence: Occurrence, made: _Made) -> bool:
    """Whether somebody had made what a call waits for, as a play would have it."""
    path = occurrence.call.request.get(wait.argument)
    return isinstance(path, str) and any(
        (type_of(maker.template), maker.call.event.method) == (wait.node_type, wait.method)
        for maker in _makers(wait.path(path), occurrence, made)
    )


def _needs(run: Iterable[Occurrence], made: _Made) -> Iterator[_Need]:
    """What the calls of one run were the first of their nodes to need of others."""
    last_s: dict[str, float] = {}
    by_sender: dict[int, list[Occurrence]] = defaultdict(list)
    for occurrence in sorted(run, key=lambda occurrence: occurrence.call.order):
        by_sender[id(occurrence.sender)].append(occurrence)
        name = type_of(occurrence.template)
        last_s[name] = max(last_s.get(name, 0.0), occurrence.call.start_s)
    for occurrences in by_sender.values():
        known: set[int] = set()
        answered_s = math.inf
        for occurrence in occurrences:
            free_s, answered_s = answered_s, _end_s(occurrence)
            nearest = _maker(occurrence, made)
            if nearest is None or id(nearest[0]) in known:
                continue
            maker, up = nearest
            known.add(id(maker))
            method = maker.call.event.method
            wait = Wait(PATH, up, method, MAKES[method], type_of(maker.template))
            beside = last_s[wait.node_type] > occurrence.call.start_s
            yield _Need(wait, occurrence, maker, _end_s(maker) > free_s, beside)


def _made_path(occurrence: Occurrence) -> str | None:
    """The path that is there after a call; None where it failed, or denies having done anything."""
    event = occurrence.call.event
    done = event.answered and event.error is None and (event.response or EMPTY).get(CONFIRMATION) is not False
    path = occurrence.call.request.get(MAKES.get(event.method, ""))
    return path if done and isinstance(path, str) else None


def _maker(occurrence: Occurrence, made: _Made) -> tuple[Occurrence, int] | None:
    """The last call of another node that made a call's path or a folder above it, nearest first, and how far above."""
    path = occurrence.call.request.get(PATH)
    if not isinstance(path, str) or not path.startswith("/"):
        return None
    own = MAKES.get(occurrence.call.event.method) == PATH
    for up in range(int(own), path.count("/")):
        makers = _makers(path.rsplit("/", up)[0], occurrence, made)
        if makers:
            latest = max(makers, key=_end_s)
            return None if latest.sender is occurrence.sender else (latest, up)
    return None
