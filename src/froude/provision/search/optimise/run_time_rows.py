"""Run times as variables of a program: as long as the longest path, no longer than a latency allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from froude.provision.search.optimise.highs import Program, SolverOptions, solve
from froude.provision.search.optimise.server_rows import MANY, PENALTY, Excess
from froude.provision.search.optimise.subproblem import Subproblem

RunTime = tuple[int, float]
"""(variable, seconds that its unit is)."""


def run_time_variables(
    program: Program,
    sub: Subproblem,
    choice: Mapping[tuple[int, int], int],
    elastic: list[Excess] | None = None,
) -> list[RunTime]:
    """The run time of every task; one with a latency is counted in it, so that a row's tolerance is a part of it.

    Args:
        program: is added to.
        sub: the choices that are open.
        choice: variable per (dataset, choice).
        elastic: latencies may be exceeded at a penalty; filled with how to read it.
    """
    instance = sub.instance
    variables: list[RunTime] = []
    for task in instance.tasks:
        bound = elastic is None and task.latency is not None
        variable = program.variable(f"{task.name}:run time", upper=1.0 if bound else MANY)
        variables.append((variable, task.latency or 1.0))
        if elastic is not None and task.latency is not None:
            excess = program.variable(f"over latency of {task.name}", cost=PENALTY, upper=MANY)
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
    """The least run time of a task that any open choices reach, seconds; latencies of others are left aside.

    Args:
        sub: the open choices.
        task: its number in the instance.
    """
    instance = sub.instance
    free = replace(instance, tasks=tuple(replace(other, latency=None) for other in instance.tasks))
    program = Program()
    choice = {(d, c): program.variable(f"{d}={c}", upper=1.0, integer=True) for d, c in sub.pairs}
    for d, open_ in enumerate(sub.allowed):
        program.row(f"choose {d}", [(choice[d, c], 1.0) for c in open_], lower=1.0, upper=1.0)
    run_time = run_time_variables(program, replace(sub, instance=free), choice)
    program.add_cost(run_time[task][0], 1.0)
    outcome = solve(program, SolverOptions(time_s=5.0))
    return outcome.objective if outcome.found else instance.run_times_among(sub.allowed)[task]
