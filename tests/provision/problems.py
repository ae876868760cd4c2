"""Random small problems that use every part of the model, for tests of the parts against each other."""

from __future__ import annotations

import random

from froude.provision.types import (
    Application,
    Batch,
    BatchTarget,
    Bus,
    CacheMedia,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Dependency,
    Duplex,
    Io,
    Isolation,
    Op,
    Operation,
    Options,
    Persistence,
    Placement,
    Problem,
    Scope,
    Server,
    Sla,
    StorageUnit,
    Target,
    Task,
)


def random_problem(seed: int, *, local: bool = True) -> Problem:
    """A sound problem of one to three datasets and tasks; most can be met."""
    dice = random.Random(seed)
    phases = ["p"] if dice.random() < 0.7 else ["p", "q"]
    tasks = [f"t{number}" for number in range(dice.randint(1, 3))]
    phase_of = {name: dice.choice(phases) for name in tasks}
    datasets = tuple(_dataset(dice, number, tasks, local) for number in range(dice.randint(1, 3)))
    made = tuple(_task(dice, name, phase_of, datasets, tasks) for name in tasks)
    application = Application(datasets, made, dice.randint(0, 2), dice.choice([0.0, 1e9]))
    return Problem(_catalog(dice), application, _sla(dice, tasks, phase_of), _options(dice))


def _catalog(dice: random.Random) -> Catalog:
    units = [
        StorageUnit("disk", 500e9, "SAS", 90e6, 0.008, 90e6, dice.choice([0, 0.008]), False, 200, 5),
        StorageUnit("ssd", 32e9, "SAS", 250e6, 0.0004, 80e6, 0.001, False, dice.choice([150, 450]), 2.4),
        StorageUnit("dram", 1e9, "DIMM", 12.8e9, 0.6e-9, 12.8e9, 0.6e-9, True, 25.8, 3.5),
    ]
    small = Server(
        "small",
        1400,
        4,
        125e6,
        (Bus("SAS", 4, dice.choice([0.75e9, 0.1e9])), Bus("DIMM", 12, 21.3e9)),
        dice.choice([0.0, 100.0]),
        dice.choice([None, None, 8]),
    )
    large = Server("large", 1850, 16, 1.25e9, (Bus("SAS", 16, 3e9), Bus("DIMM", 48, 21.3e9)))
    return Catalog(tuple(units), (Cpu(85, 20),), dice.choice([(small,), (small, large), (large,)]))


def _dataset(dice: random.Random, number: int, tasks: list[str], local: bool) -> Dataset:
    remote = not local or dice.random() < 0.7
    size = dice.choice([0.4e9, 3e9, 20e9, 150e9])
    return Dataset(
        f"d{number}",
        size,
        dice.choice(list(Persistence)),
        remote,
        size / 2 if remote and dice.random() < 0.3 else None,
        dice.choice([1.0, 0.8]) if remote else 1.0,
        None if remote else dice.choice(tasks),
        dice.choice(list(Scope)),
    )


def _task(
    dice: random.Random,
    name: str,
    phases: dict[str, str],
    datasets: tuple[Dataset, ...],
    tasks: list[str],
) -> Task:
    operations: list[Operation] = [Compute(dice.choice([0.001, 0.02]), dice.random() < 0.8)]
    for dataset in datasets:
        if dice.random() < 0.7:
            io = Io(
                dice.choice(list(Op)),
                dataset.name,
                dice.choice([1, 3, 10]),
                dice.choice([4e3, 200e3]),
                dice.choice([1.0, 0.5]),
                dice.random() < 0.7,
                dice.random() < 0.4,
                dice.choice([1.0, 2.0]),
            )
            operations.append(io)
    later = [t for t in tasks if t > name and phases[t] == phases[name]]
    if later and dice.random() < 0.6:
        call = Dependency(
            dice.choice(later),
            dice.choice([1, 2]),
            dice.random() < 0.5,
            dice.random() < 0.7,
            dice.choice([1.0, 0.5]),
            dice.choice([0.0, 1e5]),
        )
        operations.append(call)
    elif dice.random() < 0.2:
        operations.append(Dependency(name, 1, probability=0.3))
    dice.shuffle(operations)
    return Task(name, phases[name], dice.choice([0.0, 200e6, 1.5e9]), tuple(operations))


def _sla(dice: random.Random, tasks: list[str], phases: dict[str, str]) -> Sla:
    rate = dice.choice([1, 10, 40])
    if len(set(phases.values())) == 2:
        jobs = tuple(BatchTarget(name, rate * 100) for name in tasks)
        return Sla((), Batch(200, jobs, {"p": 0.5, "q": 0.4}))
    return Sla(tuple(Target(name, rate * dice.choice([0, 1, 2])) for name in tasks[:1] + tasks[2:]))


def _options(dice: random.Random) -> Options:
    return Options(
        dice.choice(list(Isolation)),
        dice.choice(list(Placement)),
        dice.choice(list(CacheMedia)),
        dice.choice(list(Duplex)),
        dice.choice([1.0, 0.8]),
    )
