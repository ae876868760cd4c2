"""A Run as charts and tables: what limited it, errors, latency and throughput over time, the player and the target."""

from __future__ import annotations

from collections.abc import Sequence

from froude.base.summary import counted
from froude.emulation.run.bottleneck import RESOURCEMANAGER
from froude.emulation.run.run import Run
from froude.emulation.run.verdict import Colour
from froude.experiment.figures.environment import (
    environment_facts,
    facts_table,
    in_words,
    limit_words,
    server_of,
    settings_of,
)
from froude.experiment.figures.failures import failures_table
from froude.experiment.figures.latency import latency_section
from froude.experiment.figures.namenode import namenode_section
from froude.experiment.figures.phases import phase_marks, phase_table, time_axis
from froude.experiment.figures.resourcemanager import resourcemanager_sections
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    ChartKind,
    Column,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
)
from froude.render.markdown import plain

_MOST_LEFT_OUT = 12
TONES = {Colour.GREEN: Tone.GOOD, Colour.AMBER: Tone.WARNING, Colour.RED: Tone.BAD}
"""How a verdict is shown."""


def run_sections(run: Run, methods: Sequence[str] = ()) -> tuple[Section, ...]:
    """The verdict first, then latency, throughput, the target's own metrics and the player.

    Args:
        methods: those of the page, the most frequent first, so that each has one colour; empty for the run's own.
    """
    return (
        play_section(run),
        latency_section(run, methods),
        *([] if run.daemons == (RESOURCEMANAGER,) else [namenode_section(run)]),
        *resourcemanager_sections(run),
        player_section(run),
    )


def play_section(run: Run) -> Section:
    """The verdict and its reasons, what limited the run, what was left out or failed, and how it was played."""
    blocks: list[Block] = [_verdict(run), *_left_out(run), *_limits(run)]
    blocks += _counted(run)
    if run.remarks:
        remarks = "\n".join(f"- {plain(remark)}" for remark in run.remarks)
        blocks.append(Callout("To be kept in mind", remarks))
    if run.failures:
        note = "Failures that were recorded, and calls that were made again, are among them."
        blocks.append(failures_table(run.failures, note))
    blocks.append(phase_table(run))
    rows: list[tuple[Value, ...]] = [(name, count) for name, count in run.nodes.items()]
    blocks.append(Table((Column("Node type"), Column("Emulated", ValueKind.NUMBER)), rows, "Who was played"))
    blocks.append(facts_table(settings_of(run), "How it was played"))
    blocks.append(facts_table(environment_facts(run.environment), "What it was played on"))
    intro = f"{run.answered():,} calls answered in {run.steady_s:.1f} s, {run.throughput():,.0f} a second on average."
    return Section("The play", tuple(blocks), intro)


def _verdict(run: Run) -> Callout:
    verdict = run.verdict
    reasons = "\n".join(f"- {plain(reason)}" for reason in verdict.reasons)
    limited, why = limit_words(run.bottleneck.by.value, run.environment, run.bottleneck.daemon)
    text = f"{reasons}\n\n**Limited by: {limited}** ({why}): {plain(run.bottleneck.reason)}."
    title = f"Verdict: {verdict.colour.value}"
    return Callout(title, in_words(text, run.environment), TONES[verdict.colour])


def _limits(run: Run) -> list[Block]:
    if not run.limits:
        return []
    rows: list[tuple[Value, ...]] = [(result.text, result.held) for result in run.limits]
    return [Table((Column("Limit, and what was measured"), Column("Kept", ValueKind.MET)), rows, "Limits")]


def _counted(run: Run) -> list[Block]:
    """Whether the target counted the calls that were sent; nothing where nobody looked."""
    server = server_of(run.environment)
    if run.differences:
        text = "\n".join(f"- `{d.method}`: sent {d.sent}, counted {d.counted}" for d in run.differences)
        return [Callout(f"The {server} counted other numbers of calls than were sent", text, Tone.WARNING)]
    if run.differences is None:
        return []
    text = "Its own count of calls, method by method, equals what was sent."
    return [Callout(f"The {server} counted every call once", text, Tone.GOOD)]


def _left_out(run: Run) -> list[Block]:
    """What was never sent stands first: whatever follows is about less than was asked for."""
    if not run.left_out:
        return []
    most = sorted(run.left_out.items(), key=lambda pair: -pair[1])
    lines = [f"- `{what}`: {times:,} times" for what, times in most[:_MOST_LEFT_OUT]]
    if len(most) > _MOST_LEFT_OUT:
        lines.append(f"- and {len(most) - _MOST_LEFT_OUT} more calls of the pattern")
    text = "An argument that they need was not there. Figures below are of less load than was asked for.\n\n"
    title = f"{counted(sum(run.left_out.values()), 'call')} never sent"
    return [Callout(title, text + "\n".join(lines), Tone.BAD)]


def player_section(run: Run) -> Section:
    """Calls in flight, emulated nodes, memory, and how late its own timers fired."""
    times = [load.time_s for load in run.load]
    lines: tuple[tuple[str, Axis, list[float]], ...] = (
        ("Calls in flight", Axis("calls", unit="calls"), [load.in_flight for load in run.load]),
        ("Emulated nodes that have begun", Axis("nodes", unit="nodes"), [load.nodes for load in run.load]),
        ("Memory of the player", Axis("memory", ValueKind.BYTES), [load.rss_bytes for load in run.load]),
    )
    charts = tuple(
        Chart(
            title,
            time_axis(run),
            y,
            (Series(y.title, times, values),),
            ChartKind.STEP,
            phase_marks(run),
            small=True,
        )
        for title, y, values in lines
        if len(set(values)) > 1
    )
    lag, late = run.tally.lag.percentiles(), run.lateness
    rows: list[tuple[Value, ...]] = [
        (name, each.p50_ms / 1e3, each.p99_ms / 1e3, each.max_ms / 1e3)
        for name, each in (("its timers fired", lag), ("calls were sent", late))
        if each.count
    ]
    columns = (Column("How late"), *(Column(title, ValueKind.DURATION) for title in ("p50", "p99", "Max")))
    note = (
        "Timers that fire late are the player's own fault. Calls also wait for the answers that they need, which the "
        "server may owe."
    )
    return Section("The player", (*charts, Table(columns, rows, "Lateness", note)))
