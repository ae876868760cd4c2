"""A Trace in numbers: what `froude trace show` and reports say of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from froude.base.errors import InputError
from froude.hadoop.rpc.target import answers_for
from froude.trace.diff import sender_type
from froude.trace.failures import Failure, Failures, path_of
from froude.trace.types import Call, Status, Trace


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """One method of one daemon."""

    service: str
    """Who was called; empty where the source did not see it."""
    method: str
    calls: int
    errors: int
    """Answered with an error, fatal or not, or not at all."""
    p50_ms: float | None
    """Median duration; None where no duration is known."""
    p99_ms: float | None
    request_bytes: int
    response_bytes: int


@dataclass(frozen=True, slots=True)
class SenderType:
    """Senders that call themselves alike."""

    type: str
    senders: int
    calls: int
    users: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A Trace in numbers."""

    calls: int
    duration_s: float
    """From the trace's beginning to the last answer or request."""
    scale: dict[str, str]
    source_id: str
    release: str
    fidelity: dict[str, bool]
    loss: dict[str, int]
    methods: tuple[MethodSummary, ...]
    sender_types: tuple[SenderType, ...]
    senders: tuple[str, ...]
    """Each sender's client id in hex, or its connection's number."""
    failures: tuple[Failure, ...]
    """Calls that failed, by method, class and message, most frequent first; times are when they were sent."""

    def to_mapping(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def summarise(trace: Trace) -> Summary:
    """Count and measure a Trace; linear in its calls."""
    methods: dict[tuple[str, str], list[Call]] = defaultdict(list)
    senders: dict[str, list[Call]] = defaultdict(list)
    for call in trace.calls:
        methods[answers_for(call.target.service), call.method].append(call)
        senders[call.client_id.hex() or f"connection {call.connection}"].append(call)
    meta = trace.meta
    ends = [call.start_s + (call.duration_s or 0.0) for call in trace.calls]
    by_method = [_method(*names, calls) for names, calls in methods.items()]
    return Summary(
        len(trace.calls),
        max(ends, default=0.0),
        {name: str(quantity) for name, quantity in meta.scale.items()},
        meta.source_id,
        meta.release,
        asdict(meta.fidelity),
        asdict(meta.loss),
        tuple(sorted(by_method, key=lambda m: (m.service, -m.calls, m.method))),
        _types(senders),
        tuple(senders),
        failures_of([trace]),
    )


def failures_of(traces: Iterable[Trace]) -> tuple[Failure, ...]:
    """Calls that failed, by method, class and message, most frequent first.

    Args:
        traces: the recordings; a group spans them all, its times count from the beginning of each.
    """
    failures = Failures()
    for trace in traces:
        for call in trace.calls:
            if call.status is not Status.SUCCESS:
                error = call.error or call.status.value
                first = failures.add(call.method, error, call.error_message or "", call.start_s)
                if first is not None and call.request is not None:
                    with suppress(InputError):
                        first.path = path_of(trace.request(call))
    return tuple(failures)


def _method(service: str, name: str, calls: list[Call]) -> MethodSummary:
    times = [call.duration_s for call in calls if call.duration_s is not None]
    p50, p99 = (float(x) * 1e3 for x in np.percentile(times, (50, 99))) if times else (None, None)
    return MethodSummary(
        service,
        name,
        len(calls),
        sum(call.status is not Status.SUCCESS for call in calls),
        p50,
        p99,
        sum(len(call.request or b"") for call in calls),
        sum(len(call.response or b"") for call in calls),
    )


def _types(senders: dict[str, list[Call]]) -> tuple[SenderType, ...]:
    types: dict[str, list[list[Call]]] = defaultdict(list)
    for calls in senders.values():
        types[sender_type(calls)].append(calls)
    summaries = [
        SenderType(
            kind,
            len(each),
            sum(map(len, each)),
            tuple(sorted({c.user for calls in each for c in calls if c.user})),
        )
        for kind, each in types.items()
    ]
    return tuple(sorted(summaries, key=lambda t: (-t.calls, t.type)))
