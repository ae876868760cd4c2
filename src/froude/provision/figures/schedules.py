"""What a report shows of a schedule: dollars an hour over the day beside the peak's cluster, and each period's plan.

A schedule in, values of `froude.render` out; nothing is drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate

from froude.provision.figures.parts import TableOf
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
    ValueKind,
    literal,
)


def schedule_report(problem: Problem, day: Scheduled, facts: dict[str, str]) -> Report:
    """A page of a schedule.

    Args:
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
    lede = (
        f"**${day.per_day:,.2f} a day**; no schedule costs less than ${day.lower_per_day:,.2f} (gap {day.gap:.2%}); "
        f"{day.saving:.1%} less than the peak's cluster all day (${day.peak_per_day:,.2f})."
    )
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
    return (
        TableOf[tuple[str, float]]()
        .words("Part", lambda part: part[0])
        .dollars("A day", lambda part: part[1])
        .share("Share", lambda part: part[1] / day.per_day if day.per_day else 0.0)
        .of(day.parts.items(), "What a day's money buys")
    )


def _periods(day: Scheduled) -> Table:
    return (
        TableOf[Slot]()
        .words("Period", lambda slot: slot.period.name)
        .number("Hours", lambda slot: slot.period.hours, "h")
        .number("SLA", lambda slot: slot.period.factor, "x")
        .number("Servers", lambda slot: slot.plan.servers)
        .number("Cluster", lambda slot: slot.cluster_per_day, "$ a day")
        .column(Column("Moved after it", ValueKind.BYTES), lambda slot: slot.moved_bytes)
        .number("For that", lambda slot: slot.moves_per_day, "$ a day")
        .of(day.slots, "Clusters of the periods")
    )


def _storage(day: Scheduled) -> Table:
    table = TableOf[Slot]().words("Period", lambda slot: slot.period.name)
    for name in sorted(day.slots[0].plan.choices):
        table = table.words(name, lambda slot, name=name: " + ".join(slot.plan.choices[name]))  # type: ignore[misc]
    return table.of(day.slots, "Storage of each dataset")


def _conflicts(day: Scheduled) -> Section:
    lines = [
        f"- {literal(slot.period.name)}: {literal(', '.join(map(str, slot.plan.conflict)) or slot.plan.status.value)}"
        for slot in day.slots
        if not math.isfinite(slot.plan.upper)
    ]
    return Section(
        "What stands against it", (Callout("Periods without a cluster", "\n".join(lines), Tone.BAD),)
    )
