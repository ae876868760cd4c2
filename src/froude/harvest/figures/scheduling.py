"""Pages of scheduling: who would run where, and a month of jobs under each scheduler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from froude.base.summary import base_text, counted
from froude.harvest.classify.classes import Classification
from froude.harvest.schedule.selection import ClassRoom, Fit, JobType, Policy, Selection, headroom
from froude.harvest.simulate.month import Month, Outcome, Scheduler
from froude.harvest.simulate.scheduling import gains, spreads
from froude.harvest.simulate.spread import Spread, runs_text
from froude.render import (
    Axis,
    Block,
    Callout,
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
    Value,
    ValueKind,
)
from froude.render.format import duration

_MANY = 0.2
"""Share of jobs without a class from which a comparison says little of classes."""
MEANT = {
    Scheduler.STOCK: "containers may have all cores; nothing is killed, and primary tenants suffer",
    Scheduler.PT: "aware of primary tenants; servers with room all alike",
    Scheduler.PROPORTIONAL: "servers in proportion to their free cores; no classes",
    Scheduler.H: "Algorithm 1 chooses a class, then in proportion to free cores",
    Scheduler.FORECAST: "in proportion to cores that the last week predicts to stay free for an hour",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What Algorithm 1 chose for one job."""

    job: str
    kind: JobType
    request: int
    """The most containers at once."""
    selection: Selection


def schedule_report(
    found: Classification,
    rooms: Sequence[ClassRoom],
    choices: Sequence[Choice],
    policy: Policy,
    facts: Mapping[str, str],
) -> Report:
    """Which class each job would run on."""
    names = [each.name for each in found.classes]
    jobs = (
        TableOf[Choice]()
        .words("job", lambda choice: choice.job)
        .words("type", lambda choice: choice.kind.value)
        .number("containers", lambda choice: choice.request)
        .words("fits in", lambda choice: choice.selection.fit.value)
        .code("node labels", lambda choice: ", ".join(names[n] for n in choice.selection.classes) or None)
        .of(choices, "Classes chosen")
    )
    none = sum(choice.selection.fit is Fit.NONE for choice in choices)
    lede = f"{len(choices) - none} of {len(choices)} jobs fit in a class or in several."
    if not rooms:
        lede = f"No class is known: nothing says where {counted(len(choices), 'job')} would fit."
    elif none:
        lede += " The others are submitted without a label."
    room = Table(
        (Column("class"), *(Column(f"{kind.value} jobs", ValueKind.NUMBER) for kind in JobType)),
        [
            (each.name, *(int(headroom(kind, each, policy)) for kind in JobType))
            for each in sorted(rooms, key=lambda each: each.name)
        ],
        "Headroom of each class, containers",
        note="Less the reserve, at the last slot of the history.",
    )
    sections = (Section("Jobs", (jobs,)), Section("Classes", (room,)))
    return Report("Where jobs would run", "", lede, Tone.NEUTRAL, (), sections, facts)


def scheduling_report(month: Month, outcomes: Sequence[Outcome], facts: Mapping[str, str]) -> Report:
    """A month of jobs under each scheduler: the ablation."""
    times, runs = spreads(outcomes, "job_s"), len({each.run for each in outcomes})
    paired = gains(outcomes) if Scheduler.PT.value in times else {}
    stock = times.get(Scheduler.STOCK.value)
    one = [each for each in outcomes if each.scheduler == outcomes[0].scheduler]
    base = base_text(sum(each.compared for each in one), sum(each.submitted for each in one), "job")
    lede = _shortest({name: each.mean for name, each in times.items() if name != Scheduler.STOCK.value}, base)
    if stock is not None:
        harm = spreads(outcomes, "overloaded_share")[Scheduler.STOCK.value].mean
        lede += f" Stock's take {duration(stock.mean)}, with {harm:.1%} of the servers' time overloaded."
    if Scheduler.H.value in paired:
        gain = paired[Scheduler.H.value]
        base = runs_text(runs)
        interval = f"{gain.low:.1%} to {gain.high:.1%}, {base}" if runs > 1 else f"{base}: no interval"
        lede += f" YARN-H's are {gain.mean:.1%} shorter than YARN-PT's ({interval})."
    figures = tuple(
        KeyFigure(f"{name} against pt", gain.mean, ValueKind.SHARE, note="shorter jobs")
        for name, gain in paired.items()
        if name != Scheduler.STOCK.value
    )
    blocks: list[Block] = [_table(outcomes, paired, runs)]
    if times:
        blocks.append(_times(times, runs))
    notes = _notes(month, outcomes)
    return Report(
        f"Batch jobs on {month.datacenter.name}",
        "",
        lede,
        Tone.NEUTRAL,
        figures,
        (Section("Schedulers", (*notes, *blocks)),),
        facts,
    )


def _shortest(times: Mapping[str, float], base: str) -> str:
    """Under which schedulers that mind primary tenants jobs are shortest, as far as they differ."""
    if not times:
        return "No job ended under every scheduler: nothing says under which jobs are shorter."
    least = min(times.values())
    best = [name for name, mean in times.items() if mean == least]
    if len(best) == len(times) > 1:
        return f"Jobs take {duration(least)} on average under each of {', '.join(best)} ({base})."
    how = f"shortest under {' and '.join(best)}: {duration(least)}"
    return f"Of the schedulers that mind primary tenants, jobs are {how} on average ({base})."


def _table(outcomes: Sequence[Outcome], paired: Mapping[str, Spread], runs: int) -> Table:
    columns = (
        Column("scheduler"),
        Column("mean job", ValueKind.DURATION),
        Column("shorter than pt", ValueKind.SHARE),
        Column("least", ValueKind.SHARE),
        Column("most", ValueKind.SHARE),
        Column("containers killed", ValueKind.SHARE),
        Column("CPU used", ValueKind.SHARE),
        Column("overloaded", ValueKind.SHARE),
        Column("jobs without label", ValueKind.SHARE),
    )
    figures = {
        figure: spreads(outcomes, figure)
        for figure in (
            "job_s",
            "killed_share",
            "utilisation",
            "overloaded_share",
            "unlabelled",
            "submitted",
        )
    }
    rows: list[tuple[Value, ...]] = []
    for name in figures["submitted"]:
        gain = paired.get(name)
        job, killed = figures["job_s"].get(name), figures["killed_share"].get(name)
        submitted = figures["submitted"][name].mean
        rows.append(
            (
                name,
                job.mean if job else None,
                None if gain is None else gain.mean,
                *((None, None) if gain is None or runs == 1 else (gain.least, gain.most)),
                killed.mean if killed else None,
                figures["utilisation"][name].mean,
                figures["overloaded_share"][name].mean,
                figures["unlabelled"][name].mean / submitted if submitted else None,
            )
        )
    words = "; ".join(
        f"{each.value}: {MEANT[each]}" for each in Scheduler if each.value in figures["submitted"]
    )
    note = f"Least and most: in {runs_text(runs)}. {words}."
    return Table(columns, rows, "The same jobs under each scheduler", note=note)


def _times(times: Mapping[str, Spread], runs: int) -> Chart:
    names = list(times)
    means = [times[name].mean for name in names]
    axes = Axis("scheduler", ValueKind.TEXT), Axis("time of a job", ValueKind.DURATION)
    if runs == 1:
        title = f"Mean time of a job, of {runs_text(runs)}"
        return Chart(title, *axes, (Series("mean job", names, means),), ChartKind.BARS)
    low, high = [times[name].low for name in names], [times[name].high for name in names]
    series = Series("mean job", names, means, low=low, high=high)
    title = f"Mean time of a job, with 95 % intervals of {runs_text(runs)}"
    return Chart(title, *axes, (series,), ChartKind.INTERVALS)


def _notes(month: Month, outcomes: Sequence[Outcome]) -> list[Callout]:
    notes = []
    if month.foresight:
        text = "The history has no days before those that are simulated: classes know what is to come."
        notes.append(Callout("Classes are of the same days", text))
    if month.filled:
        tenants, slots = month.datacenter.utilisation.shape
        share = f"{month.filled / (tenants * slots):.1%}"
        text = (
            f"{base_text(month.filled, tenants * slots, 'sample')} ({share}) were missing and have the usual value of "
            f"their tenant at that time, of {base_text(month.filled_tenants, tenants, 'tenant')}."
        )
        notes.append(Callout(f"{share} of the samples filled", text))
    open_jobs = max((1 - each.done / each.submitted for each in outcomes if each.submitted), default=0.0)
    if open_jobs > 0.02:
        text = f"Up to {open_jobs:.0%} of the jobs did not end: the cluster is overloaded, and means leave them out."
        notes.append(Callout("Not all jobs ended", text))
    bare = [outcome for outcome in outcomes if outcome.scheduler == Scheduler.H.value]
    without = sum(each.unlabelled for each in bare) / max(1, sum(each.submitted for each in bare))
    if without > _MANY:
        text = f"No class held {without:.0%} of its jobs when they came: those run as under YARN-PT, and tell nothing."
        notes.append(Callout("YARN-H could often not choose", text))
    return notes
