"""The page of uncertain inputs: how the cost is distributed, and which plan is regretted least."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from froude.provision.analyses.inputs import Input
from froude.provision.analyses.uncertainty import (
    QUANTILES,
    Candidate,
    Distribution,
    Lognormal,
    Triangular,
    Uncertainty,
    Uniform,
)
from froude.provision.figures.ranges import amount
from froude.provision.search.architecture import Architecture
from froude.render import (
    Axis,
    Chart,
    ChartKind,
    KeyFigure,
    Mark,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Text,
    Tone,
    ValueKind,
    literal,
)

_MOST_CANDIDATES = 25
_BINS = 24


def uncertainty_report(uncertainty: Uncertainty, facts: Mapping[str, str]) -> Report:
    """A page of samples, candidates and the recommendation."""
    best = uncertainty.recommended
    enough = best is not None and best.met >= uncertainty.wanted
    figures = tuple(
        KeyFigure(f"cost, {share:.0%} quantile", uncertainty.quantile(share), ValueKind.NUMBER, "$")
        for share in QUANTILES[::2]
    )
    if best is not None:
        figures = (
            KeyFigure("recommended plan", best.cost, ValueKind.NUMBER, "$"),
            KeyFigure(
                "meets the SLA in", best.met, ValueKind.SHARE, aim=uncertainty.wanted, note="of the samples"
            ),
            *figures,
        )
    sections = (
        Section(
            "What it will cost", (_density(uncertainty), _distribution(uncertainty), _inputs(uncertainty))
        ),
        Section("Which cluster to buy", (_candidates(uncertainty), Text(_READING))),
        Section("Which architectures are the best how often", (_frequencies(uncertainty),)),
    )
    return Report(
        "Uncertainty",
        "",
        recommendation(uncertainty, literal),
        Tone.GOOD if enough else Tone.WARNING,
        figures,
        sections,
        facts,
    )


_READING = (
    "A candidate is a fixed cluster. Its regret at a sample is what it costs more than the cheapest cluster for "
    "that sample, over the samples whose SLA it meets; the samples are drawn independently for each input."
)


def recommendation(uncertainty: Uncertainty, quoted: Callable[[str], str] = str) -> str:
    """What to buy, in a sentence; names as `quoted` writes them.

    Args:
        quoted: how the name of an architecture is written, such as `literal` for a page.
    """
    best = uncertainty.recommended
    if best is None:
        return "No sample has a cluster."
    text = (
        f"${best.cost:,.2f} meets the SLA in {best.met:.1%} of {len(uncertainty.samples)} samples, for a mean regret "
        f"of ${best.mean_regret or 0:,.2f}: {quoted(str(best.architecture))}."
    )
    return (
        text
        if best.met >= uncertainty.wanted
        else f"No candidate meets {uncertainty.wanted:.0%} of the samples. {text}"
    )


def _density(uncertainty: Uncertainty) -> Chart:
    """How many samples cost about how much."""
    costs = uncertainty.costs
    low, high = (costs[0], costs[-1]) if costs else (0.0, 1.0)
    width = (high - low) / _BINS or 1.0
    counts = [0] * _BINS
    for cost in costs:
        counts[min(_BINS - 1, int((cost - low) / width))] += 1
    xs = [low + width * number for number in range(_BINS + 1)]
    series = Series("samples", xs, [float(count) for count in (*counts, counts[-1])])
    x, y = (
        Axis("cost of the optimum", ValueKind.NUMBER, unit="$"),
        Axis("samples", ValueKind.NUMBER, unit="samples"),
    )
    return Chart(
        "How the cost of the optimum is distributed", x, y, (series,), ChartKind.STEP, _marks(uncertainty)
    )


def _distribution(uncertainty: Uncertainty) -> Chart:
    """Share of the samples whose optimum costs at most so much."""
    costs = uncertainty.costs
    shares = [(number + 1) / len(costs) for number in range(len(costs))]
    x, y = (
        Axis("cost of the optimum", ValueKind.NUMBER, unit="$"),
        Axis("share of the samples", ValueKind.SHARE),
    )
    series = (Series("costs at most", list(costs), shares),)
    return Chart(
        "Share of samples that cost at most so much", x, y, series, ChartKind.STEP, _marks(uncertainty)
    )


def _marks(uncertainty: Uncertainty) -> tuple[Mark, ...]:
    """The recommended plan, where it lies among the costs."""
    best, costs = uncertainty.recommended, uncertainty.costs
    if best is None or not costs or not costs[0] <= best.cost <= costs[-1]:
        return ()
    return (Mark(best.cost, "recommended plan"),)


def _inputs(uncertainty: Uncertainty) -> Table:
    return (
        TableOf[tuple[Input, Distribution]]()
        .code("Input", lambda known: known[0].path)
        .words("As given", lambda known: amount(known[0], known[0].value))
        .words("Taken as", lambda known: known_text(*known))
        .of(uncertainty.inputs, "What is uncertain")
    )


def known_text(entry: Input, known: Distribution) -> str:
    """A distribution in words.

    Args:
        entry: the input, which gives the dimension of the numbers.
        known: what is known of its value; another kind than the shipped ones is told by its class.
    """
    if isinstance(known, Uniform):
        return f"uniform from {amount(entry, known.low)} to {amount(entry, known.high)}"
    if isinstance(known, Triangular):
        low, mode, high = (amount(entry, value) for value in (known.low, known.mode, known.high))
        return f"triangular from {low} over {mode} to {high}"
    if isinstance(known, Lognormal):
        return f"lognormal around {amount(entry, known.median)}, two of three within a factor of {known.factor:g}"
    return type(known).__name__


def _candidates(uncertainty: Uncertainty) -> Table:
    return (
        TableOf[Candidate]()
        .dollars("Cost", lambda candidate: candidate.cost)
        .share("Meets the SLA in", lambda candidate: candidate.met)
        .dollars("Mean regret", lambda candidate: candidate.mean_regret)
        .dollars("Worst regret", lambda candidate: candidate.worst_regret)
        .words("Architecture", lambda candidate: str(candidate.architecture))
        .words("", lambda candidate: "recommended" if candidate is uncertainty.recommended else "")
        .of(uncertainty.candidates[:_MOST_CANDIDATES], "Candidate clusters")
    )


def _frequencies(uncertainty: Uncertainty) -> Table:
    total = len(uncertainty.samples)
    return (
        TableOf[tuple[Architecture, int]]()
        .words("Architecture", lambda counted: str(counted[0]))
        .share("Best in", lambda counted: counted[1] / total)
        .number("Samples", lambda counted: counted[1])
        .of(uncertainty.frequencies.items(), "Architectures of the samples' optima")
    )
