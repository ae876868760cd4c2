"""Run times as columns of a program: as long as the longest path, no longer than a latency allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from froude.provision.search.optimise.contents import MANY, PENALTY, Excess
from froude.provision.search.optimise.highs import Limits, Program, solve
from froude.provision.search.optimise.scope import Scope, run_times

RunTime = tuple[int, float]
"""(column, seconds that its unit is)."""


def run_time_columns(
    program: Program,
    of: Scope,
    choice: Mapping[tuple[int, int], int],
    elastic: list[Excess] | None = None,
) -> list[RunTime]:
    """The run time of every task; one with a latency is counted in it, so that a row's tolerance is a part of it.

    Args:
        program: is added to.
        of: the choices that are open.
        choice: column per (dataset, choice).
        elastic: latencies may be exceeded at a penalty; filled with how to read it.
    """
    instance = of.instance
    columns: list[RunTime] = []
    for task in instance.tasks:
        bound = elastic is None and task.latency is not None
        column = program.column(f"{task.name}:run time", upper=1.0 if bound else MANY)
        columns.append((column, task.latency or 1.0))
        if elastic is not None and task.latency is not None:
            excess = program.column(f"over latency of {task.name}", cost=PENALTY, upper=MANY)
            program.row(f"latency of {task.name}", [(column, 1.0), (excess, -1.0)], upper=1.0)
            elastic.append(
                Excess(f"latency of task {task.name}", excess, 1.0, None, unit="seconds", scale=task.latency)
            )
    _paths(program, of, choice, columns)
    return columns


def _paths(
    program: Program, of: Scope, choice: Mapping[tuple[int, int], int], run_time: list[RunTime]
) -> None:
    for (column, seconds), need in zip(run_time, of.instance.tasks, strict=True):
        for path in need.paths:
            terms: dict[int, float] = {column: 1.0}
            for dataset, per_choice in path.io_s:
                for c in of.allowed[dataset]:
                    at = choice[dataset, c]
                    terms[at] = terms.get(at, 0.0) - per_choice[c] / seconds
            for called, often in path.calls:
                child, unit = run_time[called]
                terms[child] = terms.get(child, 0.0) - often * unit / seconds
            program.row(f"path of {need.name}", terms.items(), lower=path.constant_s / seconds)


def least_run_time(of: Scope, task: int) -> float:
    """The least run time of a task that any open choices reach, seconds; latencies of others are left aside.

    Args:
        of: the open choices.
        task: its number in the instance.
    """
    instance = of.instance
    free = replace(instance, tasks=tuple(replace(other, latency=None) for other in instance.tasks))
    program = Program()
    choice = {(d, c): program.column(f"{d}={c}", upper=1.0, integer=True) for d, c in of.pairs}
    for d, open_ in enumerate(of.allowed):
        program.row(f"choose {d}", [(choice[d, c], 1.0) for c in open_], lower=1.0, upper=1.0)
    run_time = run_time_columns(program, replace(of, instance=free), choice)
    program.add_cost(run_time[task][0], 1.0)
    outcome = solve(program, Limits(time_s=5.0))
    return outcome.objective if outcome.found else run_times(instance, of.allowed)[task]
