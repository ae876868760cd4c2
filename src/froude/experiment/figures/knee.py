"""A knee as charts: latency and throughput against load, and every play of the search."""

from __future__ import annotations

from collections.abc import Callable

from froude.base.units import parse_quantity
from froude.emulation.limits import Unit, parse_limit
from froude.emulation.run_summary import RunSummary
from froude.experiment.knee import SPEED, Knee, Play, Status
from froude.experiment.knee_search import Outcome
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

KNEE_TONES = {Status.FOUND: Tone.GOOD, Status.BELOW: Tone.BAD}
"""How an answer is shown; those that are not here say less than was asked for."""
_NAMES = {
    Outcome.KEPT: "limits kept",
    Outcome.BROKE: "a limit broke",
    Outcome.UNCLEAR: "player or machine was the limit",
}
_FRESH = (
    "Each play was on a NameNode of its own, started anew with an empty namespace and warmed up. Player and target "
    "shared this machine: on another one the knee lies elsewhere, and comparisons hold on one machine only."
)


def knee_section(knee: Knee) -> Section:
    """The answer, latency and throughput against load, and the plays."""
    blocks: list[Block] = [
        Callout(
            knee.answer, f"Plays that agree: {knee.confidence}.", KNEE_TONES.get(knee.status, Tone.WARNING)
        )
    ]
    if knee.plays:
        marks = tuple(_limit_marks(knee))
        duration = Axis("p99 of all calls", ValueKind.DURATION, log=True)
        rate = Axis("answered", unit="calls/s")
        blocks += [
            _chart(knee, "Latency against load", duration, lambda run: run.p99_ms / 1e3, marks),
            _chart(knee, "Throughput against load", rate, lambda run: run.calls_per_s),
            _table(knee),
        ]
    blocks.append(Text(_FRESH))
    return Section("How far does it scale?", tuple(blocks))


def _chart(
    knee: Knee,
    title: str,
    axis: Axis,
    value: Callable[[RunSummary], float],
    marks: tuple[Mark, ...] = (),
) -> Chart:
    series = []
    for outcome, name in _NAMES.items():
        points = sorted(
            (_size(knee, play), value(play.run)) for play in knee.plays if play.outcome is outcome
        )
        if points:
            series.append(Series(name, [x for x, _ in points], [y for _, y in points]))
    name = knee.raised[0]
    unit = "times as fast as recorded" if name == SPEED else name
    return Chart(title, Axis("load", unit=unit), axis, tuple(series), ChartKind.POINTS, marks)


def _size(knee: Knee, play: Play) -> float:
    """Where a play stands on the axis: the first of what was raised."""
    name = knee.raised[0]
    return play.run.speed if name == SPEED else float(parse_quantity(play.run.scale[name]).value)


def _limit_marks(knee: Knee) -> list[Mark]:
    limits = [parse_limit(text) for text in knee.limits]
    return [
        Mark(limit.bound, limit.text, on="y")
        for limit in limits
        if limit.measure == "p99" and limit.method is None and limit.unit is Unit.SECONDS
    ]


def _table(knee: Knee) -> Table:
    rows: list[tuple[Value, ...]] = []
    for play in sorted(knee.plays, key=lambda play: play.level):
        run = play.run
        broken = ", ".join(result.limit for result in run.limits if not result.held)
        times = (run.p50_ms / 1e3, run.p99_ms / 1e3)
        cpu = (run.player_cpu_share, run.target_cpu_share)
        outcome = _NAMES[play.outcome]
        row = (play.load, outcome, run.calls_per_s, *times, run.bottleneck, *cpu, run.call_queue_max, broken)
        rows.append(row)
    columns = (
        Column("Load"),
        Column("Outcome"),
        Column("Answered", ValueKind.NUMBER, "calls/s"),
        Column("p50", ValueKind.DURATION),
        Column("p99", ValueKind.DURATION),
        Column("Limited by"),
        Column("Player's core", ValueKind.SHARE),
        Column("NameNode's CPU", ValueKind.SHARE),
        Column("Waiting calls", ValueKind.NUMBER),
        Column("Broken"),
    )
    note = (
        f"Latency is {knee.plays[0].run.latency}; CPU is a share of one core in the busiest half of a play."
    )
    return Table(columns, rows, "Every play, by load", note)
