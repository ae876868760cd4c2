"""A Run as charts and tables: what limited it, its errors, latency and throughput over time, and the NameNode."""

from __future__ import annotations

from froude.emulation.run import Limit, Run
from froude.experiment.figures.environment import facts_table, settings_of
from froude.experiment.figures.latency import latency_section
from froude.experiment.figures.namenode import namenode_section
from froude.experiment.figures.phases import phase_table
from froude.experiment.figures.player import player_section
from froude.render import Block, Callout, Column, Section, Table, Tone, Value, ValueKind

_MOST_LEFT_OUT = 12


def run_sections(run: Run) -> tuple[Section, ...]:
    """The verdict first, then latency, throughput, the target's own metrics and the player."""
    return (play_section(run), latency_section(run), namenode_section(run), player_section(run))


def play_section(run: Run) -> Section:
    """What limited the run, what was left out or failed, and how it was played."""
    bottleneck = run.bottleneck
    tone = Tone.WARNING if bottleneck.limit is Limit.PLAYER else Tone.NEUTRAL
    blocks: list[Block] = _left_out(run)
    blocks += [Callout(f"Limited by: {bottleneck.limit.value}", bottleneck.reason, tone)]
    if run.failure:
        blocks.append(Callout("The run ended before its time", run.failure, Tone.BAD))
    blocks += _counted(run)
    blocks += [Callout("Remark", remark) for remark in run.remarks]
    if run.errors:
        blocks.append(errors_table(run))
    blocks.append(phase_table(run))
    rows: list[tuple[Value, ...]] = [(name, count) for name, count in run.nodes.items()]
    blocks.append(Table((Column("Node type"), Column("Emulated", ValueKind.NUMBER)), rows, "Who was played"))
    blocks.append(facts_table(settings_of(run), "How it was played"))
    answered = sum(n for _, n in run.counts.values())
    intro = (
        f"{answered:,} calls answered in {run.elapsed_s:.1f} s, {run.throughput():,.0f} a second on average."
    )
    return Section("The play", tuple(blocks), intro)


def errors_table(run: Run) -> Table:
    """Error answers and lost calls by method and class, the most frequent first."""
    counted = [(method, name, n) for method, by_class in run.errors.items() for name, n in by_class.items()]
    rows: list[tuple[Value, ...]] = [*sorted(counted, key=lambda row: -row[2])]
    columns = (
        Column("Method", ValueKind.CODE),
        Column("Error", ValueKind.CODE),
        Column("Calls", ValueKind.NUMBER),
    )
    return Table(columns, rows, "Errors")


def _counted(run: Run) -> list[Block]:
    """Whether the target counted the calls that were sent; nothing where nobody looked."""
    if run.differences:
        text = "\n".join(f"- `{d.method}`: sent {d.sent}, counted {d.counted}" for d in run.differences)
        return [Callout("The target counted other numbers of calls than were sent", text, Tone.WARNING)]
    if run.differences is None:
        return []
    text = "Its own count of calls, method by method, equals what was sent."
    return [Callout("The target counted every call once", text, Tone.GOOD)]


def _left_out(run: Run) -> list[Block]:
    """What was never sent stands first: whatever follows is about less than was asked for."""
    if not run.left_out:
        return []
    most = sorted(run.left_out.items(), key=lambda pair: -pair[1])
    lines = [f"- `{what}`: {times:,} times" for what, times in most[:_MOST_LEFT_OUT]]
    if len(most) > _MOST_LEFT_OUT:
        lines.append(f"- and {len(most) - _MOST_LEFT_OUT} more calls of the pattern")
    text = "An argument that they need was not there. Figures below are of less load than was asked for.\n\n"
    total = sum(run.left_out.values())
    title = f"{total:,} call{'s' if total > 1 else ''} never sent"
    return [Callout(title, text + "\n".join(lines), Tone.BAD)]
