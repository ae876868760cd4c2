"""Three jobs written after the miner was frozen: how much is predicted, what is silently wrong, and how they play.

Run: `python benchmarks/bench_unseen.py [--json] [FOLDER]`. With a folder the Traces are kept there, and measured
again without being recorded again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import ndiff
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.unseen.measuring import Figure, played, traces
from benchmarks.unseen_jobs import FROZEN, UNSEEN
from froude.experiment.record.jobs import JobDefinition
from froude.mining.check.prediction import Prediction, predict
from froude.mining.traces import mine
from froude.workload.types import Recorded, Workload
from froude.workload.yaml_file import dump_workload, read_workload, write_workload
from testbed.noise import without_intervals

_BUSY = (
    "import os, sys\nwhile os.getppid() == int(sys.argv[1]):\n    for _ in range(1_000_000):\n        pass\n"
)


def rows(folder: Path | None = None) -> list[dict[str, object]]:
    """Record, mine through the file as users do, predict each job at its held-out size, and play it much larger.

    Args:
        folder: of Traces that are kept; those that it lacks are recorded.
    """
    with tempfile.TemporaryDirectory() as scratch:
        return [row for job in UNSEEN for row in _rows(job, folder or Path(scratch), Path(scratch))]


def _rows(job: JobDefinition, folder: Path, scratch: Path) -> list[dict[str, object]]:
    *train, held_out, again = traces(job, folder / job.name, (*job.train, job.held_out, job.held_out))
    path = scratch / f"{job.name}.yaml"
    write_workload(path, mine(train))
    workload = read_workload(path)
    figures = _figures(workload, predict(workload, held_out, ceiling_pair=again))
    with busy():
        noisy = mine(traces(job, folder / f"{job.name}-busy", job.train))
    name = (
        "lines that differ, but for intervals and gauges, where two busy processes ran beside the recordings"
    )
    figures.append((name, {"value": _differing(workload, noisy), "unit": "lines", "aim": "<= 0"}))
    where = f"{job.name}, written when the miner was frozen at commit {FROZEN}, mined from {len(train)} sizes"
    held, at_play = f"{where}, held out {job.held_out}", f"{where}, played at {job.play} with a heap of 1 GB"
    return [
        {"measure": f"{name}; {job.name}", "conditions": conditions} | row
        for conditions, rows in ((held, figures), (at_play, played(job, workload)))
        for name, row in rows
    ]


@contextmanager
def busy() -> Iterator[None]:
    """Two processes that do nothing but run, next to what is measured; they end with this one, also if it is killed."""
    command = [sys.executable, "-c", _BUSY, str(os.getpid())]
    processes = [subprocess.Popen(command) for _ in range(2)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _differing(*workloads: Workload) -> int:
    """Lines that two workloads do not share, intervals, gauges and what they were mined from apart."""
    texts = [
        dump_workload(replace(without_intervals(workload), recorded=Recorded((), ()), findings=()))
        for workload in workloads
    ]
    return sum(line[:2] in {"+ ", "- "} for line in ndiff(*(text.splitlines() for text in texts)))


def _figures(workload: Workload, prediction: Prediction) -> list[Figure]:
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
