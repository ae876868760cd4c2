"""`froude provision schedule`: a cluster per time of day, and what following the day saves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.documents import STAMP
from froude.base.errors import InputError
from froude.cli.outputs import write
from froude.cli.provision import common
from froude.cli.provision.common import Files, Gap, Limit
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.workspace.migrate import Migrations

if TYPE_CHECKING:
    from froude.provision.search.schedule import Scheduled
    from froude.provision.types import Period, Problem

SCHEDULE = Migrations("schedule", 1)


def schedule(
    ctx: typer.Context,
    files: Files,
    period: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HOURSxFACTOR",
            help="A time of day with its load, in the order of the day; instead of those of the files.",
        ),
    ] = None,
    moved: Annotated[
        float | None, typer.Option("--price-per-gb-moved", help="Dollars per 10^9 bytes between clusters.")
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The day, as JSON.")] = Path("schedule.json"),
    report: Annotated[Path | None, typer.Option(metavar="HTML", help="A page of it too.")] = None,
    gap: Gap = 0.01,
    time_limit: Limit = 60.0,
) -> None:
    """Inputs with times of day → a cluster for each, and what that saves against the peak's cluster all day.

    Ends with 3 when a period has no cluster, or its gap was not reached.

    Example: froude provision schedule photoshare-calibrated --period day=14x1 --period night=10x0.2
    --price-per-gb-moved 0.001 --report day.html
    """
    from froude.provision.figures.schedules import schedule_report
    from froude.provision.search.schedule import schedule as scheduled
    from froude.workspace.document import dump_sealed_figures

    settings: Settings = ctx.obj
    common.claim(settings, files, results=(output, "schedule"), report=report)
    problem = _with_periods(common.problem(settings, files), period, moved)
    with settings.progress().task("compiling"):
        day = scheduled(problem, common.limits(settings, gap, time_limit), workers=settings.workers)
    document = _document(day)
    if settings.dry_run:
        settings.would(f"write {output}", **document)
    else:
        how = common.origin(settings, files)
        texts = common.page_files(schedule_report(problem, day, common.facts(settings, files)), report, how)
        text = dump_sealed_figures(SCHEDULE, document, how)
        write({**texts, output: text})
        settings.emit(text)
    settings.out(_summary(day))
    if not day.found:
        settings.note("a period has no cluster")
    elif not day.proved:
        settings.note("not proved: the gap of a period's cluster is open")
    elif day.gap > gap:
        settings.note(
            f"each period is proved; around the day {day.gap:.2%} could be saved at most, moves included"
        )
    if not day.proved:
        raise typer.Exit(common.EXIT_MISSED)


def _with_periods(problem: Problem, periods: list[str] | None, moved: float | None) -> Problem:
    """The problem with what the flags say of its schedule."""
    from dataclasses import replace

    from froude.provision.types import Schedule

    given = problem.sla.schedule
    price = moved if moved is not None else given.price_per_gb_moved if given else 0.0
    if not periods and given is None:
        allowed = "an element schedule in the files, or --period for each time of day"
        raise InputError("there are no times of day", place="schedule", allowed=allowed)
    try:
        day = Schedule(tuple(map(_period, periods)) if periods else given.periods if given else (), price)
    except ValueError as error:
        place = "--period, --price-per-gb-moved"
        raise InputError(
            str(error), place=place, allowed="hours that add up to 24, a price of 0 or above"
        ) from None
    return replace(problem, sla=replace(problem.sla, schedule=day))


def _period(text: str) -> Period:
    """`day=14x1`: 14 hours at the SLA's rates times 1."""
    from froude.provision.types import Period

    name, _, numbers = text.partition("=")
    hours, _, factor = numbers.partition("x")
    try:
        return Period(name, float(hours), float(factor))
    except ValueError:
        allowed = "NAME=HOURSxFACTOR, such as night=10x0.2"
        raise InputError("is no period", place="--period", found=text, allowed=allowed) from None


def _summary(day: Scheduled) -> str:
    """A day for people."""
    if not day.found:
        lost = [slot for slot in day.slots if not slot.plan.found]
        return "\n".join(
            f"{slot.period.name}: {slot.plan.status.value}; {'; '.join(map(str, slot.plan.conflict))}"
            for slot in lost
        )
    rows = [("period", "hours", "SLA", "servers", "cluster $/day", "moved GB", "moves $/day", "storage")]
    for slot in day.slots:
        stored = ", ".join(f"{name}: {' + '.join(units)}" for name, units in slot.plan.choices.items())
        numbers = (f"{slot.period.hours:g}", f"{slot.period.factor:g}", str(slot.plan.servers))
        money = (
            f"{slot.cluster_per_day:,.2f}",
            f"{slot.moved_bytes / 1e9:,.1f}",
            f"{slot.moves_per_day:,.2f}",
        )
        rows.append((slot.period.name, *numbers, *money, stored))
    head = (
        f"${day.per_day:,.2f} a day; no schedule costs less than ${day.lower_per_day:,.2f} (gap {day.gap:.2%}); "
        f"{day.saving:.1%} less than the peak's cluster all day (${day.peak_per_day:,.2f})"
    )
    return f"{head}\n{aligned(rows)}"


def _document(day: Scheduled) -> dict[str, Any]:
    from froude.provision.inputs.plan_file import plan_document

    return {
        STAMP: SCHEDULE.stamp,
        "dollars_per_day": _finite(day.per_day),
        "lower_dollars_per_day": _finite(day.lower_per_day),
        "peak_dollars_per_day": _finite(day.peak_per_day),
        "saving": day.saving if day.found else None,
        "proved": day.proved,
        "parts_dollars_per_day": day.parts,
        "periods": [
            {
                "name": slot.period.name,
                "hours": slot.period.hours,
                "factor": slot.period.factor,
                "cluster_dollars_per_day": _finite(slot.cluster_per_day),
                "moved_bytes": slot.moved_bytes,
                "moves_dollars_per_day": slot.moves_per_day,
                "plan": plan_document(slot.plan),
            }
            for slot in day.slots
        ],
    }


def _finite(dollars: float) -> float | None:
    return dollars if math.isfinite(dollars) else None
