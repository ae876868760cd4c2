"""A main job that has been done, as values: recorded traces, a known prediction, a short run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from froude.emulation.run.bottleneck import Measured
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally
from froude.experiment.main_job import MainJob, Recorded
from froude.experiment.record.jobs import DEMO
from froude.mining.check.prediction import TypeSequences
from froude.trace.importers.audit import ClosureResult
from froude.workload.extrapolate import extrapolate
from testbed.recorded import FOLDER, recorded
from tests.support.experiment.figures.prediction import PREDICTION
from tests.support.experiment.figures.workload import SCALE, WORKLOAD

CLOSED = ClosureResult(9, 9, 9, (), ())
EXACT = replace(PREDICTION, sequences=(TypeSequences("client", 5, 5, 5, 100, 100, 100, None),))
"""Every sequence was predicted exactly; of the arguments 99 %."""


def a_run(**changes: Any) -> Run:
    """Three creates within 2 s, one of them an error, of two clients and three DataNodes.

    Args:
        changes: fields of the run.
    """
    tally = Tally()
    series = tally.of("create")
    series.sent, series.answered = 4, 3
    series.intended += [0.010, 0.020, 0.500]
    series.actual += [0.001, 0.002, 0.003]
    series.errors["QuotaExceeded"] += 1
    tally.close_interval(1.0)
    given: dict[str, Any] = {"nodes": {"client": 2, "dn": 3}, "seed": 7, **changes}
    return Run(tally, "127.0.0.1:1", "CID-1", 0.0, 2.0, **given)


def done(folder: Path, **changes: Any) -> MainJob:
    """The job, with its workload's file in a folder.

    Args:
        folder: of the file.
        changes: fields of the job.
    """
    path = folder / "workload.yaml"
    path.write_text("a: 1\n")
    train = tuple(Recorded(FOLDER / name, recorded(name), CLOSED) for name in ("k2c", "k3"))
    held_out = Recorded(FOLDER / "k4", recorded("k4"), CLOSED)
    given: dict[str, Any] = {"prediction": EXACT, "run": a_run(), "workload": WORKLOAD, **changes}
    plan = extrapolate(WORKLOAD, SCALE)
    return MainJob(DEMO, train, workload_path=path, held_out=held_out, plan=plan, **given)


def a_run_of_yarn(*, namenode: bool = True, **changes: Any) -> Run:
    """Four creates at a NameNode, one of them failed, and 40 quicker heartbeats at a busier ResourceManager, in 4 s.

    Args:
        namenode: False for the ResourceManager alone.
        changes: fields of the run.
    """
    tally = Tally()
    for method, daemon, times, ms in (
        ("create", "namenode", 4, 50.0),
        ("nodeHeartbeat", "resourcemanager", 40, 2.0),
    ):
        if namenode or daemon == "resourcemanager":
            series = tally.of(method, daemon)
            series.sent = series.answered = times
            series.intended += [ms / 1e3] * times
            series.actual += [ms / 1e3] * times
    if namenode:
        tally.of("create").errors["QuotaExceeded"] += 1
    tally.close_interval(4.0)
    cpu = {"process.cpu_seconds": 0.1, "RMprocess.cpu_seconds": 0.6}
    names = cpu if namenode else ["RMprocess.cpu_seconds"]
    metrics = [Measured(float(at), {name: at * cpu[name] for name in names}) for at in range(5)]
    given: dict[str, Any] = {"scale": {"nodes": "5"}, "metrics": metrics, "cores": 2, **changes}
    return Run(tally, "127.0.0.1:1, 127.0.0.1:2", "CID-1, 17", 0.0, 4.0, **given)
