"""Problems said in other units, by other names, in other orders: 646 plans that must be those of the originals.

python -m benchmarks.provision_variants
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from benchmarks.results import Row
from froude.provision.inputs.read import read_problem
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status
from testbed.problems import featured_problem, random_problem
from testbed.variants import contradiction, variants

GAP, SECONDS = 1e-4, 3.0
EXAMPLES = ("paper2012", "photoshare-calibrated", "photoshare-replicated", "productsearch", "terasort")
DRAWN, FEATURED = 24, 10
COMMAND = "python -m benchmarks.provision_variants"


def _problems() -> Iterator[tuple[str, Problem]]:
    for name in EXAMPLES[1:]:
        yield name, read_problem([name])
    for seed in range(DRAWN):
        yield f"random {seed}", random_problem(seed)
    for seed in range(FEATURED):
        yield f"featured {seed}", featured_problem(seed)


def _plan(problem: Problem) -> ProvisionPlan:
    return compile_plan(problem, SolveLimits(GAP, SECONDS))


def rows() -> list[Row]:
    """How many contradict their original, and how many were not proved in time."""
    begun, count, failures, status = time.monotonic(), 0, [], Counter[str]()
    for name, problem in _problems():
        plain = _plan(problem)
        for variant in variants(problem):
            count += 1
            try:
                other = _plan(variant.problem)
            except Exception as error:  # noqa: BLE001 - a failure of the variant is what is counted
                failures.append(f"{name}, {variant.name}: {type(error).__name__}: {error}")
                continue
            status[other.status.value] += 1
            said = contradiction(plain, other, variant.money, GAP)
            if said:
                failures.append(f"{name}, {variant.name}: {said}")
    took = f"{GAP:g} and {SECONDS:g} s a plan; {time.monotonic() - begun:.0f} s in all"
    seen = ", ".join(f"{n} {what}" for what, n in status.items())
    listed = "; ".join(failures[:5]) or "none"
    unproved = status[Status.GAP.value] + status[Status.UNDECIDED.value]
    said = f"time, data and money in 1e-6 to 1e6 of their units, renamed, shuffled, dearer parts: {listed}"
    return [
        Row(
            f"of {count} variants contradict their original",
            len(failures),
            "",
            "0",
            not failures,
            COMMAND,
            said,
        ),
        Row(f"of {count} variants are not proved", unproved, "", "", None, COMMAND, f"{seen}; gap {took}"),
    ]


if __name__ == "__main__":
    for row in rows():
        print(row.measure, row.value, row.conditions)
