"""A duet as a comparison: what decides, and what explains it, with the figures that both targets gave of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from froude.base.summary import counted
from froude.emulation.run.bottleneck import Measured
from froude.emulation.run.run import Run
from froude.emulation.steadiness import thread_share
from froude.experiment.compare.comparable import Chosen, Sample, environments
from froude.experiment.compare.compare import Comparison, Outcome, Row, Together
from froude.experiment.compare.measures import EXPLAINING, Measure, RunMeasure, Sort
from froude.experiment.duet.duet import Duet
from froude.experiment.duet.slices import Batch, batches_of
from froude.experiment.duet.verdict import BATCHES, SERVICE_TIME, explained, methods_of, ratio
from froude.experiment.scenario.options import DuetOptions
from froude.hadoop.metrics.threads import COLLECTOR, COMPILER

_SHARES = tuple(
    RunMeasure(
        name,
        f"share of the target's CPU time that its {name} used",
        "share",
        Sort.RESOURCE,
        lambda run, threads=threads: thread_share(run.metrics, threads),  # type: ignore[misc]
    )
    for name, threads in (("JIT compiler", COMPILER), ("garbage collector", COLLECTOR))
)


def comparison_of(found: Duet, options: DuetOptions) -> Comparison:
    """What is known of the candidate, by the last look.

    Args:
        options: of the duet.
    """
    last = found.looks[-1] if found.looks else None
    failed = tuple(run.failure is not None for run in found.runs)
    outcome = Outcome.OPEN if last is None else last.outcome
    if any(failed):
        outcome = Outcome.OPEN if failed[0] else Outcome.WORSE
    margin, level = options.compare.margin, options.compare.level
    batches = [] if last is None else batches_of(found.slices, min(BATCHES * last.number, len(found.slices)))
    names = [
        str(run.folder) if run.folder is not None else arm
        for arm, run in zip(("baseline", "candidate"), found.runs, strict=True)
    ]
    samples = [(Sample(name, run),) for name, run in zip(names, found.runs, strict=True)]
    chosen = Chosen(samples[0], samples[1], {}, interleaved=True)
    rows: list[Row] = []
    # Without a ratio there is no answer, unless errors give it; and none of a baseline that failed.
    if last is not None and not failed[0] and (last.clear or len(last.rows) > 1):
        rows = [*last.rows, *_explaining(found, batches, margin, level)]
    return Comparison(
        outcome,
        tuple(rows),
        (names[0],),
        (names[1],),
        failed=(int(failed[0]), int(failed[1])),
        remarks=tuple(_remarks(found)),
        differences=tuple(environments(chosen)),
        primary=SERVICE_TIME,
        margin=margin,
        level=level,
        paired=True,
        together=Together(
            found.slices[-1].to_s - found.slices[0].from_s if found.slices else 0.0,
            batches[0].slices[-1].to_s - batches[0].slices[0].from_s if batches else 0.0,
            found.warm_up_s,
            options.compare.time_limit_s,
            len(found.looks),
            found.interrupted,
        ),
    )


def _explaining(found: Duet, batches: list[Batch], margin: float, level: float) -> Iterator[Row]:
    """What explains, at the level as a family: each at an equal part of it."""
    values: dict[Measure, list[tuple[float, float] | None]] = {}
    for batch in batches:
        parts = [_part(run, batch, begun_s) for run, begun_s in zip(found.runs, found.begun_s, strict=True)]
        for measure in (*EXPLAINING, *_SHARES):
            first, second = (measure.of(part) for part in parts)
            known = None if first is None or second is None else (first, second)
            values.setdefault(measure, []).append(known)
    level /= len(values) + len(methods_of(batches)) + 1
    yield from explained(batches, level, margin)
    rows = (ratio(measure, pairs, level, margin) for measure, pairs in values.items())
    yield from (row for row in rows if row is not None)


def _part(run: Run, batch: Batch, begun_s: float) -> Run:
    """A run with the metrics of one batch.

    Args:
        begun_s: when it began, on the clock of the batch.
    """
    from_s, to_s = (each - begun_s for each in (batch.slices[0].from_s, batch.slices[-1].to_s))
    inside: list[Measured] = [each for each in run.metrics if from_s <= each.time_s <= to_s]
    return replace(run, metrics=inside, gc=None)


def _remarks(found: Duet) -> Iterator[str]:
    cold = [arm for arm, steady in zip(("baseline", "candidate"), found.steady, strict=True) if not steady]
    if cold and found.slices:
        yield (
            f"Still not steady after a warm-up of {found.warm_up_s:.0f} s: {' and '.join(cold)}; compilers of the JVM "
            "may have been at work while it was measured"
        )
    for arm, run in zip(("baseline", "candidate"), found.runs, strict=True):
        if run.failure is not None:
            yield f"The {arm} failed: {run.failure}"
        errors = run.failed.total()
        if errors:
            yield f"{counted(errors, 'call')} of the {arm} failed"
    if found.interrupted:
        yield "Interrupted: the verdict is of what was measured until then"
