"""Real MapReduce jobs on small real clusters, mined and held against a larger one, counted as PatternMiner counts too.

Run: `python benchmarks/bench_patternminer.py [--json] [--again=TRACE] TRACE TRACE ... HELD_OUT`. Without Traces those
that are shipped with the tests are used: clusters of 2 and 3 nodes, held against one of 4. `--again` is another run of
the held-out size: intervals count where the two agree.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.patternminer_positions import Position, positions
from benchmarks.patternminer_tables import AIMS, MASTERS, Figure
from froude.mining.check.intervals import Site, intervals, slower, validated
from froude.mining.check.prediction import LeafOutcome, Prediction, predict
from froude.mining.read.events import recording_of
from froude.mining.traces import mine
from froude.trace.files import read_trace
from froude.trace.intervals import FEWEST, RESOLUTION_S, Statistic
from froude.trace.types import Trace
from froude.workload.groups import groups
from froude.workload.types import Workload
from froude.workload.yaml_file import dump_workload
from testbed.recorded import recorded

_INTERVAL_AIMS = {"NameNode": 0.9, "ResourceManager": 0.99}


def rows() -> list[Figure]:
    """Every figure of the Traces that are shipped with the tests."""
    return mined_rows([recorded("k2c"), recorded("k3")], recorded("k4"))


def mined_rows(train: list[Trace], held_out: Trace, again: Trace | None = None) -> list[Figure]:
    """Every figure, and how long mining took.

    Args:
        train: Traces of one job at several Scales.
        held_out: one at a larger Scale.
        again: another one at that Scale.
    """
    begun = time.monotonic()
    workload = mine(train)
    took_s = time.monotonic() - begun
    return [
        *held_against(workload, held_out, again),
        _figure("time to mine", round(took_s, 1), "s"),
    ]


def held_against(workload: Workload, held_out: Trace, again: Trace | None = None) -> list[Figure]:
    """Every figure of a workload.

    Args:
        workload: as mined.
        held_out: a Trace at a larger Scale.
        again: another one at that Scale.
    """
    recording = recording_of(held_out)
    prediction = predict(workload, held_out)
    return [
        *sequence_rows(prediction),
        *argument_rows(prediction),
        *position_rows(positions(workload, recording)),
        *interval_rows(
            intervals(workload, recording),
            () if again is None else intervals(workload, recording_of(again)),
        ),
        *review_rows(workload),
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
        _figure("calls made that were predicted (fitness)", round(prediction.fitness, 4), "share", ">= 1"),
        _figure(
            "calls predicted that were made (precision)", round(prediction.precision, 4), "share", ">= 1"
        ),
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
    figures = []
    for name, service in MASTERS.items():
        listed = [position for position in found if position.service.startswith(service)]
        if not listed:
            continue
        rules = sum(position.by_rule.predicted for position in listed)
        timely = sum(position.outcome.predicted for position in listed)
        figures.append(
            _share(f"{name}: arguments, each counted once", rules, len(listed), f">= {AIMS[name]:g}")
        )
        figures.append(_share(f"{name}: the same, each at its moment", timely, len(listed)))
    return figures


def interval_rows(sites: tuple[Site, ...], again: tuple[Site, ...]) -> list[Figure]:
    """Intervals by call site; without another run of the size those that it could agree with."""
    figures = []
    for name, service in MASTERS.items():
        own, other = ([s for s in run if s.service.startswith(service)] for run in (sites, again or sites))
        figures.append(_figure(f"{name}: intervals of steps over predicted ones", round(slower(own), 2), "x"))
        for statistic in Statistic:
            found = validated(own, other, statistic)
            two, what = found.agreement, f"{name}: intervals by call site, {statistic.value}"
            if again:
                figures.append(_share(f"{what}, two runs agree", len(two.agreeing), two.compared))
            whose = "of those where two runs agree, " if again else ""
            aim = f">= {_INTERVAL_AIMS[name]:g}" if again else ""
            figures.append(_share(f"{what}, {whose}within 10 %", found.within, len(two.agreeing), aim))
            left_out = (
                f"{two.few} with fewer than {FEWEST} intervals, {two.short} below {1000 * RESOLUTION_S:g} ms"
            )
            figures.append(_figure(f"{what}, not compared", two.few + two.short, left_out))
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
    named = [Path(word.removeprefix("--again=")) for word in sys.argv[1:] if word.startswith("--again=")]
    measured = mined_rows(traces[:-1], traces[-1], read_trace(named[0]) if named else None)
    if "--json" in sys.argv:
        print(json.dumps(measured))
    else:
        for row in measured:
            aim = f"   (aim {row['aim']})" if row["aim"] else ""
            print(f"{row['measure']}: {row['value']} {row['unit']}{aim}")
