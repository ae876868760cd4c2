"""What a report shows of plans: cost against SLA with its band of bounds, storage types, cost by kind.

Plans in, values of `froude.render` out; nothing is drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from froude.provision.bill import bill
from froude.provision.compile import Point
from froude.provision.evaluate import Evaluation
from froude.provision.plan import Group, Plan, Status
from froude.provision.traffic import traffic
from froude.provision.types import Problem
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Kind,
    Report,
    Section,
    Series,
    Table,
    Text,
    Tone,
    Value,
    literal,
)

_KINDS = ("server", "storage", "core", "memory")
_HAIR = 1e-6
_DOLLARS = Axis("cost over the years of use", Kind.NUMBER, unit="$")


def plan_report(problem: Problem, plan: Plan, facts: dict[str, str]) -> Report:
    """A page of one plan.

    Args:
        problem: the inputs.
        plan: what was compiled.
        facts: lineage: command, files, seed.
    """
    if not plan.groups:
        return Report(
            "No cluster", lede=_verdict(plan), tone=Tone.BAD, sections=(_conflict(plan),), facts=facts
        )
    figures = (
        KeyFigure("cost", plan.upper, Kind.NUMBER, "$", note="price and energy"),
        KeyFigure("no cluster costs less than", plan.lower, Kind.NUMBER, "$"),
        KeyFigure("gap", plan.gap, Kind.SHARE),
        KeyFigure("servers", plan.servers, Kind.NUMBER),
    )
    tone = Tone.GOOD if plan.status is Status.PROVED else Tone.WARNING
    sections = (_cluster(plan), _storage(plan), _bill(problem, plan), _traffic(problem))
    return Report("The cheapest cluster", "", _verdict(plan), tone, figures, sections, facts)


def sweep_report(problem: Problem, points: Sequence[Point], facts: dict[str, str]) -> Report:
    """A page of a sweep: the curve, the strip of storage types, the stack of costs, every point.

    Args:
        problem: the inputs at factor 1.
        points: of the sweep, ascending.
        facts: lineage.
    """
    found = [point for point in points if point.plan.groups]
    proved = sum(point.plan.status is Status.PROVED for point in points)
    lede = f"{proved} of {len(points)} points are proved within the gap asked for."
    tone = Tone.GOOD if proved == len(points) else Tone.WARNING
    figures: tuple[KeyFigure, ...] = ()
    if found:
        worst = max(point.plan.gap for point in found)
        figures = (
            KeyFigure("points proved", proved, Kind.NUMBER, note=f"of {len(points)}"),
            KeyFigure("largest gap", worst, Kind.SHARE),
            KeyFigure("architectures", len({architecture(p.plan) for p in found}), Kind.NUMBER),
        )
    curves: tuple[Block, ...] = (cost_curve(points), baseline_table(points))
    strip: list[Block] = [storage_strip(problem, found)] if found else []
    sections = (
        Section("Cost against SLA", curves),
        Section("Where the data lies", (*strip, _architectures(problem, points))),
        Section("What the money buys", (cost_stack(problem, found),)),
        Section("Every point", (_points(points),)),
    )
    return Report("Cost against SLA", "", lede, tone, figures, sections, facts)


def evaluation_section(evaluation: Evaluation) -> Section:
    """What a given cluster reaches."""
    rows: list[tuple[Value, ...]] = [(limit.constraint, limit.weight) for limit in evaluation.limits]
    columns = (Column("Constraint"), Column("Share of what holds it back", Kind.SHARE))
    text = f"The cluster meets {evaluation.fraction:.1%} of the SLA."
    return Section("What holds it back", (Text(text), Table(columns, rows, "Limits, tightest first")))


def architecture(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Storage types of every dataset, in the order of their names: what a change of makes a new cluster."""
    return tuple(units for _, units in sorted(plan.choices.items()))


def cost_curve(points: Sequence[Point]) -> Chart:
    """Cost, lower bound and homogeneous baselines over the factor."""
    factors = [point.factor for point in points]
    uppers = [point.plan.upper if point.plan.groups else None for point in points]
    lowers = [point.plan.lower if point.plan.groups else None for point in points]
    names = sorted({name for point in points for name in point.baselines})
    series = [Series("cost", factors, uppers), Series("cost (lower bound)", factors, lowers, dashed=True)]
    for name in names:
        plans = [point.baselines.get(name) for point in points]
        series.append(Series(f"all on {name}", factors, [p.upper if p and p.groups else None for p in plans]))
    x = Axis("multiple of the SLA", Kind.NUMBER, unit="x", log=_spread(factors))
    shown = [cost for one in series for cost in one.ys if cost is not None]
    y = Axis(_DOLLARS.title, Kind.NUMBER, unit="$", log=_spread(shown))
    caption = "The optimum lies in the band between the cost and its lower bound."
    return Chart("Cost against SLA", x, y, tuple(series), marks=(), caption=caption)


def storage_strip(problem: Problem, points: Sequence[Point]) -> Chart:
    """One panel a dataset, a band in the colour of the storage that it lies on.

    A point stands for the factors nearer to it than to its neighbours, so a change falls between two points.
    """
    factors = [point.factor for point in points]
    edges = _edges(factors)
    series: list[Series] = []
    for dataset in problem.application.datasets:
        at = [" + ".join(point.plan.choices[dataset.name]) for point in points]
        series += [
            Series(label, edges, [float(one == label) for one in at for _ in range(2)], panel=dataset.name)
            for label in dict.fromkeys(at)
        ]
    x = Axis("multiple of the SLA", Kind.NUMBER, unit="x", log=_spread(factors))
    y = Axis("share of the dataset", Kind.SHARE)
    return Chart("Storage type of each dataset", x, y, tuple(series), ChartKind.AREA)


def cost_stack(problem: Problem, points: Sequence[Point]) -> Chart:
    """Cost by kind of part over the factor."""
    factors = [point.factor for point in points]
    bills = [bill(problem, point.plan) for point in points]
    series = tuple(
        Series(kind, factors, [sum(line.total for line in lines if line.kind == kind) for lines in bills])
        for kind in _KINDS
    )
    x = Axis("multiple of the SLA", Kind.NUMBER, unit="x")
    return Chart("Cost by kind", x, _DOLLARS, series, ChartKind.AREA)


def baseline_table(points: Sequence[Point]) -> Table:
    """How many times as much the homogeneous clusters cost."""
    names = sorted({name for point in points for name in point.baselines})
    rows: list[tuple[Value, ...]] = []
    for name in names:
        ratios = [
            p.baselines[name].upper / p.plan.upper
            for p in points
            if name in p.baselines and p.baselines[name].groups and p.plan.groups
        ]
        mean = sum(ratios) / len(ratios) if ratios else None
        rows.append((f"all on {name}", mean, max(ratios, default=None), len(ratios)))
    columns = (
        Column("Cluster", Kind.CODE),
        Column("Mean cost", Kind.NUMBER, "x optimum"),
        Column("Largest", Kind.NUMBER, "x optimum"),
        Column("Points", Kind.NUMBER),
    )
    return Table(
        columns, rows, "Homogeneous clusters", empty="No single storage type may hold every dataset."
    )


def _architectures(problem: Problem, points: Sequence[Point]) -> Table:
    """Where the storage of some dataset changes along the sweep."""
    names = [dataset.name for dataset in problem.application.datasets]
    rows: list[tuple[Value, ...]] = []
    last: tuple[Value, ...] = ()
    for point in points:
        if point.plan.groups:
            now: tuple[Value, ...] = tuple(" + ".join(point.plan.choices[name]) for name in names)
            if now != last:
                rows.append((point.factor, *now))
            last = now
    columns = (Column("From", Kind.NUMBER, "x"), *(Column(name) for name in names))
    return Table(columns, rows, "Changes of storage")


def _points(points: Sequence[Point]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for point in points:
        plan = point.plan
        found = bool(plan.groups)
        cost, gap = (plan.upper, plan.gap) if found else (None, None)
        rows.append(
            (
                point.factor,
                plan.status.value,
                cost,
                plan.lower if found else None,
                gap,
                plan.servers,
                plan.seconds,
            )
        )
    columns = (
        Column("SLA", Kind.NUMBER, "x"),
        Column("Status"),
        Column("Cost", Kind.NUMBER, "$"),
        Column("Lower bound", Kind.NUMBER, "$"),
        Column("Gap", Kind.SHARE),
        Column("Servers", Kind.NUMBER),
        Column("Time", Kind.DURATION),
    )
    return Table(columns, rows, "Points of the sweep")


def _cluster(plan: Plan) -> Section:
    rows: list[tuple[Value, ...]] = [
        (group.server, group.count, group.cores, group.dimms, _contents(group)) for group in plan.groups
    ]
    columns = (
        Column("Server", Kind.CODE),
        Column("Count", Kind.NUMBER),
        Column("Cores each", Kind.NUMBER),
        Column("Memory units each", Kind.NUMBER),
        Column("Each holds and runs"),
    )
    return Section("The servers", (Table(columns, rows, "Groups of identical servers"),))


def _contents(group: Group) -> str:
    held = [f"{h.units} x {h.unit} ({h.dataset}{', cache' if h.cache else ''})" for h in group.held]
    local = [f"{h.units} x {h.unit} ({h.dataset}, local)" for h in group.local]
    running = [f"{r.instances} x {r.task}" for r in group.running]
    return ", ".join(held + local + running)


def _storage(plan: Plan) -> Section:
    rows: list[tuple[Value, ...]] = [(name, " + ".join(units)) for name, units in plan.choices.items()]
    columns = (Column("Dataset", Kind.CODE), Column("Storage"))
    return Section("Where the data lies", (Table(columns, rows, "Storage of each dataset"),))


def _bill(problem: Problem, plan: Plan) -> Section:
    lines = bill(problem, plan)
    rows: list[tuple[Value, ...]] = [
        (line.item, line.kind, line.quantity, line.price, line.energy, line.total) for line in lines
    ]
    columns = (
        Column("Item", Kind.CODE),
        Column("Kind"),
        Column("Quantity", Kind.NUMBER),
        Column("Price each", Kind.NUMBER, "$"),
        Column("Energy each", Kind.NUMBER, "$"),
        Column("Total", Kind.NUMBER, "$"),
    )
    bars = Series("cost", [line.item for line in lines], [line.total for line in lines])
    chart = Chart("Cost by part", Axis("part", Kind.TEXT), _DOLLARS, (bars,), ChartKind.BARS)
    return Section("What to buy", (Table(columns, rows, "Bill of materials"), chart))


def _traffic(problem: Problem) -> Section:
    rows: list[tuple[Value, ...]] = [
        (flow.source, flow.target, flow.phase, flow.bytes_per_s / 1e6) for flow in traffic(problem)
    ]
    columns = (
        Column("From", Kind.CODE),
        Column("To", Kind.CODE),
        Column("Phase"),
        Column("Traffic", Kind.NUMBER, "MB/s"),
    )
    table = Table(columns, rows, "Traffic matrix at the SLA", empty="Nothing crosses the network.")
    return Section("Who talks to whom", (table,))


def _conflict(plan: Plan) -> Section:
    lines = "\n".join(f"- {literal(str(conflict))}" for conflict in plan.conflict)
    return Section("Constraints in conflict", (Callout("They cannot hold together", lines, Tone.BAD),))


def _verdict(plan: Plan) -> str:
    if plan.status is Status.INFEASIBLE:
        return "**No cluster of this catalog meets the SLA.**"
    if not plan.groups:
        return "The time was over before any cluster was found."
    if plan.status is Status.PROVED:
        return f"**${plan.upper:,.2f}**, proved to be within {plan.gap:.2%} of the cheapest."
    return (
        f"**${plan.upper:,.2f}**; the cheapest may cost up to {plan.gap:.1%} less: the gap was not reached."
    )


def _edges(factors: list[float]) -> list[float]:
    """Where each factor's part begins and ends: close to the geometric means with its neighbours.

    A hair apart: areas that are stacked at the very same place would be drawn on top of each other.
    """
    between = [math.sqrt(a * b) for a, b in pairwise(factors)]
    starts = factors[:1] + [edge * (1 + _HAIR) for edge in between]
    ends = [edge * (1 - _HAIR) for edge in between] + factors[-1:]
    return [edge for pair in zip(starts, ends, strict=True) for edge in pair]


def _spread(values: Sequence[float]) -> bool:
    """Whether a logarithmic axis reads better."""
    positive = [value for value in values if value > 0 and math.isfinite(value)]
    return bool(positive) and max(positive) > 10 * min(positive)
