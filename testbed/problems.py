"""Random small problems that use every part of the model, for tests of the parts against each other."""

from __future__ import annotations

import random
from dataclasses import replace

from froude.provision.types import (
    Application,
    Batch,
    BatchTarget,
    Bundle,
    Bus,
    CacheMedia,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Dependency,
    Discount,
    Duplex,
    Growth,
    Io,
    Isolation,
    Op,
    Operation,
    Options,
    Persistence,
    Placement,
    Problem,
    Rack,
    RateTarget,
    ReReplication,
    Scope,
    Server,
    Sla,
    StorageUnit,
    Task,
)


def random_problem(seed: int, *, local: bool = True) -> Problem:
    """A sound problem of one to three datasets and tasks; most can be met."""
    dice = random.Random(seed)
    phases = ["p"] if dice.random() < 0.7 else ["p", "q"]
    tasks = [f"t{number}" for number in range(dice.randint(1, 3))]
    phase_of = {name: dice.choice(phases) for name in tasks}
    datasets = tuple(_dataset(dice, number, tasks, local) for number in range(dice.randint(1, 3)))
    drawn = tuple(_task(dice, name, phase_of, datasets, tasks) for name in tasks)
    application = Application(datasets, drawn, dice.randint(0, 2), dice.choice([0.0, 1e9]))
    return Problem(_catalog(dice), application, _sla(dice, tasks, phase_of), _options(dice))


def featured_problem(seed: int) -> Problem:
    """A random problem with a handful of the features that the paper does not have."""
    dice = random.Random(f"featured {seed}")
    problem = random_problem(seed)
    for add in dice.sample(FEATURES, dice.randint(2, 5)):
        problem = add(dice, problem)
    return survivable(problem) if problem.options.survive_hosts else problem


def _quantities(dice: random.Random, problem: Problem) -> Problem:
    """Discounts, owned pieces and a charge per type."""
    catalog = problem.catalog
    owned, price = dice.choice([0, 2]), catalog.servers[0].price
    units = (replace(catalog.units[0], owned=owned, discounts=(Discount(5, 120),)), *catalog.units[1:])
    servers = (replace(catalog.servers[0], discounts=(Discount(3, price - 200),)), *catalog.servers[1:])
    diversity = dice.choice([0.0, 150.0])
    return replace(problem, catalog=replace(catalog, units=units, servers=servers, diversity=diversity))


def _energy(dice: random.Random, problem: Problem) -> Problem:
    units = tuple(replace(unit, idle_power=unit.power / 2) for unit in problem.catalog.units)
    catalog = replace(problem.catalog, units=units, pue=1.5, mean_load=dice.choice([0.3, 1.0]))
    return replace(problem, catalog=catalog)


def _paid_by_use(dice: random.Random, problem: Problem) -> Problem:
    """Volumes beside disks, and a service."""
    volume = replace(problem.catalog.units[1], name="volume", price=30.0, price_per_gb_month=0.1)
    store = StorageUnit(
        "store",
        1e15,
        "",
        80e6,
        0.02,
        80e6,
        0.03,
        False,
        0.0,
        price_per_gb_month=0.03,
        price_per_read=4e-9,
        price_per_write=5e-8,
        service=True,
    )
    more = dice.choice([(volume,), (store,), (volume, store)])
    return replace(problem, catalog=replace(problem.catalog, units=(*problem.catalog.units, *more)))


def _bundles(dice: random.Random, problem: Problem) -> Problem:
    server = problem.catalog.servers[-1]
    bundle = Bundle(min(2, server.cpus), (("dram", dice.choice([2, 8])), ("ssd", 1)))
    kit = replace(server, name="kit", price=server.price + 400, bundle=bundle, max_count=None)
    return replace(problem, catalog=replace(problem.catalog, servers=(*problem.catalog.servers, kit)))


def _core_types(dice: random.Random, problem: Problem) -> Problem:
    def quicker(op: Operation) -> Operation:
        if isinstance(op, Compute) and dice.random() < 0.7:
            return replace(op, times=(("fast", op.time / 3),))
        return op

    server = replace(problem.catalog.servers[-1], name="quick", cpu="fast", max_count=None)
    cpus = (*problem.catalog.cpus, Cpu(dice.choice([120, 250]), 30, "fast", idle_power=10))
    catalog = replace(problem.catalog, cpus=cpus, servers=(*problem.catalog.servers, server))
    tasks = tuple(
        replace(task, operations=tuple(map(quicker, task.operations))) for task in problem.application.tasks
    )
    return replace(problem, catalog=catalog, application=replace(problem.application, tasks=tasks))


def _accesses(dice: random.Random, problem: Problem) -> Problem:
    """Servers whose disks may do so much a second together."""
    catalog = problem.catalog
    servers = tuple(
        replace(
            server,
            buses=tuple(
                replace(b, iops=dice.choice([60.0, 300.0, 3000.0])) if b.name == "SAS" else b
                for b in server.buses
            ),
        )
        for server in catalog.servers
    )
    return replace(problem, catalog=replace(catalog, servers=servers))


def _redundancy(dice: random.Random, problem: Problem) -> Problem:
    def redundant(dataset: Dataset) -> Dataset:
        if not dataset.remote:
            return dataset
        dataset = replace(dataset, host_time=dice.choice([0.0, 1e-3]))
        if dice.random() < 0.5:
            return replace(dataset, replication=dice.choice([1, 2, 3]))
        return replace(dataset, erasure=dice.choice([None, (2, 1), (3, 2)]))

    datasets = tuple(map(redundant, problem.application.datasets))
    return replace(problem, application=replace(problem.application, datasets=datasets))


def _latency(dice: random.Random, problem: Problem) -> Problem:
    quantile = dice.choice([None, 0.95])
    targets = tuple(
        replace(target, latency=dice.choice([0.1, 0.5, 5.0]), quantile=quantile)
        for target in problem.sla.targets
    )
    return replace(problem, sla=replace(problem.sla, targets=targets))


def _growth_and_fill(dice: random.Random, problem: Problem) -> Problem:
    growth = Growth(0.5, dice.choice([0.0, 0.3]), 180 * 86400)
    options = replace(problem.options, peak_fill=dice.choice([1.0, 0.8]))
    return replace(problem, sla=replace(problem.sla, growth=growth), options=options)


def _failures(dice: random.Random, problem: Problem) -> Problem:
    return replace(problem, options=replace(problem.options, survive_hosts=dice.choice([1, 1, 2])))


def _racks(dice: random.Random, problem: Problem) -> Problem:
    rack = Rack(dice.choice([2, 10]), dice.choice([5e7, 1e9]), dice.choice([0.0, 800.0]), 100.0)
    return replace(problem, catalog=replace(problem.catalog, rack=rack))


def _re_replication(dice: random.Random, problem: Problem) -> Problem:
    re_replication = ReReplication(dice.choice([600.0, 7200.0]), share=dice.choice([0.5, 1.0]))
    return replace(problem, sla=replace(problem.sla, re_replication=re_replication))


def survivable(problem: Problem) -> Problem:
    """With enough replicas or parity, and whole copies beside each instance, that nothing is lost."""
    failures = problem.options.survive_hosts

    def safe(dataset: Dataset) -> Dataset:
        if dataset.remote and (dataset.erasure is None or dataset.erasure[1] < failures):
            return replace(dataset, replication=max(dataset.replication, failures + 1), erasure=None)
        return dataset if dataset.remote else replace(dataset, scope=Scope.REPLICATED)

    datasets = tuple(map(safe, problem.application.datasets))
    return replace(problem, application=replace(problem.application, datasets=datasets))


FEATURES = (
    _quantities,
    _energy,
    _paid_by_use,
    _bundles,
    _core_types,
    _redundancy,
    _latency,
    _growth_and_fill,
    _failures,
    _accesses,
    _racks,
    _re_replication,
)
"""Each adds one feature to a problem, with its own dice."""


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
    return Sla(tuple(RateTarget(name, rate * dice.choice([0, 1, 2])) for name in tasks[:1] + tasks[2:]))


def _options(dice: random.Random) -> Options:
    return Options(
        dice.choice(list(Isolation)),
        dice.choice(list(Placement)),
        dice.choice(list(CacheMedia)),
        dice.choice(list(Duplex)),
        dice.choice([1.0, 0.8]),
    )
