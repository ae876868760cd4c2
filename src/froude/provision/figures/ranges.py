"""Pages of robustness and price sensitivity, with the tornado."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.provision.analyses.inputs import Input
from froude.provision.analyses.prices import Crossing, Drop, PriceRange, Sensitivity
from froude.provision.analyses.vary import Edge, Range, Robustness, Swing
from froude.provision.figures.parts import bars, no_cluster, verdict
from froude.provision.inputs.units import show
from froude.provision.search.architecture import Architecture
from froude.render import (
    Axis,
    Chart,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Text,
    Tone,
    ValueKind,
    literal,
)

_MOST_BARS = 16
_DIGITS = 4


def amount(entry: Input, value: float) -> str:
    """A value of an input as it is written in files, to four digits.

    Args:
        entry: the input, which gives the dimension, and whether values are whole.
    """
    rounded = round(value) if entry.whole else float(f"{value:.{_DIGITS}g}")
    return show(rounded, entry.dimension)


def robustness_report(robustness: Robustness, facts: Mapping[str, str]) -> Report:
    """A page of ranges.

    Args:
        robustness: the ranges; without an architecture, the page says that there is no cluster.
    """
    held = robustness.architecture
    if held is None:
        return no_cluster(verdict(robustness.plan), facts)
    table = (
        TableOf[Range]()
        .code("Input", lambda span: span.input.path)
        .words("Value", lambda span: amount(span.input, span.input.value))
        .words("Down to", lambda span: amount(span.input, span.low.stays))
        .words("Below it", lambda span: edge_text(held, span.low))
        .words("Up to", lambda span: amount(span.input, span.high.stays))
        .words("Above it", lambda span: edge_text(held, span.high))
    )
    edges = [edge for span in robustness.ranges for edge in (span.low, span.high)]
    sure = all(edge.proved for edge in edges)
    note = "" if sure else "Some edges rest on a solve whose gap stayed open."
    lede = f"The architecture of the optimum: {literal(str(held))}, for ${robustness.plan.upper:,.2f}."
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
    caption = "Ranges over which it stays, one input moved at a time"
    sections = (Section("How far it holds", (table.of(robustness.ranges, caption, note=note),)),)
    return Report("Robustness", "", lede, Tone.GOOD if sure else Tone.WARNING, figures, sections, facts)


def edge_text(held: Architecture, edge: Edge) -> str:
    """What takes over beyond an edge.

    Returns:
        What changes of the architecture, or why there is none to change to.
    """
    if edge.next is None or edge.why != "cheaper":
        return edge.why
    return "; ".join(held.changes(edge.next))


def sensitivity_report(
    sensitivity: Sensitivity, swings: Sequence[Swing], share: float, facts: Mapping[str, str]
) -> Report:
    """A page of price ranges, drops and the tornado.

    Args:
        swings: what each input does to the cost, the largest effect first.
        share: how far each input was moved, above 0 to below 1.
    """
    if not sensitivity.plan.found:
        return no_cluster(verdict(sensitivity.plan), facts)
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
    return bars("What moves the cost", "input", y, series, caption)


def _swings(cost: float, swings: Sequence[Swing]) -> Table:
    return (
        TableOf[Swing]()
        .code("Input", lambda swing: swing.input.path)
        .words("Low", lambda swing: amount(swing.input, swing.low))
        .number("Cost then", lambda swing: swing.change(swing.low_plan, cost), "$ more")
        .words("High", lambda swing: amount(swing.input, swing.high))
        .number("Cost then", lambda swing: swing.change(swing.high_plan, cost), "$ more")
        .words("Architecture", lambda swing: "changes" if swing.moves else "stays")
        .of(swings, "Every input")
    )


def _drops(sensitivity: Sensitivity) -> Table:
    return (
        TableOf[Drop]()
        .code("If the price of", lambda drop: drop.unit)
        .code("is to move", lambda drop: drop.dataset)
        .share("it must drop by", lambda drop: drop.drop)
        .dollars("to", lambda drop: drop.crossing.price if drop.crossing else None)
        .words("Never, because", lambda drop: drop.why)
        .of(
            sorted(sensitivity.drops, key=lambda drop: 2.0 if drop.drop is None else drop.drop),
            "Drops that move a dataset onto a unit, or into a cache of it",
        )
    )


def _ranges(ranges: Sequence[PriceRange]) -> Table:
    return (
        TableOf[PriceRange]()
        .code("Price", lambda span: span.input.path)
        .dollars("Now", lambda span: span.input.value)
        .dollars("Down to", lambda span: span.low.price if span.low else 0.0)
        .dollars("Up to", lambda span: span.high.price if span.high else None)
        .words("Exact", lambda span: all(end is None or end.exact for end in (span.low, span.high)))
        .words("Below it", lambda span: _then(span.low))
        .words("Above it", lambda span: _then(span.high))
        .of(
            ranges,
            "Ranges of each price over which the architecture stays",
            note="A dash: it stays up to ten times the price.",
        )
    )


def _then(crossing: Crossing | None) -> str:
    return "" if crossing is None or crossing.next is None else str(crossing.next)


def _least_drop(sensitivity: Sensitivity) -> float | None:
    return min((drop.drop for drop in sensitivity.drops if drop.drop is not None), default=None)
