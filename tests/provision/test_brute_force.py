"""Every cluster of one or two small servers that costs less than the compiled one fails to meet the SLA.

The clusters are enumerated from the inputs, without model or optimiser: contents in whole numbers, then
`evaluate`, which spreads the load as well as can be.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

pytest.importorskip("highspy")
pytest.importorskip("scipy")

from froude.provision.checker import cost_of
from froude.provision.compile import Effort, compile_plan
from froude.provision.evaluate import evaluate
from froude.provision.plan import Group, Held, LocalHeld, Plan, Running, Status
from froude.provision.types import (
    Application,
    Bus,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Io,
    Isolation,
    Op,
    Options,
    Persistence,
    Problem,
    Scope,
    Server,
    Sla,
    StorageUnit,
    Target,
    Task,
)

DISK = StorageUnit("disk", 100e9, "SAS", 100e6, 0.01, 100e6, 0.01, False, 200)
SSD = StorageUnit("ssd", 30e9, "SAS", 200e6, 0.001, 200e6, 0.001, False, 430)
DRAM = StorageUnit("dram", 1e9, "DIMM", 1e10, 0, 1e10, 0, True, 30)


def _problem(seed: int, *, local: bool) -> Problem:
    """One server type with two disk slots, three memory slots, two cores."""
    dice = random.Random(seed)
    server = Server("box", dice.choice([300, 900]), 2, 125e6, (Bus("SAS", 2, 1e9), Bus("DIMM", 3, 2e10)))
    size, rate = dice.choice([1.5e9, 20e9, 90e9]), dice.choice([20.0, 60.0, 110.0])
    dataset = Dataset(
        "d",
        size,
        Persistence.REQUIRED,
        not local,
        0.8e9 if not local and dice.random() < 0.5 else None,
        1.0 if local else dice.choice([1.0, 0.9]),
        scope=Scope.PARTITIONED if dice.random() < 0.5 else Scope.REPLICATED,
    )
    operations = (
        Compute(dice.choice([0.004, 0.012])),
        Io(Op.READ, "d", dice.choice([1, 2]), 50e3, blocking=dice.random() < 0.5),
        Io(Op.WRITE, "d", 1, 50e3, probability=0.2, blocking=dice.random() < 0.5),
    )
    application = Application((dataset,), (Task("t", "p", 400e6, operations),), dice.choice([0, 1]), 0.5e9)
    isolation = dice.choice(list(Isolation))
    catalog = Catalog((DISK, SSD, DRAM), (Cpu(100),), (server,))
    return Problem(catalog, application, Sla((Target("t", rate),)), Options(isolation))


def _choices(problem: Problem) -> list[tuple[str, ...]]:
    if not problem.application.datasets[0].remote:
        return [("disk",), ("ssd",)]
    return [("disk",), ("ssd",), ("disk", "ssd"), ("disk", "dram"), ("ssd", "dram")]


@dataclass(frozen=True)
class _Content:
    group: Group
    cost: float


def _contents(problem: Problem, chosen: tuple[str, ...]) -> list[_Content]:
    """Everything that one server can be filled with, empty ones apart."""
    found = []
    application = problem.application
    remote = application.datasets[0].remote
    ranges = [range(4 if name == "dram" else 3) for name in chosen]
    for *units, instances, cores in itertools.product(*ranges, range(5), range(3)):
        if not any(units) and not instances:
            continue
        hosts = remote and any(units)
        if hosts and instances and problem.options.isolation is Isolation.COMPUTE_STORAGE:
            continue
        disks = sum(n for n, name in zip(units, chosen, strict=True) if name != "dram")
        data = sum(n for n, name in zip(units, chosen, strict=True) if name == "dram")
        memory = 400e6 * instances + (application.host_memory if hosts else 0.0)
        dimms = -int(-memory // 1e9)
        if not remote and units[0] < instances:
            continue  # units beside an instance are its own; `evaluate` would let a user's share them
        if disks > 2 or data + dimms > 3 or cores < (application.host_cores if hosts else 0):
            continue
        held = tuple(
            Held("d", name, n, 0.0, bool(number))
            for number, (n, name) in enumerate(zip(units, chosen, strict=True))
            if n and remote
        )
        local = tuple(LocalHeld("d", chosen[0], n) for n in units if n and not remote)
        running = (Running("t", instances, 0.0),) if instances else ()
        group = Group("box", 1, held, local, running, cores, dimms)
        found.append(_Content(group, cost_of(problem, (group,))))
    return found


def _clusters(problem: Problem, below: float) -> Iterator[Plan]:
    """Clusters of one or two servers that cost less."""
    for chosen in _choices(problem):
        contents = sorted(_contents(problem, chosen), key=lambda one: one.cost)
        for one in contents:
            if one.cost < below:
                yield Plan(Status.GAP, (one.group,), {"d": chosen})
        for one, two in itertools.combinations_with_replacement(contents, 2):
            if one.cost + two.cost < below:
                yield Plan(Status.GAP, (one.group, two.group), {"d": chosen})


def _quick(problem: Problem, plan: Plan) -> bool:
    """Whether a cluster has at all what any needs: cores for the load and instances."""
    task = problem.application.tasks[0]
    host = problem.application.host_cores
    free = sum(g.cores - (host if g.held else 0) for g in plan.groups if g.running)
    seconds = sum(op.time for op in task.operations if isinstance(op, Compute))
    return free >= problem.sla.targets[0].rate * seconds * (1 - 1e-9)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("seed", range(24))
def test_nothing_cheaper_meets_the_sla(seed: int, local: bool) -> None:
    """The optimum is one: brute force finds no cluster below it, and the plan itself meets the SLA."""
    problem = _problem(seed, local=local)
    plan = compile_plan(problem, Effort(1e-6, 20.0))
    assert plan.status is Status.PROVED
    assert evaluate(problem, plan).met
    for cluster in _clusters(problem, plan.upper - 0.01):
        if _quick(problem, cluster):
            assert evaluate(problem, cluster).fraction < 1 - 1e-9, cluster
