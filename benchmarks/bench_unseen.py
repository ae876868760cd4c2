"""Three jobs that the miner was not made for: how much is predicted, and how much is silently wrong.

Run: `python benchmarks/bench_unseen.py [--json] [FOLDER]`. With a folder the Traces are kept there, and measured
again without being recorded again.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.unseen_jobs import UNSEEN
from froude.experiment.jobs import JobDefinition
from froude.experiment.main_job import record_job
from froude.experiment.session import Hadoop
from froude.mining.pipeline import mine
from froude.mining.prediction import Prediction, predict
from froude.trace.files import read_trace
from froude.trace.types import Trace
from froude.workload.types import Workload
from froude.workload.yaml_file import read_workload, write_workload
from froude.workspace.store import Workspace


def rows(folder: Path | None = None) -> list[dict[str, object]]:
    """Record, mine through the file as users do, and predict each job at its held-out size.

    Args:
        folder: of Traces that are kept; those that it lacks are recorded.
    """
    with tempfile.TemporaryDirectory() as scratch:
        return [row for job in UNSEEN for row in _rows(job, folder or Path(scratch), Path(scratch))]


def _rows(job: JobDefinition, folder: Path, scratch: Path) -> list[dict[str, object]]:
    *train, held_out, again = _traces(job, folder / job.name)
    path = scratch / f"{job.name}.yaml"
    write_workload(path, mine(train))
    workload = read_workload(path)
    prediction = predict(workload, held_out, ceiling_pair=again)
    where = f"{job.name}, mined from {len(train)} sizes, held out {job.held_out}"
    return [
        {"measure": f"{name}; {job.name}", "conditions": where} | row
        for name, row in _figures(workload, prediction)
    ]


def _figures(workload: Workload, prediction: Prediction) -> list[tuple[str, dict[str, object]]]:
    logical = prediction.row("logical")
    aim = min(0.99, 1.0 if logical.ceiling_share is None else logical.ceiling_share)
    return [
        ("nodes whose call sequence was predicted exactly", _share(prediction.sequence_share, ">= 1")),
        ("arguments predicted, logical calls", _share(logical.share, f">= {aim:.6f}")),
        ("arguments that are silently wrong", _share(prediction.silent_share, "<= 0")),
        (
            "nodes whose sequence is silently wrong",
            {"value": prediction.silent_sequences, "unit": "nodes", "aim": "<= 0"},
        ),
        ("questions", {"value": len(workload.questions), "unit": "questions"}),
    ]


def _share(value: float, aim: str) -> dict[str, object]:
    return {"value": round(value, 6), "unit": "share", "aim": aim}


def _traces(job: JobDefinition, folder: Path) -> list[Trace]:
    """Those kept in a workspace, or recorded into it: the sizes to be mined, then the held-out one twice."""
    workspace = Workspace(folder)
    kept = workspace.traces(job.name)
    for scale in (*job.train, job.held_out, job.held_out)[len(kept) :]:
        record_job(job, scale, workspace, Hadoop.find())
    return [read_trace(path) for path in workspace.traces(job.name)]


if __name__ == "__main__":
    folders = [Path(word) for word in sys.argv[1:] if not word.startswith("-")]
    measured = rows(*folders[:1])
    if "--json" in sys.argv:
        print(json.dumps(measured))
    else:
        print(
            "\n".join(
                f"{row['measure']}: {row['value']} {row['unit']} (aim {row.get('aim', 'none')})"
                for row in measured
            )
        )
