"""What came of a sweep: what was measured in every run of every arm, and how each arm compares with the first.

Every arm is compared by itself, at its share of the chance of error, so that one false difference or more among all of
them is no likelier than was asked for. Arms of another load (faster, more DataNodes) are shown and not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from froude.base.errors import InputError
from froude.base.summary import Summarised, counted
from froude.emulation.run.run import Run
from froude.experiment.compare.comparable import LOAD, Sample, unusable
from froude.experiment.compare.compare import Comparison, Outcome, compare
from froude.experiment.compare.finding import Found, Shown, found_in
from froude.experiment.compare.measures import RunMeasure, Sort, measures_of
from froude.experiment.scenario.scenario import SweepScenario
from froude.experiment.sweep.sweep import Arm


@dataclass(frozen=True, slots=True)
class Measured:
    """Something that runs of a sweep have a value of."""

    name: str
    """Such as `p99`; of all calls together."""
    what: str
    unit: str
    """`s`, `calls/s` or `share`."""
    sort: Sort


@dataclass(frozen=True, slots=True)
class SweptRun:
    """One run of an arm."""

    name: str
    values: Mapping[str, float | None]
    """By measure; None where nobody knows it."""
    limited_by: str
    """Who had nothing left."""
    left_out: str = ""
    """Why it does not count; empty where it does."""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class SweptArm:
    """One combination of values, with its runs."""

    name: str
    """Of its folder, such as `heap=1GB`."""
    values: Mapping[str, Any]
    """By the field that is varied."""
    runs: tuple[SweptRun, ...]
    """In the order of their rounds."""
    comparison: Comparison | None = None
    """With the first arm; None of the first, and of one that cannot be compared."""
    not_compared: str = ""
    other_load: bool = False
    """Whether that is because its load is another one, which may be what is varied."""

    def counting(self, measure: str) -> list[float]:
        """The values of a measure in the runs that count."""
        values = (run.values.get(measure) for run in self.runs if not run.left_out)
        return [value for value in values if value is not None]


@dataclass(frozen=True, slots=True, repr=False)
class Swept(Summarised):
    """What came of a sweep."""

    arms: tuple[SweptArm, ...]
    """The first is what the others are compared with."""
    measures: tuple[Measured, ...]
    """Those of which a run has a value: what decides first, then what explains."""
    varied: tuple[str, ...]
    """The fields by which arms differ."""
    repeats: int
    latency: str
    """What latencies count from."""
    kept: int = 0
    """Runs that were there already."""
    interrupted: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    """What all runs had in common."""
    found: Found | None = None
    """What became of the finding that it is to show."""

    @property
    def made(self) -> int:
        """Runs, of all arms."""
        return sum(len(arm.runs) for arm in self.arms)

    @property
    def compared(self) -> tuple[tuple[SweptArm, Comparison], ...]:
        """The arms that were compared with the first."""
        return tuple((arm, arm.comparison) for arm in self.arms if arm.comparison is not None)

    @property
    def worse(self) -> tuple[SweptArm, ...]:
        """The arms that are worse than the first."""
        return tuple(arm for arm, found in self.compared if found.outcome is Outcome.WORSE)

    @property
    def undecided(self) -> tuple[SweptArm, ...]:
        """The arms that were not compared for another reason than their load."""
        return tuple(arm for arm in self.arms if arm.not_compared and not arm.other_load)

    @property
    def reproduced(self) -> bool:
        """Whether it showed the finding that it was to show, if any."""
        return self.found is None or self.found.shown is Shown.REPRODUCED

    @property
    def answer(self) -> str:
        """The verdict on each arm, in a sentence."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.interrupted:
            yield f"Interrupted after {counted(self.made, 'run')}: nothing was compared."
            return
        if self.found is not None:
            yield self.found.text
        first = self.arms[0].name
        for arm, comparison in self.compared:
            yield f"{arm.name} beside {first}: {comparison.answer}"
        for why in dict.fromkeys(arm.not_compared for arm in self.arms if arm.not_compared):
            names = ", ".join(arm.name for arm in self.arms if arm.not_compared == why)
            yield f"Not compared with {first}: {names}: {why}."
        if len(self.arms) == 1:
            yield f"One arm, {first}: there is nothing to compare it with."

    def summary(self) -> Mapping[str, str]:
        """The answer first."""
        return {"answer": self.answer, "arms": str(len(self.arms)), "runs": str(self.made)}


def outcome_of(
    sweep: SweepScenario,
    arms: Sequence[Arm],
    runs: Mapping[str, Sequence[Sample]],
    *,
    kept: int,
    interrupted: bool,
) -> Swept:
    """What came of a sweep.

    Args:
        runs: by arm.
        kept: how many were there already.
    """
    every = [each.run for arm in arms for each in runs[arm.name]]
    measures = _measures(every)
    limited = sweep.compare.limited
    found = []
    for arm in arms:
        made = tuple(_swept_run(each, measures, limited=limited) for each in runs[arm.name])
        swept = SweptArm(arm.name, arm.values, made)
        if arm is not arms[0] and not interrupted:
            swept = _compared(swept, sweep, runs[arms[0].name], runs[arm.name], len(arms) - 1)
        found.append(swept)
    common = {
        name: text
        for name, text in (every[0].environment if every else {}).items()
        if all(run.environment.get(name) == text for run in every)
    }
    finding, ends = sweep.finding, [[each.run for each in runs[arm.name]] for arm in (arms[0], arms[-1])]
    return Swept(
        tuple(found),
        tuple(Measured(each.name, each.what, each.unit, each.sort) for each in measures),
        sweep.varied,
        sweep.repeats,
        " or ".join(sorted({run.main_latency.value for run in every})),
        kept,
        interrupted,
        common,
        found_in(finding.claim, finding.limits, *ends, limited=limited)
        if finding.claim and not interrupted
        else None,
    )


def _compared(
    arm: SweptArm, sweep: SweepScenario, first: Sequence[Sample], runs: Sequence[Sample], others: int
) -> SweptArm:
    asked = sweep.compare
    if not first or not runs:
        return replace(
            arm, not_compared=f"there is no run of {'its arm' if first else 'the first arm'} to compare"
        )
    try:
        found = compare(
            baseline=first,
            candidate=runs,
            margin=asked.margin,
            level=asked.level / others,
            primary=asked.primary,
            limited=asked.limited,
        )
    except InputError as error:
        if error.place in LOAD:
            return replace(arm, not_compared=f"another load, by its {error.place}", other_load=True)
        return replace(arm, not_compared=str(error))
    return replace(arm, comparison=found)


def _measures(runs: Sequence[Run]) -> list[RunMeasure]:
    """Those of all calls together of which some run has a value."""
    if not runs:
        return []
    return [
        each
        for each in measures_of(runs)
        if not each.name.endswith(")") and any(each.of(run) is not None for run in runs)
    ]


def _swept_run(sample: Sample, measures: Sequence[RunMeasure], *, limited: bool) -> SweptRun:
    run = sample.run
    return SweptRun(
        sample.name,
        {each.name: each.of(run) for each in measures},
        run.bottleneck.by.value,
        unusable(run, limited=limited),
        run.failure is not None,
    )
