"""What the benchmarks of unseen jobs share: recordings that are kept, and a play of a much larger size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from froude.base.errors import FroudeError
from froude.documents.store import Workspace
from froude.experiment.main_job import record_job
from froude.experiment.play.play import play
from froude.experiment.record.jobs import JobDefinition
from froude.experiment.scenario.options import Load, PlayOptions
from froude.experiment.session import Hadoop
from froude.trace.files import read_trace
from froude.trace.types import Trace
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import expected_s
from froude.workload.scale import Scale
from froude.workload.types import Workload

LONGEST_PLAY_S = 300.0
"""What would take longer is played with shorter pauses: one client after the other makes thousands of files."""
Figure = tuple[str, dict[str, object]]
"""Of what, and the fields of its row."""


def traces(job: JobDefinition, folder: Path, scales: Sequence[Scale]) -> list[Trace]:
    """Those kept in a workspace, one a Scale; those that it lacks are recorded into it."""
    workspace = Workspace(folder)
    for scale in scales[len(workspace.traces(job.name)) :]:
        record_job(job, scale, workspace, Hadoop.find())
    return [read_trace(path) for path in workspace.traces(job.name)]


def played(job: JobDefinition, workload: Workload) -> list[Figure]:
    """What goes wrong in a play of a much larger size, unless the plan is refused."""
    name = "errors of ours in the play"
    try:
        plan = extrapolate(workload, job.play)
        with Hadoop.find().namenode(heap="1 GB") as namenode:
            speed = max(1.0, (expected_s(plan) or 0.0) / LONGEST_PLAY_S)
            run = play(plan, namenode, PlayOptions(load=Load(speed=speed)))
    except FroudeError as error:
        return [(name, {"value": f"not played: {error}", "unit": "", "aim": "<= 0", "met": False})]
    if run.failure is not None:
        return [(name, {"value": f"ended early: {run.failure}", "unit": "", "aim": "<= 0", "met": False})]
    sent = sum(sent for sent, _ in run.tally.whole.counts.values())
    kinds = {
        "failed": run.failed.total(),
        "left out": sum(run.left_out.values()),
        "not sent in time": sum(run.unsent.values()),
    }
    return [
        (
            name,
            {
                "value": sum(kinds.values()),
                "unit": "calls",
                "aim": "<= 0",
                "speed": f"{run.speed:.3g}",
                **kinds,
            },
        ),
        ("calls sent in the play", {"value": sent, "unit": "calls"}),
    ]
