"""The same scenario under every policy, with several seeds: what each gains, in pairs, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from froude.base import parallel
from froude.base.seeds import Seeds
from froude.base.statistics import mean_interval
from froude.cache.simulate.play import Outcome, play
from froude.cache.simulate.scenario import Scenario
from froude.cache.solve.policies import policy

BASE = "shared"
"""What others are compared with: the paper's baseline."""
LEVEL = 0.05
"""Chance that an interval leaves out the true mean."""

Figure = Callable[[Outcome], float]


@dataclass(frozen=True, slots=True)
class Gain:
    """By which part a figure is smaller than under the base, over the runs."""

    mean: float
    """0.2 is a fifth less; below 0 it is more."""
    interval: tuple[float, float] | None
    """The true mean is between these with a chance of 95 %; None of one run, which shows nothing of the spread."""


@dataclass(frozen=True, slots=True)
class _Task:
    scenario: Scenario
    policy: str
    seeds: Seeds
    run: int


def compare(
    scenario: Scenario,
    names: Sequence[str],
    seeds: Seeds,
    *,
    runs: int = 5,
    workers: parallel.Workers = 1,
    done: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Play a scenario under policies.

    Args:
        runs: how many, each with data and reads of its own, the same for every policy.
        done: called with each outcome as soon as it is known.

    Returns:
        By run, then by policy.
    """
    tasks = [_Task(scenario, name, seeds.child("run", run), run) for run in range(runs) for name in names]
    return parallel.map(_played, tasks, workers, done)


def means(outcomes: Sequence[Outcome], figure: Figure) -> dict[str, float]:
    """Mean of a figure over the runs, by policy."""
    names = dict.fromkeys(outcome.policy for outcome in outcomes)
    return {name: fmean(figure(each) for each in outcomes if each.policy == name) for name in names}


def gains(outcomes: Sequence[Outcome], figure: Figure, base: str = BASE) -> dict[str, Gain]:
    """What each other policy gains, run by run.

    Args:
        outcomes: of `compare`; without the base there is nothing to compare with.
        figure: of an outcome, above 0; less is better.
    """
    by_key = {(each.policy, each.run): figure(each) for each in outcomes}
    runs = sorted({run for name, run in by_key if name == base})
    found = {}
    for name in dict.fromkeys(each.policy for each in outcomes):
        parts = [1 - by_key[name, run] / by_key[base, run] for run in runs if by_key[base, run]]
        if name != base and parts:
            mean, low, high = mean_interval(parts, LEVEL, ratio=False)
            found[name] = Gain(mean, (low, high) if len(parts) > 1 else None)
    return found


def _played(task: _Task) -> Outcome:
    return play(task.scenario, policy(task.policy), task.seeds, task.run)
