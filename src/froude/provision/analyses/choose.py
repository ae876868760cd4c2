"""Other clusters than the cheapest: what a forced choice costs and why."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from froude.provision.analyses.vary import EQUAL
from froude.provision.check.bill import bill
from froude.provision.search.architecture import (
    Names,
    architecture_of,
)
from froude.provision.search.compile import Only, compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan

_CENT = 0.01
_ROUGH = 0.05
"""Gap of a first look."""


def affordable(problem: Problem, only: Only, limits: SolveLimits, most: float) -> ProvisionPlan | None:
    """A cluster of some choices for an amount; None where there is none, or a rough look shows that it costs more.

    The first cluster found for that amount is good enough; without an amount it is the cheapest.

    Args:
        most: dollars.
    """
    if math.isfinite(most):
        rough = compile_plan(problem, replace(limits, gap=max(limits.gap, _ROUGH)), only=only)
        if rough.lower > most * (1 + EQUAL) or not rough.found:
            return None
        if rough.upper <= most or rough.gap <= limits.gap:
            return rough
    plan = compile_plan(problem, limits, only=only)
    return plan if plan.found else None


@dataclass(frozen=True, slots=True)
class Difference:
    """A line of the bill that differs."""

    item: str
    kind: str
    before: int
    """Pieces in the cheapest plan."""
    after: int
    dollars: float
    """More, or less where negative."""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What a choice of one dataset would cost."""

    dataset: str
    choice: Names
    plan: ProvisionPlan
    """The cheapest cluster with it; infeasible ones name the constraints in conflict."""
    extra: float | None
    """Dollars more than the cheapest cluster found; None without a cluster."""
    least: float | None
    """It costs at least so much more than the cheapest cluster, by the bounds."""
    most: float | None
    """It costs at most so much more."""
    difference: tuple[Difference, ...]
    """Lines of the bill that differ, the dearest first."""
    changes: tuple[str, ...]
    """What else is stored otherwise then."""


def why_not(
    problem: Problem, best: ProvisionPlan, dataset: str, limits: SolveLimits, choice: Names
) -> WhyNot:
    """The cheapest cluster with a choice forced, beside the cheapest one."""
    plan = compile_plan(problem, limits, only={dataset: [choice]})
    before, after = architecture_of(best), architecture_of(plan)
    if before is None or after is None:
        return WhyNot(dataset, choice, plan, None, None, None, (), ())
    # the forced choice is a part of all: the difference is never below 0
    least, most = max(0.0, plan.lower - best.upper), max(0.0, plan.upper - best.lower)
    others = tuple(change for change in before.changes(after) if not change.startswith(f"{dataset}: "))
    extra = plan.upper - best.upper
    return WhyNot(dataset, choice, plan, extra, least, most, bill_difference(problem, best, plan), others)


def bill_difference(problem: Problem, before: ProvisionPlan, after: ProvisionPlan) -> tuple[Difference, ...]:
    """The difference of two bills, the largest amounts first.

    Returns:
        Lines that differ by half a cent or more; dollars are positive where `after` is dearer.
    """
    bills = [{(line.kind, line.item): line for line in bill(problem, plan)} for plan in (before, after)]
    differences = []
    for kind, item in dict.fromkeys([*bills[0], *bills[1]]):
        old, new = (lines.get((kind, item)) for lines in bills)
        dollars = (new.total if new else 0.0) - (old.total if old else 0.0)
        if abs(dollars) > _CENT / 2:
            counts = (old.quantity if old else 0, new.quantity if new else 0)
            differences.append(Difference(item, kind, *counts, dollars))
    return tuple(sorted(differences, key=lambda difference: -abs(difference.dollars)))
