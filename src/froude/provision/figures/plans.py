"""Pages of one plan, and of what a given cluster reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from froude.provision.analyses.slack import GroupSlack, Resource, Slack
from froude.provision.check.bill import Line, bill
from froude.provision.check.load_lp import Limit
from froude.provision.figures.parts import DOLLARS, bars, verdict
from froude.provision.inputs.units import Dimension, show
from froude.provision.model.traffic import Flow, traffic
from froude.provision.types import Problem
from froude.provision.types.plan import Group, ProvisionPlan, Status
from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Tone,
    ValueKind,
    literal,
)

_MOST_GROUPS = 6


def plan_report(problem: Problem, plan: ProvisionPlan, facts: Mapping[str, str]) -> Report:
    """A page of one plan."""
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
    sections = (_cluster(plan), _storage(plan), _bill(problem, plan), _traffic(problem, plan))
    return Report("The cheapest cluster", "", verdict(plan), tone, figures, sections, facts)


def evaluation_report(slack: Slack, cost: float, facts: Mapping[str, str]) -> Report:
    """A page of what a given cluster reaches, and what each of its resources has left.

    Args:
        slack: what is left on its servers, and how far the rates could grow.
        cost: dollars of the cluster.
    """
    reached = slack.growth
    bounded = bool(reached.limits)  # of an SLA without load there is no share to meet
    share = (
        f"{reached.fraction:.1%} of the SLA" if bounded else "The SLA asks for no load that a resource limits"
    )
    figures = (
        KeyFigure("of the SLA", reached.fraction if bounded else None, ValueKind.SHARE),
        KeyFigure("cost", cost, ValueKind.NUMBER, "$"),
        KeyFigure("growth it takes", max(0.0, reached.fraction - 1) if bounded else None, ValueKind.SHARE),
        *(
            KeyFigure(group.name, group.tightest.share, ValueKind.SHARE, note=group.tightest.name)
            for group in slack.groups[:4]
        ),
    )
    limits = (
        TableOf[Limit]()
        .words("Constraint", lambda limit: limit.constraint)
        .share("Share of what holds it back", lambda limit: limit.weight)
        .of(reached.limits, "Limits, tightest first", empty="Nothing holds it back.")
    )
    sections = [Section("What holds it back", (limits,))]
    if slack.groups:
        left: list[Block] = [slack_chart(slack.groups), *map(_slack_table, slack.groups)]
        sections.append(Section("What is left on each server", tuple(left)))
    lede = f"{share}, for ${cost:,.2f}; bottleneck: {reached.bottleneck}"
    tone = (Tone.GOOD if bounded else Tone.NEUTRAL) if reached.met else Tone.BAD
    return Report(share, "", lede, tone, figures, tuple(sections), facts)


def slack_chart(groups: Sequence[GroupSlack]) -> Chart:
    """Share of every resource in use, one panel a group of servers."""
    series = [
        Series(
            "in use",
            [resource.name for resource in group.resources if resource.available],
            [round(resource.share, 3) for resource in group.resources if resource.available],
            panel=group.name,
        )
        for group in groups[:_MOST_GROUPS]
    ]
    return bars("Resources in use", "resource", Axis("share in use", ValueKind.SHARE), series)


def _slack_table(group: GroupSlack) -> Table:
    return (
        TableOf[Resource]()
        .words("Resource", lambda resource: resource.name)
        .words("In use", lambda resource: resource_text(resource, resource.used))
        .words("There", lambda resource: resource_text(resource, resource.available))
        .words("Left", lambda resource: resource_text(resource, resource.left))
        .share("Share in use", lambda resource: resource.share)
        .of(group.resources, f"One server of {group.name}")
    )


def resource_text(resource: Resource, value: float) -> str:
    """An amount of a resource, to three digits, with its unit; what rounding leaves over is nothing.

    Args:
        resource: gives the unit, and how much there is of it.
    """
    rounded = float(f"{value:.3g}") if value > 1e-9 * resource.available else 0.0
    dimension = {"B": Dimension.SIZE, "B/s": Dimension.RATE}.get(resource.unit)
    return f"{rounded:g} {resource.unit}" if dimension is None else show(rounded, dimension)


def _cluster(plan: ProvisionPlan) -> Section:
    table = (
        TableOf[Group]()
        .code("Server", lambda group: group.server)
        .number("Count", lambda group: group.count)
        .number("Cores each", lambda group: group.cores)
        .number("Memory units each", lambda group: group.dimms)
        .words("Each holds and runs", _contents)
        .of(plan.groups, "Groups of identical servers")
    )
    return Section("The servers", (table,))


def _contents(group: Group) -> str:
    held = [f"{h.units} x {h.unit} ({h.dataset}{', cache' if h.cache else ''})" for h in group.held]
    local = [f"{h.units} x {h.unit} ({h.dataset}, local)" for h in group.local]
    running = [f"{r.instances} x {r.task}" for r in group.running]
    return ", ".join(held + local + running)


def _storage(plan: ProvisionPlan) -> Section:
    table = (
        TableOf[tuple[str, tuple[str, ...]]]()
        .code("Dataset", lambda choice: choice[0])
        .words("Storage", lambda choice: " + ".join(choice[1]))
        .of(plan.choices.items(), "Storage of each dataset")
    )
    return Section("Where the data lies", (table,))


def _bill(problem: Problem, plan: ProvisionPlan) -> Section:
    lines = bill(problem, plan)
    table = (
        TableOf[Line]()
        .code("Item", lambda line: line.item)
        .words("Kind", lambda line: line.kind)
        .number("Quantity", lambda line: line.quantity)
        .dollars("Price each", lambda line: line.price)
        .dollars("Energy each", lambda line: line.energy)
        .dollars("Total", lambda line: line.total)
        .of(lines, "Bill of materials")
    )
    items = Counter(line.item for line in lines)
    parts = [line.item if items[line.item] == 1 else f"{line.item} ({line.kind})" for line in lines]
    series = Series("cost", parts, [line.total for line in lines])
    return Section("What to buy", (table, bars("Cost by part", "part", DOLLARS, [series])))


def _traffic(problem: Problem, plan: ProvisionPlan) -> Section:
    table = (
        TableOf[Flow]()
        .code("From", lambda flow: flow.source)
        .code("To", lambda flow: flow.target)
        .words("Phase", lambda flow: flow.phase)
        .number("Traffic", lambda flow: flow.bytes_per_s / 1e6, "MB/s")
        .of(traffic(problem, plan.choices), "Traffic matrix at the SLA", empty="Nothing crosses the network.")
    )
    return Section("Who talks to whom", (table,))


def _conflict(plan: ProvisionPlan) -> Section:
    lines = "\n".join(f"- {literal(str(conflict))}" for conflict in plan.conflict)
    return Section("Constraints in conflict", (Callout("They cannot hold together", lines, Tone.BAD),))
