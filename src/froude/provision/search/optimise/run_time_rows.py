"""Run times as variables of a program: as long as the longest path, no longer than a latency allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from froude.provision.search.optimise.highs import Program, SolverOptions, solve
from froude.provision.search.optimise.server_rows import PENALTY, Excess
from froude.provision.search.optimise.subproblem import Subproblem

_LEAST_S = 1e-300
"""Seconds that no run time is below, but none at all."""
RunTime = tuple[int, float]
"""(variable, seconds that its unit is)."""


def run_time_variables(
    program: Program,
    sub: Subproblem,
    choice: Mapping[tuple[int, int], int],
    elastic: list[Excess] | None = None,
) -> list[RunTime]:
    """The run time of every task, counted in its latency or about its longest: a row's tolerance is a part of it.

    Args:
        choice: variable per (dataset, choice).
        elastic: latencies may be exceeded at a penalty; filled with how to read it.
    """
    instance = sub.instance
    variables: list[RunTime] = []
    longest = instance.run_times_among(sub.allowed, max)
    for task, seconds in zip(instance.tasks, longest, strict=True):
        bound = elastic is None and task.latency is not None
        unit = task.latency or 2.0 ** math.ceil(math.log2(max(seconds, _LEAST_S)))
        most = 1.0 if bound else 2.0 * max(1.0, seconds / unit)
        variable = program.variable(f"{task.name}:run time", upper=most)
        variables.append((variable, unit))
        if elastic is not None and task.latency is not None:
            excess = program.variable(f"over latency of {task.name}", cost=PENALTY, upper=most)
            program.row(f"latency of {task.name}", [(variable, 1.0), (excess, -1.0)], upper=1.0)
            elastic.append(
                Excess(f"latency of task {task.name}", excess, 1.0, None, unit="seconds", scale=task.latency)
            )
    _paths(program, sub, choice, variables)
    return variables


def _paths(
    program: Program, sub: Subproblem, choice: Mapping[tuple[int, int], int], run_time: list[RunTime]
) -> None:
    for (variable, seconds), need in zip(run_time, sub.instance.tasks, strict=True):
        for path in need.paths:
            terms: dict[int, float] = {variable: 1.0}
            for dataset, per_choice in path.io_s:
                for c in sub.allowed[dataset]:
                    at = choice[dataset, c]
                    terms[at] = terms.get(at, 0.0) - per_choice[c] / seconds
            for called, often in path.calls:
                child, unit = run_time[called]
                terms[child] = terms.get(child, 0.0) - often * unit / seconds
            program.row(f"path of {need.name}", terms.items(), lower=path.constant_s / seconds)


def least_run_time(sub: Subproblem, task: int) -> float:
    """The least run time of a task that any open choices reach, seconds; latencies of others are left aside."""
    instance = sub.instance
    free = replace(instance, tasks=tuple(replace(other, latency=None) for other in instance.tasks))
    program = Program()
    choice = {(d, c): program.variable(f"{d}={c}", upper=1.0, integer=True) for d, c in sub.pairs}
    for d, open_ in enumerate(sub.allowed):
        program.row(f"choose {d}", [(choice[d, c], 1.0) for c in open_], lower=1.0, upper=1.0)
    run_time = run_time_variables(program, replace(sub, instance=free), choice)
    variable, unit = run_time[task]
    program.add_cost(variable, 1.0)
    outcome = solve(program, SolverOptions(time_s=5.0))
    return outcome.objective * unit if outcome.found else instance.run_times_among(sub.allowed)[task]
