"""A recorded load as a Plan: lines of an audit log, or calls of a Trace, made ready for players.

The nodes are the clients and the DataNodes. Who calls is a client of a log, or a client of a Trace under one user; where
that had several calls in flight, it is as many nodes, each with one at a time. What the DataNodes of a Trace called is
left out: emulated ones make calls of their own, and get the blocks that clients wrote, at the lengths with which they
were closed.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from froude.base.errors import InputError
from froude.base.summary import counted
from froude.emulation.programs.audit.commands import COMMANDS, LEFT_OUT, PROTOCOLS
from froude.emulation.programs.audit.conflicts import in_order
from froude.emulation.programs.audit.lines import Client, Head, Line, write_lines
from froude.emulation.programs.audit.recorded import GIVING, Recorded
from froude.emulation.programs.audit.shared import KIND as CLIENTS
from froude.emulation.programs.events import FALSE
from froude.emulation.programs.hdfs.datanodes import KIND as DATANODES
from froude.emulation.programs.hdfs.datanodes import PROTOCOL as DATANODES_PROTOCOL
from froude.emulation.programs.retries import retry_s
from froude.experiment.replay.rounds import Rounds
from froude.hadoop.audit.lines import AuditLine, process
from froude.trace.audit.cut import Cut
from froude.trace.types import Call, Status, Trace
from froude.workload.plan import Plan, Refusal
from froude.workload.scale import Count, Scale
from froude.workload.types import NodeFact, NodeType, Workload
from froude.workload.types import Recorded as WorkloadSources

_PROXY = "PROXY"
SWITCHES: Mapping[str, Mapping[str, str]] = {
    "satisfyStoragePolicy": {"dfs.storage.policy.satisfier.mode": "external"},
    "getDelegationToken": {"dfs.namenode.delegation.token.always-use": "true"},
    "refreshServiceAcl": {"hadoop.security.authorization": "true"},
}
"""Properties without which a NameNode refuses a command: a log that has it shows that they were set."""
_NAMENODE = {"namenode", ""}
_SAFEMODE_GET = 3
_WITHOUT = {
    "renewDelegationToken": "they need a token, which no Trace holds",
    "cancelDelegationToken": "they need a token, which no Trace holds",
    "saveNamespace": "they need safe mode, which is not entered",
    "reportBadBlocks": "they are about data, of which there is none",
}
_PATHS = ("src", "link", "path", "snapshotRoot", "trg", "dst", "target", "filename")
"""Fields of requests that hold paths; what is made stands first."""
_LOGGED = {command.method: name for name, command in COMMANDS.items() if command.method}
"""What an audit log calls a method."""


def make_ready(log: Iterable[AuditLine], path: Path, rounds: Rounds | None = None) -> Head:
    """Write the lines of a log for a replay.

    Args:
        log: in the order of their times.
        rounds: of these lines, for a log that begins again when it is over.

    Raises:
        InputError: there is no line, or one has no time.
    """
    clients: list[Client] = []
    lines = lines_of(log, clients, path)
    head = write_lines(path, clients, in_order(lines if rounds is None else rounds.marked(lines)))
    if not head.lines:
        raise InputError("has no line to replay", place="audit log")
    return head


def lines_of(log: Iterable[AuditLine], clients: list[Client], path: Path) -> Iterator[Line]:
    """The lines of a log to be made again, without their locks.

    Raises:
        InputError: one has no time.
    """
    numbers: dict[Client, int] = {}
    first_s: float | None = None
    for line in log:
        if line.time_s is None:
            raise InputError("has a line without a time", file=path, place="audit log", found=line.command)
        first_s = line.time_s if first_s is None else first_s
        real_user = short_name(line.real_user) if line.auth == _PROXY and line.real_user else None
        client = Client(short_name(line.user), real_user, line.ip, process(line.caller_context))
        number = numbers.setdefault(client, len(clients))
        if number == len(clients):
            clients.append(client)
        at_s = round(max(0.0, line.time_s - first_s), 3)
        yield Line(at_s, number, line.command, line.src, (), line.dst, line.options, line.perm, line.allowed)


def short_name(user: str) -> str:
    """What Hadoop's default rules make of a principal: `alice` of `alice/host@REALM`."""
    return user.partition("@")[0].partition("/")[0]


def replay_plan(
    log: Path, head: Head, *, datanodes: int = 0, remarks: Iterable[str] = (), sources: Sequence[str] = ()
) -> Plan:
    """Who plays a log.

    Args:
        remarks: what else is to be kept in mind with the run.
        sources: ids of what it was recorded from, which is never played against.
    """
    types = (
        NodeType(DATANODES, Count(0, {"datanodes": 1}), (), program=DATANODES),
        NodeType("client", Count(len(head.clients), {}), (), program=CLIENTS, user=NodeFact("user")),
    )
    counts = {DATANODES: datanodes, "client": len(head.clients)}
    used = tuple(each for each in types if counts[each.name])
    workload = Workload(used, WorkloadSources((), tuple(sources)))
    return Plan(workload, Scale.of(datanodes=datanodes), counts, _remarks(head, remarks), log)


def _remarks(head: Head, others: Iterable[str]) -> tuple[Refusal, ...]:
    """What the run is not: the log's own load."""
    texts = [*others]
    for what, counts in (("Taken instead", assumptions(head)), ("Left out", left_out(head))):
        texts += [f"{what}, {counted(times, 'line')} of {text}." for text, times in counts.items()]
    return tuple(Refusal(text, fatal=False) for text in texts)


def assumptions(head: Head) -> Mapping[str, int]:
    """What the log does not hold and is taken instead, by command, and how often."""
    counted = {}
    for name, times in head.commands.items():
        command = COMMANDS.get(name)
        if command is not None and command.assumes:
            counted[f"{name}: {command.assumes}"] = times
    return counted


def left_out(head: Head) -> Mapping[str, int]:
    """What is not made again, with the reason, and how often the log has it."""
    return {
        f"{name}: {LEFT_OUT.get(name, 'no command that is known')}": times
        for name, times in head.commands.items()
        if name not in COMMANDS
    }


@dataclass(frozen=True, slots=True)
class Ready:
    """A Trace that was made ready."""

    head: Head
    remarks: tuple[str, ...]
    """What of it is not made again, and why."""


def make_trace_ready(trace: Trace, path: Path, cut: Cut | None = None) -> Ready:
    """Write the calls of a Trace's clients for a replay.

    Args:
        cut: leaves out what an image holds already.

    Raises:
        InputError: it does not hold all that a replay needs, or has no call to make again.
    """
    seen = trace.meta.fidelity
    if not (seen.payload and seen.response):
        raise InputError(
            "holds no requests or no answers", place="trace", allowed="a Trace that `froude` recorded"
        )
    left_out: Counter[str] = Counter()
    rows = _rows(trace, left_out)
    if cut is not None:
        rows = _behind(cut, trace, rows)
    if not rows:
        found = cut.words if cut is not None else "none of a client"
        raise InputError("has no call to make again", place="trace", found=found)
    clients: list[Client] = []
    head = write_lines(path, clients, in_order(_Lines(trace, rows, clients)))
    said = [f"Left out, {counted(times, 'call')}: {why}." for why, times in left_out.items()]
    if cut is not None:
        said.insert(0, f"The Trace was cut {cut.words}.")
    notes = (trace.incomplete, trace.meta.notes.get("played"))
    said += [f"Of the Trace: {note}." for note in notes if note]
    return Ready(head, tuple(said))


def _rows(trace: Trace, left_out: Counter[str]) -> list[int]:
    """Which of its calls are made again."""
    again = {(call.client_id, call.call_id) for call in trace.calls if call.retry > 0 and call.client_id}
    rows = []
    for row, call in enumerate(trace.calls):
        why = _why_not(trace, call, again)
        if why is None:
            rows.append(row)
        else:
            left_out[why] += 1
    return rows


def _why_not(trace: Trace, call: Call, again: set[tuple[bytes, int]]) -> str | None:
    if call.target.service not in _NAMENODE:
        return f"they are of a {call.target.service}"
    if call.protocol == DATANODES_PROTOCOL:
        return "they are of DataNodes, and emulated ones make their own"
    if call.protocol not in PROTOCOLS:
        return f"they are of {call.protocol.rpartition('.')[2]}, which clients do not speak"
    if call.method in _WITHOUT:
        return _WITHOUT[call.method]
    if call.method == "setSafeMode" and _request(trace, call).action != _SAFEMODE_GET:
        return "they would end service to every client"
    if call.status is Status.UNANSWERED and (call.client_id, call.call_id) in again:
        return "they were not answered, and sent again"
    error = (call.error or "").rpartition(".")[2]
    if error == "StandbyException" or retry_s(error, 0) is not None:
        return f"they were answered with {error}, and made again"
    return None


def _request(trace: Trace, call: Call) -> Any:
    return trace.request(call)


def _behind(cut: Cut, trace: Trace, rows: Sequence[int]) -> list[int]:
    """Those that an image does not hold: a call counts from its end, as a line of a log is written then."""
    fields: dict[str, list[Any]] = {name: [] for name in ("row", "time", "allowed", "command", "src", "dst")}
    for row in rows:
        call = trace.calls[row]
        end_s = trace.meta.started_at_s + call.start_s + (call.duration_s or 0.0)
        src, dst = _paths(_request(trace, call))
        values = (row, int(end_s * 1e6), call.status is Status.SUCCESS, _LOGGED.get(call.method, call.method))
        for name, value in zip(fields, (*values, src, dst), strict=True):
            fields[name].append(value)
    types = {"src": pa.string(), "dst": pa.string()}
    table = pa.table({name: pa.array(values, types.get(name)) for name, values in fields.items()})
    return [int(row) for row in np.asarray(cut.applied(table)[0]["row"])]


def _paths(request: Any) -> tuple[str | None, str | None]:
    """The path that a call is about, or several in brackets, and another one."""
    values = [getattr(request, name) for name in _PATHS if name in request.DESCRIPTOR.fields_by_name]
    src, dst, *_ = [value for value in values if value.startswith("/")] + [None, None]
    if "srcs" in request.DESCRIPTOR.fields_by_name:
        return f"[{', '.join(request.srcs)}]", src
    return src, dst


class _Lines:
    """The calls as lines; takes a client into the list when it first calls."""

    def __init__(self, trace: Trace, rows: Sequence[int], clients: list[Client]) -> None:
        self._trace, self._rows, self._clients = trace, rows, clients
        self._paths: dict[int, str | None] = {}
        """By block, of its file."""
        self._lengths = _closed_at(trace, rows)
        self._lanes: dict[tuple[object, ...], list[int]] = {}
        """By sender, the numbers of its nodes."""
        self._ends_s: list[float] = []
        """By node, when its last call was answered."""

    def __iter__(self) -> Iterator[Line]:
        calls = self._trace.calls
        first_s = calls[self._rows[0]].start_s
        for row in self._rows:
            call = calls[row]
            yield self._line(row, call, round(call.start_s - first_s, 6))

    def _line(self, row: int, call: Call, at_s: float) -> Line:
        request = _request(self._trace, call)
        src, dst = _paths(request)
        if src is None:
            src = self._paths.get(_block(request))
        response = call.response
        if response is not None and call.method in {"addBlock", "append"}:
            given: Any = self._trace.response(call)
            if given.HasField("block"):
                self._paths[given.block.b.blockId] = src
        told = response is not None and (response == FALSE or call.method in GIVING)
        failed = call.status in {Status.ERROR, Status.FATAL}
        recorded = Recorded(
            call.protocol,
            b64encode(call.request or b"").decode(),
            b64encode(response).decode() if told and response is not None else None,
            (call.error or "").rpartition(".")[2] or None,
            self._lengths.get(row),
        )
        return Line(
            at_s, self._node(call), call.method, src, (), dst, allowed=not failed, recorded=[*recorded]
        )

    def _node(self, call: Call) -> int:
        """The node that calls: of those of its sender the one that was free last, else a new one."""
        sender = call.client_id or call.connection, call.user, call.real_user
        lanes = self._lanes.setdefault(sender, [])
        free = [number for number in lanes if self._ends_s[number] <= call.start_s]
        if free:
            number = max(free, key=self._ends_s.__getitem__)
        else:
            number = len(self._clients)
            self._clients.append(Client(call.user or "", call.real_user, call.peer))
            self._ends_s.append(0.0)
            lanes.append(number)
        self._ends_s[number] = call.start_s + (call.duration_s or 0.0)
        return number


def _block(request: Any) -> int:
    """The block that a request is about; 0 for none."""
    for name in ("block", "newBlock"):
        if name in request.DESCRIPTOR.fields_by_name:
            return int(getattr(request, name).blockId)
    return 0


def _closed_at(trace: Trace, rows: Sequence[int]) -> dict[int, int]:
    """By the row of a call that gave a block its place for the last time, how many bytes it was closed with."""
    placed: dict[int, int] = {}
    lengths: dict[int, int] = {}
    for row in rows:
        call = trace.calls[row]
        if call.status is not Status.SUCCESS:
            continue
        if call.method in {"addBlock", "complete"}:
            request = _request(trace, call)
            closed = "previous" if call.method == "addBlock" else "last"
            if request.HasField(closed):
                block = getattr(request, closed)
                opened = placed.pop(block.blockId, None)
                if opened is not None:
                    lengths[opened] = block.numBytes
        if call.method == "addBlock":
            given: Any = trace.response(call)
            placed[given.block.b.blockId] = row
        elif call.method == "updatePipeline":
            placed[_block(_request(trace, call))] = row
    return lengths
