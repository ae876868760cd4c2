"""What a played call costs the player, next to a ready-made stream on the same NameNode.

    python benchmarks/bench_answers.py

The mined jobs of `testbed/workloads` are played closed, a hundred times as fast as they were recorded, on a NameNode
that was called by them before; the figure is CPU of the player's process over all calls that were answered, those of
DataNodes included. Of MapReduce's job, recorded on 2 and 3 nodes, what its clients and tasks call a NameNode for is
played, without a ResourceManager. An audit log is replayed as fast as it goes: of looks at files, and of files that are
written, moved and deleted on emulated DataNodes. Heartbeats are those of ten thousand DataNodes on one connection, and
NNThroughputBenchmark's client opens files with 64 threads. Heartbeats of NodeManagers are those of idle ones on a real
ResourceManager, and, as are calls of an application master, next to no connection at all: from an answer to the next
call. Each measure is the least of some rounds, since other work on the machine only adds.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.bench_player import CALLS, DATANODES, PROTOCOL, datanodes, java, java_classpath, ours
from froude.base.seeds import Seeds
from froude.emulation.engine import PlayJob, fresh_nonce, play_apart
from froude.emulation.programs.events import Event, Program, Repeat, Reply, Send, Started, Timer, WakeAt
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.registry import populate
from froude.emulation.programs.yarn.masters import ALLOCATE
from froude.emulation.programs.yarn.nodemanagers import HEARTBEAT
from froude.emulation.programs.yarn.protocols import SCHEDULER, TRACKER
from froude.emulation.settings import Connections, Pacing
from froude.experiment.replay.recorded_load import make_ready, replay_plan
from froude.experiment.scenario.shipped import FOLDER
from froude.experiment.session import Hadoop, Workload
from froude.hadoop.audit.lines import AuditLine
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import SERVICES, ResourceManager
from froude.hadoop.rpc.connection import Connection, current_user
from froude.hadoop.rpc.target import target_at
from froude.messages.schema import Schema
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import NodeType, Recorded
from froude.workload.types import Workload as NodeWorkload
from testbed.audit_lines import LINE
from testbed.recorded import mined
from testbed.recorded import schema as recorded_schema
from testbed.workloads import WORKLOADS

ROUNDS, LINES, STREAMED = 4, 40_000, 30_000
AIMS = {"demo's job": 60.0, "README's job": 45.0, "MapReduce's job on a NameNode": 45.0}
"""Microseconds of the player a call."""
HEARTBEAT_AIM, RATE_AIM = 8.0, 10_544.0
"""Microseconds of the player a heartbeat; calls/s of the demo's job, twice those of an earlier player."""
MAPREDUCE_NODES, HEARTBEAT_S = 600, 3.0
NODEMANAGERS, ANSWERS = 3_000, 5_000
_FOLDERS = ("/in", "/done", "/demo", "/log")


def rows() -> list[dict[str, Any]]:
    """One row a kind of call."""
    hadoop = Hadoop.find()
    plans = {
        f"{name}'s job": Workload.read(path).at(datanodes=50, clients=60, files=50)
        for name, path in WORKLOADS.items()
    }
    plans["MapReduce's job on a NameNode"] = extrapolate(mined(), Scale.of(nodes=MAPREDUCE_NODES))
    aims = dict(AIMS)
    with TemporaryDirectory() as folder, hadoop.namenode(heap="1 GB") as namenode:
        for name, lines, nodes, aim in (
            ("audit log, a line of reads", [_line(n, "getfileinfo") for n in range(LINES)], 0, 30.0),
            ("audit log, a line with its files written", list(_written()), 20, 80.0),
        ):
            log = Path(folder) / f"{nodes}.log"
            plans[name], aims[name] = replay_plan(log, make_ready(lines, log), datanodes=nodes), aim
        stream_us = min(_streamed(namenode, hadoop.schema(), number) for number in range(ROUNDS))
        played = {name: [_played(plan, namenode) for _ in range(ROUNDS)] for name, plan in plans.items()}
        java_us = min(java(namenode, "open", java_classpath(hadoop))[1] for _ in range(2))
    conditions = f"NameNode {hadoop.version}, played on before; least of {ROUNDS}"
    rate = max(figure.calls_per_s for figure in played["demo's job"])
    found = [
        _row("CPU a call, ready-made stream", stream_us, "us", conditions),
        _row(
            "CPU a call, NNThroughputBenchmark's client, open",
            java_us,
            "us",
            f"same NameNode, {CALLS:,} calls; least of 2",
        ),
    ]
    for name, figures in played.items():
        us = min(figure.cpu_us for figure in figures)
        text = f"{conditions}; {us / stream_us:.1f} times the ready-made stream's"
        found.append(_row(f"CPU a call, {name}", us, "us", text, at_most=aims[name]))
    found.append(_row("calls answered, demo's job", rate, "calls/s", f"most of {ROUNDS}", at_least=RATE_AIM))
    return [*found, _heartbeats(), _node_heartbeats(), *_programs()]


def _row(
    measure: str,
    value: float,
    unit: str,
    conditions: str,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
) -> dict[str, Any]:
    row = {"measure": f"player: {measure}", "value": round(value, 1), "unit": unit, "conditions": conditions}
    if at_most is not None:
        row |= {"aim": f"<= {at_most:g}", "met": value <= at_most}
    if at_least is not None:
        row |= {"aim": f">= {at_least:g}", "met": value >= at_least}
    return row


def _heartbeats() -> dict[str, Any]:
    """CPU of a player of many DataNodes that have all begun, over their heartbeats."""
    (share,) = (row for row in datanodes() if row["unit"] == "% of a core")
    us = share["value"] / 100 / (DATANODES / HEARTBEAT_S) * 1e6
    return _row("CPU a heartbeat", us, "us", share["conditions"], at_most=HEARTBEAT_AIM)


def _node_heartbeats() -> dict[str, Any]:
    """The same of NodeManagers, on a ResourceManager."""
    hadoop = Hadoop.find()
    node_type = NodeType("nodemanager", Count(NODEMANAGERS), (), program="nodemanager")
    plan = Plan(NodeWorkload((node_type,), Recorded((), ())), Scale.of(), {"nodemanager": NODEMANAGERS})
    with ResourceManager(hadoop) as master:
        targets = {service: target_at(service, master.address(service), master.id) for service in SERVICES}
        settings = PlaySettings(targets, Connections(pool=1, user="root"), port=18041, nonce=fresh_nonce())
        outcome = play_apart(PlayJob(plan, master.jars.schema(), settings, duration_s=45.0))
    if outcome.failure is not None:
        raise outcome.failure
    shares = [load.cpu_share for load in outcome.load if load.time_s > outcome.elapsed_s / 2]
    us = sum(shares) / len(shares) / NODEMANAGERS * 1e6
    errors = sum(series.errors.total() for series in outcome.tally.series.values())
    conditions = (
        f"{NODEMANAGERS:,} at 1 s on a ResourceManager {hadoop.version}, one connection; errors {errors}"
    )
    return _row("CPU a heartbeat of an idle NodeManager", us, "us", conditions)


def _programs() -> Iterator[dict[str, Any]]:
    """From an answer to the next call, without connections: of an idle NodeManager, and of an application master."""
    plan = Workload.read(FOLDER / "containers-workload.yaml").at(nodes=1, apps=1, tasks=1)
    schema = recorded_schema()
    settings = PlaySettings({"": target_at("", ("127.0.0.1", 1), "")}, port=18041)
    population = populate(plan, schema, seeds=Seeds(1), settings=settings)
    for measure, node_type, method, aim in (
        ("a heartbeat of an idle NodeManager, from its answer to the next", "nodemanager", HEARTBEAT, 12.0),
        ("an allocate, from its answer to the next", "master", ALLOCATE, 18.0),
    ):
        kind: Any = schema.method(TRACKER if method == HEARTBEAT else SCHEDULER, method)
        answers = [kind.response(response_id=number) for number in range(1, ANSWERS)]
        bodies = [answer.SerializePartialToString() for answer in answers]
        us = min(_between_calls(population.families[node_type].program(0), method, bodies) for _ in range(9))
        yield _row(measure, us, "us", f"no connection; {ANSWERS:,} answers; least of 9", at_most=aim)


def _between_calls(program: Program, method: str, answers: Sequence[bytes]) -> float:
    """Microseconds from an answer to the next call, without what a timer costs."""
    last = _first(program, method)
    begun_s = time.process_time()
    if isinstance(last, Repeat):
        send: Send | None = last.send
        for answer in answers:
            assert send is not None
            send = last.again(send, answer)
    else:
        send, wake = last
        for answer in answers:
            program.handle(Reply(send.token, answer), 0.0)
            out = program.handle(Timer(wake.token, 0.0), 0.0)
            send = next(each for each in out if isinstance(each, Send))
    return (time.process_time() - begun_s) / len(answers) * 1e6


def _first(program: Program, method: str) -> Repeat | tuple[Send, WakeAt]:
    """Let a program go on, with empty answers, until it makes a call, next to which it asks to be woken."""
    events: deque[Event] = deque([Started(0.0)])
    while True:
        out = program.handle(events.popleft(), 0.0)
        for said in out:
            if isinstance(said, Repeat):
                return said
            if isinstance(said, Send) and said.method == method:
                return said, next(each for each in out if isinstance(each, WakeAt))
            if isinstance(said, Send):
                events.append(Reply(said.token, b""))
            elif isinstance(said, WakeAt):
                events.append(Timer(said.token, said.time_s))


def _streamed(namenode: NameNode, schema: Schema, number: int) -> float:
    return ours(namenode.address, schema, "getFileInfo", f"stream{number}", STREAMED, namenode.cluster_id)[1]


class _Figure(NamedTuple):
    cpu_us: float
    """Of the player a call; of a log a line."""
    calls_per_s: float


def _played(plan: Plan, namenode: NameNode) -> _Figure:
    hadoop = Hadoop.find()
    # Calls of a service without a target are left out; a plan of one service calls the only target.
    whole = "nodemanager" not in plan.counts
    schema, service = (hadoop.schema(), "") if whole else (recorded_schema(), "namenode")
    with Connection(
        *namenode.address, hadoop.schema().subset([PROTOCOL]), PROTOCOL, user=current_user()
    ) as connection:
        for folder in _FOLDERS:
            connection.call("delete", connection.message("delete", src=folder, recursive=True))
    target = target_at("namenode", namenode.address, namenode.cluster_id)
    settings = PlaySettings({service: target}, Connections(), Pacing.CLOSED, speed=100.0, nonce=fresh_nonce())
    outcome = play_apart(PlayJob(plan, schema, settings))
    if outcome.failure is not None:
        raise outcome.failure
    phases = (outcome.tally.ramp, outcome.tally)
    answered = sum(series.answered for phase in phases for series in phase.series.values())
    counted = answered if plan.log is None else LINES
    return _Figure(outcome.cpu_s / counted * 1e6, answered / outcome.elapsed_s)


def _line(number: int, command: str, **changed: Any) -> AuditLine:
    """A line of one of twenty users, a tenth of a millisecond after the one before."""
    assert LINE.time_s is not None
    values = {
        "user": f"user{number % 20}", "auth": "SIMPLE", "real_user": None, "ip": f"10.0.0.{number % 7}",
        "options": None, "src": f"/log/d{number % 100}/f{number}", "dst": None, "perm": None, "caller_context": None,
    }  # fmt: skip
    return replace(LINE, time_s=LINE.time_s + number * 1e-4, command=command, **{**values, **changed})


def _written() -> Iterator[AuditLine]:
    """Files that are written, looked at, moved and deleted: each by one user, ten lines later each time."""
    for number in range(LINES):
        life, step, at = number // 40, number // 10 % 4, number % 10
        src = f"/log/d{at}/f{life}-{at}"
        who = {"user": f"user{at}", "ip": f"10.0.0.{at}"}
        command = ("create", "getfileinfo", "rename", "delete")[step]
        yield _line(
            number, command, src=f"{src}.done" if step == 3 else src, dst=f"{src}.done" if step == 2 else None,
            perm=f"user{at}:supergroup:rw-r--r--" if step in {0, 2} else None, **who,
        )  # fmt: skip


def main() -> None:
    """Print the rows as JSON."""
    print(json.dumps(rows(), indent=1))


if __name__ == "__main__":
    main()
