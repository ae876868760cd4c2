"""Run times as variables of a program: those of the instance, in a unit that keeps tolerances small."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.provision.model.instance import Instance, Path
from froude.provision.search.optimise.highs import Program, SolverOptions, solve
from froude.provision.search.optimise.run_time_rows import least_run_time, run_time_variables
from froude.provision.search.optimise.server_rows import PENALTY, Excess
from froude.provision.search.optimise.subproblem import subproblem
from tests.support.provision.search.optimise.examples import featured
from tests.support.provision.search.optimise.hand import DATA, SERVE, every_choice, hand


def least(
    instance: Instance, choices: tuple[int, ...], task: int, elastic: list[Excess] | None = None
) -> tuple[float, float]:
    """(dollars, seconds) of the least run time of a task with these choices; infinite where a latency is missed."""
    sub, program = subproblem(instance), Program()
    choice = {pair: program.variable(str(pair), upper=1.0) for pair in sub.pairs}
    for (dataset, number), variable in choice.items():
        program.fix(variable, float(choices[dataset] == number))
    variables = run_time_variables(program, sub, choice, elastic)
    variable, seconds = variables[task]
    program.add_cost(variable, 1e-6)
    outcome = solve(program, SolverOptions(presolve=False))
    if not outcome.found:
        return math.inf, math.inf
    return outcome.objective, float(outcome.x[variable]) * seconds


@pytest.mark.parametrize("seed", range(6))
def test_variables_are_the_run_times_of_the_choices(seed: int) -> None:
    """The least that the rows leave is R, for every task and choice; none where a latency is missed."""
    instance = featured(seed)
    for choices in every_choice(instance)[::3]:
        times = instance.run_times(choices)
        late = any(
            task.latency is not None and time > task.latency * (1 + 1e-6)
            for task, time in zip(instance.tasks, times, strict=True)
        )
        for task, time in enumerate(times):
            assert least(instance, choices, task)[1] == (math.inf if late else pytest.approx(time))


def test_the_longest_path_counts_with_all_on_it() -> None:
    """0.1 s of compute, 0.05 or 0.01 s for data twice, and twice the 0.3 s of a task that is called."""
    other = replace(SERVE, name="other", paths=(Path(0.3), Path(0.2)))
    both = Path(0.1, ((0, (0.05, 0.01)), (0, (0.05, 0.01))), ((1, 2.0),))
    instance = hand(tasks=(replace(SERVE, paths=(Path(0.5), both)), other))
    assert least(instance, (0,), 0)[1] == pytest.approx(0.8)
    assert least(instance, (1,), 0)[1] == pytest.approx(0.72)
    assert least(instance, (1,), 1)[1] == pytest.approx(0.3)


def test_a_loop_of_calls_settles() -> None:
    """R = 0.15 + 0.5 R is 0.3 s, with or without a latency that is the unit."""
    loop = replace(SERVE, paths=(Path(0.1, ((0, (0.05, 0.01)),), ((0, 0.5),)),))
    for latency in (None, 0.31, 7.0):
        assert least(hand(tasks=(replace(loop, latency=latency),)), (0,), 0)[1] == pytest.approx(0.3)
    assert least(hand(tasks=(replace(loop, latency=0.29),)), (0,), 0)[1] == math.inf


def test_a_latency_is_the_unit_of_its_variable() -> None:
    """A row's tolerance is then a part of it; a called task's own unit is converted."""
    called = replace(SERVE, name="called", paths=(Path(0.3),), latency=0.5)
    caller = replace(SERVE, paths=(Path(0.1, (), ((1, 1.0),)),), latency=2.0)
    sub, program = subproblem(hand(tasks=(caller, called))), Program()
    choice = {pair: program.variable(str(pair), upper=1.0) for pair in sub.pairs}
    variables = run_time_variables(program, sub, choice)
    assert [seconds for _, seconds in variables] == [2.0, 0.5]
    upper = program.arrays().upper
    assert [upper[variable] for variable, _ in variables] == [1.0, 1.0]
    program.add_cost(variables[0][0], 1.0)
    assert solve(program).objective == pytest.approx(0.4 / 2.0)


def test_a_latency_may_be_exceeded_at_a_penalty() -> None:
    """0.15 s where 0.12 are allowed: a quarter too much, read in seconds."""
    instance = hand(tasks=(replace(SERVE, latency=0.12), replace(SERVE, name="free")))
    excesses: list[Excess] = []
    dollars, seconds = least(instance, (0,), 0, excesses)
    assert seconds == pytest.approx(0.15)
    assert dollars == pytest.approx(0.25 * PENALTY, rel=1e-6)
    assert [(e.constraint, e.capacity, e.count, e.unit, e.scale) for e in excesses] == [
        ("latency of task serve", 1.0, None, "seconds", 0.12)
    ]
    assert least(instance, (1,), 0, [])[0] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_the_least_run_time_is_that_of_the_best_choices(seed: int) -> None:
    """Of all choices, whatever latency some task has."""
    instance = featured(seed)
    times = [instance.run_times(choices) for choices in every_choice(instance)]
    for task in range(len(instance.tasks)):
        assert least_run_time(subproblem(instance), task) == pytest.approx(min(t[task] for t in times))


def test_the_least_run_time_weighs_paths_against_each_other() -> None:
    """One choice serves two paths: 0.09 + 0.01 s or 0.02 + 0.05 s is 0.09 at best, where each alone could take 0.07."""
    first = Path(0.02, ((0, (0.05, 0.07)),))
    second = Path(0.02, ((0, (0.09, 0.01)),))
    task = replace(SERVE, paths=(first, second), latency=0.03)
    sub = subproblem(hand(tasks=(task, replace(task, name="free", latency=None)), datasets=(DATA,)))
    assert least_run_time(sub, 0) == pytest.approx(0.09)
    assert least_run_time(sub, 1) == pytest.approx(0.09)
    closed = subproblem(sub.instance, [(0,)])
    assert least_run_time(closed, 0) == pytest.approx(0.11)
