"""What a played call costs the player, next to a ready-made stream on the same NameNode.

    python benchmarks/bench_answers.py

The mined jobs of `testbed/workloads` are played closed, a hundred times as fast as they were recorded, on a NameNode
that was called by them before; the figure is CPU of the player's process over all calls that were answered, those of
DataNodes included. An audit log is replayed as fast as it goes: of looks at files, and of files that are written, moved
and deleted on emulated DataNodes. Each measure is the least of some rounds, since other work on the machine only adds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bench_player import PROTOCOL, ours
from froude.emulation.engine import PlayJob, fresh_nonce, play_apart
from froude.emulation.pacing import Pacing
from froude.emulation.programs.population import Connections, PlaySettings
from froude.experiment.replay.recorded_load import make_ready, replay_plan
from froude.experiment.session import Hadoop, Workload
from froude.hadoop.audit.lines import AuditLine
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection, current_user
from froude.hadoop.rpc.target import target_at
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from testbed.audit_lines import LINE
from testbed.workloads import WORKLOADS

ROUNDS, LINES, STREAMED = 4, 40_000, 30_000
AIMS = {"demo": 60.0, "README": 45.0}
"""Microseconds of the player a call."""
_FOLDERS = ("/in", "/done", "/demo", "/log")


def rows() -> list[dict[str, Any]]:
    """One row a kind of call."""
    hadoop = Hadoop.find()
    schema = hadoop.schema()
    plans = {
        f"{name}'s job": (Workload.read(path).at(datanodes=50, clients=60, files=50), AIMS[name])
        for name, path in WORKLOADS.items()
    }
    with TemporaryDirectory() as folder, hadoop.namenode(heap="1 GB") as namenode:
        for name, lines, datanodes, aim in (
            ("audit log, a line of reads", [_line(n, "getfileinfo") for n in range(LINES)], 0, 30.0),
            ("audit log, a line with its files written", list(_written()), 20, 80.0),
        ):
            log = Path(folder) / f"{datanodes}.log"
            plans[name] = (replay_plan(log, make_ready(lines, log), datanodes=datanodes), aim)
        stream_us = min(_streamed(namenode, schema, number) for number in range(ROUNDS))
        least = {
            name: min(_played(plan, namenode, schema) for _ in range(ROUNDS))
            for name, (plan, _) in plans.items()
        }
    conditions = f"NameNode {hadoop.version}, played on before; least of {ROUNDS}"
    first = {"measure": "player: CPU a call, ready-made stream", "value": round(stream_us, 1), "unit": "us"}
    return [
        {**first, "conditions": conditions},
        *(
            {"measure": f"player: CPU a call, {name}", "value": round(us, 1), "unit": "us",
             "aim": f"<= {plans[name][1]:g}", "met": us <= plans[name][1],
             "conditions": f"{conditions}; {us / stream_us:.1f} times the ready-made stream's"}
            for name, us in least.items()
        ),
    ]  # fmt: skip


def _streamed(namenode: NameNode, schema: Schema, number: int) -> float:
    return ours(namenode.address, schema, "getFileInfo", f"stream{number}", STREAMED, namenode.cluster_id)[1]


def _played(plan: Plan, namenode: NameNode, schema: Schema) -> float:
    """Microseconds of the player a call; of a log a line."""
    with Connection(
        *namenode.address, schema.subset([PROTOCOL]), PROTOCOL, user=current_user()
    ) as connection:
        for folder in _FOLDERS:
            connection.call("delete", connection.message("delete", src=folder, recursive=True))
    target = target_at("namenode", namenode.address, namenode.cluster_id)
    settings = PlaySettings({"": target}, Connections(), Pacing.CLOSED, speed=100.0, nonce=fresh_nonce())
    outcome = play_apart(PlayJob(plan, schema, settings))
    if outcome.failure is not None:
        raise outcome.failure
    phases = (outcome.tally.ramp, outcome.tally)
    answered = sum(series.answered for phase in phases for series in phase.series.values())
    return outcome.cpu_s / (answered if plan.log is None else LINES) * 1e6


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
