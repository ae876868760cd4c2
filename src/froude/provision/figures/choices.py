"""Pages of other clusters than the cheapest: forced choices, two designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.provision.analyses.choose import Difference, WhyNot
from froude.provision.analyses.designs import Comparison, Pair, Stretch, Winner
from froude.provision.figures.parts import bounded, curves, sla_axis, upper, verdict
from froude.provision.types.plan import ProvisionPlan
from froude.render import (
    Axis,
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


def why_not_report(best: ProvisionPlan, answers: Sequence[WhyNot], facts: Mapping[str, str]) -> Report:
    """A page of what forced choices cost; a single one is told in full.

    Args:
        answers: what forced choices of one dataset cost; one at least.
    """
    sections = [Section("What each choice costs", (_why_table(answers),))]
    lede = verdict(best)
    if len(answers) == 1:
        sections.append(Section(f"Why not {' + '.join(answers[0].choice)}", (_difference(answers[0]),)))
        lede = why_text(best, answers[0])
    figures = (KeyFigure("the cheapest cluster", upper(best), ValueKind.NUMBER, "$"),)
    title = f"Why not another for {answers[0].dataset}"
    return Report(title, "", lede, Tone.NEUTRAL, figures, tuple(sections), facts)


def why_text(best: ProvisionPlan, answer: WhyNot) -> str:
    """The answer in a sentence."""
    what = " + ".join(answer.choice)
    if answer.extra is None:
        why = "; ".join(map(str, answer.plan.conflict)) or answer.plan.status.value
        return f"{answer.dataset} on {what}: no cluster was found. {why}"
    if best.choices.get(answer.dataset) == answer.choice:
        return f"{answer.dataset} on {what} is what the cheapest cluster has."
    return (
        f"{answer.dataset} on {what} costs ${answer.extra:,.2f} more, between ${answer.least:,.2f} and "
        f"${answer.most:,.2f} by the bounds; what grows: {_grown(answer.difference) or 'nothing'}"
    )


def _why_table(answers: Sequence[WhyNot]) -> Table:
    def cents(amount: float | None) -> float | None:
        return None if amount is None else round(amount, 2)

    def binds(answer: WhyNot) -> str:
        if answer.extra is None:
            return "; ".join(map(str, answer.plan.conflict))
        return _grown(answer.difference, most=3)

    return (
        TableOf[WhyNot]()
        .code("Choice", lambda answer: " + ".join(answer.choice))
        .dollars("More", lambda answer: cents(answer.extra))
        .dollars("At least", lambda answer: cents(answer.least))
        .dollars("At most", lambda answer: cents(answer.most))
        .words("What else changes", lambda answer: "; ".join(answer.changes))
        .words("What binds", binds)
        .of(answers, "Every choice asked about")
    )


def _grown(difference: Sequence[Difference], most: int | None = None) -> str:
    """What there is more of, the dearest first."""
    grown = [line for line in difference if line.dollars > 0]
    return ", ".join(f"{line.item} {line.before} → {line.after}" for line in grown[:most])


def _difference(answer: WhyNot) -> Table:
    return (
        TableOf[Difference]()
        .code("Item", lambda line: line.item)
        .words("Kind", lambda line: line.kind)
        .number("In the cheapest", lambda line: line.before)
        .number("With the choice", lambda line: line.after)
        .dollars("More", lambda line: line.dollars)
        .of(answer.difference, "Difference of the bills", empty="They are the same.")
    )


def comparison_report(names: tuple[str, str], comparison: Comparison, facts: Mapping[str, str]) -> Report:
    """A page of two designs.

    Args:
        names: of the first and the second design.
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
        shares = {"mean saving": mean, "least": least, "most": most}
        figures = tuple(KeyFigure(label, s * 100, ValueKind.NUMBER, "%") for label, s in shares.items())
    factors = [pair.factor for pair in comparison.pairs]
    both = [
        *bounded(names[0], factors, [pair.first for pair in comparison.pairs]),
        *bounded(names[1], factors, [pair.second for pair in comparison.pairs]),
    ]
    costs = (curves("Cost against SLA", factors, both), _saving(comparison, factors))
    sections = (
        Section("Cost of both", costs),
        Section("Where which is cheaper", (_stretches(names, comparison), _pairs(names, comparison))),
    )
    return Report("Two designs", " or ".join(names), lede, Tone.NEUTRAL, figures, sections, facts)


def _percent(share: float | None) -> float | None:
    return None if share is None else share * 100


def _saving(comparison: Comparison, factors: Sequence[float]) -> Chart:
    y = Axis("saved by the first", ValueKind.NUMBER, unit="%")
    series = Series("saved", factors, [_percent(pair.saved) for pair in comparison.pairs])
    return Chart("What the first saves", sla_axis(factors), y, (series,))


def _stretches(names: tuple[str, str], comparison: Comparison) -> Table:
    words = {Winner.FIRST: names[0], Winner.SECOND: names[1], Winner.OPEN: "neither for certain"}
    return (
        TableOf[Stretch]()
        .number("From", lambda stretch: stretch.first, "x")
        .number("To", lambda stretch: stretch.last, "x")
        .words("Cheaper for certain", lambda stretch: words[stretch.winner])
        .of(comparison.stretches, "Where which design is cheaper")
    )


def _pairs(names: tuple[str, str], comparison: Comparison) -> Table:
    def bound(pair: Pair, end: int) -> float | None:
        return _percent(None if pair.saved_bounds is None else pair.saved_bounds[end])

    return (
        TableOf[Pair]()
        .number("SLA", lambda pair: pair.factor, "x")
        .dollars(names[0], lambda pair: upper(pair.first))
        .dollars(names[1], lambda pair: upper(pair.second))
        .number("Saved", lambda pair: _percent(pair.saved), "%")
        .number("At least", lambda pair: bound(pair, 0), "%")
        .number("At most", lambda pair: bound(pair, 1), "%")
        .of(comparison.pairs, "Every point")
    )
