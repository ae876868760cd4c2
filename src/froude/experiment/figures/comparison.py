"""A comparison as charts and tables: every measure's interval, what explains them, and the runs."""

from __future__ import annotations

from collections.abc import Sequence

from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.experiment.compare.compare import (
    ERROR_MARGIN,
    Comparison,
    Outcome,
    Row,
    Together,
    change_text,
    confidence_text,
    minutes_text,
)
from froude.experiment.compare.measures import Sort
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    ChartKind,
    Column,
    Mark,
    Section,
    Series,
    Table,
    Text,
    Tone,
    Value,
    ValueKind,
)
from froude.render.format import size
from froude.render.markdown import plain

COMPARISON_TONES = {Outcome.WORSE: Tone.BAD, Outcome.BETTER: Tone.GOOD, Outcome.SAME: Tone.GOOD}
"""How an outcome is shown; that of too few runs says less than was asked for."""
OUTCOME_COLOURS = {
    Outcome.WORSE: 1,
    Outcome.BETTER: 2,
    Outcome.SAME: 0,
    Outcome.OPEN: 6,
    Outcome.UNDECIDED: 6,
}
OUTCOME_NAMES = {
    Outcome.WORSE: "worse",
    Outcome.BETTER: "better",
    Outcome.SAME: "no difference larger than the margin",
    Outcome.OPEN: Outcome.OPEN.value,
    Outcome.UNDECIDED: Outcome.UNDECIDED.value,
}
_NARROW = -60.0, 150.0
"""Per cent between which intervals are drawn: of few runs they may be endless, and would hide all others."""
_WHAT_TOGETHER = (
    "Both were called at the same time, and are compared in slices of the same seconds; consecutive slices are put "
    "together into batches, since what is close in time depends on each other. An interval holds the true change with "
    "the confidence that is in the table; the chance of one false difference or more, at any look, is at most {level}."
)
_WHAT = (
    "A run counts once, however many calls it made: calls of one run share a JVM and a moment of the machine. An "
    "interval holds the true change with the confidence that stands in the table; among all measures that decide, "
    "the chance of one false difference or more is at most {level}, of which the measure that stands first has half."
)


def comparison_title(comparison: Comparison) -> str:
    """The question, and the answer in a few words."""
    leading = comparison.leading
    costs = leading is not None and leading.sort is Sort.COST
    words = {
        Outcome.WORSE: "it needs more CPU time" if costs else "yes, it is worse",
        Outcome.BETTER: "no, and it needs less CPU time" if costs else "no, it is faster",
        Outcome.SAME: f"no difference larger than {100 * comparison.margin:.3g} % seen",
        Outcome.OPEN: Outcome.OPEN.value,
        Outcome.UNDECIDED: Outcome.UNDECIDED.value,
    }
    return f"Is the candidate slower? {words[comparison.outcome][:1].upper()}{words[comparison.outcome][1:]}"


def compared_text(comparison: Comparison) -> str:
    """What was compared, with the margin and the chance of error."""
    margin, level = f"Margin {100 * comparison.margin:.3g} %", f"{100 * comparison.level:.3g} %"
    together = comparison.together
    if together is not None:
        return (
            f"Compared at the same time, over {minutes_text(together.measured_s)} after a warm-up of "
            f"{minutes_text(together.warm_up_s)}, in {counted(together.looks, 'look')}. {margin}; chance of a "
            f"false difference at any look at most {level}."
        )
    pairs = " as pairs" if comparison.paired else ""
    return (
        f"Compared{pairs}: {counted(len(comparison.baseline), 'run')} of the baseline, {len(comparison.candidate)} of "
        f"the candidate. {margin}; chance of a false difference at most {level}, half of it for {comparison.primary}."
    )


def comparison_section(comparison: Comparison) -> Section:
    """The intervals first, then values, what explains, and what was compared."""
    blocks: list[Block] = [
        Callout("To be kept in mind", plain(remark), Tone.WARNING) for remark in comparison.remarks
    ]
    if comparison.rows:
        deciding = comparison.deciding
        explaining = [row for row in comparison.rows if row.sort is Sort.RESOURCE]
        ratios = [row for row in deciding if not row.by_difference]
        blocks += [
            _chart("What decides: change from baseline to candidate", ratios, comparison),
            _table(deciding, "What decides, the primary measure first", comparison),
            Text(_what(comparison)),
        ]
        if explaining:
            blocks += [
                _chart("What explains: change from baseline to candidate", explaining, comparison),
                _table(explaining, "What explains, and decides nothing", comparison),
            ]
    if comparison.differences:
        blocks.append(
            Table(
                (Column("What"), Column("Baseline", ValueKind.CODE), Column("Candidate", ValueKind.CODE)),
                comparison.differences,
                "What the arms ran on, where it differs",
            )
        )
    if comparison.together is None:
        blocks.append(_runs(comparison))
    elif comparison.rows:
        blocks.append(_over_time(comparison, comparison.together))
    if comparison.not_compared:
        rows = list(comparison.not_compared.items())
        blocks.append(Table((Column("Measure", ValueKind.CODE), Column("Why")), rows, "Not compared"))
    return Section("Baseline and candidate", tuple(blocks), plain(comparison.answer))


def _chart(title: str, rows: Sequence[Row], comparison: Comparison) -> Chart:
    (low, high), margin = _NARROW, comparison.margin
    series = []
    for outcome, name in OUTCOME_NAMES.items():
        chosen = [row for row in rows if row.outcome is outcome]
        if chosen:
            series.append(
                Series(
                    name,
                    [row.measure for row in chosen],
                    [min(high, max(low, 100 * row.change)) for row in chosen],
                    colour=OUTCOME_COLOURS[outcome],
                    low=[min(high, max(low, 100 * row.low)) for row in chosen],
                    high=[min(high, max(low, 100 * row.high)) for row in chosen],
                )
            )
    cut = any(100 * row.high > high or 100 * row.low < low for row in rows)
    caption = "A point is the mean change, its line the interval; dashed, no change and the margin."
    if cut:
        caption += f" What lies beyond is cut at {low:+.0f} % and {high:+.0f} %."
    marks = (
        Mark(0.0, "no change", on="y"),
        Mark(100 * margin, "margin", on="y"),
        Mark(100 * (1 / (1 + margin) - 1), "margin", on="y"),
    )
    axis = Axis("change", unit="%")
    return Chart(
        title, Axis("measure", ValueKind.TEXT), axis, tuple(series), ChartKind.INTERVALS, marks, caption
    )


def _over_time(comparison: Comparison, together: Together) -> Chart:
    """Of each measure that decides by its ratio, how far the candidate was from the baseline in each batch."""
    series = [
        Series(
            row.measure,
            [(at + 0.5) * together.batch_s for at in range(len(row.baseline))],
            [100 * (second / first - 1) for first, second in zip(row.baseline, row.candidate, strict=True)],
            colour=number,
        )
        for number, row in enumerate(row for row in comparison.deciding if not row.by_difference)
    ]
    return Chart(
        "Candidate less baseline, batch by batch",
        Axis("measured for", unit="s"),
        Axis("change", unit="%"),
        tuple(series),
        marks=(Mark(0.0, "no change", on="y"), Mark(100 * comparison.margin, "margin", on="y")),
        caption=f"Each point is the mean of {together.batch_s:.0f} s; what both share at a moment is not in it.",
    )


def _what(comparison: Comparison) -> str:
    level = f"{100 * comparison.level:.3g} %"
    return (_WHAT if comparison.together is None else _WHAT_TOGETHER).format(level=level)


def _table(rows: Sequence[Row], caption: str, comparison: Comparison) -> Table:
    columns = (
        Column("Measure", ValueKind.CODE),
        Column("Baseline"),
        Column("Candidate"),
        Column("Change"),
        Column("Interval"),
        Column("Confidence"),
        Column("Outcome"),
        Column("Runs needed" if comparison.together is None else "Time needed"),
    )
    cells: list[tuple[Value, ...]] = []
    for row in rows:
        first, second = (value_text(mean, row.unit) for mean in row.means)
        ends = " to ".join(change_text(end, row.sort) for end in (row.low, row.high))
        change = change_text(row.change, row.sort)
        confidence = confidence_text(row.level)
        cells.append(
            (row.measure, first, second, change, ends, confidence, row.words, _needed(comparison, row))
        )
    together = comparison.together
    of, shown = "runs", "*Runs needed*: of each arm"
    if together is not None:
        of, shown = f"batches of {together.batch_s:.0f} s", "*Time needed*: of both"
    note = (
        f"Geometric means of the {of}, of errors arithmetic ones. {shown}, to see a difference of the margin's size "
        f"four times in five. The margin of errors is {100 * ERROR_MARGIN:g} percentage points."
    )
    return Table(columns, cells, caption, note)


def _needed(comparison: Comparison, row: Row) -> str | None:
    """How much more would have to be measured for a measure that is open; None for one that is not."""
    if not row.outcome.open:
        return None
    if row.needed is None:
        return "many"
    together = comparison.together
    return str(row.needed) if together is None else minutes_text(row.needed * together.batch_s)


def value_text(value: float, unit: str) -> str:
    """A value of a measure, for people."""
    if unit == "s":
        return seconds_text(value)
    if unit == "bytes":
        return size(value)
    return f"{100 * value:.3g} %" if unit == "share" else f"{value:,.4g} {unit}"


def _runs(comparison: Comparison) -> Table:
    rows: list[tuple[Value, ...]] = []
    primary = comparison.rows[0] if comparison.rows else None
    for arm, names in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        values = () if primary is None else getattr(primary, arm)
        for at, name in enumerate(names):
            value = value_text(values[at], primary.unit) if primary is not None else None
            rows.append((name, arm, value, ""))
    rows += [(name, "left out", None, why) for name, why in comparison.left_out.items()]
    columns = (Column("Run", ValueKind.CODE), Column("Arm"), Column(comparison.primary), Column("Why"))
    return Table(columns, rows, "The runs, as they were made")
