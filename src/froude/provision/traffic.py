"""The traffic matrix: who sends how much to whom over the network at the SLA.

Which parts talk to each other, and which never do, is what a network is laid out by: a set of tasks that only
talks to storage needs bandwidth to the storage servers alone.

Source: scc 6.3 (network configuration).
"""

from __future__ import annotations

from dataclasses import dataclass

from froude.provision.frame import owner
from froude.provision.rates import task_rates
from froude.provision.service import accesses
from froude.provision.types import Dependency, Op, Problem


@dataclass(frozen=True, slots=True)
class Flow:
    """What one part sends to another."""

    source: str
    """Such as `task upload` or `dataset photos`."""
    target: str
    phase: str
    bytes_per_s: float


def traffic(problem: Problem) -> tuple[Flow, ...]:
    """Flows that are not zero, largest first, as the application sees them: one copy of each record.

    Reads flow from dataset to task, writes from task to dataset, a call's bytes (both ways together) from
    caller to callee. A dataset beside its own task needs no network; another task reaches it over the owner's.
    """
    rates = task_rates(problem.application, problem.sla)
    amounts: dict[tuple[str, str, str], float] = {}
    for dataset in problem.application.datasets:
        at = owner(problem, dataset)
        for access in accesses(problem.application, dataset, rates):
            if access.task.name != at:
                ends = (f"dataset {dataset.name}", f"task {access.task.name}")
                ends = ends if access.io.op is Op.READ else ends[::-1]
                key = (*ends, access.task.phase)
                amounts[key] = amounts.get(key, 0.0) + access.logical_bytes
    for task in problem.application.tasks:
        for op in task.operations:
            if isinstance(op, Dependency) and op.bytes:
                key = (f"task {task.name}", f"task {op.task}", task.phase)
                calls = rates[task.name] * op.probability * op.num_invocations
                amounts[key] = amounts.get(key, 0.0) + calls * op.bytes
    flows = (Flow(*key, amount) for key, amount in amounts.items() if amount > 0)
    return tuple(sorted(flows, key=lambda flow: -flow.bytes_per_s))
