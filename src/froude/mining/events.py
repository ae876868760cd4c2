"""The miner's own view of a Trace: one `Event` a call, its messages flattened to leaves.

Nothing downstream of here knows protobuf: a request is a mapping from leaf path (`block.locs[0].id.ipAddr`)
to scalar, kept as a `Row`. `events_of` is the only adapter; tests and other sources build events directly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from froude.base.units import Quantity
from froude.hadoop.leaves import leaves
from froude.hadoop.schema import UnknownMethodError
from froude.hadoop.target import UNKNOWN, Target
from froude.mining.rows import Row
from froude.trace.lowered import LoweredInterval, lowered_intervals
from froude.trace.types import Status, Trace
from froude.workload.types import Scalar

Leaves = Mapping[str, Scalar]
"""Leaf path -> value, in the message's order."""


@dataclass(frozen=True, slots=True)
class Event:
    """One call, decoded."""

    order: int
    """Position in the trace, from 0."""
    start_s: float
    """When it was sent, seconds since the trace began."""
    end_s: float
    """When it was answered; `start_s` where no answer was seen."""
    client: str
    """The sending process: its clientId in hex, else its connection."""
    call_id: int
    """Number of the call within its client; a retry repeats it."""
    connection: int
    """Number of the connection within the trace."""
    peer: str
    """Source address."""
    user: str | None
    """Effective user."""
    caller_context: str | None
    """What the sender called itself."""
    protocol: str
    """Full protocol name."""
    method: str
    """Method name."""
    request: Row
    """The request's leaves; any mapping may be given."""
    response: Row | None
    """The response's leaves; None unless it succeeded."""
    error: str | None = None
    """Exception class of an error answer."""
    answered: bool = True
    """Whether an answer was seen."""
    target: Target = UNKNOWN
    """Who was called."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "request", Row.of(self.request))
        if self.response is not None:
            object.__setattr__(self, "response", Row.of(self.response))


@dataclass(frozen=True, slots=True)
class Recording:
    """One run: its events in order, and the Scale it ran at."""

    events: Sequence[Event]
    scale: Mapping[str, Quantity]
    source_id: str = ""
    release: str = ""
    unknown: Mapping[str, int] = field(default_factory=dict)
    """Calls left out because the schema does not know their method: number by method."""
    lowered: Mapping[str, LoweredInterval] = field(default_factory=dict)
    """Periods that were lowered for the run, by method."""


def recording_of(trace: Trace) -> Recording:
    """Decode a Trace.

    Raises:
        InputError: a payload is absent or does not decode, or a note of a lowered period says none.
    """
    unknown: dict[str, int] = {}
    events = events_of(trace, unknown)
    meta = trace.meta
    lowered = lowered_intervals(meta.notes)
    return Recording(events, meta.scale, meta.source_id, meta.release, unknown, lowered)


def events_of(trace: Trace, unknown: dict[str, int] | None = None) -> tuple[Event, ...]:
    """Every call of a Trace whose method the schema knows, as an Event, in order of start.

    Args:
        trace: with its schema.
        unknown: gets the number of calls left out, by method.

    Raises:
        InputError: a payload is absent or does not decode.
    """
    events: list[Event] = []
    for call in trace.calls:
        try:
            # A list that stands for a map is in the order of one JVM's hash table, which says nothing.
            request = Row.of(leaves(trace.request(call), canonical=True))
        except UnknownMethodError:
            if unknown is not None:
                unknown[call.method] = unknown.get(call.method, 0) + 1
            continue
        response = Row.of(leaves(trace.response(call))) if call.response is not None else None
        end_s = call.start_s if call.duration_s is None else call.start_s + call.duration_s
        events.append(
            Event(
                order=len(events),
                start_s=call.start_s,
                end_s=end_s,
                client=call.client_id.hex() or f"connection-{call.connection}",
                call_id=call.call_id,
                connection=call.connection,
                peer=call.peer,
                user=call.user,
                caller_context=call.caller_context,
                protocol=call.protocol,
                method=call.method,
                request=request,
                response=response,
                error=call.error,
                answered=call.status is not Status.UNANSWERED,
                target=call.target,
            )
        )
    return tuple(events)
