"""A duet as a comparison: what decides, and what explains it, with the figures that both targets gave of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from froude.base.summary import counted
from froude.documents.model import Model
from froude.emulation.run.bottleneck import LimitedBy, Measured
from froude.emulation.run.run import Run
from froude.emulation.steadiness import thread_share
from froude.experiment.compare.comparable import ARMS, Chosen, Sample, environments
from froude.experiment.compare.compare import Comparison, Outcome, Row, Together
from froude.experiment.compare.measures import CPU_PER_CALL, EXPLAINING, Measure, RunMeasure, Sort
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


def comparison_of(
    found: Duet, options: DuetOptions, targets: tuple[Model, Model] | None = None
) -> Comparison:
    """What is known of the candidate, by the last look.

    Args:
        targets: what baseline and candidate were started by, to name in what they differ; None where that is not known.
    """
    last = found.looks[-1] if found.looks else None
    failed = [run.failure is not None for run in found.runs]
    limited = [run.bottleneck.by is LimitedBy.PLAYER for run in found.runs]
    outcome = Outcome.OPEN if last is None or failed[0] else last.outcome
    if failed[1] and not failed[0]:
        outcome = Outcome.WORSE
    if outcome is Outcome.SAME and any(limited):
        outcome = Outcome.OPEN
    outcome = _ended(outcome)
    margin, level = options.compare.margin, options.compare.level
    number = 0 if last is None else min(BATCHES * last.number, len(found.slices))
    batches = batches_of(found.slices, number) if number else []
    names = [str(run.folder or arm) for arm, run in zip(ARMS, found.runs, strict=True)]
    rows: list[Row] = []
    # Without a ratio there is no answer, unless errors give it; and none of a baseline that failed.
    if last is not None and not failed[0] and (last.clear or len(last.rows) > 1):
        every = (*last.rows, *_explaining(found, batches, margin, level))
        rows = [replace(row, outcome=_ended(row.outcome)) for row in every]
    return Comparison(
        outcome,
        tuple(rows),
        (names[0],),
        (names[1],),
        failed=(int(failed[0]), int(failed[1])),
        not_compared=_not_compared(rows, batches),
        remarks=tuple(_remarks(found, limited, targets)),
        differences=tuple(_differences(found, names, targets)),
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
            (0.0, 0.0) if last is None else last.silent_s,
        ),
    )


def _ended(outcome: Outcome) -> Outcome:
    """What is open at a look is undecided once no other follows."""
    return Outcome.UNDECIDED if outcome.open else outcome


def _not_compared(rows: list[Row], batches: list[Batch]) -> dict[str, str]:
    """Measures and methods that are missing among what was compared, and why."""
    known = {row.measure for row in rows}
    missing = {}
    for name in (SERVICE_TIME, CPU_PER_CALL, "throughput") if rows else ():
        if name not in known:
            missing[name] = "not known in every part of the time"
    for number, arm in enumerate(ARMS):
        alone = [name for batch in batches for each in batch.slices for name in each.missing[number]]
        for name in sorted(set(alone)):
            if f"service time({name})" not in known:
                missing[f"service time({name})"] = f"the {arm} answered it too rarely"
    return missing


def _differences(
    found: Duet, names: list[str], targets: tuple[Model, Model] | None
) -> Iterator[tuple[str, str, str]]:
    """What the arms ran on and were started by, where it differs."""
    samples = [(Sample(name, run),) for name, run in zip(names, found.runs, strict=True)]
    yield from environments(Chosen(samples[0], samples[1], {}, interleaved=True))
    first, second = ({}, {}) if targets is None else (each.plain() for each in targets)
    for name in dict.fromkeys([*first, *second]):
        values = [str(each.get(name, "default")) for each in (first, second)]
        if values[0] != values[1]:
            yield (name, values[0], values[1])


def _explaining(found: Duet, batches: list[Batch], margin: float, level: float) -> Iterator[Row]:
    """What explains, at the level as a family: each at an equal part of it."""
    values: dict[Measure, list[tuple[float, float] | None]] = {}
    for batch in batches:
        parts = [_part(run, batch, begun_s) for run, begun_s in zip(found.runs, found.begun_s, strict=True)]
        for measure in (*EXPLAINING, *_SHARES):
            first, second = (measure.of(part) for part in parts)
            known = None if first is None or second is None else (first, second)
            values.setdefault(measure, []).append(known)
    level /= len(values) + len(methods_of(batches))
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


def _remarks(found: Duet, limited: list[bool], targets: tuple[Model, Model] | None) -> Iterator[str]:
    cold = [arm for arm, steady in zip(ARMS, found.steady, strict=True) if not steady]
    if cold and found.slices:
        yield (
            f"Still not steady after a warm-up of {found.warm_up_s:.0f} s: {' and '.join(cold)}; compilers of the JVM "
            "may have been at work while it was measured"
        )
    if targets is not None and targets[0] == targets[1]:
        yield "Baseline and candidate are started alike: what differs is what two equal daemons differ by"
    held_up = [arm for arm, each in zip(ARMS, limited, strict=True) if each]
    if held_up:
        yield (
            f"The player was the limit of the {' and of the '.join(held_up)}: its own delay is in service times, "
            "and may hide a difference; fewer clients show it"
        )
    for number, (arm, run) in enumerate(zip(ARMS, found.runs, strict=True)):
        if run.failure is not None:
            yield f"The {arm} failed: {run.failure}"
        errors = run.failed.total()
        if errors:
            yield f"{counted(errors, 'call')} of the {arm} failed"
        silent_s = 0.0 if not found.looks else found.looks[-1].silent_s[number]
        if silent_s and number == 0:
            yield f"The {arm} answered nothing for {silent_s:.0f} s in which the other did"
    if not found.slices:
        yield "Nothing was measured of both at the same time"
    if found.interrupted:
        yield "Interrupted: the verdict is of what was measured until then"
