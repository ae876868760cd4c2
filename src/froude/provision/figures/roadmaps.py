"""The page of regimes and roadmap: which architecture is the best over which range, and the fewest changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.provision.analyses.regimes import Regime, Roadmap, Stage
from froude.provision.figures.parts import bounded, curves, storage_colours, strip, upper
from froude.provision.figures.sweeps import cost_stack
from froude.provision.search.architecture import Architecture
from froude.provision.types import Problem
from froude.render import Chart, KeyFigure, Report, Section, Series, Table, TableOf, Text, Tone, ValueKind


def roadmap_report(problem: Problem, roadmap: Roadmap, facts: Mapping[str, str]) -> Report:
    """A page of regimes and the roadmap."""
    sure = all(regime.proved for regime in roadmap.regimes)
    changes = max(0, len(roadmap.stages) - 1)
    lede = (
        f"**{len(roadmap.stages)} architectures** ({changes} changes) stay within {roadmap.within:.2%} of the "
        f"cheapest at every point; the cheapest itself changes {max(0, len(roadmap.regimes) - 1)} times."
    )
    figures = (
        KeyFigure("regimes", len(roadmap.regimes), ValueKind.NUMBER, note="exact optimum"),
        KeyFigure("stages of the roadmap", len(roadmap.stages), ValueKind.NUMBER),
        KeyFigure(
            "largest extra cost", max((s.worst for s in roadmap.stages), default=None), ValueKind.SHARE
        ),
        KeyFigure("candidates", roadmap.candidates, ValueKind.NUMBER, note="near the optimum somewhere"),
    )
    built = [point for point in roadmap.points if point.plan.found]
    architectures = [band[2] for band in (*_stages(roadmap), *_regimes(roadmap))]
    colours = storage_colours(problem, [units for each in architectures for _, units in each.choices])
    sections = (
        Section(
            "The roadmap",
            (_strip("Storage along the roadmap", _stages(roadmap), colours), _stage_table(roadmap)),
        ),
        Section(
            "The optimum",
            (_strip("Storage of the optimum", _regimes(roadmap), colours), _regime_table(roadmap)),
        ),
        Section(
            "What it costs",
            (_curve(roadmap), cost_stack(problem, built)),
        ),
        Section("How to read it", (Text(_reading(roadmap)),)),
    )
    tone = Tone.GOOD if sure and roadmap.stages else Tone.WARNING
    return Report("The roadmap of architectures", "", lede, tone, figures, sections, facts)


_Band = tuple[float, float, Architecture]


def _stages(roadmap: Roadmap) -> list[_Band]:
    """Each stage as long as it may last, so that the bands meet."""
    starts = [stage.first for stage in roadmap.stages[:1]] + [stage.until for stage in roadmap.stages[:-1]]
    return [
        (start, max(stage.until, start), stage.architecture)
        for start, stage in zip(starts, roadmap.stages, strict=True)
    ]


def _regimes(roadmap: Roadmap) -> list[_Band]:
    return [
        (regime.first.factor, regime.last.factor, regime.architecture)
        for regime in roadmap.regimes
        if regime.architecture is not None
    ]


def _strip(title: str, bands: Sequence[_Band], colours: Mapping[str, int]) -> Chart:
    return strip(
        title, [(low, high, dict(architecture.choices)) for low, high, architecture in bands], colours
    )


def _stage_table(roadmap: Roadmap) -> Table:
    before = [None, *(stage.architecture for stage in roadmap.stages[:-1])]
    return (
        TableOf[tuple[Architecture | None, Stage]]()
        .words("What changes", lambda step: _changes(step[0], step[1].architecture))
        .number("First point", lambda step: step[1].first, "x")
        .number("Last point", lambda step: step[1].last, "x")
        .number("Holds to", lambda step: step[1].until, "x")
        .share("Extra cost at most", lambda step: step[1].worst)
        .of(
            zip(before, roadmap.stages, strict=False),
            "Stages of the roadmap",
            empty="No cluster at any point.",
        )
    )


def _regime_table(roadmap: Roadmap) -> Table:
    before = [None, *(regime.architecture for regime in roadmap.regimes[:-1])]
    return (
        TableOf[tuple[Architecture | None, Regime]]()
        .words("What changes", lambda step: _changes(step[0], step[1].architecture))
        .number("From", lambda step: step[1].first.factor, "x")
        .number("To", lambda step: step[1].last.factor, "x")
        .dollars("Cost at its begin", lambda step: upper(step[1].first.plan))
        .dollars("At its end", lambda step: upper(step[1].last.plan))
        .words("Proved", lambda step: step[1].proved)
        .of(
            zip(before, roadmap.regimes, strict=False),
            "Regimes of the optimum",
            note=f"Boundaries are known within {roadmap.tolerance:.2%}.",
        )
    )


def _changes(before: Architecture | None, after: Architecture | None) -> str:
    if after is None:
        return "no cluster"
    return str(after) if before is None else "; ".join(before.changes(after))


def _curve(roadmap: Roadmap) -> Chart:
    factors = [point.factor for point in roadmap.points]
    staged = {
        factor: cost
        for stage in roadmap.stages
        for factor, cost in zip(
            (f for f in factors if stage.first <= f <= stage.last), stage.cost, strict=False
        )
    }
    series = [
        *bounded("optimum", factors, [point.plan for point in roadmap.points]),
        Series("roadmap", factors, [staged.get(factor) for factor in factors]),
    ]
    return curves("Cost of the optimum and along the roadmap", factors, series)


def _reading(roadmap: Roadmap) -> str:
    open_ = sum(not regime.proved for regime in roadmap.regimes)
    unproved = f" {open_} of the regimes rest on a solve whose gap stayed open." if open_ else ""
    return (
        "A regime that begins and ends between two points of the sweep is not seen; more points find more. "
        "The roadmap has the fewest changes that the architectures tried allow, then the least cost summed "
        f"over the points.{unproved}"
    )
