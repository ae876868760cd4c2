"""What came of sweeps, as values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from froude.experiment.compare.comparable import Sample
from froude.experiment.scenario.options import PlanLoad
from froude.experiment.scenario.scenario import Comparing, Finding, PlayScenario, SweepScenario
from froude.experiment.sweep.result import Swept, outcome_of
from froude.experiment.sweep.sweep import arms_of
from tests.support.experiment.comparisons import run


def swept(
    *factors: float,
    runs: int = 4,
    loads: Any = None,
    interrupted: bool = False,
    finding: Finding | None = None,
    **changes: Any,
) -> Swept:
    """Of a heap, whose arms are slower by these factors.

    Args:
        factors: one of each arm.
        runs: of each arm.
        loads: speeds of the arms, where they differ.
        interrupted: whether it was.
        finding: what it is to show.
        changes: fields of every run.
    """
    scenario = SweepScenario(
        base=Path("x/base.yaml"),
        vary={"target.heap": tuple(f"{2**at} GB" for at in range(len(factors)))},
        repeats=max(1, runs),
        compare=Comparing(level=0.05),
        finding=finding or Finding(),
    )
    arms = arms_of(scenario, PlayScenario(load=PlanLoad(plan=Path("x/plan"))))
    samples = {
        arm.name: [
            Sample(
                f"{arm.name}/{number}",
                run(
                    number * len(arms) + at,
                    factors[at],
                    spread=0.02,
                    **({} if loads is None else {"speed": loads[at]}),
                    **changes,
                ),
            )
            for number in range(runs)
        ]
        for at, arm in enumerate(arms)
    }
    return outcome_of(scenario, arms, samples, kept=0, interrupted=interrupted)
