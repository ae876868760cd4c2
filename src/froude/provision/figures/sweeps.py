"""The page of a sweep: cost against SLA with its band of bounds, storage types, cost by kind."""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.analyses.regimes import Best
from froude.provision.check.bill import bill
from froude.provision.figures.parts import DOLLARS, between, dollars_axis, lower, sla_axis, strip, upper
from froude.provision.search.compile import Point
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status
from froude.render import (
    Block,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
)


def sweep_report(problem: Problem, points: Sequence[Point], facts: dict[str, str]) -> Report:
    """A page of a sweep: the curve, the strip of storage types, the stack of costs, every point.

    Args:
        problem: the inputs at factor 1.
        points: of the sweep, ascending.
        facts: lineage.
    """
    built = [point for point in points if point.plan.found]
    proved = sum(point.plan.status is Status.PROVED for point in points)
    lede = f"{proved} of {len(points)} points are proved within the gap asked for."
    tone = Tone.GOOD if proved == len(points) else Tone.WARNING
    figures: tuple[KeyFigure, ...] = ()
    if built:
        worst = max(point.plan.gap for point in built)
        figures = (
            KeyFigure("points proved", proved, ValueKind.NUMBER, note=f"of {len(points)}"),
            KeyFigure("largest gap", worst, ValueKind.SHARE),
            KeyFigure("architectures", len({architecture(p.plan) for p in built}), ValueKind.NUMBER),
        )
    curves: tuple[Block, ...] = (cost_curve(points), baseline_table(points))
    strip: list[Block] = [storage_strip(problem, built)] if built else []
    sections = (
        Section("Cost against SLA", curves),
        Section("Where the data lies", (*strip, _architectures(problem, points))),
        Section("What the money buys", (cost_stack(problem, built),)),
        Section("Every point", (_points(points),)),
    )
    return Report("Cost against SLA", "", lede, tone, figures, sections, facts)


def architecture(plan: ProvisionPlan) -> tuple[tuple[str, ...], ...]:
    """Storage types of every dataset, in the order of their names: what a change of makes a new cluster."""
    return tuple(units for _, units in sorted(plan.choices.items()))


def cost_curve(points: Sequence[Point]) -> Chart:
    """Cost, lower bound and homogeneous baselines over the factor."""
    factors = [point.factor for point in points]
    names = sorted({name for point in points for name in point.baselines})
    series = [
        Series("cost", factors, [upper(point.plan) for point in points]),
        Series("cost (lower bound)", factors, [lower(point.plan) for point in points], dashed=True),
    ]
    for name in names:
        plans = [point.baselines.get(name) for point in points]
        series.append(Series(f"all on {name}", factors, [None if p is None else upper(p) for p in plans]))
    y = dollars_axis([cost for curve in series for cost in curve.ys])
    caption = "The optimum lies in the band between the cost and its lower bound."
    return Chart("Cost against SLA", sla_axis(factors), y, tuple(series), caption=caption, band=True)


def storage_strip(problem: Problem, points: Sequence[Point]) -> Chart:
    """One panel a dataset, a band in the colour of the storage that it lies on.

    A point stands for the factors nearer to it than to its neighbours, so a change falls between two points.

    Args:
        problem: the inputs, for the names of the datasets.
        points: in ascending order of their factors; each has a cluster.
    """
    names = [dataset.name for dataset in problem.application.datasets]
    spans = between([point.factor for point in points])
    bands = [
        (low, high, {name: point.plan.choices[name] for name in names})
        for (low, high), point in zip(spans, points, strict=True)
    ]
    return strip("Storage type of each dataset", bands)


def cost_stack(problem: Problem, points: Sequence[Point | Best]) -> Chart:
    """Cost by kind of part over the factor.

    Args:
        problem: the inputs, for the prices.
        points: in ascending order of their factors; each has a cluster.
    """
    factors = [point.factor for point in points]
    bills = [bill(problem, point.plan) for point in points]
    kinds = dict.fromkeys(line.kind for lines in bills for line in lines)
    series = tuple(
        Series(kind, factors, [sum(line.total for line in lines if line.kind == kind) for lines in bills])
        for kind in kinds
    )
    return Chart("Cost by kind", sla_axis(factors), DOLLARS, series, ChartKind.AREA)


def baseline_table(points: Sequence[Point]) -> Table:
    """How many times as much the homogeneous clusters cost."""
    names = sorted({name for point in points for name in point.baselines})
    rows: list[tuple[Value, ...]] = []
    for name in names:
        ratios = [
            p.baselines[name].upper / p.plan.upper
            for p in points
            if name in p.baselines and p.baselines[name].found and p.plan.found
        ]
        mean = sum(ratios) / len(ratios) if ratios else None
        rows.append((f"all on {name}", mean, max(ratios, default=None), len(ratios)))
    columns = (
        Column("Cluster", ValueKind.CODE),
        Column("Mean cost", ValueKind.NUMBER, "x optimum"),
        Column("Largest", ValueKind.NUMBER, "x optimum"),
        Column("Points", ValueKind.NUMBER),
    )
    return Table(
        columns,
        rows,
        "Homogeneous clusters",
        empty="Not compiled, or no single storage type may hold every dataset.",
    )


def _architectures(problem: Problem, points: Sequence[Point]) -> Table:
    """Where the storage of some dataset changes along the sweep."""
    names = [dataset.name for dataset in problem.application.datasets]
    rows: list[tuple[Value, ...]] = []
    last: tuple[Value, ...] = ()
    for point in points:
        if point.plan.found:
            now: tuple[Value, ...] = tuple(" + ".join(point.plan.choices[name]) for name in names)
            if now != last:
                rows.append((point.factor, *now))
            last = now
    columns = (Column("From", ValueKind.NUMBER, "x"), *(Column(name) for name in names))
    return Table(columns, rows, "Changes of storage")


def _points(points: Sequence[Point]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for point in points:
        plan = point.plan
        built = plan.found
        cost, gap = (plan.upper, plan.gap) if built else (None, None)
        rows.append(
            (
                point.factor,
                plan.status.value,
                cost,
                plan.lower if built else None,
                gap,
                plan.servers,
                plan.seconds,
            )
        )
    columns = (
        Column("SLA", ValueKind.NUMBER, "x"),
        Column("Status"),
        Column("Cost", ValueKind.NUMBER, "$"),
        Column("Lower bound", ValueKind.NUMBER, "$"),
        Column("Gap", ValueKind.SHARE),
        Column("Servers", ValueKind.NUMBER),
        Column("Time", ValueKind.DURATION),
    )
    return Table(columns, rows, "Points of the sweep")
