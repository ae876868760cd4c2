"""The miner's own view of a Trace: one `Event` a call, its messages flattened to leaves.

Nothing downstream of here knows protobuf: a request is a mapping from leaf path (`block.locs[0].id.ipAddr`)
to scalar, kept as a `Row`. `recordings_of` is the only adapter; tests and other sources build events directly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from froude.base import parallel
from froude.base.units import Quantity
from froude.hadoop.rpc.target import UNKNOWN, Target
from froude.messages.rows import Row
from froude.trace.columns import calls_to_table
from froude.trace.lowered import LoweredInterval, lowered_intervals
from froude.trace.payloads import Decoded, Part, decode, decode_packed, unpack
from froude.trace.types import Status, Trace
from froude.workload.types import Scalar

_PART = 1 << 15
"""Calls that are decoded in one go."""
Leaves = Mapping[str, Scalar]
"""Leaf path -> value, in the message's order."""


@dataclass(slots=True)
class Event:
    """One call, decoded. Never changed; not frozen, because there are millions, and that would take thrice as long."""

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
    user: str | None
    caller_context: str | None
    """What the sender called itself."""
    protocol: str
    method: str
    request: Row
    """The request's leaves; any mapping may be given."""
    response: Row | None
    """The response's leaves; None unless it succeeded."""
    error: str | None = None
    """Exception class of an error answer."""
    answered: bool = True
    """Whether an answer was seen."""
    target: Target = UNKNOWN

    def __post_init__(self) -> None:
        self.request = Row.of(self.request)
        if self.response is not None:
            self.response = Row.of(self.response)


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
    return recordings_of([trace])[0]


def recordings_of(traces: Sequence[Trace], workers: parallel.Workers = 1) -> list[Recording]:
    """Decode some Traces.

    Args:
        workers: decode side by side, whatever the number of Traces; see `froude.base.parallel`.

    Raises:
        InputError: as `recording_of`.
    """
    tables = [calls_to_table(trace.calls) for trace in traces]
    parts = [
        Part(trace.schema, table.slice(begin, _PART))
        for trace, table in zip(traces, tables, strict=True)
        for begin in range(0, table.num_rows, _PART)
    ]
    decoded = iter(
        map(decode, parts) if workers == 1 else map(unpack, parallel.map(decode_packed, parts, workers))
    )
    recordings = []
    for trace, table in zip(traces, tables, strict=True):
        unknown: Counter[str] = Counter()
        events: list[Event] = []
        for begin in range(0, table.num_rows, _PART):
            events += _events(table.slice(begin, _PART), next(decoded), len(events), unknown)
        meta = trace.meta
        lowered = lowered_intervals(meta.notes)
        recordings.append(Recording(events, meta.scale, meta.source_id, meta.release, unknown, lowered))
    pa.default_memory_pool().release_unused()  # what reading took would stay with Arrow while the calls are mined
    return recordings


def _events(table: pa.Table, decoded: Decoded, first: int, unknown: Counter[str]) -> Iterator[Event]:
    """The calls whose method the schema knows, in order of start; the others are counted, by method."""
    columns = {
        name: _shared(table, name)
        for name in ("peer", "user", "caller_context", "protocol", "method", "error")
    }
    plain = [table.column(name).to_pylist() for name in ("start_s", "duration_s", "connection", "call_id")]
    targets: dict[tuple[str, str, str], Target] = {}
    listed = zip(
        *plain,
        *columns.values(),
        *(_shared(table, name) for name in ("client_id", "status", "service", "address", "target_id")),
        *decoded,
        strict=True,
    )
    for (
        start_s,
        duration_s,
        connection,
        call_id,
        peer,
        user,
        context,
        protocol,
        method,
        error,
        *more,
    ) in listed:
        client, status, *target, request, response = more
        if request is None:
            unknown[method] += 1
            continue
        yield Event(
            order=first,
            start_s=start_s,
            end_s=start_s if duration_s is None else start_s + duration_s,
            client=client.hex() or f"connection-{connection}",
            call_id=call_id,
            connection=connection,
            peer=peer,
            user=user,
            caller_context=context,
            protocol=protocol,
            method=method,
            request=request,
            response=response,
            error=error,
            answered=status != Status.UNANSWERED.value,
            target=targets.setdefault(tuple(target), Target(*target)),
        )
        first += 1


def _shared(table: pa.Table, name: str) -> list[Any]:
    """A column whose values repeat, each once."""
    encoded = table.column(name).combine_chunks().dictionary_encode()
    known = [*encoded.dictionary.to_pylist(), None]
    return [known[number] for number in encoded.indices.fill_null(len(known) - 1).to_numpy().tolist()]
