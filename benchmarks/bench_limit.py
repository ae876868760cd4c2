"""How much of what the cores allow a knee reaches, how well knees agree, and what two busy processes change.

    python -m benchmarks.results_answers --only limit,repeats

The knees of four jobs are searched for on one NameNode that stays warm and is emptied after each; then
NNThroughputBenchmark calls it. Three further searches, each on a NameNode of its own, are of the demo's job, and one
more is made while two processes keep the machine busy. Each of these takes `SEARCH_S` at most, and those of the four
jobs `SHARE_S`, so that they end at a limit that breaks, whose cause they name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bench_player import PROTOCOL, java, java_classpath
from benchmarks.bench_unseen import busy
from froude.experiment.knee.answer import Knee, Status
from froude.experiment.knee.knee import knee
from froude.experiment.knee.limit import REACHED
from froude.experiment.knee.words import median_rate
from froude.experiment.scenario.options import KneeOptions, KneeSearch, Load
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection, current_user
from froude.workload.yaml_file import read_workload
from testbed.workloads import OTHERS, WORKLOADS

SEARCH_S, SHARE_S, KNEES = 100.0, 240.0, 3
SPREAD, BUSY = 0.15, 0.3
"""How far knees may lie apart, and one of a busy machine from them, as shares of their median."""
FIRST = {"datanodes": 50, "clients": 48, "files": 10}
OPERATIONS = ("fileStatus", "create")
_FOLDERS = ("/in", "/done", "/demo", "/look", "/shuffle", "/nnThroughputBenchmark")


def limit() -> list[dict[str, Any]]:
    """The share of the computed limit that each job reaches, next to NNThroughputBenchmark on the same NameNode."""
    hadoop = Hadoop.find()
    found = []
    with hadoop.namenode(heap="1 GB") as namenode:
        for name, path in {**WORKLOADS, **OTHERS}.items():
            found.append(_share(name, _searched(path, namenode, SHARE_S)))
            _empty(namenode)
        for operation in OPERATIONS:
            before_s = namenode.cpu_seconds()
            rate, client_us = java(namenode, operation, java_classpath(hadoop))
            spent_s = namenode.cpu_seconds() - before_s
            found.append(
                {
                    "measure": f"knee: NNThroughputBenchmark, {operation}",
                    "value": round(rate),
                    "unit": "calls/s",
                    "conditions": f"same NameNode, afterwards; 64 threads, {client_us:.0f} µs of client a call; "
                    f"{spent_s:.1f} s of NameNode with its preparation",
                }
            )
    return found


def repeats() -> list[dict[str, Any]]:
    """Three knees of the demo's job, each on a NameNode of its own, and one next to two busy processes."""
    knees = [_searched(WORKLOADS["demo"]) for _ in range(KNEES)]
    with busy():
        crowded = _searched(WORKLOADS["demo"])
    rates = sorted(_rate(each) for each in knees)
    middle = rates[len(rates) // 2]
    spread = 100 * (rates[-1] - rates[0]) / middle if middle else 100.0
    conditions = "; ".join(each.answer for each in knees)
    machine = (
        crowded.status in {Status.MASKED, Status.AT_LEAST} and crowded.plays[-1].run.bottleneck == "machine"
    )
    refused, off = machine and len(crowded.plays) == 1, abs(_rate(crowded) / middle - 1) if middle else 1.0
    return [
        {
            "measure": "knee: three of the demo's job, largest less smallest, of their median",
            "value": round(spread, 1),
            "unit": "%",
            "aim": f"<= {SPREAD:.0%}",
            "met": spread <= 100 * SPREAD,
            "conditions": conditions,
        },
        {
            "measure": "knee: the same job next to two busy processes",
            "value": "the machine, after one play" if refused else f"{off:.0%} off",
            "unit": "",
            "aim": f"within {BUSY:.0%}, or the machine after one play",
            "met": refused or off <= BUSY,
            "conditions": crowded.answer,
        },
    ]


def _searched(path: Path, namenode: NameNode | None = None, longest_s: float = SEARCH_S) -> Knee:
    """A search as the demo makes it, on a NameNode that runs already or on one of its own."""

    @contextmanager
    def running() -> Iterator[NameNode]:
        assert namenode is not None
        yield namenode

    return knee(
        read_workload(path),
        (lambda: Hadoop.find().namenode(heap="1 GB")) if namenode is None else running,
        KneeOptions(
            load=Load(measure_s=8.0),
            knee=KneeSearch(most=64, resolution=0.25, most_plays=8),
            warm_up_s=45.0,
            time_limit_s=longest_s,
            repeats=1,
        ),
        at=FIRST,
    )


def _rate(found: Knee) -> float:
    """Calls a second up to which limits were kept; 0 where none was."""
    kept = [play.run for play in found.at(found.low)]
    return median_rate(kept) if kept else 0.0


def _share(name: str, found: Knee) -> dict[str, Any]:
    computed = found.computed_limit
    row = {
        "measure": f"knee: share of the computed limit, {name}'s job",
        "value": "not known" if computed is None else round(100 * computed.reached),
        "unit": "" if computed is None else "%",
        "aim": f">= {REACHED:.0%}",
        "met": computed is not None and computed.reached >= REACHED,
    }
    if computed is None:
        return row | {"conditions": f"{found.answer} {' '.join(found.remarks)}"}
    cause = (
        "" if computed.cause is None else f"; kept from more by {computed.cause.name}: {computed.cause.text}"
    )
    return row | {
        "conditions": f"{_rate(found):,.0f} of {computed.calls_per_s:,.0f} calls/s, {computed.cpu_us:.0f} µs a call; "
        f"base {computed.base}{cause}"
    }


def _empty(namenode: NameNode) -> None:
    schema = namenode.hadoop.schema().subset([PROTOCOL])
    with Connection(*namenode.address, schema, PROTOCOL, user=current_user()) as connection:
        for folder in _FOLDERS:
            connection.call("delete", connection.message("delete", src=folder, recursive=True))
