"""What stands first on a page: the answer, the Scale it holds for, and the few numbers that carry it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.emulation.bottleneck import LimitedBy
from froude.emulation.run import Run
from froude.experiment.figures.environment import scale_text, when
from froude.experiment.figures.knee import KNEE_TONES
from froude.experiment.figures.prediction import share_text
from froude.experiment.figures.run import TONES
from froude.experiment.knee import Knee
from froude.mining.prediction import Prediction
from froude.render import KeyFigure, Tone, ValueKind, literal
from froude.render.markdown import plain
from froude.trace.types import Trace
from froude.workload.plan import Plan, expected_s, pace
from froude.workload.review import open_questions
from froude.workload.types import Workload
from froude.workload.walk import templates

Part = Trace | Workload | Plan | Prediction | Run | Knee
"""What has sections of its own."""
_LIMITS = {
    LimitedBy.PLAYER: "the player was the limit, not the target",
    LimitedBy.TARGET: "the target was the limit",
    LimitedBy.MACHINE: "other work on the machine was the limit",
    LimitedBy.NEITHER: "neither target nor player was at its limit",
    LimitedBy.UNKNOWN: "nobody knows whether the target was at its limit",
}
_Kind = TypeVar("_Kind")
_WORST = (Tone.BAD, Tone.WARNING, Tone.GOOD, Tone.NEUTRAL)
_MOST_FIGURES = 5


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page."""

    lede: str
    """The answer (`Text` Markdown)."""
    tone: Tone = Tone.NEUTRAL
    figures: tuple[KeyFigure, ...] = ()
    subtitle: str = ""
    """The Scale first."""


def head_of(parts: Sequence[tuple[str, Part]]) -> Head:
    """The head of a page of parts: that of the kind nearest to an answer, knees and runs before all others.

    Args:
        parts: with their names.
    """
    if knees := _of(parts, Knee):
        return _knee(knees[0][1])
    if runs := _of(parts, Run):
        return _runs(runs)
    if predictions := _of(parts, Prediction):
        return _prediction(predictions[0][1])
    if plans := _of(parts, Plan):
        return _plan(plans[0][1])
    if workloads := _of(parts, Workload):
        return _workload(workloads[0][1])
    return _traces(_of(parts, Trace))


def _knee(knee: Knee) -> Head:
    kept, broke = knee.at(knee.low), knee.at(knee.high)
    figures = tuple(
        KeyFigure(
            f"p99, {name}",
            plays[-1].run.p99_ms / 1e3,
            ValueKind.DURATION,
            note=f"{plays[-1].run.calls_per_s:,.0f} calls/s",
        )
        for name, plays in (("limits kept", kept), ("not kept", broke))
        if plays
    )
    more = (
        *figures,
        KeyFigure("plays", len(knee.plays)),
        *([KeyFigure("limited by", broke[-1].run.bottleneck, ValueKind.TEXT)] if broke else []),
    )
    lede = f"**{plain(knee.answer)}** Plays that agree: {knee.confidence or 'none'}."
    return Head(lede, KNEE_TONES.get(knee.status, Tone.WARNING), more, "; ".join(knee.limits))


def run_head(run: Run) -> Head:
    """What limited a run, its calls and its latency."""
    latency, bottleneck = run.latency(), run.bottleneck
    answered = sum(n for _, n in run.counts.values())
    failed, left_out = run.failed.total(), sum(run.left_out.values())
    verdict = run.verdict
    lede = (
        f"**{verdict.colour.value.capitalize()}: {plain('; '.join(verdict.reasons[:3]))}.** "
        f"{answered:,} calls were answered in {run.steady_s:.0f} s, 99 % of them within "
        f"{seconds_text(latency.p99_ms / 1e3)} ({run.main_latency.value}); {_LIMITS[bottleneck.by]}."
    )
    nodes = sum(run.nodes.values())
    parts = (
        scale_text(run),
        f"{nodes:,} emulated nodes",
        f"{run.pacing} pacing",
        f"played {when(run.begun_at_s)}",
    )
    figures = (
        KeyFigure("p99 latency", latency.p99_ms / 1e3, ValueKind.DURATION, note=run.main_latency.value),
        KeyFigure("throughput", round(run.throughput()), unit="calls/s", note=f"{answered:,} calls"),
        KeyFigure("emulated nodes", nodes, unit="nodes"),
        KeyFigure(
            "failed calls",
            failed + left_out,
            unit="calls",
            note=f"{left_out:,} never sent" if left_out else "",
        ),
        KeyFigure("limited by", bottleneck.by.value, ValueKind.TEXT),
    )
    return Head(lede, TONES[verdict.colour], figures, " · ".join(part for part in parts if part))


def _runs(runs: Sequence[tuple[str, Run]]) -> Head:
    heads = [run_head(run) for _, run in runs]
    if len(runs) == 1:
        return heads[0]
    rates = [run.throughput() for _, run in runs]
    p99s = [run.latency().p99_ms for _, run in runs]
    lede = (
        f"**{len(runs)} runs**, from {min(rates):,.0f} to {max(rates):,.0f} answered calls a second; "
        f"99 % of the calls were answered within {seconds_text(min(p99s) / 1e3)} to {seconds_text(max(p99s) / 1e3)}."
    )
    figures = tuple(
        KeyFigure(
            f"p99 latency, {name}",
            p99 / 1e3,
            ValueKind.DURATION,
            note=f"{run.throughput():,.0f} calls/s; limited by: {run.bottleneck.by.value}",
        )
        for (name, run), p99 in zip(runs, p99s, strict=True)
    )
    scales = dict.fromkeys(scale_text(run) for _, run in runs)
    return Head(
        lede,
        min((head.tone for head in heads), key=_WORST.index),
        figures[:_MOST_FIGURES],
        " · ".join(scales),
    )


def _prediction(prediction: Prediction) -> Head:
    logical, sequences = prediction.row("logical"), prediction.sequence_share
    lede = (
        f"**{share_text(sequences)} of the nodes** made exactly the calls predicted, and {share_text(logical.share)} of "
        "the arguments of logical calls had the value predicted."
    )
    figures = (
        KeyFigure("call sequences predicted", sequences, ValueKind.SHARE, aim=1.0),
        KeyFigure("logical arguments predicted", logical.share, ValueKind.SHARE, aim=0.99),
    )
    met = all(figure.met for figure in figures)
    return Head(lede, Tone.GOOD if met else Tone.WARNING, figures)


def _plan(plan: Plan) -> Head:
    refused = [refusal for refusal in plan.refusals if refusal.fatal]
    nodes = sum(plan.counts.values())
    calls = sum(
        plan.counts[t.name] * pace(t, plan.scale)[0]
        for t in plan.workload.node_types
        if t.name in plan.counts
    )
    seconds = expected_s(plan)
    lede = "**It can be played.**" if not refused else f"**It cannot be played:** {literal(refused[0].what)}"
    tone = Tone.BAD if refused else Tone.WARNING if plan.refusals else Tone.GOOD
    figures = (
        KeyFigure("emulated nodes", nodes, unit="nodes"),
        KeyFigure("calls", round(calls), unit="calls", note="periodic ones not counted"),
        KeyFigure(
            "expected to take", seconds, ValueKind.DURATION, note="" if seconds else "until it is ended"
        ),
        KeyFigure("remarks and refusals", len(plan.refusals)),
    )
    return Head(lede, tone, figures, str(plan.scale))


def _workload(workload: Workload) -> Head:
    left, fatal = open_questions(workload), [finding for finding in workload.findings if finding.fatal]
    calls = sum(1 for node_type in workload.node_types for _ in templates(node_type))
    lede = f"**{counted(len(workload.node_types), 'node type')}**, {counted(calls, 'call')} of the pattern; "
    lede += f"{counted(len(left), 'open question')}." if left else "no open question."
    if fatal:
        lede = f"**It cannot be extrapolated:** {literal(fatal[0].what)}. {lede}"
    elif workload.findings:
        lede = f"{lede} **To be kept in mind:** {literal(workload.findings[0].what)}."
    tone = Tone.BAD if fatal else Tone.WARNING if left or workload.findings else Tone.GOOD
    figures = (
        KeyFigure("node types", len(workload.node_types)),
        KeyFigure("calls of the pattern", calls),
        KeyFigure("open questions", len(left)),
        KeyFigure("findings", len(workload.findings)),
    )
    scales = [
        ", ".join(f"{name}={value}" for name, value in scale.items()) for scale in workload.recorded.scales
    ]
    return Head(lede, tone, figures, f"Mined from {'; '.join(scales)}" if scales else "")


def _traces(traces: Sequence[tuple[str, Trace]]) -> Head:
    calls = sum(len(trace.calls) for _, trace in traces)
    lost = sum(trace.meta.loss.total for _, trace in traces)
    partial = [name for name, trace in traces if trace.incomplete is not None]
    number = "one recording" if len(traces) == 1 else f"{len(traces)} recordings"
    lede = f"**{calls:,} calls** in {number}; "
    lede += (
        f"**{len(partial)} not whole.** "
        if partial
        else "every one is whole. "
        if len(traces) > 1
        else "it is whole. "
    )
    lede += f"{lost:,} losses were counted." if lost else "Nothing was lost."
    figures = (
        KeyFigure("calls", calls),
        KeyFigure("recordings", len(traces)),
        KeyFigure("methods", len({call.method for _, trace in traces for call in trace.calls})),
        KeyFigure("lost", lost),
    )
    scales = dict.fromkeys(", ".join(f"{k}={v}" for k, v in trace.meta.scale.items()) for _, trace in traces)
    tone = Tone.WARNING if lost or partial else Tone.GOOD
    return Head(lede, tone, figures, " · ".join(scale for scale in scales if scale))


def _of(parts: Sequence[tuple[str, Part]], kind: type[_Kind]) -> list[tuple[str, _Kind]]:
    return [(name, part) for name, part in parts if isinstance(part, kind)]
