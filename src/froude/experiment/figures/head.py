"""What stands first on a page: the answer, the Scale it holds for, and the few numbers that carry it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from froude.base.summary import counted, share_text
from froude.base.units import seconds_text
from froude.emulation.run.run import Run
from froude.experiment.compare.compare import Comparison, Row, change_text, minutes_text
from froude.experiment.figures.audit import audit_report
from froude.experiment.figures.comparison import COMPARISON_TONES, comparison_title
from froude.experiment.figures.environment import (
    in_words,
    limit_words,
    place_text,
    scale_text,
    server_of,
    when,
)
from froude.experiment.figures.knee import KNEE_TONES, knee_answer, knee_title, played_at
from froude.experiment.figures.run import TONES
from froude.experiment.figures.sweep import sweep_figures, sweep_title, sweep_tone
from froude.experiment.figures.workload import finding_text, workload_reason
from froude.experiment.knee.answer import Knee, Play
from froude.experiment.knee.words import broke, median_rate, quick_start_text, slowest_of, unit_of
from froude.experiment.sweep.result import Swept
from froude.hadoop.rpc.target import daemon_name
from froude.mining.check.prediction import Prediction
from froude.render import KeyFigure, Tone, ValueKind, literal
from froude.render.markdown import plain
from froude.trace.audit.summary import AuditSummary
from froude.trace.types import Trace
from froude.workload.groups import open_by_cause
from froude.workload.plan import Plan, expected_s, pace
from froude.workload.types import Workload
from froude.workload.walk import templates

Part = Trace | AuditSummary | Workload | Plan | Prediction | Run | Knee | Comparison | Swept
"""What has sections of its own."""
_Kind = TypeVar("_Kind")
_WORST = (Tone.BAD, Tone.WARNING, Tone.GOOD, Tone.NEUTRAL)
_MOST_FIGURES = 5


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page."""

    title: str
    """What the page is of, and the result in a few words."""
    lede: str
    """The answer (`Text` Markdown)."""
    tone: Tone = Tone.NEUTRAL
    figures: tuple[KeyFigure, ...] = ()
    subtitle: str = ""
    reason: str = ""
    """Why the tone is not good, as a sentence (`Text` Markdown); empty where the lede begins with it."""


def head_of(parts: Sequence[tuple[str, Part]]) -> Head:
    """The head of a page of parts: that of the kind nearest to an answer, knees and runs before all others.

    It is no better than the others allow: a run of a workload that nobody has answered yet is not green.
    """
    heads = [*_heads(parts)]
    first = heads[0]
    worse = [head for head in heads[1:] if head.reason and _WORST.index(head.tone) < _WORST.index(Tone.GOOD)]
    if not worse:
        return first
    tone = min((head.tone for head in (first, *worse)), key=_WORST.index)
    reasons = list(dict.fromkeys(head.reason for head in worse))
    lede = [first.lede, *reasons] if tone is first.tone else [*reasons, first.lede]
    between = "\n\n" if "\n" in first.lede else " "
    return replace(first, lede=between.join(lede), tone=tone)


def _heads(parts: Sequence[tuple[str, Part]]) -> Iterator[Head]:
    """Of each kind, that nearest to an answer first."""
    yield from (_swept(swept) for _, swept in _of(parts, Swept))
    yield from (_comparison(comparison) for _, comparison in _of(parts, Comparison))
    yield from (_knee(knee) for _, knee in _of(parts, Knee))
    if runs := _of(parts, Run):
        yield _runs(runs)
    yield from (_prediction(prediction) for _, prediction in _of(parts, Prediction))
    yield from (_plan(plan) for _, plan in _of(parts, Plan))
    yield from (_workload(workload) for _, workload in _of(parts, Workload))
    if traces := _of(parts, Trace):
        yield _traces(traces)
    yield from (_audit(summary) for _, summary in _of(parts, AuditSummary))


def _swept(swept: Swept) -> Head:
    remarks = dict.fromkeys(f"{plain(each)}." for _, found in swept.compared for each in found.remarks)
    lede = " ".join([f"**{plain(swept.answer)}**", *remarks])
    subtitle = " · ".join(part for part in (place_text(swept.environment), swept.latency) if part)
    return Head(sweep_title(swept), lede, sweep_tone(swept), sweep_figures(swept), subtitle)


def _comparison(comparison: Comparison) -> Head:
    figures = [
        KeyFigure(
            f"change of {row.measure}",
            change_text(row.change, row.sort),
            ValueKind.TEXT,
            note=f"{change_text(row.low, row.sort)} to {change_text(row.high, row.sort)}",
        )
        for row in dict.fromkeys((*comparison.rows[:1], *_leading(comparison), *comparison.worse[:3]))
    ]
    together, runs = comparison.together, f"{len(comparison.baseline)} and {len(comparison.candidate)}"
    note = f"{len(comparison.left_out)} left out" if comparison.left_out else "of baseline and candidate"
    if together is None:
        figures.append(KeyFigure("runs", runs, ValueKind.TEXT, note=note))
    else:
        measured, looks = minutes_text(together.measured_s), counted(together.looks, "look")
        figures.append(KeyFigure("measured at the same time", measured, ValueKind.TEXT, note=f"in {looks}"))
    tone = COMPARISON_TONES.get(comparison.outcome, Tone.WARNING)
    remarks = " ".join(f"{plain(remark)}." for remark in comparison.remarks)
    lede = f"**{plain(comparison.answer)}** {remarks}".strip()
    return Head(comparison_title(comparison), lede, tone, tuple(figures))


def _leading(comparison: Comparison) -> list[Row]:
    return [] if comparison.leading is None else [comparison.leading]


def _knee(knee: Knee) -> Head:
    kept, high = knee.at(knee.low), knee.at(knee.high)
    last = next((play.run for play in reversed(high) if broke(play.run)), None)
    figures: list[KeyFigure] = []
    if kept:
        runs = [play.run for play in kept]
        rate, unit, where = median_rate(runs), unit_of(runs[-1]), knee.raised_text(kept[-1])
        done = "answered" if unit == "calls/s" else "granted"
        note = f"{f'median of {len(kept)} plays' if len(kept) > 1 else 'of one play'} at {where}"
        figures += [KeyFigure(f"{done}, limits kept", round(rate), unit=unit, note=note)]
        figures += [_worst_p99("worst p99, limits kept", kept)]
    if high:
        figures += [_worst_p99(f"worst p99 at {knee.raised_text(high[-1])}", high)]
    figures += [KeyFigure("plays", len(knee.plays))]
    if last is not None:
        value, note = limit_words(last.bottleneck, last.environment, last.bottleneck_daemon)
        figures += [KeyFigure("limited by", value, ValueKind.TEXT, note=note)]
    subtitle = " · ".join(part for part in (place_text(knee.environment), played_at(knee)) if part)
    tone = KNEE_TONES.get(knee.status, Tone.WARNING)
    return Head(knee_title(knee), knee_answer(knee), tone, tuple(figures), subtitle)


def _worst_p99(label: str, plays: Sequence[Play]) -> KeyFigure:
    """Of plays of one load: one that came out well hides no other."""
    found = [slowest_of(play.run) for play in plays]
    p99s = [p99_ms / 1e3 for _, p99_ms in found if p99_ms is not None]
    label = label.replace("p99", found[-1][0], 1)
    if not p99s:
        return KeyFigure(label, None, note="nothing was measured")
    note = f"{seconds_text(min(p99s))} to {seconds_text(max(p99s))} in {counted(len(plays), 'play')}"
    return KeyFigure(label, max(p99s), ValueKind.DURATION, note=note if len(plays) > 1 else "of one play")


def run_head(run: Run) -> Head:
    """What limited a run, its calls and its latency."""
    latency, bottleneck = run.latency(), run.bottleneck
    answered, failed, left_out = run.answered(), run.failed.total(), sum(run.left_out.values())
    verdict = run.verdict
    limited, why = limit_words(bottleneck.by.value, run.environment, bottleneck.daemon)
    lede = (
        f"**The play is {verdict.colour.value}: {plain('; '.join(verdict.reasons[:3]))}.** "
        f"{answered:,} calls were answered in {run.steady_s:.0f} s"
        + f", 99 % of them within {seconds_text(latency.p99_ms / 1e3)} ({run.main_latency.value})"
        * bool(answered)
        + f"; limited by: {limited} ({why}). "
        f"{quick_start_text(run.environment)}"
    )
    parts = {daemon_name(daemon): part for daemon, part in run.parts.items()}
    title = f"Play of {scale_text(run) or 'a workload'} against a {server_of(run.environment)}: "
    title += "; ".join(f"{name} {part.rate_text}" for name, part in parts.items()) or run.rate_text
    lede += "".join(
        f" **{name}: {part.verdict.colour.value},** {part.rate_text}." for name, part in parts.items()
    )
    nodes, kind = sum(run.nodes.values()), run.main_latency.value
    subtitle = (
        scale_text(run),
        f"{nodes:,} emulated nodes",
        f"{run.pacing} pacing",
        place_text(run.environment),
        f"played {when(run.begun_at_s)}",
    )
    figures = (
        *(
            KeyFigure(f"p99 latency{of}", part.latency().seconds("p99_ms"), ValueKind.DURATION, note=kind)
            for of, part in ({f", {name}": part for name, part in parts.items()} or {"": run}).items()
        ),
        KeyFigure("throughput", round(run.throughput()), unit="calls/s", note=f"{answered:,} calls"),
        KeyFigure("emulated nodes", nodes, unit="nodes"),
        KeyFigure(
            "failed calls",
            failed + left_out,
            unit="calls",
            note=f"{left_out:,} never sent" if left_out else "",
        ),
        KeyFigure("limited by", limited, ValueKind.TEXT, note=why),
    )
    lede = in_words(lede.strip(), run.environment)
    return Head(title, lede, TONES[verdict.colour], figures, " · ".join(part for part in subtitle if part))


def _runs(runs: Sequence[tuple[str, Run]]) -> Head:
    heads = [run_head(run) for _, run in runs]
    if len(runs) == 1:
        return heads[0]
    rates = [run.throughput() for _, run in runs]
    p99s = [run.latency().seconds("p99_ms") for _, run in runs]
    ends = sorted(p99 for p99 in p99s if p99 is not None)
    spread = f"{seconds_text(ends[0])} to {seconds_text(ends[-1])}" if ends else "an unknown time"
    speeds = f"{min(rates):,.0f} to {max(rates):,.0f}"
    lede = (
        f"**{len(runs)} runs**, from {speeds} answered calls a second; "
        f"99 % of the calls were answered within {spread}."
    )
    tone = min((head.tone for head in heads), key=_WORST.index)
    name, worst = next(pair for pair, head in zip(runs, heads, strict=True) if head.tone is tone)
    if tone is not Tone.GOOD:
        verdict = f"{worst.verdict.colour.value}: {plain(worst.verdict.reasons[0])}"
        lede += in_words(f" **{literal(name)} is {verdict}.**", worst.environment)
    slow = dict.fromkeys(text for _, run in runs if (text := quick_start_text(run.environment)))
    lede = " ".join([lede, *slow])
    figures = tuple(
        KeyFigure(
            f"p99 latency, {name}",
            p99,
            ValueKind.DURATION,
            note=f"{run.throughput():,.0f} calls/s; limited by: "
            f"{limit_words(run.bottleneck.by.value, run.environment, run.bottleneck.daemon)[0]}",
        )
        for (name, run), p99 in zip(runs, p99s, strict=True)
    )
    scales = dict.fromkeys(scale_text(run) for _, run in runs)
    title = (
        f"{len(runs)} plays against a {server_of(runs[0][1].environment)}: p99 {spread} at {speeds} calls/s"
    )
    return Head(title, lede, tone, figures[:_MOST_FIGURES], " · ".join(scales))


def _prediction(prediction: Prediction) -> Head:
    logical, sequences = prediction.row("logical"), prediction.sequence_share
    lede = (
        f"**{share_text(sequences)} of the nodes** made exactly the calls predicted, and {share_text(logical.share)} of "
        "the arguments of the job's own calls (all but periodic ones) had the value predicted."
    )
    figures = (
        KeyFigure("call sequences predicted", sequences, ValueKind.SHARE, aim=1.0),
        KeyFigure("arguments of the job's calls predicted", logical.share, ValueKind.SHARE, aim=0.99),
    )
    met = all(figure.met for figure in figures)
    title = f"Prediction against a real run: {share_text(sequences)} of the call sequences"
    return Head(title, lede, Tone.GOOD if met else Tone.WARNING, figures)


def _plan(plan: Plan) -> Head:
    refused = [refusal for refusal in plan.refusals if refusal.fatal]
    nodes = sum(plan.counts.values())
    calls = sum(
        plan.counts[t.name] * pace(t, plan.scale)[0]
        for t in plan.workload.node_types
        if t.name in plan.counts
    )
    seconds = expected_s(plan)
    obstacle = plan.obstacle
    lede = f"**It cannot be played:** {literal(obstacle)}" if obstacle else "**It can be played.**"
    tone = Tone.BAD if obstacle else Tone.WARNING if plan.refusals else Tone.GOOD
    figures = (
        KeyFigure("emulated nodes", nodes, unit="nodes"),
        KeyFigure("calls", round(calls), unit="calls", note="periodic ones not counted"),
        KeyFigure(
            "expected to take", seconds, ValueKind.DURATION, note="" if seconds else "until it is ended"
        ),
        KeyFigure("remarks and refusals", len(plan.refusals)),
    )
    title = f"Plan at {plan.scale}: {counted(nodes, 'node')}, {'cannot' if obstacle else 'can'} be played"
    reason = f"**Of the plan:** {literal((refused or plan.refusals)[0].what)}." if plan.refusals else ""
    return Head(title, lede, tone, figures, str(plan.scale), reason)


def _workload(workload: Workload) -> Head:
    left, fatal = open_by_cause(workload), [finding for finding in workload.findings if finding.fatal]
    calls = sum(1 for node_type in workload.node_types for _ in templates(node_type))
    lede = f"**{counted(len(workload.node_types), 'node type')}**, {counted(calls, 'call')} of the pattern; "
    lede += f"{counted(len(left), 'open question')}." if left else "no open question."
    if fatal:
        lede = f"**It cannot be extrapolated:** {literal(fatal[0].what)}. {lede}"
    elif workload.findings:
        lede = f"{lede} **To be kept in mind:** {finding_text(workload.findings[0])}."
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
    title = (
        f"Workload of {counted(len(workload.node_types), 'node type')}: {counted(len(left), 'open question')}"
    )
    subtitle = f"Mined from {'; '.join(scales)}" if scales else ""
    return Head(title, lede, tone, figures, subtitle, workload_reason(workload))


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
    subtitle = " · ".join(scale for scale in scales if scale)
    methods = len({call.method for _, trace in traces for call in trace.calls})
    title = f"{number.capitalize()}: {counted(calls, 'call')} of {counted(methods, 'method')}"
    reason = f"**Of the recordings:** {lost:,} messages lost, {len(partial)} not whole."
    return Head(title, lede, tone, figures, subtitle, reason)


def _audit(summary: AuditSummary) -> Head:
    report = audit_report(summary)
    return Head(report.title, report.lede, report.tone, report.figures)


def _of(parts: Sequence[tuple[str, Part]], kind: type[_Kind]) -> list[tuple[str, _Kind]]:
    return [(name, part) for name, part in parts if isinstance(part, kind)]
