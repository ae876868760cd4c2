"""Pages of other clusters than the cheapest: the k best, forced choices, what is left over, two designs."""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.analyses.choose import WhyNot
from froude.provision.analyses.designs import Comparison, Winner
from froude.provision.analyses.slack import GroupSlack, Resource, Slack
from froude.provision.figures.parts import dollars_axis, lower, sla_axis, upper, verdict
from froude.provision.figures.plans import evaluation_section
from froude.provision.inputs.units import Dimension, show
from froude.provision.search.architecture import architecture_of
from froude.provision.types.plan import ProvisionPlan, Status
from froude.render import (
    Axis,
    Block,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
    literal,
)

_MOST_GROUPS = 6


def best_report(plans: Sequence[ProvisionPlan], facts: dict[str, str]) -> Report:
    """A page of the k best architectures.

    Args:
        plans: one for each architecture, cheapest first; empty when no cluster meets the SLA.
        facts: inputs, seed and version, shown last on the page.
    """
    if not plans:
        return Report("No cluster", lede="No cluster meets the SLA.", tone=Tone.BAD, facts=facts)
    first, best = plans[0], architecture_of(plans[0])
    rows: list[tuple[Value, ...]] = []
    for number, plan in enumerate(plans, 1):
        architecture = architecture_of(plan)
        changes = best.changes(architecture) if best and architecture else ()
        what = "; ".join(changes) or str(architecture)
        rows.append((number, plan.upper, plan.upper - first.upper, plan.gap, plan.servers, what))
    columns = (
        Column("Rank", ValueKind.NUMBER),
        Column("Cost", ValueKind.NUMBER, "$"),
        Column("More than the best", ValueKind.NUMBER, "$"),
        Column("Gap", ValueKind.SHARE),
        Column("Servers", ValueKind.NUMBER),
        Column("Architecture, or how it differs from the best"),
    )
    bars = Series("cost", [f"rank {row[0]}" for row in rows], [plan.upper for plan in plans])
    chart = Chart(
        "Cost of the best architectures",
        Axis("architecture", ValueKind.TEXT),
        Axis("cost", ValueKind.NUMBER, unit="$"),
        (bars,),
        ChartKind.BARS,
    )
    table = Table(columns, rows, "The best architectures, one plan each")
    tone = Tone.GOOD if all(plan.status is Status.PROVED for plan in plans) else Tone.WARNING
    sections = (Section("Which are near the best", (table, chart)),)
    figures = (
        KeyFigure("best", first.upper, ValueKind.NUMBER, "$"),
        KeyFigure("second", plans[1].upper if len(plans) > 1 else None, ValueKind.NUMBER, "$"),
    )
    return Report("The best architectures", "", verdict(first), tone, figures, sections, facts)


def why_not_report(best: ProvisionPlan, answers: Sequence[WhyNot], facts: dict[str, str]) -> Report:
    """A page of what forced choices cost; a single one is told in full.

    Args:
        best: the cheapest cluster.
        answers: what forced choices of one dataset cost; one at least.
        facts: inputs, seed and version, shown last on the page.
    """
    sections: list[Section] = [Section("What each choice costs", (_why_table(answers),))]
    sections += [Section(f"Why not {' + '.join(answers[0].choice)}", (_difference(answers[0]),))] * (
        len(answers) == 1
    )
    lede = why_text(best, answers[0]) if len(answers) == 1 else verdict(best)
    figures = (KeyFigure("the cheapest cluster", best.upper if best.found else None, ValueKind.NUMBER, "$"),)
    return Report(
        f"Why not another for {answers[0].dataset}", "", lede, Tone.NEUTRAL, figures, tuple(sections), facts
    )


def why_text(best: ProvisionPlan, answer: WhyNot) -> str:
    """The answer in a sentence.

    Args:
        best: the cheapest cluster.
        answer: what a forced choice costs.
    """
    what = " + ".join(answer.choice)
    if answer.extra is None:
        why = "; ".join(map(str, answer.plan.conflict)) or answer.plan.status.value
        return f"{answer.dataset} on {what}: no cluster was found. {why}"
    if best.choices.get(answer.dataset) == answer.choice:
        return f"{answer.dataset} on {what} is what the cheapest cluster has."
    grown = ", ".join(f"{d.item} {d.before} → {d.after}" for d in answer.difference if d.dollars > 0)
    return (
        f"{answer.dataset} on {what} costs ${answer.extra:,.2f} more, "
        f"between ${answer.least:,.2f} and ${answer.most:,.2f} by the bounds; what grows: {grown or 'nothing'}"
    )


def _why_table(answers: Sequence[WhyNot]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            " + ".join(answer.choice),
            *(
                None if amount is None else round(amount, 2)
                for amount in (answer.extra, answer.least, answer.most)
            ),
            "; ".join(answer.changes),
            "; ".join(map(str, answer.plan.conflict)) if answer.extra is None else _dearest(answer),
        )
        for answer in answers
    ]
    columns = (
        Column("Choice", ValueKind.CODE),
        Column("More", ValueKind.NUMBER, "$"),
        Column("At least", ValueKind.NUMBER, "$"),
        Column("At most", ValueKind.NUMBER, "$"),
        Column("What else changes"),
        Column("What binds"),
    )
    return Table(columns, rows, "Every choice asked about")


def _dearest(answer: WhyNot) -> str:
    grown = [d for d in answer.difference if d.dollars > 0]
    return ", ".join(f"{d.item} {d.before} → {d.after}" for d in grown[:3])


def _difference(answer: WhyNot) -> Table:
    rows: list[tuple[Value, ...]] = [
        (d.item, d.kind, d.before, d.after, d.dollars) for d in answer.difference
    ]
    columns = (
        Column("Item", ValueKind.CODE),
        Column("Kind"),
        Column("In the cheapest", ValueKind.NUMBER),
        Column("With the choice", ValueKind.NUMBER),
        Column("More", ValueKind.NUMBER, "$"),
    )
    return Table(columns, rows, "Difference of the bills", empty="They are the same.")


def slack_report(plan: ProvisionPlan, slack: Slack, facts: dict[str, str]) -> Report:
    """A page of what a plan leaves.

    Args:
        plan: the cluster.
        slack: what is left on its servers, and how far the rates could grow.
        facts: inputs, seed and version, shown last on the page.
    """
    growth = slack.growth.fraction - 1
    lede = (
        f"All rates could grow by **{growth:.1%}** before {slack.growth.bottleneck} holds the cluster back."
        if growth > 0
        else f"The cluster meets {slack.growth.fraction:.1%} of the SLA."
    )
    tightest = tuple(
        KeyFigure(group.name, group.tightest.share, ValueKind.SHARE, note=group.tightest.name)
        for group in slack.groups[:4]
    )
    figures = (KeyFigure("growth it takes", max(0.0, growth), ValueKind.SHARE), *tightest)
    blocks: list[Block] = [slack_chart(slack.groups)]
    blocks += [_slack_table(group) for group in slack.groups]
    sections = (Section("What is left on each server", tuple(blocks)), evaluation_section(slack.growth))
    return Report("Slack", "", f"{lede} {verdict(plan)}", Tone.NEUTRAL, figures, sections, facts)


def slack_chart(groups: Sequence[GroupSlack]) -> Chart:
    """Share of every resource in use, one panel a group of servers."""
    series = tuple(
        Series(
            "in use",
            [resource.name for resource in group.resources if resource.available],
            [round(resource.share, 3) for resource in group.resources if resource.available],
            panel=group.name,
        )
        for group in groups[:_MOST_GROUPS]
    )
    y = Axis("share in use", ValueKind.SHARE)
    return Chart("Resources in use", Axis("resource", ValueKind.TEXT), y, series, ChartKind.BARS)


def _slack_table(group: GroupSlack) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            resource.name,
            *(resource_text(resource, value) for value in (resource.used, resource.available, resource.left)),
            resource.share,
        )
        for resource in group.resources
    ]
    columns = (
        Column("Resource"),
        Column("In use"),
        Column("There"),
        Column("Left"),
        Column("Share in use", ValueKind.SHARE),
    )
    return Table(columns, rows, f"One server of {group.name}")


def resource_text(resource: Resource, value: float) -> str:
    """An amount of a resource, to three digits, with its unit; what rounding leaves over is nothing.

    Args:
        resource: gives the unit, and how much there is of it.
        value: the amount, in the resource's unit.
    """
    rounded = float(f"{value:.3g}") if value > 1e-9 * resource.available else 0.0
    dimension = {"B": Dimension.SIZE, "B/s": Dimension.RATE}.get(resource.unit)
    return f"{rounded:g} {resource.unit}" if dimension is None else show(rounded, dimension)


def comparison_report(names: tuple[str, str], comparison: Comparison, facts: dict[str, str]) -> Report:
    """A page of two designs.

    Args:
        names: of the first and the second design.
        comparison: the points that both were compiled at, and what follows from them.
        facts: inputs, seed and version, shown last on the page.
    """
    saved = comparison.saved
    lede = "The two cannot be compared: they have no point in common."
    figures: tuple[KeyFigure, ...] = ()
    if saved is not None:
        least, mean, most = saved
        word, ends = ("less", (least, most)) if mean >= 0 else ("more", (-most, -least))
        lede = (
            f"{literal(names[0])} costs **{abs(mean):.1%} {word}** than {literal(names[1])} on average, "
            f"from {ends[0]:.1%} to {ends[1]:.1%}."
        )
        figures = (
            KeyFigure("mean saving", mean * 100, ValueKind.NUMBER, "%"),
            KeyFigure("least", least * 100, ValueKind.NUMBER, "%"),
            KeyFigure("most", most * 100, ValueKind.NUMBER, "%"),
        )
    sections = (
        Section("Cost of both", (_curves(names, comparison), _saving(comparison))),
        Section("Where which is cheaper", (_stretches(names, comparison), _pairs(names, comparison))),
    )
    return Report("Two designs", " or ".join(names), lede, Tone.NEUTRAL, figures, sections, facts)


def _curves(names: tuple[str, str], comparison: Comparison) -> Chart:
    factors = [pair.factor for pair in comparison.pairs]
    series = []
    for name, plans in zip(
        names, ([p.first for p in comparison.pairs], [p.second for p in comparison.pairs]), strict=True
    ):
        series.append(Series(name, factors, [upper(plan) for plan in plans]))
        series.append(Series(f"{name} (lower bound)", factors, [lower(plan) for plan in plans], dashed=True))
    y = dollars_axis([cost for curve in series for cost in curve.ys])
    return Chart("Cost against SLA", sla_axis(factors), y, tuple(series), band=True)


def _saving(comparison: Comparison) -> Chart:
    factors = [pair.factor for pair in comparison.pairs]
    shares = [None if pair.saved is None else pair.saved * 100 for pair in comparison.pairs]
    y = Axis("saved by the first", ValueKind.NUMBER, unit="%")
    return Chart("What the first saves", sla_axis(factors), y, (Series("saved", factors, shares),))


def winner_text(names: tuple[str, str], winner: Winner) -> str:
    """Who wins, in words.

    Args:
        names: of the first and the second design.
        winner: of one point.
    """
    words = {Winner.FIRST: names[0], Winner.SECOND: names[1], Winner.OPEN: "neither for certain"}
    return words[winner]


def _stretches(names: tuple[str, str], comparison: Comparison) -> Table:
    rows: list[tuple[Value, ...]] = [
        (stretch.first, stretch.last, winner_text(names, stretch.winner)) for stretch in comparison.stretches
    ]
    columns = (
        Column("From", ValueKind.NUMBER, "x"),
        Column("To", ValueKind.NUMBER, "x"),
        Column("Cheaper for certain"),
    )
    return Table(columns, rows, "Where which design is cheaper")


def _pairs(names: tuple[str, str], comparison: Comparison) -> Table:
    rows: list[tuple[Value, ...]] = []
    for pair in comparison.pairs:
        bounds = pair.saved_bounds or (None, None)
        saved = [None if share is None else share * 100 for share in (pair.saved, *bounds)]
        rows.append((pair.factor, upper(pair.first), upper(pair.second), *saved))
    columns = (
        Column("SLA", ValueKind.NUMBER, "x"),
        Column(names[0], ValueKind.NUMBER, "$"),
        Column(names[1], ValueKind.NUMBER, "$"),
        Column("Saved", ValueKind.NUMBER, "%"),
        Column("At least", ValueKind.NUMBER, "%"),
        Column("At most", ValueKind.NUMBER, "%"),
    )
    return Table(columns, rows, "Every point")
