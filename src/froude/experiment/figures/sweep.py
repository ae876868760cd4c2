"""A sweep as charts: every measure against what was varied, and each arm beside the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from froude.base.statistics import mean_interval
from froude.base.summary import counted
from froude.experiment.compare.compare import Outcome, change_text
from froude.experiment.compare.measures import Sort
from froude.experiment.figures.comparison import (
    COMPARISON_TONES,
    OUTCOME_COLOURS,
    OUTCOME_NAMES,
    comparison_section,
    value_text,
)
from froude.experiment.figures.environment import environment_facts, facts_table
from froude.experiment.sweep.result import Measured, Swept, SweptArm
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Section,
    Series,
    Table,
    Text,
    Tone,
    Value,
    ValueKind,
)
from froude.render.markdown import plain

_LEVEL = 0.05
_WIDEST = 4.0
"""How many times the largest and the smallest value of all runs are shown: an interval of few runs may be endless."""
_FIRST, _ALONE = "what the others are compared with", "not compared"
_RATE = "throughput"
_UNITS = {"s": Axis("", ValueKind.DURATION), "share": Axis("", ValueKind.SHARE)}
_WHAT = (
    "A run counts once, however many calls it made. A point is the mean of an arm's runs that count (the geometric "
    "one, but of errors), its line the interval that holds the true mean with 95 % confidence; of one run it has no "
    "length. Intervals of two arms may overlap and the arms differ all the same: the colour says what the comparison "
    "found."
)


def sweep_title(swept: Swept) -> str:
    """What was varied, and the verdict in a few words."""
    what = ", ".join(names.rpartition(".")[2] for names in swept.varied) or "One arm"
    outcomes = [found.outcome for _, found in swept.compared]
    if swept.interrupted:
        return f"Sweep of {what}: interrupted"
    if swept.found is not None:
        return f"{swept.found.shown.value}: {swept.found.claim}"
    if not outcomes:
        return f"Sweep of {what}: {counted(len(swept.arms), 'arm')}"
    if len(outcomes) == 1:
        return f"Sweep of {what}: {swept.compared[0][0].name}: {OUTCOME_NAMES[outcomes[0]]}"
    counts = [f"{outcomes.count(each)} {name}" for each, name in OUTCOME_NAMES.items() if each in outcomes]
    return f"Sweep of {what}: {', '.join(counts)}"


def sweep_tone(swept: Swept) -> Tone:
    """That of the worst arm; where nothing was compared there is no verdict."""
    outcomes = {found.outcome for _, found in swept.compared}
    if swept.interrupted or Outcome.OPEN in outcomes - {Outcome.WORSE}:
        return Tone.BAD if Outcome.WORSE in outcomes else Tone.WARNING
    if swept.found is not None:
        return Tone.GOOD if swept.reproduced else Tone.WARNING
    if Outcome.WORSE in outcomes:
        return Tone.BAD
    return COMPARISON_TONES[outcomes.pop()] if outcomes else Tone.NEUTRAL


def sweep_figures(swept: Swept) -> tuple[KeyFigure, ...]:
    """The change of each arm's primary measure, as many as a page begins with."""
    figures = [
        KeyFigure(
            f"{row.measure}, {arm.name}",
            change_text(row.change, row.sort),
            ValueKind.TEXT,
            note=f"{change_text(row.low, row.sort)} to {change_text(row.high, row.sort)}; {row.words}",
        )
        for arm, comparison in swept.compared[:4]
        for row in comparison.rows[:1]
    ]
    left_out = sum(bool(run.left_out) for arm in swept.arms for run in arm.runs)
    note = f"{left_out} left out" if left_out else f"in {counted(len(swept.arms), 'arm')}"
    return (*figures, KeyFigure("runs", swept.made, note=note))


def sweep_sections(swept: Swept) -> Iterator[Section]:
    """Every measure by arm, the runs, then each comparison with all its intervals."""
    known = [each for each in swept.measures if any(arm.counting(each.name) for arm in swept.arms)]
    blocks: list[Block] = [Text(_WHAT), *(_chart(swept, each) for each in known)]
    if not known:
        blocks = [Callout("No run counts", "Why is said of each run below.", Tone.WARNING)]
    if swept.environment:
        blocks.append(facts_table(environment_facts(swept.environment), "What all runs had in common"))
    yield Section("Every measure by arm", tuple(blocks), plain(swept.answer))
    if any(arm.not_compared for arm in swept.arms) and any(each.name == _RATE for each in swept.measures):
        yield _by_rate(swept)
    yield Section("Every run", (_runs(swept),))
    for arm, comparison in swept.compared:
        section = comparison_section(comparison)
        title = f"{arm.name} (the candidate) beside {swept.arms[0].name} (the baseline)"
        yield Section(title, section.blocks, section.intro)


def _chart(swept: Swept, measure: Measured) -> Chart:
    shown = {arm.name: arm.counting(measure.name) for arm in swept.arms}
    every = [value for values in shown.values() for value in values]
    low, high = min(every) / _WIDEST, max(every) * _WIDEST
    cut = False
    places: dict[str, list[tuple[str, float, float, float]]] = {}
    colours = {_FIRST: 5, _ALONE: 6}
    for arm in swept.arms:
        if not shown[arm.name]:
            continue
        mean, *ends = mean_interval(shown[arm.name], _LEVEL, ratio=measure.sort is not Sort.ERRORS)
        least, most = max(low, ends[0]), min(high, ends[1])
        cut |= (least, most) != tuple(ends)
        places.setdefault(_named(swept, arm, measure), []).append((arm.name, mean, least, most))
    colours |= {OUTCOME_NAMES[outcome]: colour for outcome, colour in OUTCOME_COLOURS.items()}
    series = [
        Series(
            name,
            [each[0] for each in points],
            [each[1] for each in points],
            colour=colours[name],
            low=[each[2] for each in points],
            high=[each[3] for each in points],
        )
        for name, points in places.items()
    ]
    what = f"{measure.what[:1].upper()}{measure.what[1:]}"
    explains = " It explains, and decides nothing." if measure.sort is Sort.RESOURCE else ""
    caption = (
        f"{plain(what)}.{explains}{' Lines are cut where they are longer than the chart.' if cut else ''}"
    )
    return Chart(
        measure.name,
        Axis("arm", ValueKind.TEXT),
        _axis(measure),
        tuple(series),
        ChartKind.INTERVALS,
        caption=caption,
        small=True,
    )


def _axis(measure: Measured) -> Axis:
    usual = _UNITS.get(measure.unit)
    kind = ValueKind.NUMBER if usual is None else usual.kind
    return Axis(measure.name, kind, "" if usual else measure.unit)


def _named(swept: Swept, arm: SweptArm, measure: Measured) -> str:
    """The series of an arm: what its comparison found in this measure."""
    if arm is swept.arms[0] and swept.compared:
        return _FIRST
    rows = () if arm.comparison is None else arm.comparison.rows
    outcome = next((row.outcome for row in rows if row.measure == measure.name), None)
    return _ALONE if outcome is None else OUTCOME_NAMES[outcome]


def _by_rate(swept: Swept) -> Section:
    """Arms of different loads: what a measure is at the rate that was answered."""
    blocks: list[Block] = []
    for measure in swept.measures:
        series = []
        for arm in swept.arms:
            points = sorted(
                (rate, value)
                for run in arm.runs
                if not run.left_out
                and (rate := run.values.get(_RATE)) is not None
                and (value := run.values.get(measure.name)) is not None
            )
            if points:
                series.append(Series(arm.name, [rate for rate, _ in points], [value for _, value in points]))
        if measure.name != _RATE and series:
            x = Axis("answered", unit="calls/s")
            blocks.append(Chart(measure.name, x, _axis(measure), tuple(series), ChartKind.POINTS, small=True))
    intro = "The arms did different things, so that none is better or worse than another. A point is a run."
    return Section("Against the rate that was answered", tuple(blocks), intro)


def _runs(swept: Swept) -> Table:
    names = [each for each in ("throughput", "mean", "p50", "p99") if _known(swept.measures, each)]
    units = {each.name: each.unit for each in swept.measures}
    rows: list[tuple[Value, ...]] = []
    for arm in swept.arms:
        for run in arm.runs:
            cells = [
                None if (value := run.values.get(name)) is None else value_text(value, units[name])
                for name in names
            ]
            rows.append((run.name, *cells, run.limited_by, run.left_out))
    columns = (
        Column("Run", ValueKind.CODE),
        *map(Column, names),
        Column("Limited by"),
        Column("Left out"),
    )
    return Table(
        columns, rows, "In the order of arms and rounds", f"Latency is {swept.latency or 'unknown'}."
    )


def _known(measures: Sequence[Measured], name: str) -> bool:
    return any(each.name == name for each in measures)
