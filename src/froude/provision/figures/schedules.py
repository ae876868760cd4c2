"""What a report shows of a schedule: dollars an hour over the day beside the peak's cluster, and each period's plan.

A schedule in, values of `froude.render` out; nothing is drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate

from froude.provision.search.schedule import Scheduled, Slot
from froude.provision.types import Problem
from froude.render import (
    Axis,
    Callout,
    Chart,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
    literal,
)


def schedule_report(problem: Problem, day: Scheduled, facts: dict[str, str]) -> Report:
    """A page of a schedule.

    Args:
        problem: the inputs.
        day: what was found.
        facts: lineage: command, files, seed.
    """
    if not day.found:
        return Report(
            "No schedule",
            lede="**Some period has no cluster.**",
            tone=Tone.BAD,
            sections=(_conflicts(day),),
            facts=facts,
        )
    figures = (
        KeyFigure("cost a day", day.per_day, ValueKind.NUMBER, "$", note="clusters and moved data"),
        KeyFigure("no schedule costs less than", day.lower_per_day, ValueKind.NUMBER, "$"),
        KeyFigure("peak's cluster all day", day.peak_per_day, ValueKind.NUMBER, "$"),
        KeyFigure("saving", max(0.0, day.saving), ValueKind.SHARE),
    )
    lede = f"**${day.per_day:,.2f} a day**, {day.saving:.1%} less than the busiest period's cluster all day."
    tone = Tone.GOOD if day.proved else Tone.WARNING
    sections = (
        Section("Over the day", (hourly(problem, day), _parts(day))),
        Section("Every period", (_periods(day), _storage(day))),
    )
    return Report("A cluster that follows the day", "", lede, tone, figures, sections, facts)


def hourly(problem: Problem, day: Scheduled) -> Chart:
    """Dollars an hour of the clusters over the hours of the day, with the lower bound and the peak's cluster.

    Args:
        problem: the inputs; the hours of the term are of these.
        day: its periods with a cluster each, and the peak's cluster.
    """
    ends = list(accumulate(slot.period.hours for slot in day.slots))
    edges = [hour for start, end in zip([0.0, *ends[:-1]], ends, strict=True) for hour in (start, end)]

    def steps(dollars: Callable[[Slot], float]) -> list[float | None]:
        return [dollars(slot) for slot in day.slots for _ in range(2)]

    peak = day.peak_per_day / 24
    series = (
        Series("schedule", edges, steps(lambda slot: slot.cluster_per_day / slot.period.hours)),
        Series(
            "schedule (lower bound)",
            edges,
            steps(lambda slot: slot.plan.lower / problem.catalog.hours),
            dashed=True,
        ),
        Series("peak's cluster all day (mean)", edges, steps(lambda _: peak)),
    )
    x = Axis("hour of the day", ValueKind.NUMBER, unit="h")
    y = Axis("cost of the clusters", ValueKind.NUMBER, unit="$/h")
    caption = "Moving data comes on top; it is in the table of parts."
    return Chart("Cost of the cluster over the day", x, y, series, caption=caption)


def _parts(day: Scheduled) -> Table:
    rows: list[tuple[Value, ...]] = [
        (kind, dollars, dollars / day.per_day if day.per_day else 0.0) for kind, dollars in day.parts.items()
    ]
    columns = (Column("Part"), Column("A day", ValueKind.NUMBER, "$"), Column("Share", ValueKind.SHARE))
    return Table(columns, rows, "What a day's money buys")


def _periods(day: Scheduled) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            slot.period.name,
            slot.period.hours,
            slot.period.factor,
            slot.plan.servers,
            slot.cluster_per_day,
            slot.moved_bytes,
            slot.moves_per_day,
        )
        for slot in day.slots
    ]
    columns = (
        Column("Period"),
        Column("Hours", ValueKind.NUMBER, "h"),
        Column("SLA", ValueKind.NUMBER, "x"),
        Column("Servers", ValueKind.NUMBER),
        Column("Cluster", ValueKind.NUMBER, "$ a day"),
        Column("Moved after it", ValueKind.BYTES),
        Column("For that", ValueKind.NUMBER, "$ a day"),
    )
    return Table(columns, rows, "Clusters of the periods")


def _storage(day: Scheduled) -> Table:
    names = sorted(day.slots[0].plan.choices)
    rows: list[tuple[Value, ...]] = [
        (slot.period.name, *(" + ".join(slot.plan.choices[name]) for name in names)) for slot in day.slots
    ]
    return Table((Column("Period"), *(Column(name) for name in names)), rows, "Storage of each dataset")


def _conflicts(day: Scheduled) -> Section:
    lines = [
        f"- {literal(slot.period.name)}: {literal(', '.join(map(str, slot.plan.conflict)) or slot.plan.status.value)}"
        for slot in day.slots
        if not math.isfinite(slot.plan.upper)
    ]
    return Section(
        "What stands against it", (Callout("Periods without a cluster", "\n".join(lines), Tone.BAD),)
    )
