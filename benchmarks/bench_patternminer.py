"""Real MapReduce jobs on small real clusters, mined and held against a larger one, counted as PatternMiner counts too.

Run: `python benchmarks/bench_patternminer.py [--json] TRACE TRACE ... HELD_OUT`. Without Traces those that are shipped
with the tests are used: clusters of 2 and 3 nodes, held against one of 4.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.recorded import recorded

from froude.mining.events import recording_of
from froude.mining.pipeline import mine
from froude.mining.positions import Position, Site, intervals, positions
from froude.mining.prediction import LeafOutcome, Prediction, predict
from froude.trace.files import read_trace
from froude.trace.types import Trace
from froude.workload.groups import groups
from froude.workload.types import Workload
from froude.workload.yaml_file import dump_workload

Figure = dict[str, object]
_MASTERS = {"NameNode": "namenode", "ResourceManager": "resourcemanager"}
"""Beginnings of the services that each is called as."""
_AIMS = {"NameNode": 0.995, "ResourceManager": 0.97}


def rows(train: list[Trace], held_out: Trace) -> list[Figure]:
    """Every figure.

    Args:
        train: Traces of one job at several Scales.
        held_out: one at a larger Scale.
    """
    begun = time.monotonic()
    workload = mine(train)
    took_s = time.monotonic() - begun
    recording = recording_of(held_out)
    prediction = predict(workload, held_out)
    return [
        *sequence_rows(prediction),
        *argument_rows(prediction),
        *position_rows(positions(workload, recording)),
        *interval_rows(intervals(workload, recording)),
        *review_rows(workload),
        _figure("time to mine", round(took_s, 1), "s"),
    ]


def _figure(measure: str, value: object, unit: str, aim: str = "") -> Figure:
    return {"measure": measure, "value": value, "unit": unit, "aim": aim}


def _share(measure: str, part: int, whole: int, aim: str = "") -> Figure:
    return _figure(measure, round(part / whole, 4) if whole else 1.0, f"of {whole}", aim)


def sequence_rows(prediction: Prediction) -> list[Figure]:
    """Nodes whose calls came out, by type."""
    by_type = [
        _share(f"exact sequences, {s.node_type}", s.exact, max(s.nodes_predicted, s.nodes_real), ">= 1")
        for s in prediction.sequences
    ]
    effects = [
        _share(f"effects that followed from their causes, {e.node_type}", e.seen, e.expected)
        for e in prediction.effects
        if e.expected
    ]
    return [
        *by_type,
        _figure("exact sequences, all", round(prediction.sequence_share, 4), "share", ">= 1"),
        _figure("calls at their predicted place", round(prediction.call_share, 4), "share", ">= 1"),
        *effects,
    ]


def argument_rows(prediction: Prediction) -> list[Figure]:
    """Every leaf of every request."""
    figures = []
    for row in prediction.rows:
        echoes = row.outcomes.get(LeafOutcome.ECHO, 0)
        figures.append(_share(f"arguments of {row.name} calls", row.predicted, row.leaves))
        figures.append(
            _share(
                f"arguments of {row.name} calls, without copies of own requests",
                row.predicted - echoes,
                row.leaves,
            )
        )
    return [
        *figures,
        _figure("arguments silently wrong", round(prediction.silent_share, 5), "share", "<= 0"),
        _figure("nodes whose sequence is silently wrong", prediction.silent_sequences, "nodes", "<= 0"),
    ]


def position_rows(found: tuple[Position, ...]) -> list[Figure]:
    """The paper's way."""
    return [
        _share(
            f"{name}: arguments, each counted once",
            sum(position.outcome.predicted for position in listed),
            len(listed),
            f">= {_AIMS[name]:g}",
        )
        for name, service in _MASTERS.items()
        if (listed := [position for position in found if position.service.startswith(service)])
    ]


def interval_rows(sites: tuple[Site, ...]) -> list[Figure]:
    """Medians of the intervals by call site."""
    figures = []
    for name, service in _MASTERS.items():
        for what, chosen in (("", (True, False)), (" but periodic ones", (False,))):
            listed = [s for s in sites if s.service.startswith(service) and s.periodic in chosen]
            inside = sum(site.within(0.1) for site in listed)
            figures.append(_share(f"{name}: intervals within 10 %, all{what}", inside, len(listed)))
    return figures


def review_rows(workload: Workload) -> list[Figure]:
    """What a person has to read."""
    return [
        _figure("questions", len(workload.questions), "questions"),
        _figure("questions, asked once for all their places", len(groups(workload)), "questions", "<= 40"),
        _figure("lines of the workload", dump_workload(workload).count("\n"), "lines", "<= 3000"),
    ]


if __name__ == "__main__":
    folders = [Path(word) for word in sys.argv[1:] if not word.startswith("-")]
    traces = [read_trace(folder) for folder in folders] or [recorded(name) for name in ("k2c", "k3", "k4")]
    measured = rows(traces[:-1], traces[-1])
    if "--json" in sys.argv:
        print(json.dumps(measured))
    else:
        for row in measured:
            aim = f"   (aim {row['aim']})" if row["aim"] else ""
            print(f"{row['measure']}: {row['value']} {row['unit']}{aim}")
