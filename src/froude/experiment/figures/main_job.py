"""The report of the main job: the question, the answer in numbers, then everything it rests on."""

from __future__ import annotations

from froude.base.summary import share_text
from froude.base.units import seconds_text
from froude.emulation.run.verdict import Colour
from froude.experiment.figures.environment import limit_words, place_text
from froude.experiment.figures.knee import knee_answer, knee_section, knee_title
from froude.experiment.figures.prediction import prediction_section
from froude.experiment.figures.run import run_sections
from froude.experiment.figures.trace import traces_section
from froude.experiment.figures.workload import workload_reason, workload_section
from froude.experiment.knee.words import quick_start_text
from froude.experiment.main_job import MainJob
from froude.render import KeyFigure, Report, Tone, ValueKind


def main_job_report(done: MainJob) -> Report:
    """Compose the whole page."""
    logical = done.prediction.row("logical")
    latency = done.run.latency()
    exact = done.prediction.sequence_share == 1
    sequences = (
        "every call sequence"
        if exact
        else f"{share_text(done.prediction.sequence_share)} of the call sequences"
    )
    held_out, play = done.job.held_out, done.plan.scale
    environment, reason = done.run.environment, workload_reason(done.workload)
    answer = knee_answer(done.knee) if done.knee is not None else quick_start_text(environment)
    limited, why = limit_words(done.run.bottleneck.by.value, environment)
    chain = (
        f"From {len(done.train)} small runs Froude predicted one at **{held_out}**, which it had not seen: "
        f"{sequences} and {share_text(logical.share)} of the arguments of its calls were predicted, "
        f"heartbeats and other periodic ones apart. "
        f"It then played **{play}** against a NameNode: {done.run.answered():,} calls in {done.run.elapsed_s:.0f} s, "
        f"99 % of them answered within {seconds_text(latency.p99_ms / 1e3)}."
    )
    lede = "\n\n".join(part for part in (answer, f"{chain} {reason}".strip()) if part)
    closures = [recorded.closure for recorded in (*done.train, done.held_out)]
    traces = [recorded.trace for recorded in (*done.train, done.held_out)]
    release = f"Hadoop {traces[0].meta.release}"
    return Report(
        title="How far does this NameNode scale?" if done.knee is None else knee_title(done.knee),
        subtitle=f"{done.job.what} {place_text(environment) or release}, everything on this machine.",
        lede=lede,
        tone=_tone(done, exact=exact),
        figures=(
            KeyFigure("call sequences predicted", done.prediction.sequence_share, ValueKind.SHARE, aim=1.0),
            KeyFigure("arguments of the job's calls predicted", logical.share, ValueKind.SHARE, aim=0.99),
            KeyFigure(
                "calls answered",
                done.run.answered(),
                ValueKind.NUMBER,
                "calls",
                note=f"{done.run.throughput():,.0f} calls/s of {sum(done.run.nodes.values()):,} emulated nodes",
            ),
            KeyFigure(
                "p99 latency", latency.seconds("p99_ms"), ValueKind.DURATION, note=done.run.main_latency.value
            ),
            KeyFigure("the play was limited by", limited, ValueKind.TEXT, note=why),
        ),
        sections=(
            *([knee_section(done.knee)] if done.knee is not None else []),
            traces_section(traces, closures),
            workload_section(done.workload, play),
            prediction_section(done.prediction, str(held_out)),
            *run_sections(done.run),
        ),
        facts={
            "Job": done.job.name,
            "Workload": done.workload_path.name,
            "Cluster played against": done.run.target_id,
            "Seed": str(done.run.seed),
            "Recorded clusters": ", ".join(done.workload.recorded.source_ids),
        },
    )


def _tone(done: MainJob, *, exact: bool) -> Tone:
    """The run's verdict; no better than amber where the prediction misses an aim or the workload leaves something."""
    if done.run.verdict.colour is Colour.RED:
        return Tone.BAD
    good = exact and not workload_reason(done.workload) and done.run.verdict.colour is Colour.GREEN
    return Tone.GOOD if good else Tone.WARNING
