"""Inputs known by a range only: optima of samples, and the plan that is regretted least.

Samples are a Latin hypercube, so that few of them cover each range evenly. The optimum of each sample is compiled;
each distinct architecture offers a few of its plans, cheap to dear, as candidates. A candidate is a fixed cluster:
at a sample that it does not sustain it fails, at others its regret is what it costs more than the sample's optimum.

Source: McKay, Beckman and Conover (1979) for the sampling; least regret after Savage (1951).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from froude.base.errors import MissingError
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.base.progress import Progress, Silent, counting
from froude.base.summary import counted
from froude.provision.analyses.inputs import Input
from froude.provision.check.evaluate import meets
from froude.provision.model.growth import grown
from froude.provision.search.architecture import Architecture, architecture_of, cost_at
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.search.split import decided, undecided
from froude.provision.types import Problem
from froude.provision.types.plan import Group, ProvisionPlan, Status

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_OFFERED = (0.5, 0.8, 0.9, 0.95, 1.0)
"""Of the plans of an architecture, by cost: which become candidates."""
_ROUNDING = 1e-9
"""Of a cost: two that differ by no more are the same."""


class Distribution(Protocol):
    """What is known of an input."""

    def at(self, share: float) -> float:
        """The value that a share of the draws lie below; share in (0, 1)."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """Anything between two values."""

    low: float
    high: float

    def at(self, share: float) -> float:
        """The quantile."""
        return self.low + share * (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Triangular:
    """Between two values, most likely a third."""

    low: float
    mode: float
    high: float

    def at(self, share: float) -> float:
        """The quantile."""
        width = self.high - self.low
        split = (self.mode - self.low) / width if width else 1.0
        if share < split:
            return float(self.low + (share * width * (self.mode - self.low)) ** 0.5)
        return float(self.high - ((1 - share) * width * (self.high - self.mode)) ** 0.5)


@dataclass(frozen=True, slots=True)
class Lognormal:
    """Known up to a factor: two of three draws lie within it."""

    median: float
    factor: float
    """Geometric standard deviation, above 1."""

    def at(self, share: float) -> float:
        """The quantile."""
        from statistics import NormalDist

        return float(self.median * self.factor ** NormalDist().inv_cdf(share))


@dataclass(frozen=True, slots=True)
class Sample:
    """One draw and its optimum."""

    values: tuple[float, ...]
    """Per input, in their order."""
    plan: ProvisionPlan

    @property
    def architecture(self) -> Architecture | None:
        """Of the optimum; None without a cluster."""
        return architecture_of(self.plan)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fixed cluster, judged by all samples."""

    plan: ProvisionPlan
    architecture: Architecture
    cost: float
    """Dollars at the inputs as they stand."""
    met: float
    """Share of the samples whose SLA it sustains, of those with any cluster."""
    mean_regret: float | None
    """Dollars more than the optimum, over the samples that it sustains; None when there are none."""
    worst_regret: float | None


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What the ranges do to the answer."""

    inputs: tuple[tuple[Input, Distribution], ...]
    samples: tuple[Sample, ...]
    candidates: tuple[Candidate, ...]
    """Those that sustain the most first, then by regret."""
    recommended: Candidate | None
    """The least regretted of those that sustain the share asked for; else the one that sustains the most."""
    wanted: float

    @property
    def costs(self) -> tuple[float, ...]:
        """Of the samples' optima, ascending."""
        return tuple(sorted(s.plan.upper for s in self.samples if s.plan.found))

    def quantile(self, share: float) -> float | None:
        """Cost of the optimum that a share of the samples stay below; None without any cluster."""
        costs = self.costs
        return costs[min(len(costs) - 1, int(share * len(costs)))] if costs else None

    @property
    def frequencies(self) -> Mapping[Architecture, int]:
        """How many samples have each architecture, the most frequent first."""
        counts: dict[Architecture, int] = {}
        for sample in self.samples:
            if sample.architecture is not None:
                counts[sample.architecture] = counts.get(sample.architecture, 0) + 1
        return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def uncertainty(
    problem: Problem,
    inputs: Sequence[tuple[Input, Distribution]],
    limits: SolveLimits,
    *,
    samples: int = 100,
    wanted: float = 0.95,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Uncertainty:
    """Sample the inputs, compile each sample, judge the candidates.

    Args:
        inputs: what is uncertain, and how; taken as independent.
        limits: of each solve; its seed draws the samples.
        samples: how many; each is one solve, and one small linear program per candidate.
        wanted: share of the samples that the recommended plan sustains.
        workers: see `froude.base.parallel`; samples go apart.

    Raises:
        MissingError: scipy is not installed.
        ValueError: an input may not have a drawn value.
    """
    draws = _draws(inputs, samples, limits.seed)
    problems = [_at(problem, inputs, values) for values in draws]
    shown = progress or Silent()
    with shown.task(f"compiling {samples} samples", samples) as task:
        plans = parallel_map(
            partial(compile_plan, limits=limits),
            problems,
            workers,
            counting(task, lambda plan: plan.in_brief),
        )
    drawn = tuple(Sample(values, plan) for values, plan in zip(draws, plans, strict=True))
    offered = _offered(drawn)
    if _decides(problem):
        # what a fixed cluster reaches depends on a split that its plan has decided
        problems = [decided(sampled, plan) for sampled, plan in zip(problems, plans, strict=True)]
    with shown.task(f"{counted(len(offered), 'cluster')} against {samples} samples", samples) as task:
        pairs = list(zip(problems, plans, strict=True))
        rows = parallel_map(partial(_judged, offered), pairs, workers, counting(task))
    judged = [_candidate(problem, plan, [row[n] for row in rows]) for n, plan in enumerate(offered)]
    judged.sort(key=lambda candidate: (-candidate.met, _regret(candidate)))
    return Uncertainty(tuple(inputs), drawn, tuple(judged), _recommended(judged, wanted), wanted)


def _decides(problem: Problem) -> bool:
    return undecided(problem) is not None


def _draws(inputs: Sequence[tuple[Input, Distribution]], samples: int, seed: int) -> list[tuple[float, ...]]:
    try:
        from scipy.stats import qmc
    except ImportError as error:
        remedy = "pip install 'froude[provision]'"
        raise MissingError("scipy is not installed", remedy=remedy) from error
    shares = qmc.LatinHypercube(len(inputs), rng=seed).random(samples)
    return [
        tuple(known.at(float(share)) for (_, known), share in zip(inputs, row, strict=True)) for row in shares
    ]


def _at(problem: Problem, inputs: Sequence[tuple[Input, Distribution]], values: Sequence[float]) -> Problem:
    for (entry, _), value in zip(inputs, values, strict=True):
        problem = entry.set(problem, value)
    return problem


def _offered(samples: Sequence[Sample]) -> list[ProvisionPlan]:
    """Plans of each architecture at a few quantiles of their cost; the dearest sustain the most."""
    by_architecture: dict[Architecture, list[ProvisionPlan]] = {}
    for sample in samples:
        if sample.architecture is not None:
            by_architecture.setdefault(sample.architecture, []).append(sample.plan)
    offered: list[ProvisionPlan] = []
    for plans in by_architecture.values():
        plans.sort(key=lambda plan: plan.upper)
        picked = [plans[min(len(plans) - 1, int(share * len(plans)))] for share in _OFFERED]
        # quantiles may meet in one cluster, whose groups a plan lists in any order
        seen = {frozenset(Counter(_hardware(plan)).items()): plan for plan in picked}
        offered += seen.values()
    return offered


def _hardware(plan: ProvisionPlan) -> tuple[Group, ...]:
    """What stands there, without the shares of the load, which are spread anew."""
    return tuple(
        replace(
            group,
            held=tuple(sorted((replace(held, share=0.0) for held in group.held), key=repr)),
            running=tuple(sorted((replace(running, share=0.0) for running in group.running), key=repr)),
        )
        for group in plan.groups
    )


def _judged(offered: Sequence[ProvisionPlan], sample: tuple[Problem, ProvisionPlan]) -> list[float | None]:
    """Regret of each candidate at a sample; None where it does not sustain it, or nothing does."""
    problem, best = sample
    regrets: list[float | None] = []
    for plan in offered:
        if best.status is Status.INFEASIBLE or not meets(grown(problem), plan):
            regrets.append(None)
        else:
            regret = cost_at(problem, plan) - best.upper
            regrets.append(regret if regret > _ROUNDING * best.upper else 0.0)
    return regrets


def _candidate(problem: Problem, plan: ProvisionPlan, regrets: Sequence[float | None]) -> Candidate:
    known = [regret for regret in regrets if regret is not None]
    architecture = architecture_of(plan)
    assert architecture is not None
    mean = sum(known) / len(known) if known else None
    share = len(known) / len(regrets)
    return Candidate(plan, architecture, cost_at(problem, plan), share, mean, max(known, default=None))


def _regret(candidate: Candidate) -> float:
    return float("inf") if candidate.mean_regret is None else candidate.mean_regret


def _recommended(judged: Sequence[Candidate], wanted: float) -> Candidate | None:
    enough = [candidate for candidate in judged if candidate.met >= wanted]
    return min(enough, key=_regret) if enough else next(iter(judged), None)
