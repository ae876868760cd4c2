"""An audit log as a Plan: its lines made ready for players, its clients and the DataNodes as nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from froude.base.errors import InputError
from froude.base.summary import counted
from froude.emulation.programs.audit.commands import COMMANDS, LEFT_OUT
from froude.emulation.programs.audit.conflicts import in_order
from froude.emulation.programs.audit.lines import Client, Head, Line, write_lines
from froude.emulation.programs.audit.shared import KIND as CLIENTS
from froude.emulation.programs.hdfs.datanodes import KIND as DATANODES
from froude.hadoop.audit.lines import AuditLine, process
from froude.workload.plan import Plan, Refusal
from froude.workload.scale import Count, Scale
from froude.workload.types import NodeFact, NodeType, Recorded, Workload

_PROXY = "PROXY"
SWITCHES: Mapping[str, Mapping[str, str]] = {
    "satisfyStoragePolicy": {"dfs.storage.policy.satisfier.mode": "external"},
    "getDelegationToken": {"dfs.namenode.delegation.token.always-use": "true"},
    "refreshServiceAcl": {"hadoop.security.authorization": "true"},
}
"""Properties without which a NameNode refuses a command: a log that has it shows that they were set."""


def make_ready(log: Iterable[AuditLine], path: Path) -> Head:
    """Write the lines of a log for a replay.

    Args:
        log: in the order of their times.
        path: of the file that players read.

    Raises:
        InputError: there is no line, or one has no time.
    """
    clients: list[Client] = []
    head = write_lines(path, clients, in_order(_lines(log, clients, path)))
    if not head.lines:
        raise InputError("has no line to replay", place="audit log")
    return head


def _lines(log: Iterable[AuditLine], clients: list[Client], path: Path) -> Iterator[Line]:
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
        log: that was made ready.
        datanodes: emulated DataNodes beside the clients.
        remarks: what else is to be kept in mind with the run.
        sources: ids of what it was recorded from, which is never played against.
    """
    types = (
        NodeType(DATANODES, Count(0, {"datanodes": 1}), (), program=DATANODES),
        NodeType("client", Count(len(head.clients), {}), (), program=CLIENTS, user=NodeFact("user")),
    )
    counts = {DATANODES: datanodes, "client": len(head.clients)}
    used = tuple(each for each in types if counts[each.name])
    workload = Workload(used, Recorded((), tuple(sources)))
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
