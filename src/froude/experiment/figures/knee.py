"""A knee as charts: latency and throughput against load, and every play of the search."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from froude.emulation.limits import ALLOCATION, Unit, parse_limit
from froude.emulation.run.summary import RunSummary
from froude.emulation.settings import Mode
from froude.experiment.figures.environment import environment_facts, facts_table, limit_words, when
from froude.experiment.knee.answer import Knee, Status
from froude.experiment.knee.loads import SPEED
from froude.experiment.knee.search import Outcome
from froude.experiment.knee.words import placed_text, rate_of, rate_text, slowest_of, unit_of
from froude.hadoop.rpc.target import daemon_name
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
    literal,
)
from froude.render.markdown import plain

KNEE_TONES = {Status.FOUND: Tone.GOOD, Status.BELOW: Tone.BAD}
"""How an answer is shown; those that are not here say less than was asked for."""
_COLOURS = {Outcome.KEPT: 0, Outcome.BROKE: 1, Outcome.UNCLEAR: 6}
"""Grey for what says nothing of the NameNode; the third colour is a green, which would pass for good."""
_SHARED = (
    "Player and {0} shared this machine: on another one the knee is elsewhere, and comparisons hold on one machine "
    "only."
)
_WIDE = 8.0
"""From how many times the smallest load on the largest stands on a logarithmic axis: loads are doubled."""
_SHORT = {
    Status.FOUND: "Up to",
    Status.AT_LEAST: "At least to",
    Status.OPEN: "At least to",
    Status.BELOW: "Not to",
}
_HASH = 12


def knee_title(knee: Knee) -> str:
    """The question, and the answer in a few words."""
    plays = knee.at(knee.high if knee.status is Status.BELOW else knee.low)
    question = f"How far {'do' if ' and ' in knee.target else 'does'} this {knee.target} scale?"
    if not plays or knee.status not in _SHORT:
        return f"{question} {'Not known' if knee.status is Status.MASKED else knee.ending}"
    where = f"{rate_text([play.run for play in plays])} ({knee.raised_text(plays[-1])})"
    return f"{question} {_SHORT[knee.status]} {where}"


def knee_answer(knee: Knee) -> str:
    """The answer; then, an item of a list each, the limits, how sure it is, the remarks, and where both sides ran."""
    sure = f"{knee.confidence[:1].upper()}{knee.confidence[1:]}." if knee.confidence else ""
    limits = f"The limits: {'; '.join(map(literal, knee.limits))}."
    items = filter(None, (limits, sure, *knee.remarks, literal(placed_text(knee.environment))))
    return f"**{plain(knee.answer)}**\n\n" + "\n".join(f"- {text}" for text in items)


def knee_section(knee: Knee) -> Section:
    """Latency and throughput against load, the plays, and what they were measured on."""
    blocks: list[Block] = []
    if len({knee.size(play) for play in knee.plays}) > 1:  # of one load, a row of the table shows as much
        marks = tuple(_limit_marks(knee))
        granted = unit_of(knee.plays[-1].run) != "calls/s"
        duration = Axis("p99 of allocation" if granted else "p99 of all calls", ValueKind.DURATION, log=True)
        rate = Axis("granted" if granted else "answered", unit=unit_of(knee.plays[-1].run))
        title = "Allocation delay against load" if granted else "Latency against load"
        blocks += [
            _chart(knee, title, duration, lambda run: (ms := slowest_of(run)[1]) and ms / 1e3, marks),
            _chart(knee, "Throughput against load", rate, rate_of),
            *(chart for chart in _used(knee) if chart.series),
        ]
    if knee.plays:
        blocks += [
            *_granted_tables(knee),
            _table(knee),
            facts_table(conditions(knee), "What it was measured on"),
        ]
    blocks += [Callout("To be kept in mind", literal(remark), Tone.WARNING) for remark in knee.plan_remarks]
    kept_up = any(play.run.mode != Mode.ONCE.value for play in knee.plays)
    how = (
        f"Each load was kept up until it was measured, on one {knee.target} that was emptied between the plays."
        if kept_up
        else f"Each play was on a {knee.target} of its own, started for it."
    )
    blocks.append(Text(f"{how} {_SHARED.format(knee.target)}"))
    return Section("How far does it scale?", tuple(blocks), plain(knee.answer))


def conditions(knee: Knee) -> dict[str, str]:
    """What an answer holds for, by name: workload, command, date, release, JVM, heap and machine."""
    return {
        "Workload": ", ".join(inputs[:_HASH] for inputs in knee.origin.inputs),
        "Command": knee.origin.command,
        "Played": played_at(knee),
        "Pacing": ", ".join(dict.fromkeys(play.run.pacing for play in knee.plays)),
        "Seed": "" if knee.origin.seed is None else str(knee.origin.seed),
        **environment_facts(knee.environment),
    }


def played_at(knee: Knee) -> str:
    """When its first and its last play began."""
    moments = [datetime.fromisoformat(play.run.begun_at).timestamp() for play in knee.plays]
    return " to ".join(dict.fromkeys(when(of(moments)) for of in (min, max))) if moments else ""


def _chart(
    knee: Knee,
    title: str,
    axis: Axis,
    value: Callable[[RunSummary], float | None],
    marks: tuple[Mark, ...] = (),
) -> Chart:
    series = []
    for outcome in Outcome:
        points = sorted(
            (knee.size(play), y)
            for play in knee.plays
            if play.outcome is outcome and (y := value(play.run)) is not None
        )
        if points:
            series.append(
                Series(
                    outcome.value, [x for x, _ in points], [y for _, y in points], colour=_COLOURS[outcome]
                )
            )
    name = knee.raised[0]
    unit = "times as fast as recorded" if name == SPEED else name
    sizes = [knee.size(play) for play in knee.plays]
    x = Axis("load", unit=unit, log=0 < _WIDE * min(sizes) <= max(sizes))
    caption = "A point for each play; the line joins the medians of the loads."
    if others := knee.raised[1:]:
        caption += f" Raised with it: {literal(', '.join(others))}."
    return Chart(title, x, axis, tuple(series), ChartKind.POINTS, marks, caption, joined=True)


def _used(knee: Knee) -> list[Chart]:
    """What each load used of target and player, and how long calls waited for a handler."""
    cpu, queue = Axis("of a core", ValueKind.SHARE), Axis("mean time in the call queue", ValueKind.DURATION)
    return [
        _chart(knee, f"CPU of the {knee.target} against load", cpu, lambda run: run.target_cpu_share),
        _chart(knee, "CPU of the player against load", cpu, lambda run: run.player_cpu_share),
        _chart(
            knee, "Call queue against load", queue, lambda run: run.call_queue_ms and run.call_queue_ms / 1e3
        ),
    ]


def _limit_marks(knee: Knee) -> list[Mark]:
    limits = [parse_limit(text) for text in knee.limits]
    measure = "p99" if unit_of(knee.plays[-1].run) == "calls/s" else ALLOCATION
    return [
        Mark(limit.bound, limit.text, on="y")
        for limit in limits
        if limit.measure == measure and limit.method is None and limit.unit is Unit.SECONDS
    ]


_GRANTED = {
    Column("Containers", ValueKind.NUMBER, "1/s"): ("containers_per_s", 1.0),
    Column("p50 of allocation", ValueKind.DURATION): ("allocation_p50_ms", 1e-3),
    Column("p99 of allocation", ValueKind.DURATION): ("allocation_p99_ms", 1e-3),
    Column("Pending containers", ValueKind.NUMBER): ("containers_pending_max", 1.0),
    Column("Applications", ValueKind.NUMBER): ("applications_running", 1.0),
    Column("New ones", ValueKind.NUMBER, "1/s"): ("applications_per_s", 1.0),
    Column("Node heartbeats", ValueKind.NUMBER, "1/s"): ("node_heartbeats_per_s", 1.0),
    Column("A placement", ValueKind.DURATION): ("scheduler_allocate_ms", 1e-3),
    Column("A heartbeat", ValueKind.DURATION): ("scheduler_node_update_ms", 1e-3),
    Column("Waiting events", ValueKind.NUMBER): ("scheduler_events_max", 1.0),
}
"""What a play on a ResourceManager has its columns by, and how many of their unit that is."""


def _granted_tables(knee: Knee) -> list[Table]:
    """Containers, applications and the scheduler's figures of each play; none where no ResourceManager was called."""
    plays = sorted(knee.plays, key=lambda play: play.level)
    if all(play.run.node_heartbeats_per_s is None for play in plays):
        return []
    values = [[(getattr(play.run, name), factor) for name, factor in _GRANTED.values()] for play in plays]
    rows = [
        (play.load, *(None if value is None else value * factor for value, factor in row))
        for play, row in zip(plays, values, strict=True)
    ]
    note = (
        "Allocation is the time from the call by which an application master first asked for a container to its grant. "
        "Applications are the mean number at work; times of a placement and of a heartbeat are the scheduler's own, "
        "pending containers and waiting events the most of a play."
    )
    return [Table((Column("Load"), *_GRANTED), rows, "What the ResourceManager granted, by load", note)]


def _table(knee: Knee) -> Table:
    rows: list[tuple[Value, ...]] = []
    daemons = [row.daemon for row in knee.plays[0].run.daemons] or ["namenode"]
    for play in sorted(knee.plays, key=lambda play: play.level):
        run = play.run
        broken = ", ".join(result.limit for result in run.limits if not result.held)
        why = ", ".join(part for part in ("failed" if run.failure else "", broken) if part)
        outcome = f"{play.outcome.value}: {why}" if why else play.outcome.value
        shares = {row.daemon: row.cpu_share for row in run.daemons} or {"namenode": run.target_cpu_share}
        cpu = [
            None if share is None else 100 * share
            for share in (run.player_cpu_share, *map(shares.get, daemons))
        ]
        limited, _ = limit_words(run.bottleneck, run.environment, run.bottleneck_daemon)
        times = (None if ms is None else ms / 1e3 for ms in (run.p50_ms, run.p99_ms, run.p999_ms))
        rows.append(
            (
                play.load,
                outcome,
                run.calls_per_s,
                *times,
                limited,
                *cpu,
                run.target_cpu_us,
                run.call_queue_max,
                run.call_queue_ms and run.call_queue_ms / 1e3,
            )
        )
    columns = (
        Column("Load"),
        Column("Outcome"),
        Column("Answered", ValueKind.NUMBER, "calls/s"),
        Column("p50", ValueKind.DURATION),
        Column("p99", ValueKind.DURATION),
        Column("p99.9", ValueKind.DURATION),
        Column("Limited by"),
        Column("Player", ValueKind.NUMBER, "% of a core"),
        *(Column(daemon_name(daemon), ValueKind.NUMBER, "% of a core") for daemon in daemons),
        Column("CPU a call", ValueKind.NUMBER, "µs"),
        Column("Waiting calls", ValueKind.NUMBER),
        Column("Queue", ValueKind.DURATION),
    )
    note = (
        "*Unclear*: a limit broke while the player or other work was the limit. "
        f"Latency is {knee.plays[0].run.latency}; CPU is that of the busiest half of a play, and of a call without "
        "JIT compiler and garbage collector; *queue* is the mean wait of a call for a handler. *Limited by*: who had "
        "no CPU left, or let calls wait. It may be nobody, at any latency, where a lock or a disk was waited for. "
        "*Other work* on the machine took what both needed: of such a play latencies say little."
    )
    return Table(columns, rows, "Every play, by load", note)
