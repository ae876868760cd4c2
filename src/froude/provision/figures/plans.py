"""Pages of one plan, and of what a given cluster reaches."""

from __future__ import annotations

from froude.provision.check.bill import bill
from froude.provision.check.evaluate import Evaluation
from froude.provision.figures.parts import DOLLARS, verdict
from froude.provision.model.traffic import traffic
from froude.provision.types import Problem
from froude.provision.types.plan import Group, ProvisionPlan, Status
from froude.render import (
    Axis,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    Text,
    Tone,
    Value,
    ValueKind,
    literal,
)


def plan_report(problem: Problem, plan: ProvisionPlan, facts: dict[str, str]) -> Report:
    """A page of one plan.

    Args:
        problem: the inputs.
        plan: what was compiled.
        facts: lineage: command, files, seed.
    """
    if not plan.found:
        return Report(
            "No cluster", lede=verdict(plan), tone=Tone.BAD, sections=(_conflict(plan),), facts=facts
        )
    figures = (
        KeyFigure("cost", plan.upper, ValueKind.NUMBER, "$", note="price and energy"),
        KeyFigure("no cluster costs less than", plan.lower, ValueKind.NUMBER, "$"),
        KeyFigure("gap", plan.gap, ValueKind.SHARE),
        KeyFigure("servers", plan.servers, ValueKind.NUMBER),
    )
    tone = Tone.GOOD if plan.status is Status.PROVED else Tone.WARNING
    sections = (_cluster(plan), _storage(plan), _bill(problem, plan), _traffic(problem))
    return Report("The cheapest cluster", "", verdict(plan), tone, figures, sections, facts)


def evaluation_section(evaluation: Evaluation) -> Section:
    """What a given cluster reaches."""
    rows: list[tuple[Value, ...]] = [(limit.constraint, limit.weight) for limit in evaluation.limits]
    columns = (Column("Constraint"), Column("Share of what holds it back", ValueKind.SHARE))
    text = f"The cluster meets {evaluation.fraction:.1%} of the SLA."
    return Section("What holds it back", (Text(text), Table(columns, rows, "Limits, tightest first")))


def _cluster(plan: ProvisionPlan) -> Section:
    rows: list[tuple[Value, ...]] = [
        (group.server, group.count, group.cores, group.dimms, _contents(group)) for group in plan.groups
    ]
    columns = (
        Column("Server", ValueKind.CODE),
        Column("Count", ValueKind.NUMBER),
        Column("Cores each", ValueKind.NUMBER),
        Column("Memory units each", ValueKind.NUMBER),
        Column("Each holds and runs"),
    )
    return Section("The servers", (Table(columns, rows, "Groups of identical servers"),))


def _contents(group: Group) -> str:
    held = [f"{h.units} x {h.unit} ({h.dataset}{', cache' if h.cache else ''})" for h in group.held]
    local = [f"{h.units} x {h.unit} ({h.dataset}, local)" for h in group.local]
    running = [f"{r.instances} x {r.task}" for r in group.running]
    return ", ".join(held + local + running)


def _storage(plan: ProvisionPlan) -> Section:
    rows: list[tuple[Value, ...]] = [(name, " + ".join(units)) for name, units in plan.choices.items()]
    columns = (Column("Dataset", ValueKind.CODE), Column("Storage"))
    return Section("Where the data lies", (Table(columns, rows, "Storage of each dataset"),))


def _bill(problem: Problem, plan: ProvisionPlan) -> Section:
    lines = bill(problem, plan)
    rows: list[tuple[Value, ...]] = [
        (line.item, line.kind, line.quantity, line.price, line.energy, line.total) for line in lines
    ]
    columns = (
        Column("Item", ValueKind.CODE),
        Column("Kind"),
        Column("Quantity", ValueKind.NUMBER),
        Column("Price each", ValueKind.NUMBER, "$"),
        Column("Energy each", ValueKind.NUMBER, "$"),
        Column("Total", ValueKind.NUMBER, "$"),
    )
    bars = Series("cost", [line.item for line in lines], [line.total for line in lines])
    chart = Chart("Cost by part", Axis("part", ValueKind.TEXT), DOLLARS, (bars,), ChartKind.BARS)
    return Section("What to buy", (Table(columns, rows, "Bill of materials"), chart))


def _traffic(problem: Problem) -> Section:
    rows: list[tuple[Value, ...]] = [
        (flow.source, flow.target, flow.phase, flow.bytes_per_s / 1e6) for flow in traffic(problem)
    ]
    columns = (
        Column("From", ValueKind.CODE),
        Column("To", ValueKind.CODE),
        Column("Phase"),
        Column("Traffic", ValueKind.NUMBER, "MB/s"),
    )
    table = Table(columns, rows, "Traffic matrix at the SLA", empty="Nothing crosses the network.")
    return Section("Who talks to whom", (table,))


def _conflict(plan: ProvisionPlan) -> Section:
    lines = "\n".join(f"- {literal(str(conflict))}" for conflict in plan.conflict)
    return Section("Constraints in conflict", (Callout("They cannot hold together", lines, Tone.BAD),))
