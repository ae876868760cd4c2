"""How often each task runs, over the graph of calls; and how the time of a batch job sets its rates.

F_t = (rate from outside) + sum over callers t' of F_t' * probability * invocations. A graph with cycles is
solved as a linear system and refused when a call causes, on average, one call of itself or more.

Source: scc 3.3.1; spec: rates over the task graph.
"""

from __future__ import annotations

import numpy as np

from froude.provision.types import Application, Batch, Dependency, Sla

_LARGEST_GAIN = 1 - 1e-9


class RunawayError(ValueError):
    """The task graph calls itself so often that no rate is finite."""


def gain(application: Application) -> float:
    """How many calls of itself a round of calls causes (spectral radius); below 1 for a sound application."""
    graph = _calls(application)
    return float(np.max(np.abs(np.linalg.eigvals(graph)))) if len(graph) else 0.0


def task_rates(application: Application, sla: Sla) -> dict[str, float]:
    """Executions per second of every task.

    Args:
        sla: rates from outside; a batch job's rates come from its split of the time.

    Raises:
        RunawayError: a loop of calls has a gain of 1 or more.
    """
    loop = gain(application)
    if loop >= _LARGEST_GAIN:
        raise RunawayError(f"a loop of calls has gain {loop:g}")
    index = {task.name: number for number, task in enumerate(application.tasks)}
    outside = np.zeros(len(index))
    for target in sla.targets:
        outside[index[target.task]] += target.rate
    if sla.batch is not None:
        for name, rate in _batch_rates(application, sla.batch).items():
            outside[index[name]] += rate
    rates = np.linalg.solve(np.eye(len(index)) - _calls(application).T, outside) if index else outside
    return {name: max(0.0, float(rates[number])) for name, number in index.items()}


def _calls(application: Application) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """A[t', t]: calls of t per execution of t'."""
    index = {task.name: number for number, task in enumerate(application.tasks)}
    graph = np.zeros((len(index), len(index)))
    for task in application.tasks:
        for op in task.operations:
            if isinstance(op, Dependency):
                graph[index[task.name], index[op.task]] += op.probability * op.num_invocations
    return graph


def _batch_rates(application: Application, batch: Batch) -> dict[str, float]:
    """Executions of each task over the seconds of its phase."""
    seconds = phase_seconds(application, batch)
    return {
        t.task: t.executions / seconds[application.task(t.task).phase] for t in batch.targets if t.executions
    }


def phase_seconds(application: Application, batch: Batch) -> dict[str, float]:
    """Seconds of each phase; without a split, a single phase has all the time.

    Raises:
        KeyError: a phase with work has no share of the time.
    """
    worked = list(dict.fromkeys(application.task(t.task).phase for t in batch.targets))
    if not batch.split and len(worked) == 1:
        return {worked[0]: batch.time}
    return {phase: batch.split[phase] * batch.time for phase in worked}
