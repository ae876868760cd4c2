"""Pages of robustness and price sensitivity, with the tornado."""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.analyses.architecture import Architecture
from froude.provision.analyses.edges import Edge
from froude.provision.analyses.inputs import Input
from froude.provision.analyses.prices import Crossing, PriceRange, Sensitivity
from froude.provision.analyses.robustness import Robustness
from froude.provision.analyses.tornado import Swing
from froude.provision.figures.parts import verdict
from froude.provision.units import show
from froude.render import (
    Axis,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    Text,
    Tone,
    Value,
    ValueKind,
    literal,
)

_MOST_BARS = 16
_DIGITS = 4


def amount(one: Input, value: float) -> str:
    """A value of an input as it is written in files, to four digits."""
    rounded = round(value) if one.whole else float(f"{value:.{_DIGITS}g}")
    return show(rounded, one.dimension)


def robustness_report(found: Robustness, facts: dict[str, str]) -> Report:
    """A page of ranges."""
    if found.architecture is None:
        return Report("No cluster", lede=verdict(found.plan), tone=Tone.BAD, facts=facts)
    rows: list[tuple[Value, ...]] = [
        (
            one.input.path,
            amount(one.input, one.input.value),
            amount(one.input, one.low.stays),
            edge_text(found.architecture, one.low),
            amount(one.input, one.high.stays),
            edge_text(found.architecture, one.high),
        )
        for one in found.ranges
    ]
    columns = (
        Column("Input", ValueKind.CODE),
        Column("Value"),
        Column("Down to"),
        Column("Below it"),
        Column("Up to"),
        Column("Above it"),
    )
    edges = [edge for one in found.ranges for edge in (one.low, one.high)]
    sure = all(edge.proved for edge in edges)
    note = "" if sure else "Some edges rest on a solve whose gap stayed open."
    lede = f"The architecture of the optimum: {literal(str(found.architecture))}."
    factors = [
        factor
        for one in found.ranges
        for factor in (one.input.value / one.low.stays, one.high.stays / one.input.value)
    ]
    figures = (
        KeyFigure("cost", found.plan.upper, ValueKind.NUMBER, "$"),
        KeyFigure("inputs moved", len(found.ranges), ValueKind.NUMBER),
        KeyFigure("least change that ends it", min(factors, default=None), ValueKind.NUMBER, "x"),
    )
    table = Table(columns, rows, "Ranges over which it stays, one input moved at a time", note)
    sections = (Section("How far it holds", (table,)),)
    return Report("Robustness", "", lede, Tone.GOOD if sure else Tone.WARNING, figures, sections, facts)


def edge_text(held: Architecture, edge: Edge) -> str:
    """What takes over beyond an edge."""
    if edge.next is None or edge.why != "cheaper":
        return edge.why
    return "; ".join(held.changes(edge.next))


def sensitivity_report(
    found: Sensitivity, swings: Sequence[Swing], share: float, facts: dict[str, str]
) -> Report:
    """A page of price ranges, drops and the tornado."""
    if not found.plan.found:
        return Report("No cluster", lede=verdict(found.plan), tone=Tone.BAD, facts=facts)
    figures = (
        KeyFigure("cost", found.plan.upper, ValueKind.NUMBER, "$"),
        KeyFigure("prices moved", len(found.ranges), ValueKind.NUMBER),
        KeyFigure("least drop that moves a dataset", _least_drop(found), ValueKind.SHARE),
    )
    sections = (
        Section(
            "What moves the cost",
            (tornado_chart(found.plan.upper, swings, share), _swings(found.plan.upper, swings)),
        ),
        Section("Which price would move a dataset", (_drops(found),)),
        Section("Between which prices all stays", (_ranges(found.ranges), Text(_EXACT))),
    )
    return Report("Sensitivity", "", verdict(found.plan), Tone.GOOD, figures, sections, facts)


_EXACT = (
    "Prices are exact: the least cost over a price is made of straight lines, one per cluster, and these are "
    "where two of them cross. The energy of a part stays as it is."
)


def tornado_chart(cost: float, swings: Sequence[Swing], share: float) -> Chart:
    """The change of the cost at both ends of each input, the largest on top."""
    shown = [swing for swing in swings if swing.reach(cost)][:_MOST_BARS]
    paths = [swing.input.path for swing in shown]
    series = (
        Series(f"{share:.0%} lower", paths, [swing.change(swing.low_plan, cost) for swing in shown]),
        Series(f"{share:.0%} higher", paths, [swing.change(swing.high_plan, cost) for swing in shown]),
    )
    y = Axis("change of the cost", ValueKind.NUMBER, unit="$")
    caption = "Each input alone; a dash where it may not have that value or no cluster is left."
    return Chart(
        "What moves the cost", Axis("input", ValueKind.TEXT), y, series, ChartKind.BARS, caption=caption
    )


def _swings(cost: float, swings: Sequence[Swing]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            swing.input.path,
            amount(swing.input, swing.low),
            swing.change(swing.low_plan, cost),
            amount(swing.input, swing.high),
            swing.change(swing.high_plan, cost),
            "changes" if swing.moves else "stays",
        )
        for swing in swings
    ]
    columns = (
        Column("Input", ValueKind.CODE),
        Column("Low"),
        Column("Cost then", ValueKind.NUMBER, "$ more"),
        Column("High"),
        Column("Cost then", ValueKind.NUMBER, "$ more"),
        Column("Architecture"),
    )
    return Table(columns, rows, "Every input")


def _drops(found: Sensitivity) -> Table:
    rows: list[tuple[Value, ...]] = [
        (one.unit, one.dataset, one.drop, one.crossing.price if one.crossing else None, one.why)
        for one in sorted(found.drops, key=lambda one: 2.0 if one.drop is None else one.drop)
    ]
    columns = (
        Column("If the price of", ValueKind.CODE),
        Column("is to move", ValueKind.CODE),
        Column("it must drop by", ValueKind.SHARE),
        Column("to", ValueKind.NUMBER, "$"),
        Column("Never, because"),
    )
    return Table(columns, rows, "Drops that move a dataset onto a unit, or into a cache of it")


def _ranges(ranges: Sequence[PriceRange]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            one.input.path,
            one.input.value,
            one.low.price if one.low else 0.0,
            one.high.price if one.high else None,
            all(end is None or end.exact for end in (one.low, one.high)),
            _then(one.low),
            _then(one.high),
        )
        for one in ranges
    ]
    columns = (
        Column("Price", ValueKind.CODE),
        Column("Now", ValueKind.NUMBER, "$"),
        Column("Down to", ValueKind.NUMBER, "$"),
        Column("Up to", ValueKind.NUMBER, "$"),
        Column("Exact", ValueKind.MET),
        Column("Below it"),
        Column("Above it"),
    )
    note = "A dash: it stays up to ten times the price."
    return Table(columns, rows, "Ranges of each price over which the architecture stays", note)


def _then(crossing: Crossing | None) -> str:
    return "" if crossing is None or crossing.next is None else str(crossing.next)


def _least_drop(found: Sensitivity) -> float | None:
    return min((one.drop for one in found.drops if one.drop is not None), default=None)
