"""PhotoShare in numbers, and random small instances of the same kind."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from froude.provision.model.build import build
from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance, LocalUnits
from froude.provision.search.optimise.subproblem import Subproblem, subproblem
from froude.provision.types import (
    Application,
    Bus,
    CacheMedia,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Io,
    Isolation,
    Op,
    Options,
    Persistence,
    Placement,
    Problem,
    RateTarget,
    Server,
    Sla,
    StorageUnit,
    Task,
)

GB, KB, MB = 1e9, 1e3, 1e6


def _disk(name: str, capacity: float, rate: float, gap: float, price: float, power: float) -> StorageUnit:  # noqa: PLR0917 - a row of a table
    return StorageUnit(name, capacity, "SAS", rate, gap, rate, 0.0, volatile=False, price=price, power=power)


CATALOG_UNITS = (
    _disk("7.2KDisk", 500 * GB, 90 * MB, 0.008, 200, 5),
    _disk("15KDisk", 146 * GB, 150 * MB, 0.0035, 290, 2.3),
    StorageUnit("SSD", 32 * GB, "SAS", 250 * MB, 0.0004, 80 * MB, 0.0, volatile=False, price=450, power=2.4),
    StorageUnit("DRAM", GB, "DDR3", 12.8e9, 0.6e-9, 12.8e9, 0.0, volatile=True, price=35),
)


def _server(name: str, price: float, cores: int, gbps: float, sas: int, dimms: int) -> Server:  # noqa: PLR0917 - a row of a table
    buses = (Bus("SAS", sas, 6e9 / 8), Bus("DDR3", dimms, 21.3e9))
    return Server(name, price, cores, gbps * 1e9 / 8, buses)


SERVERS = (
    _server("Server1", 1400, 4, 1, 4, 12),
    _server("Server2", 1850, 16, 10, 16, 48),
    _server("Server3", 11000, 32, 10, 16, 512),
)


def photoshare(
    rate: float = 100.0,
    *,
    servers: int = 1,
    isolation: bool = True,
    placement: Placement = Placement.WEIGHTED,
    cache_media: CacheMedia = CacheMedia.VOLATILE,
) -> Problem:
    """The calibrated PhotoShare: uploads at `rate`, three times as many photo views, as many tag views."""
    datasets = (
        Dataset("photos", 200 * GB, Persistence.REQUIRED, remote=True, cache_size=70 * GB),
        Dataset("thumbs", 20 * GB, Persistence.REQUIRED, remote=True),
        Dataset("tags", 1 * GB, Persistence.REQUIRED, remote=True),
    )
    photo, small = 200 * KB, 4 * KB
    upload = Task(
        "photoupload",
        "serve",
        200 * MB,
        (
            Compute(0.025),
            Io(Op.WRITE, "photos", 1, photo),
            Io(Op.WRITE, "thumbs", 1, small),
            Io(Op.READ, "tags", 10, small),
            Io(Op.WRITE, "tags", 10, small, blocking=False),
        ),
    )
    view = Task(
        "photoview",
        "serve",
        200 * MB,
        (Compute(0.003), Io(Op.READ, "photos", 1, photo, amplification=2), Io(Op.READ, "tags", 1, small)),
    )
    tagview = Task(
        "tagview",
        "serve",
        200 * MB,
        (Compute(0.004), Io(Op.READ, "tags", 11, small), Io(Op.READ, "thumbs", 10, small, parallel=True)),
    )
    sla = Sla(
        (RateTarget("photoupload", rate), RateTarget("photoview", 3 * rate), RateTarget("tagview", rate))
    )
    options = Options(
        isolation=Isolation.COMPUTE_STORAGE if isolation else Isolation.NONE,
        placement=placement,
        cache_media=cache_media,
    )
    application = Application(datasets, (upload, view, tagview), host_cores=2, host_memory=GB)
    return Problem(Catalog(CATALOG_UNITS, (Cpu(85, 20),), SERVERS[:servers]), application, sla, options)


def built(problem: Problem) -> Instance:
    """The numeric problem, which must exist."""
    instance = build(problem)
    assert isinstance(instance, Instance), instance
    return instance


PAPER = ("15KDisk", "SSD", "7.2KDisk + DRAM")
"""The paper's choices for PhotoShare's photos, thumbnails and tags."""


def fixed(rate: float = 100.0, labels: tuple[str, ...] = PAPER, **more: Any) -> Subproblem:
    """The subproblem of one choice per dataset of PhotoShare."""
    instance = built(photoshare(rate, **more))
    have = [[choice.label for choice in d.choices] for d in instance.datasets]
    return subproblem(instance, [(h.index(label),) for h, label in zip(have, labels, strict=True)])


def small(seed: int, *, placement: Placement = Placement.WEIGHTED) -> Problem:
    """A random problem whose cheapest cluster has one to three servers."""
    rng = random.Random(seed)
    sizes = [rng.choice((5, 20, 60)) * GB for _ in range(2)]
    datasets = tuple(
        Dataset(f"d{i}", size, rng.choice((Persistence.REQUIRED, Persistence.NOT_NEEDED)), remote=True)
        for i, size in enumerate(sizes)
    )
    tasks = tuple(
        Task(
            f"t{t}",
            "serve",
            rng.choice((0.1, 0.4)) * GB,
            (
                Compute(rng.uniform(0.002, 0.02)),
                Io(Op.READ, f"d{t}", rng.randint(1, 3), rng.choice((4, 64, 200)) * KB),
                Io(Op.WRITE, "d0", 1, 4 * KB, blocking=rng.random() < 0.5),
            ),
        )
        for t in range(2)
    )
    sla = Sla(tuple(RateTarget(f"t{t}", rng.uniform(10, 70)) for t in range(2)))
    options = Options(
        isolation=rng.choice((Isolation.NONE, Isolation.COMPUTE_STORAGE)),
        placement=placement,
        cache_media=CacheMedia.OFF,
    )
    few = _server("small", rng.uniform(900, 1500), 3, 1, 3, 8)
    wide = _server("wide", rng.uniform(1600, 2600), 8, 10, 8, 24)
    units = (CATALOG_UNITS[0], *rng.sample(CATALOG_UNITS[1:3], 1), CATALOG_UNITS[3])
    application = Application(datasets, tasks, host_cores=rng.randint(0, 1), host_memory=rng.choice((0, GB)))
    return Problem(Catalog(units, (Cpu(85, 20),), (few, wide)), application, sla, options)


FEATURES = ("cost", "share", "cores", "bundle", "cpus", "latency", "service", "local")


def featured(seed: int, *, placement: Placement = Placement.WEIGHTED, only: str | None = None) -> Instance:
    """A random small instance with one to all of the features beyond the paper."""
    rng = random.Random(seed)
    instance = built(small(seed, placement=placement))
    names = [only] if only else rng.sample(FEATURES, rng.randint(2, len(FEATURES)))
    for name in FEATURES:
        if name in names:
            instance = _ADD[name](instance, rng)
    return instance


def _every_choice(instance: Instance, change: Callable[[Choice], Choice]) -> Instance:
    datasets = (replace(d, choices=tuple(map(change, d.choices))) for d in instance.datasets)
    return replace(instance, datasets=tuple(datasets))


def _every_copy(instance: Instance, change: Callable[[Copy], Copy]) -> Instance:
    return _every_choice(instance, lambda choice: replace(choice, copies=tuple(map(change, choice.copies))))


def _with_cost(instance: Instance, rng: random.Random) -> Instance:
    return _every_choice(instance, lambda choice: replace(choice, cost=rng.choice((0.0, 50.0, 400.0))))


def _with_share(instance: Instance, rng: random.Random) -> Instance:
    def spread(copy: Copy) -> Copy:
        times = rng.choice((1, 2, 3))
        return replace(copy, most_share=1 / times, min_units=max(copy.min_units, times))

    tasks = tuple(replace(task, most_share=rng.choice((1.0, 0.5))) for task in instance.tasks)
    return replace(_every_copy(instance, spread), tasks=tasks)


def _with_cores(instance: Instance, rng: random.Random) -> Instance:
    return _every_copy(instance, lambda copy: replace(copy, cores=(rng.choice((0.0, 0.3, 1.4)),)))


def _with_bundle(instance: Instance, rng: random.Random) -> Instance:
    servers = []
    for server in instance.servers:
        free = tuple(rng.choice((0, 1, 3)) for _ in instance.units)
        servers.append(replace(server, included_cores=rng.choice((0, 1, 2)), included_units=free))
    return replace(instance, servers=tuple(servers))


def _with_cpus(instance: Instance, rng: random.Random) -> Instance:
    """Two core types: the second server's is quicker and dearer."""
    faster = rng.choice((0.4, 0.8))
    first, second = instance.servers
    servers = (first, replace(second, cpu=1, core_cost=second.core_cost * rng.choice((1, 3))))
    number, tasks, types = len(instance.datasets), [], []
    for t, task in enumerate(instance.tasks):
        paths = tuple(
            replace(
                path,
                constant_s=0.0,
                io_s=(*path.io_s, (number + t, (path.constant_s, path.constant_s * faster))),
            )
            for path in task.paths
        )
        tasks.append(replace(task, cores=(task.cores[0], task.cores[0] * faster), paths=paths))
        choices = tuple(Choice(name, names=(name,)) for name in ("slow", "fast"))
        types.append(DatasetNeed(f"core type of {task.name}", choices, cpu_of=t))
    return replace(
        instance,
        servers=servers,
        tasks=tuple(tasks),
        datasets=(*instance.datasets, *types),
        cpus=("slow", "fast"),
    )


def _with_latency(instance: Instance, rng: random.Random) -> Instance:
    """A latency between the quickest and the slowest choices of one task."""
    every = [range(len(d.choices)) for d in instance.datasets]
    times = sorted({instance.run_times(choices)[0] for choices in itertools.product(*every)})
    tasks = (replace(instance.tasks[0], latency=rng.choice(times) * 1.0001), *instance.tasks[1:])
    return replace(instance, tasks=tasks)


def _with_service(instance: Instance, rng: random.Random) -> Instance:
    """The first dataset may be kept by a provider."""
    first, cost = instance.datasets[0], rng.choice((20.0, 600.0))
    choices = (*first.choices, Choice("service", cost=cost, names=("service",)))
    tasks = tuple(
        replace(
            task,
            paths=tuple(
                replace(path, io_s=tuple((d, (*per, 0.02) if d == 0 else per) for d, per in path.io_s))
                for path in task.paths
            ),
        )
        for task in instance.tasks
    )
    return replace(instance, datasets=(replace(first, choices=choices), *instance.datasets[1:]), tasks=tasks)


def _with_local(instance: Instance, rng: random.Random) -> Instance:
    """Scratch space beside the second task: one or two units an instance, some of which cost what they hold."""
    choices = tuple(
        Choice(
            f"{n} x {instance.units[unit].name}",
            local=LocalUnits(unit, n, (rng.uniform(1e6, 4e7),), rng.choice((0.0, 30.0))),
            names=(instance.units[unit].name,),
        )
        for n, unit in ((1, 0), (2, 1))
    )
    number = len(instance.datasets)
    task = instance.tasks[1]
    paths = tuple(replace(path, io_s=(*path.io_s, (number, (0.02, 0.004)))) for path in task.paths)
    task = replace(task, paths=paths, floors=((number, (1.3, 0.6)),))
    return replace(
        instance,
        datasets=(*instance.datasets, DatasetNeed("scratch", choices, local_to=1)),
        tasks=(instance.tasks[0], task),
    )


_ADD = {
    "cost": _with_cost,
    "share": _with_share,
    "cores": _with_cores,
    "bundle": _with_bundle,
    "cpus": _with_cpus,
    "latency": _with_latency,
    "service": _with_service,
    "local": _with_local,
}
