"""Pages of robustness and price sensitivity, with the tornado."""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.analyses.inputs import Input
from froude.provision.analyses.prices import Crossing, PriceRange, Sensitivity
from froude.provision.analyses.vary import Edge, Robustness, Swing
from froude.provision.figures.parts import verdict
from froude.provision.inputs.units import show
from froude.provision.search.architecture import Architecture
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


def amount(entry: Input, value: float) -> str:
    """A value of an input as it is written in files, to four digits.

    Args:
        entry: the input, which gives the dimension, and whether values are whole.
        value: in base units.
    """
    rounded = round(value) if entry.whole else float(f"{value:.{_DIGITS}g}")
    return show(rounded, entry.dimension)


def robustness_report(robustness: Robustness, facts: dict[str, str]) -> Report:
    """A page of ranges.

    Args:
        robustness: the ranges; without an architecture, the page says that there is no cluster.
        facts: inputs, seed and version, shown last on the page.
    """
    if robustness.architecture is None:
        return Report("No cluster", lede=verdict(robustness.plan), tone=Tone.BAD, facts=facts)
    rows: list[tuple[Value, ...]] = [
        (
            span.input.path,
            amount(span.input, span.input.value),
            amount(span.input, span.low.stays),
            edge_text(robustness.architecture, span.low),
            amount(span.input, span.high.stays),
            edge_text(robustness.architecture, span.high),
        )
        for span in robustness.ranges
    ]
    columns = (
        Column("Input", ValueKind.CODE),
        Column("Value"),
        Column("Down to"),
        Column("Below it"),
        Column("Up to"),
        Column("Above it"),
    )
    edges = [edge for span in robustness.ranges for edge in (span.low, span.high)]
    sure = all(edge.proved for edge in edges)
    note = "" if sure else "Some edges rest on a solve whose gap stayed open."
    lede = f"The architecture of the optimum: {literal(str(robustness.architecture))}."
    factors = [
        factor
        for span in robustness.ranges
        for factor in (span.input.value / span.low.stays, span.high.stays / span.input.value)
    ]
    figures = (
        KeyFigure("cost", robustness.plan.upper, ValueKind.NUMBER, "$"),
        KeyFigure("inputs moved", len(robustness.ranges), ValueKind.NUMBER),
        KeyFigure("least change that ends it", min(factors, default=None), ValueKind.NUMBER, "x"),
    )
    table = Table(columns, rows, "Ranges over which it stays, one input moved at a time", note)
    sections = (Section("How far it holds", (table,)),)
    return Report("Robustness", "", lede, Tone.GOOD if sure else Tone.WARNING, figures, sections, facts)


def edge_text(held: Architecture, edge: Edge) -> str:
    """What takes over beyond an edge.

    Args:
        held: the architecture whose edge it is.
        edge: where it ceases to be the best.

    Returns:
        What changes of the architecture, or why there is none to change to.
    """
    if edge.next is None or edge.why != "cheaper":
        return edge.why
    return "; ".join(held.changes(edge.next))


def sensitivity_report(
    sensitivity: Sensitivity, swings: Sequence[Swing], share: float, facts: dict[str, str]
) -> Report:
    """A page of price ranges, drops and the tornado.

    Args:
        sensitivity: ranges and drops of prices.
        swings: what each input does to the cost, the largest effect first.
        share: how far each input was moved, above 0 to below 1.
        facts: inputs, seed and version, shown last on the page.
    """
    if not sensitivity.plan.found:
        return Report("No cluster", lede=verdict(sensitivity.plan), tone=Tone.BAD, facts=facts)
    figures = (
        KeyFigure("cost", sensitivity.plan.upper, ValueKind.NUMBER, "$"),
        KeyFigure("prices moved", len(sensitivity.ranges), ValueKind.NUMBER),
        KeyFigure("least drop that moves a dataset", _least_drop(sensitivity), ValueKind.SHARE),
    )
    sections = (
        Section(
            "What moves the cost",
            (tornado_chart(sensitivity.plan.upper, swings, share), _swings(sensitivity.plan.upper, swings)),
        ),
        Section("Which price would move a dataset", (_drops(sensitivity),)),
        Section("Between which prices all stays", (_ranges(sensitivity.ranges), Text(_EXACT))),
    )
    return Report("Sensitivity", "", verdict(sensitivity.plan), Tone.GOOD, figures, sections, facts)


_EXACT = (
    "Prices are exact: the least cost over a price is made of straight lines, one per cluster, and these are "
    "where two of them cross. The energy of a part stays as it is."
)


def tornado_chart(cost: float, swings: Sequence[Swing], share: float) -> Chart:
    """The change of the cost at both ends of each input, the largest on top.

    Args:
        cost: dollars with every input at its own value.
        swings: the largest effect first; those without any are left out.
        share: how far each input was moved, above 0 to below 1.
    """
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


def _drops(sensitivity: Sensitivity) -> Table:
    rows: list[tuple[Value, ...]] = [
        (drop.unit, drop.dataset, drop.drop, drop.crossing.price if drop.crossing else None, drop.why)
        for drop in sorted(sensitivity.drops, key=lambda drop: 2.0 if drop.drop is None else drop.drop)
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
            span.input.path,
            span.input.value,
            span.low.price if span.low else 0.0,
            span.high.price if span.high else None,
            all(end is None or end.exact for end in (span.low, span.high)),
            _then(span.low),
            _then(span.high),
        )
        for span in ranges
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


def _least_drop(sensitivity: Sensitivity) -> float | None:
    return min((drop.drop for drop in sensitivity.drops if drop.drop is not None), default=None)
