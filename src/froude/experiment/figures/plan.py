"""A Plan as figures: who would be played, how many calls that makes, and what is refused."""

from __future__ import annotations

from froude.experiment.figures.names import named
from froude.render import Block, Callout, Column, Section, Table, Tone, Value, ValueKind, literal
from froude.workload.plan import Plan, calls_per_node


def plan_section(plan: Plan) -> Section:
    """Nodes, calls and refusals."""
    rows: list[tuple[Value, ...]] = []
    for node_type in plan.workload.node_types:
        if node_type.name in plan.counts:
            count = plan.counts[node_type.name]
            rate = count * sum(1 / periodic.every_s for periodic in node_type.periodic)
            calls = calls_per_node(plan, node_type)
            rows.append((named(node_type), count, calls, count * calls, rate))
    columns = (
        Column("Node type"),
        Column("Nodes", ValueKind.NUMBER),
        Column("Calls of each", ValueKind.NUMBER),
        Column("Calls of all", ValueKind.NUMBER),
        Column("Periodic calls", ValueKind.NUMBER, "calls/s"),
    )
    blocks: list[Block] = [Table(columns, rows, "What would be played")]
    for refusal in plan.refusals:
        tone = Tone.BAD if refusal.fatal else Tone.WARNING
        title = "Refused" if refusal.fatal else "To be kept in mind"
        blocks.append(Callout(title, literal(refusal.what), tone))
    why = "see the refusals" if plan.refused else literal(plan.obstacle)
    playable = "It can be played." if plan.playable else f"It cannot be played: {why}."
    return Section(f"The plan at {plan.scale}", tuple(blocks), playable)
