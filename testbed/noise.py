"""What a busy machine does to a recording: the same job, with calls early, late, repeated, merged or to no purpose."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from froude.mining.read.events import Event, Recording
from froude.mining.read.knowledge import BATCHES, GAUGES
from froude.mining.rules.candidates import leaf_name
from froude.workload.types import Absent, CallTemplate, StartRule, Timing, Workload
from froude.workload.walk import map_calls

BEAT = "sendHeartbeat"
POLL = "complete"
REPORT = "blockReceivedAndDeleted"


def busy(recording: Recording, seed: int = 0) -> Recording:
    """The recording of the same run on a busy machine.

    Args:
        recording: a run.
        seed: of what the machine did when.
    """
    rng = random.Random(seed)
    events: list[Event] = []
    for each in (_late, _beats, _empty, _repeated):
        events = list(each(events or list(recording.events), rng))
    events = _merged(sorted(events, key=lambda event: event.start_s), rng)
    return replace(recording, events=tuple(replace(event, order=at) for at, event in enumerate(events)))


def _late(events: list[Event], rng: random.Random) -> Iterator[Event]:
    """Everything takes half as long again, here and there a little more."""
    for event in events:
        service = (event.end_s - event.start_s) * rng.uniform(1.0, 1.2)
        yield replace(event, start_s=1.5 * event.start_s, end_s=1.5 * event.start_s + service)


def _beats(events: list[Event], rng: random.Random) -> Iterator[Event]:
    """Now and then a heartbeat more; never a second first one, which asks for what the others do not."""
    begun: set[str] = set()
    for event in events:
        yield event
        if event.method == BEAT and event.client in begun and rng.random() < 0.1 and not _ordered(event):
            yield _again(event, 0.01)
        begun.update([event.client] if event.method == BEAT else [])


def _ordered(event: Event) -> bool:
    """Whether an answer tells the node to do something: it would be told once."""
    return any("Cmd" in path for path in event.response or {})


def _empty(events: list[Event], rng: random.Random) -> Iterator[Event]:
    """Reports of nothing."""
    batch = BATCHES[REPORT]
    for event in events:
        yield event
        if event.method == REPORT and rng.random() < 0.3:
            around = {path: value for path, value in event.request.items() if not batch.pattern.match(path)}
            yield replace(_again(event, 0.002), request=around)


def _repeated(events: list[Event], rng: random.Random) -> Iterator[Event]:
    """A file that is not yet replicated when its writer first asks."""
    for event in events:
        if event.method == POLL and event.response == {"result": True} and rng.random() < 0.3:
            early = replace(_again(event, -0.0005), response={"result": False})
            yield replace(early, end_s=early.start_s + 0.0001)
        yield event


def _again(event: Event, later_s: float) -> Event:
    """The same call once more, as a call of its own."""
    call_id = 1_000_000 + event.order if event.call_id >= 0 else event.call_id
    return replace(
        event,
        start_s=event.start_s + later_s,
        end_s=event.end_s + later_s,
        call_id=call_id + int(later_s < 0),
    )


def _merged(events: list[Event], rng: random.Random) -> list[Event]:
    """Neighbouring reports of one node as one, where the later one is not waited for."""
    merged: list[Event] = []
    for event in events:
        before = merged[-1] if merged else None
        able = (
            before is not None and before.method == event.method == REPORT and before.client == event.client
        )
        joined = _joined(before, event) if able and before is not None and rng.random() < 0.5 else None
        if joined is None:
            merged.append(event)
        else:
            merged[-1] = joined
    return merged


def _joined(first: Event, second: Event) -> Event | None:
    """One report with the elements of both, of one storage."""
    pattern = BATCHES[REPORT].pattern
    taken = len({m[2] for path in first.request if (m := pattern.match(path)) and m[2] is not None})
    request = dict(first.request)
    for path, value in second.request.items():
        match = pattern.match(path)
        if match is None or match[2] is None:
            if request.get(path, value) != value:
                return None
            request[path] = value
        else:
            request[f"blocks[0].blocks[{taken + int(match[2])}]{match[3]}"] = value
    return replace(first, request=request, start_s=second.start_s, end_s=second.end_s)


def without_intervals(workload: Workload) -> Workload:
    """A workload with all that time decides, and what gauges read, set to one value.

    Args:
        workload: as mined.
    """

    def call(template: CallTemplate) -> CallTemplate:
        poll = None if template.poll is None else replace(template.poll, every_s=0.0)
        read = {path: Absent() for path in template.arguments if leaf_name(path) in GAUGES}
        awaits = None if template.awaits is None else replace(template.awaits, pause_s=0.0)
        arguments = {**template.arguments, **read}
        return replace(template, timing=Timing(), poll=poll, awaits=awaits, arguments=arguments)

    def start(rule: StartRule) -> StartRule:
        return replace(
            rule,
            delay_s=0.0,
            spacing_s=0.0,
            within_s=None if rule.within_s is None else 0.0,
            pause_s=None if rule.pause_s is None else 0.0,
        )

    nodes = tuple(map_calls(node, call) for node in workload.node_types)
    return replace(
        workload,
        node_types=tuple(
            replace(
                node,
                start=start(node.start),
                or_start=None if node.or_start is None else start(node.or_start),
                container=None if node.container is None else replace(node.container, delay_s=0.0),
                periodic=tuple(replace(p, every_s=1.0, jitter_s=0.0, pause_s=None) for p in node.periodic),
                effects=tuple(replace(e, share=1.0 if e.share == 1.0 else 0.5) for e in node.effects),
            )
            for node in nodes
        ),
    )
