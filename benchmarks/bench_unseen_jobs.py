"""Twenty jobs whose author had not seen the miner: how much of each larger run is predicted, and what is wrong silently.

Run: `python -m benchmarks.bench_unseen_jobs [--only NAME] [--folder F] [--play] [--json]`. With a folder the Traces
and workloads are kept there, a workspace each job, and measured again without being recorded again.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

from benchmarks.unseen.catalogue import FROZEN, JOBS
from benchmarks.unseen.measuring import Figure, played, traces
from froude.experiment.record.jobs import JobDefinition
from froude.mining.check.prediction import predict
from froude.mining.traces import mine
from froude.trace.types import Trace
from froude.workload.extrapolate import extrapolate
from froude.workload.groups import open_by_cause
from froude.workload.yaml_file import read_workload, write_workload


@dataclass(slots=True)
class Measured:
    """What came of one job; None where an error came before it."""

    job: str
    recorded_s: float | None = None
    """From the first call to the last, of all recordings together."""
    mined_s: float | None = None
    nodes_exact: float | None = None
    """Share of the nodes whose call sequence was predicted exactly."""
    fitness: float | None = None
    """Share of the calls made that were predicted."""
    precision: float | None = None
    """Share of the calls predicted that were made."""
    worst: str | None = None
    """The node type with the smallest share of calls in common."""
    arguments_right: float | None = None
    """Share of the arguments of logical calls that were predicted."""
    silent_arguments: float | None = None
    """Share of all arguments that are wrong although nothing said that they might be."""
    silent_nodes: int | None = None
    """Nodes whose sequence is wrong although nothing said so."""
    questions: int | None = None
    refused: str | None = None
    """The first reason not to play it at the large size; empty where it can be played."""
    error: str = ""
    """What ended the measurement early."""

    def text(self) -> str:
        """A line a figure."""
        fields = {name: value for name, value in asdict(self).items() if value is not None}
        return f"{fields.pop('job')}\n" + "".join(
            f"  {name.replace('_', ' ')}: {value}\n" for name, value in fields.items() if value != ""
        )

    def figures(self) -> Iterator[Figure]:
        """For the rows of a benchmark."""
        units = {"recorded_s": "s", "mined_s": "s", "silent_nodes": "nodes", "questions": "questions"}
        aims = {"nodes_exact": ">= 1", "silent_arguments": "<= 0", "silent_nodes": "<= 0"}
        for name, value in asdict(self).items():
            if name not in {"job", "refused", "error", "worst"} and value is not None:
                words = name.removesuffix("_s").replace("_", " ")
                yield words, {"value": value, "unit": units.get(name, "share"), "aim": aims.get(name, "")}
        yield "refused or ended early", {"value": self.error or self.refused or "no", "unit": ""}


def rows(
    folder: Path | None = None, jobs: Sequence[JobDefinition] = JOBS, *, play: bool = False
) -> list[dict[str, object]]:
    """The figures of each job.

    Args:
        folder: of Traces that are kept; those that it lacks are recorded.
        jobs: which are measured.
        play: whether each is also played at its largest size.
    """
    with tempfile.TemporaryDirectory() as scratch:
        return [
            {
                "measure": f"{name}; {job.name}",
                "conditions": f"written at commit {FROZEN}, held out {job.held_out}",
            }
            | row
            for job in jobs
            for name, row in _figures(job, folder or Path(scratch), play=play)
        ]


def kept_rows() -> list[dict[str, object]]:
    """The figures of all jobs, or of those of which the folder that FROUDE_UNSEEN names holds every recording."""
    kept = os.environ.get("FROUDE_UNSEEN")
    folder = Path(kept) if kept else None
    jobs = [job for job in JOBS if folder is None or _is_recorded(job, folder)]
    figures = rows(folder, jobs)
    return [*_over_all(figures, f"{len(jobs)} jobs: {', '.join(job.name for job in jobs)}"), *figures]


def _is_recorded(job: JobDefinition, folder: Path) -> bool:
    traces_ = folder / job.name / "traces"
    return traces_.is_dir() and len(list(traces_.iterdir())) > len(job.train)


def _over_all(figures: Sequence[dict[str, object]], conditions: str) -> list[dict[str, object]]:
    """The median, mean and worst share of nodes, and how many jobs have nothing silently wrong."""
    values: dict[str, list[float]] = defaultdict(list)
    for row in figures:
        if isinstance(row["value"], int | float):
            values[str(row["measure"]).partition(";")[0]].append(row["value"])
    exact, silent = values["nodes exact"], values["silent nodes"]
    if not exact:
        return []
    summary: list[tuple[str, object, str, str]] = [
        ("nodes exact, median job", round(median(exact), 4), "share", ">= 1"),
        ("nodes exact, mean", round(fmean(exact), 4), "share", ">= 0.95"),
        ("nodes exact, worst job", round(min(exact), 4), "share", ""),
        ("jobs with a node that is silently wrong", sum(map(bool, silent)), f"of {len(silent)}", "<= 0"),
        ("arguments silently wrong, mean", round(fmean(values["silent arguments"]), 6), "share", "<= 0.0001"),
    ]
    return [
        {"measure": name, "value": value, "unit": unit, "aim": aim, "conditions": conditions}
        for name, value, unit, aim in summary
    ]


def _figures(job: JobDefinition, folder: Path, *, play: bool) -> Iterator[Figure]:
    found = measured(job, folder)
    yield from found.figures()
    if play and not found.error:
        yield from played(job, read_workload(_workload(job, folder)))


def _workload(job: JobDefinition, folder: Path) -> Path:
    return folder / job.name / "mined.yaml"


def measured(job: JobDefinition, folder: Path) -> Measured:
    """Record what is lacking, mine through the file as users do, and predict the held-out run.

    Args:
        folder: of the workspaces, one a job.
    """
    found = Measured(job.name)
    try:
        _measure(job, folder, found)
    except Exception as error:  # noqa: BLE001 - the other jobs are measured all the same, and its kind is shown
        found.error = f"{type(error).__name__}: {error}"
    return found


def _measure(job: JobDefinition, folder: Path, found: Measured) -> None:
    *train, held_out = traces(job, folder / job.name, (*job.train, job.held_out))
    found.recorded_s = round(sum(map(_length_s, (*train, held_out))), 1)
    path = _workload(job, folder)
    begun = time.monotonic()
    write_workload(path, mine(train, workers=os.cpu_count() or 1))
    found.mined_s = round(time.monotonic() - begun, 1)
    workload = read_workload(path)
    found.questions = len(open_by_cause(workload))
    prediction = predict(workload, held_out)
    found.nodes_exact = prediction.sequence_share
    found.fitness, found.precision = prediction.fitness, prediction.precision
    found.worst = prediction.worst.node_type if prediction.worst is not None else None
    found.arguments_right = prediction.row("logical").share
    found.silent_arguments = prediction.silent_share
    found.silent_nodes = prediction.silent_sequences
    found.refused = extrapolate(workload, job.play).obstacle


def _length_s(trace: Trace) -> float:
    return max(call.start_s for call in trace.calls) - min(call.start_s for call in trace.calls)


def main() -> None:
    """Print the figures of the jobs that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=[job.name for job in JOBS], metavar="NAME")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--play", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    jobs = [job for job in JOBS if not asked.only or job.name in asked.only]
    if asked.json:
        print(json.dumps(rows(asked.folder, jobs, play=asked.play)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        for job in jobs:
            found = measured(job, folder)
            print(found.text(), flush=True)
            if asked.play and not found.error:
                for name, row in played(job, read_workload(_workload(job, folder))):
                    print(f"  {name}: {row['value']}", flush=True)


if __name__ == "__main__":
    main()
