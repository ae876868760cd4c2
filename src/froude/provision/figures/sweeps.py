"""The page of a sweep: cost against SLA with its band of bounds, storage types, cost by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from froude.provision.analyses.regimes import Best
from froude.provision.check.bill import bill
from froude.provision.figures.parts import (
    DOLLARS,
    between,
    bounded,
    curves,
    lower,
    sla_axis,
    storage_colours,
    strip,
    upper,
)
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
    TableOf,
    Tone,
    ValueKind,
)
from froude.render.theme import SERIES


def sweep_report(problem: Problem, points: Sequence[Point], facts: Mapping[str, str]) -> Report:
    """A page of a sweep: the curve, the strip of storage types, the stack of costs, every point.

    Args:
        points: of the sweep, ascending.
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
    colours = _colours(problem, points)
    curves: tuple[Block, ...] = (cost_curve(points, colours), baseline_table(points))
    strip: list[Block] = [storage_strip(problem, built, colours)] if built else []
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


def _colours(problem: Problem, points: Sequence[Point]) -> dict[str, int]:
    homogeneous = [(name,) for point in points for name in point.baselines]
    chosen = [units for point in points for units in point.plan.choices.values()]
    return storage_colours(problem, [*chosen, *homogeneous])


def cost_curve(points: Sequence[Point], colours: Mapping[str, int]) -> Chart:
    """Cost, lower bound and homogeneous baselines over the factor.

    Args:
        points: of the sweep, ascending.
        colours: see `storage_colours`; the optimum has one that no baseline has.
    """
    factors = [point.factor for point in points]
    homogeneous = sorted({name for point in points for name in point.baselines})
    names = [name for name in homogeneous if name in colours][: len(SERIES) - 1]
    own = min(set(range(len(SERIES))) - {colours[name] for name in names})
    optimum = bounded("cost", factors, [point.plan for point in points])
    series = [replace(line, colour=own) for line in optimum]
    for name in names:
        plans = [point.baselines.get(name) for point in points]
        costs = [None if plan is None else upper(plan) for plan in plans]
        series.append(Series(f"all on {name}", factors, costs, colour=colours[name]))
    caption = "The optimum lies in the band between the cost and its lower bound."
    if len(names) < len(homogeneous):
        caption += f" {len(homogeneous) - len(names)} more homogeneous clusters are in the table."
    return curves("Cost against SLA", factors, series, caption)


def storage_strip(problem: Problem, points: Sequence[Point], colours: Mapping[str, int]) -> Chart:
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
    return strip("Storage type of each dataset", bands, colours)


def cost_stack(problem: Problem, points: Sequence[Point | Best]) -> Chart:
    """Cost by kind of part over the factor.

    Args:
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
    ratios: dict[str, list[float]] = {name: [] for point in points for name in point.baselines}
    for point in points:
        for name, plan in point.baselines.items():
            if plan.found and point.plan.found:
                ratios[name].append(plan.upper / point.plan.upper)
    return (
        TableOf[tuple[str, list[float]]]()
        .code("Cluster", lambda each: f"all on {each[0]}")
        .number("Mean cost", lambda each: sum(each[1]) / len(each[1]) if each[1] else None, "x optimum")
        .number("Largest", lambda each: max(each[1], default=None), "x optimum")
        .number("Points", lambda each: len(each[1]))
        .of(
            sorted(ratios.items()),
            "Homogeneous clusters",
            empty="Not compiled, or no single storage type may hold every dataset.",
        )
    )


def _architectures(problem: Problem, points: Sequence[Point]) -> Table:
    """Where the storage of some dataset changes along the sweep."""
    table = TableOf[tuple[float, dict[str, str]]]().number("From", lambda step: step[0], "x")
    for dataset in problem.application.datasets:
        table = table.words(dataset.name, lambda step, name=dataset.name: step[1][name])  # type: ignore[misc]
    steps: list[tuple[float, dict[str, str]]] = []
    for point in points:
        stored = {name: " + ".join(units) for name, units in point.plan.choices.items()}
        if point.plan.found and (not steps or stored != steps[-1][1]):
            steps.append((point.factor, stored))
    return table.of(steps, "Changes of storage")


def _points(points: Sequence[Point]) -> Table:
    return (
        TableOf[Point]()
        .number("SLA", lambda point: point.factor, "x")
        .words("Status", lambda point: point.plan.status.value)
        .dollars("Cost", lambda point: upper(point.plan))
        .dollars("Lower bound", lambda point: lower(point.plan))
        .share("Gap", lambda point: point.plan.gap if point.plan.found else None)
        .number("Servers", lambda point: point.plan.servers)
        .column(Column("Time", ValueKind.DURATION), lambda point: point.plan.seconds)
        .words("In conflict", lambda point: "; ".join(map(str, point.plan.conflict)))
        .of(points, "Points of the sweep")
    )
