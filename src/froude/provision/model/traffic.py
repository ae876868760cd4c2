"""The traffic matrix: who sends how much to whom over the network at the SLA.

Which parts talk to each other, and which never do, is what a network is laid out by: a set of tasks that only
talks to storage needs bandwidth to the storage servers alone.

Source: scc 6.3 (network configuration).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from froude.provision.model.copies import PLAIN, Redundancy
from froude.provision.model.frame import owner
from froude.provision.model.rates import task_rates
from froude.provision.model.service import accesses
from froude.provision.types import Dataset, Dependency, Op, Problem


@dataclass(frozen=True, slots=True)
class Flow:
    """What one part sends to another."""

    source: str
    """Such as `task upload` or `dataset photos`."""
    target: str
    phase: str
    bytes_per_s: float


def traffic(problem: Problem, choices: Mapping[str, Sequence[str]] | None = None) -> tuple[Flow, ...]:
    """Flows that are not zero, largest first, as the application sees them.

    Reads flow from dataset to task, writes from task to dataset (with their parity, which the task makes), a
    call's bytes (both ways together) from caller to callee. Further replicas pass from host to host: from the
    dataset to itself. A dataset beside its own task needs no network; another task reaches it over the owner's.
    Caches are not told apart from what they cache.

    Args:
        choices: as in `Plan.choices`, to know what a service keeps, which sees to its own redundancy; None
            takes everything to be on servers.
    """
    rates = task_rates(problem.application, problem.sla)
    amounts: dict[tuple[str, str, str], float] = {}

    def add(source: str, target: str, phase: str, amount: float) -> None:
        amounts[source, target, phase] = amounts.get((source, target, phase), 0.0) + amount

    for dataset in problem.application.datasets:
        at, name = owner(problem, dataset), f"dataset {dataset.name}"
        redundancy = _redundancy(problem, dataset, choices or {})
        for access in accesses(problem.application, dataset, rates):
            if access.task.name == at:
                continue
            if access.io.op is Op.READ:
                add(name, f"task {access.task.name}", access.task.phase, access.logical_bytes)
            else:
                sent, passed_on = redundancy.sent, redundancy.passed_on
                add(f"task {access.task.name}", name, access.task.phase, access.logical_bytes * sent)
                add(name, name, access.task.phase, access.logical_bytes * passed_on)
    for task in problem.application.tasks:
        for op in task.operations:
            if isinstance(op, Dependency):
                calls = rates[task.name] * op.probability * op.num_invocations
                add(f"task {task.name}", f"task {op.task}", task.phase, calls * op.bytes)
    flows = (Flow(*key, amount) for key, amount in amounts.items() if amount > 0)
    return tuple(sorted(flows, key=lambda flow: -flow.bytes_per_s))


def _redundancy(problem: Problem, dataset: Dataset, choices: Mapping[str, Sequence[str]]) -> Redundancy:
    kept = choices.get(dataset.name)
    if kept and problem.catalog.unit(kept[0]).service:
        return PLAIN
    return Redundancy.of(dataset)
