"""Which senders were processes in containers of YARN, who had those started, and what an application master waited for.

A process says in its caller context which attempt of which application it is, and that name stands in the call that
started its container, or follows from the container's id. So nobody is known here by what it is called: who names whom,
and who was started with what, is found in each recording.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from froude.messages.rows import EMPTY
from froude.mining.read.events import Event, Leaves, Recording
from froude.mining.read.knowledge import STAGE_SHARE
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import MinedType
from froude.workload.types import Awaited, Container

_NAME = re.compile(r"[a-z]+_\d{10,}_\d{4,}(?:_\w+)*")
"""A name that YARN, or a framework on it, gives: a time stamp, the number of an application, and what follows."""
_SLACK_S = 0.001
"""What ended counts as ended before a call that was sent this much earlier, at most: two connections, one clock."""
_STARTS, _ALLOCATES, _SUBMITS = "startContainers", "allocate", "submitApplication"
_Key = tuple[object, object, object]
"""Application, attempt and container."""


@dataclass(slots=True)
class Contained:
    """What was found."""

    containers: dict[str, Container] = field(default_factory=dict)
    """By node type."""
    awaited: dict[str, Awaited] = field(default_factory=dict)
    """By template."""


class _Start(NamedTuple):
    """A container that was started."""

    caller: str
    """The process that had it started."""
    key: _Key
    at_s: float


class _Process(NamedTuple):
    """A sender, and the container that it ran in."""

    sender: Sender
    start: _Start


@dataclass(slots=True)
class _Run:
    """What one recording says of containers."""

    starts: dict[str, _Start] = field(default_factory=dict)
    """By the name of what runs in it."""
    priorities: dict[_Key, int] = field(default_factory=dict)
    submitters: dict[object, str] = field(default_factory=dict)
    """The process that submitted an application, by its number."""
    asks: dict[str, list[Event]] = field(default_factory=lambda: defaultdict(list))
    """Calls of `allocate`, by process."""


def find_containers(recordings: Sequence[Recording], types: Sequence[MinedType]) -> Contained:
    """The containers that nodes of each type ran in, and the steps that waited for some.

    Args:
        types: the node types with what they did.
    """
    runs = [_read(recording) for recording in recordings]
    type_of = {(sender.run, sender.key): mined for mined in types for sender in mined.senders}
    found = Contained()
    inside: dict[str, list[_Process]] = {}
    for mined in types:
        processes = _processes(mined, runs)
        container = None if processes is None else _container(processes, runs, type_of)
        if processes is not None and container is not None:
            inside[mined.name] = processes
            found.containers[mined.name] = container
    for mined in types:
        container = found.containers.get(mined.name)
        if container is not None and container.priority is None:
            tasks = [
                name
                for name, task in found.containers.items()
                if task.of == mined.name and task.priority is not None
            ]
            found.awaited |= _awaited(mined, {name: inside[name] for name in tasks}, runs)
    return found


# --- recordings ---------------------------------------------------------------------------------------------


def _read(recording: Recording) -> _Run:
    run = _Run()
    for event in recording.events:
        answer = event.response or EMPTY
        if event.method == _ALLOCATES:
            run.asks[event.client].append(event)
            for prefix in _elements("allocated_containers", answer):
                priority = answer.get(f"{prefix}.priority.priority")
                if isinstance(priority, int):
                    run.priorities[_key(answer, f"{prefix}.id")] = priority
        elif event.method == _SUBMITS:
            number = event.request.get("application_submission_context.application_id.id")
            run.submitters[number] = event.client
        elif event.method == _STARTS:
            for number, prefix in enumerate(_elements("succeeded_requests", answer)):
                start = _Start(event.client, _key(answer, prefix), event.end_s)
                for name in _names(event.request, f"start_container_request[{number}]"):
                    run.starts.setdefault(name, start)
                run.starts.setdefault(_attempt(answer, prefix), start)
    return run


def _elements(listed: str, leaves: Leaves) -> Iterator[str]:
    """The paths of the elements of a list."""
    found = dict.fromkeys(path[: path.index("]") + 1] for path in leaves if path.startswith(f"{listed}["))
    yield from found


def _key(leaves: Leaves, prefix: str) -> _Key:
    attempt = f"{prefix}.app_attempt_id"
    return (
        leaves.get(f"{attempt}.application_id.id"),
        leaves.get(f"{attempt}.attemptId"),
        leaves.get(f"{prefix}.id"),
    )


def _attempt(leaves: Leaves, prefix: str) -> str:
    """What the application master of a container's application calls itself."""
    application, attempt, _ = _key(leaves, prefix)
    stamp = leaves.get(f"{prefix}.app_attempt_id.application_id.cluster_timestamp")
    if not (isinstance(stamp, int) and isinstance(application, int) and isinstance(attempt, int)):
        return ""
    return f"appattempt_{stamp}_{application:04}_{attempt:06}"


def _names(leaves: Leaves, prefix: str) -> Iterator[str]:
    for path, value in leaves.items():
        if path.startswith(prefix) and isinstance(value, str):
            yield from _NAME.findall(value)


# --- containers -----------------------------------------------------------------------------------------------


def _processes(mined: MinedType, runs: Sequence[_Run]) -> list[_Process] | None:
    """The senders of a type with their containers; None where some ran in none that is known."""
    found = []
    for sender in mined.senders:
        names = _NAME.findall(sender.first.caller_context or "")
        start = next(
            (runs[sender.run].starts[name] for name in names if name in runs[sender.run].starts), None
        )
        if start is None:
            return None
        found.append(_Process(sender, start))
    return found


def _container(
    processes: Sequence[_Process], runs: Sequence[_Run], type_of: Mapping[tuple[int, str], MinedType]
) -> Container | None:
    """What all of them have alike; None where they differ."""
    kinds = set()
    for sender, start in processes:
        run = runs[sender.run]
        priority = run.priorities.get(start.key)
        caller = run.submitters.get(start.key[0], "") if priority is None else start.caller
        owner = type_of.get((sender.run, caller))
        kinds.add((None if owner is None else owner.name, priority))
    if len(kinds) != 1:
        return None
    of, priority = kinds.pop()
    if of is None:
        return None
    delay_s = max(0.0, median(sender.calls[0].start_s - start.at_s for sender, start in processes))
    after = 0.0 if priority is None else _share_before(processes, priority, runs)
    return Container(of, priority, round(delay_s, 3), after)


def _share_before(processes: Sequence[_Process], priority: int, runs: Sequence[_Run]) -> float:
    """The share of the containers that were asked for before which had ended when these were asked for.

    A recording shows it from one call to the next only; where what frameworks usually do fits all, that is it.
    """
    least, most = 0.0, 1.0
    for run, caller in {(sender.run, start.caller) for sender, start in processes}:
        bounds = _bounds(runs[run].asks[caller], priority)
        if bounds is None:
            return 0.0
        least, most = max(least, bounds[0]), min(most, bounds[1])
    return STAGE_SHARE if least < STAGE_SHARE <= most or least >= most else round(most, 4)


def _bounds(asks: Sequence[Event], priority: int) -> tuple[float, float] | None:
    """Below and up to which share containers had ended when a priority was asked for first; None at the beginning."""
    asked: dict[str, int] = {}
    ended = before = 0
    for event in asks:
        for path, number in event.request.items():
            if path.startswith("ask[") and path.endswith("].num_containers") and isinstance(number, int):
                prefix = path.removesuffix(".num_containers")
                if event.request.get(f"{prefix}.resource_name") != "*":
                    continue
                if event.request.get(f"{prefix}.priority.priority") == priority and number > 0:
                    total = sum(asked.values())
                    return (before / total, ended / total) if total else None
                name = str(event.request.get(f"{prefix}.priority.priority"))
                asked[name] = max(asked.get(name, 0), number)
        before = ended
        ended += sum(1 for _ in _elements("completed_container_statuses", event.response or {}))
    return None


# --- what steps waited for ------------------------------------------------------------------------------------


def _awaited(
    mined: MinedType, tasks: Mapping[str, Sequence[_Process]], runs: Sequence[_Run]
) -> dict[str, Awaited]:
    """The steps of an application master that waited for a first container, and for the end of its tasks."""
    ends: dict[tuple[int, str], float] = {}
    for sender, start in (process for processes in tasks.values() for process in processes):
        key = (sender.run, start.caller)
        ends[key] = max([ends.get(key, 0.0), *(call.event.end_s for call in sender.calls)])
    given = {
        (sender.run, sender.key): _given_s(runs[sender.run].asks[sender.key]) for sender in mined.senders
    }
    if not tasks or any((sender.run, sender.key) not in ends for sender in mined.senders):
        return {}
    calls = _calls(mined)
    found: dict[str, Awaited] = {}
    first_given = _first_after(calls, {key: at_s for key, at_s in given.items() if at_s is not None})
    if first_given is not None and all(at_s is not None for at_s in given.values()):
        found[first_given[0]] = Awaited((), first_given[1])
    first_after = _first_after(calls, ends)
    if first_after is not None:
        found[first_after[0]] = Awaited(tuple(tasks), first_after[1])
    return found


def _given_s(asks: Iterable[Event]) -> float | None:
    """When a process was given its first container."""
    answered = (
        event for event in asks if next(_elements("allocated_containers", event.response or {}), None)
    )
    return next((event.end_s for event in answered), None)


class _Called(NamedTuple):
    """The first call of a template that one sender made."""

    start_s: float
    free_s: float
    """When its call before was answered."""


def _calls(mined: MinedType) -> dict[str, dict[tuple[int, str], _Called]]:
    """By template, in order, and by sender."""
    calls: dict[str, dict[tuple[int, str], _Called]] = defaultdict(dict)
    free_s: dict[tuple[int, str], float] = {}
    for occurrence in mined.occurrences:
        key = (occurrence.run, occurrence.sender.key)
        event = occurrence.call.event
        calls[occurrence.template].setdefault(key, _Called(occurrence.call.start_s, free_s.get(key, 0.0)))
        free_s[key] = event.end_s
    return calls


def _first_after(
    calls: Mapping[str, Mapping[tuple[int, str], _Called]], moments: Mapping[tuple[int, str], float]
) -> tuple[str, float] | None:
    """The first step from which on all came after a moment of their senders, and the median pause from that."""
    first: tuple[str, float] | None = None
    for template, by_sender in reversed(list(calls.items())):
        if not all(
            key in moments and called.start_s >= moments[key] - _SLACK_S for key, called in by_sender.items()
        ):
            break
        pauses_s = [
            max(0.0, called.start_s - max(moments[key], called.free_s)) for key, called in by_sender.items()
        ]
        first = (template, round(median(pauses_s), 6))
    return first
