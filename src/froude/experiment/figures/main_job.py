"""The report of the main job: the question, the answer in numbers, then everything it rests on."""

from __future__ import annotations

from froude.experiment.figures.head import milliseconds_text, run_tone
from froude.experiment.figures.prediction import prediction_section, share_text
from froude.experiment.figures.run import run_sections
from froude.experiment.figures.trace import traces_section
from froude.experiment.figures.workload import workload_section
from froude.experiment.main_job import MainJob
from froude.render import KeyFigure, Report, Tone, ValueKind


def main_job_report(done: MainJob) -> Report:
    """Compose the whole page."""
    logical = done.prediction.row("logical")
    answered = sum(n for _, n in done.run.counts.values())
    latency = done.run.latency()
    exact = done.prediction.sequence_share == 1
    sequences = (
        "every call sequence"
        if exact
        else f"{share_text(done.prediction.sequence_share)} of the call sequences"
    )
    held_out, play = done.job.held_out, done.plan.scale
    lede = (
        f"From {len(done.train)} small runs Froude predicted one at **{held_out}**, which it had not seen: "
        f"{sequences} and {share_text(logical.share)} of the arguments were predicted. "
        f"It then played **{play}** against a NameNode: {answered:,} calls in {done.run.elapsed_s:.0f} s, "
        f"99 % of them answered within {milliseconds_text(latency.p99_ms)}."
    )
    closures = [recorded.closure for recorded in (*done.train, done.held_out)]
    traces = [recorded.trace for recorded in (*done.train, done.held_out)]
    return Report(
        title="How far does this NameNode scale?",
        subtitle=f"{done.job.what} Hadoop {traces[0].meta.release}, everything on this machine.",
        lede=lede,
        tone=Tone.GOOD if exact and run_tone(done.run) is Tone.GOOD else Tone.WARNING,
        figures=(
            KeyFigure("call sequences predicted", done.prediction.sequence_share, ValueKind.SHARE, aim=1.0),
            KeyFigure("logical arguments predicted", logical.share, ValueKind.SHARE, aim=0.99),
            KeyFigure(
                "calls answered",
                answered,
                ValueKind.NUMBER,
                "calls",
                note=f"{done.run.throughput():,.0f} calls/s of {sum(done.run.nodes.values()):,} emulated nodes",
            ),
            KeyFigure(
                "p99 latency", latency.p99_ms / 1e3, ValueKind.DURATION, note=done.run.main_latency.value
            ),
            KeyFigure("limited by", done.run.bottleneck.limit.value, ValueKind.TEXT),
        ),
        sections=(
            traces_section(traces, closures),
            workload_section(done.workload, play),
            prediction_section(done.prediction, str(held_out)),
            *run_sections(done.run),
        ),
        facts={
            "Job": done.job.name,
            "Workload": done.workload_path.name,
            "Target": done.run.target_id,
            "Seed": str(done.run.seed),
            "Recorded clusters": ", ".join(done.workload.recorded.source_ids),
        },
    )
