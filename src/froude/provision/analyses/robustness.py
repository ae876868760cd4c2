"""Over which range of an input the architecture of the optimum stays (paper: "robust", Table 3 (a)).

Source: scc 5.4, Table 3 (a): the same storage types per dataset, whatever their counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from froude.base.errors import InputError
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.provision.analyses.edges import Edge, Walk
from froude.provision.analyses.inputs import Input
from froude.provision.search.architecture import Architecture, architecture_of
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan


@dataclass(frozen=True, slots=True)
class Range:
    """One input and the edges of the architecture along it."""

    input: Input
    low: Edge
    high: Edge


@dataclass(frozen=True, slots=True)
class Robustness:
    """The optimum, and how far each input may move before it is built of other things."""

    plan: ProvisionPlan
    architecture: Architecture | None
    """None when no cluster meets the SLA; then there are no ranges."""
    ranges: tuple[Range, ...] = ()


def robustness(
    problem: Problem,
    inputs: Sequence[Input],
    limits: SolveLimits,
    *,
    span: float = 10.0,
    tolerance: float = 1e-3,
    workers: Workers = 1,
) -> Robustness:
    """The range of each input, all others as they are.

    Args:
        problem: the inputs.
        inputs: which to move; none of them 0, since ranges are looked for in ratio.
        limits: of each solve; about 60 an input. A gap far below 1 % tells neighbours apart.
        span: farthest factor up and down that is looked at, above 1.
        tolerance: relative width at which an edge is known well enough.
        workers: see `froude.base.parallel`; inputs go apart.

    Raises:
        InputError: an input is 0.
    """
    for entry in inputs:
        if not entry.value:
            raise InputError("is 0, and has no range in ratio", place="--input", found=entry.path)
    plan = compile_plan(problem, limits)
    held = architecture_of(plan)
    if held is None:
        return Robustness(plan, None)
    walks = [
        Walk(partial(entry.set, problem), held, entry.value, limits, tolerance, entry.whole)
        for entry in inputs
    ]
    sides = [(walk, factor) for walk in walks for factor in (1 / span, span)]
    edges = parallel_map(_side, sides, workers)
    pairs = zip(inputs, edges[::2], edges[1::2], strict=True)
    return Robustness(plan, held, tuple(Range(entry, low, high) for entry, low, high in pairs))


def _side(side: tuple[Walk, float]) -> Edge:
    walk, factor = side
    limit = walk.start * factor
    return walk.edge(max(1, round(limit)) if walk.whole else limit)
