"""What an optimised cluster costs in time, and what the paper's search costs beside it.

    python benchmarks/bench_provision.py

PhotoShare with nine choices per dataset (4 units alone and cached pairs). Every plan that is timed is checked
from the inputs afterwards, in the time; cold means that nothing is kept from an earlier solve.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections.abc import Iterator

from benchmarks.provision_baselines import gradient_descent
from benchmarks.results import ONE_INPUT
from froude.provision.check.checker import check
from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.search.optimise.column_generation import ColumnPool
from froude.provision.search.optimise.solving import solve
from froude.provision.search.solve_limits import SolveLimits
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
    Problem,
    RateTarget,
    Server,
    Sla,
    StorageUnit,
    Task,
)
from froude.provision.types.plan import ProvisionPlan

COMMAND = "python benchmarks/bench_provision.py"
GB, MB, KB = 1e9, 1e6, 1e3
RATES = [1.0 * 10 ** (4 * i / 24) for i in range(25)]


def _unit(name: str, bus: str, gb: float, read: float, gap: float, write: float, price: float) -> StorageUnit:  # noqa: PLR0917 - a row of a table
    return StorageUnit(
        name, gb * GB, bus, read * MB, gap, write * MB, 0.0, volatile=bus == "DIMM", price=price
    )


UNITS = (
    _unit("7.2KDisk", "SAS", 500, 90, 8e-3, 90, 213),
    _unit("15KDisk", "SAS", 146, 150, 3.5e-3, 150, 296),
    _unit("SSD", "SAS", 32, 250, 4e-4, 80, 456),
    _unit("DRAM", "DIMM", 1, 12800, 6e-10, 12800, 35),
)
MODERN = (
    _unit("HDD", "SAS", 18000, 250, 8e-3, 250, 320),
    _unit("SATA SSD", "SAS", 1920, 530, 1e-4, 500, 210),
    _unit("QLC", "PCIe", 7680, 6500, 6e-5, 1900, 650),
    _unit("TLC", "PCIe", 3840, 6900, 2e-5, 4100, 520),
    _unit("Optane", "PCIe", 800, 7200, 4e-6, 6100, 1700),
    _unit("DRAM", "DIMM", 32, 25000, 1e-7, 25000, 130),
)


def _server(name: str, price: float, cores: int, gbps: float, slots: dict[str, int]) -> Server:
    widths = {"SAS": 0.75e9, "DIMM": 21.3e9, "PCIe": 16e9}
    return Server(name, price, cores, gbps * 1e9 / 8, tuple(Bus(b, n, widths[b]) for b, n in slots.items()))


SERVERS = (
    _server("Server1", 1400, 4, 1, {"SAS": 4, "DIMM": 12}),
    _server("Server2", 1850, 16, 10, {"SAS": 16, "DIMM": 48}),
    _server("Server3", 11000, 32, 10, {"SAS": 16, "DIMM": 512}),
)
RACKS = (
    _server("1U", 2600, 24, 10, {"SAS": 4, "DIMM": 12, "PCIe": 4}),
    _server("2U", 3900, 48, 25, {"SAS": 12, "DIMM": 24, "PCIe": 8}),
    _server("2U flash", 5200, 64, 100, {"SAS": 0, "DIMM": 32, "PCIe": 24}),
    _server("4U disks", 5800, 32, 25, {"SAS": 60, "DIMM": 16, "PCIe": 4}),
)


def photoshare(rate: float, servers: int = 1) -> Problem:
    """The calibrated PhotoShare, hosts apart from workers."""
    data = (
        Dataset("photos", 200 * GB, Persistence.REQUIRED, remote=True, cache_size=70 * GB),
        Dataset("thumbs", 20 * GB, Persistence.REQUIRED, remote=True),
        Dataset("tags", GB, Persistence.REQUIRED, remote=True),
    )
    write, read, small, large = Op.WRITE, Op.READ, 4 * KB, 200 * KB
    upload = (
        Compute(0.025),
        Io(write, "photos", 1, large),
        Io(write, "thumbs", 1, small),
        Io(read, "tags", 10, small),
        Io(write, "tags", 10, small, blocking=False),
    )
    view = (Compute(0.003), Io(read, "photos", 1, large, amplification=2), Io(read, "tags", 1, small))
    tags = (Compute(0.004), Io(read, "tags", 11, small), Io(read, "thumbs", 10, small, parallel=True))
    paths = {"photoupload": upload, "photoview": view, "tagview": tags}
    tasks = tuple(Task(name, "serve", 0.2 * GB, path) for name, path in paths.items())
    sla = Sla(
        (RateTarget("photoupload", rate), RateTarget("photoview", 3 * rate), RateTarget("tagview", rate))
    )
    options = Options(isolation=Isolation.COMPUTE_STORAGE, cache_media=CacheMedia.ANY)
    return Problem(
        Catalog(UNITS, (Cpu(137.56),), SERVERS[:servers]), Application(data, tasks, 2, GB), sla, options
    )


def five(seed: int) -> Problem:
    """Five datasets on modern hardware, every unit alone and every cached pair of them."""
    rng = random.Random(seed)
    sizes = [rng.choice((50, 400, 3000, 20000)) * GB for _ in range(5)]
    data = tuple(Dataset(f"d{i}", s, Persistence.REQUIRED, remote=True) for i, s in enumerate(sizes))
    tasks = tuple(
        Task(
            f"t{t}",
            "serve",
            rng.choice((0.5, 2, 6)) * GB,
            (
                Compute(rng.uniform(1e-4, 5e-3)),
                *(
                    Io(Op.READ, f"d{rng.randrange(5)}", rng.randint(1, 8), rng.choice((4, 64, 1000)) * KB)
                    for _ in range(3)
                ),
                Io(Op.WRITE, f"d{t}", 1, 16 * KB),
            ),
        )
        for t in range(5)
    )
    sla = Sla(tuple(RateTarget(f"t{t}", rng.uniform(50, 900)) for t in range(5)))
    return Problem(Catalog(MODERN, (Cpu(60),), RACKS), Application(data, tasks, 2, 8 * GB), sla)


def _instance(problem: Problem) -> Instance:
    built = build(problem)
    assert isinstance(built, Instance)
    return built


def _timed(
    problem: Problem, gap: float, limit_s: float = 60.0, pool: ColumnPool | None = None
) -> tuple[float, ProvisionPlan]:
    """Seconds from inputs to a checked plan."""
    begin = time.perf_counter()
    plan = solve(_instance(problem), SolveLimits(gap, limit_s), pool=pool)
    verdict = check(problem, plan)
    seconds = time.perf_counter() - begin
    assert verdict.sound, verdict.violations
    return seconds, plan


def _row(measure: str, value: float, unit: str, aim: float | None, conditions: str) -> dict[str, object]:
    met = None if aim is None else value <= aim
    shown = "" if aim is None else f"<= {aim:g}"
    fields = {"measure": measure, "value": round(value, 4), "unit": unit, "aim": shown, "met": met}
    return {**fields, "command": COMMAND, "conditions": conditions}


def _said(plan: ProvisionPlan) -> str:
    return f"{plan.status.value}, gap {plan.gap:.4%}, {plan.servers:,} servers, ${plan.upper:,.0f}"


def _points() -> Iterator[dict[str, object]]:
    for servers, aim in ((1, 20), (3, 200)):
        problem = photoshare(100, servers)
        runs = [_timed(problem, 0.01) for _ in range(7)]
        seconds = statistics.median(s for s, _ in runs)
        what = f"one SLA point, 3 datasets x 9 choices, {servers} server type{'s' * (servers > 1)}"
        yield _row(what, seconds * 1e3, "ms", aim, f"median of 7, cold; {_said(runs[0][1])}")


def _large() -> Iterator[dict[str, object]]:
    for count, rate in ((20_000, 1.03e6), (60_000, 3.1e6)):
        for gap, aim in ((0.015, 0.6), (0.0001, 2.0)):
            seconds, plan = _timed(photoshare(rate), gap, 20.0)
            yield _row(f"{count:,} servers at {gap:.2%}", seconds, "s", aim, _said(plan))


def _sweep() -> Iterator[dict[str, object]]:
    limit = 6.0
    pool, begin, open_, gaps = ColumnPool(), time.perf_counter(), [], []
    for rate in RATES:
        _, plan = _timed(photoshare(rate), 0.01, limit, pool)
        gaps.append(plan.gap)
        if plan.gap > 0.01:
            open_.append(f"{rate:.0f}/s {plan.gap:.2%}")
    seconds = time.perf_counter() - begin
    listed = ", ".join(open_) or "none"
    yield _row("25-point sweep at 1 %", seconds, "s", 30, f"limit {limit:g} s a point; unproved: {listed}")


def _descent() -> Iterator[dict[str, object]]:
    for seed in (1,):
        problem = five(seed)
        instance = _instance(problem)
        sizes = [len(d.choices) for d in instance.datasets]
        seconds, plan = _timed(problem, 0.01, 30.0)
        begin = time.perf_counter()
        descent = gradient_descent(instance, random.Random(seed), restarts=1)
        walked = time.perf_counter() - begin
        name = f"5 datasets x {max(sizes)} choices, instance {seed}"
        yield _row(f"{name}: joint, packed and proved", seconds, "s", None, f"{_said(plan)}; {ONE_INPUT}")
        ends = ", ".join(f"${end:,.0f}" for end in descent.ends)
        yield _row(
            f"{name}: gradient descent, one start (the paper takes ten)",
            walked,
            "s",
            None,
            f"ends (not packed) {ends}; {descent.evaluations} choices priced, no bound; {ONE_INPUT}",
        )


def rows() -> list[dict[str, object]]:
    """Every measurement: measure, value, unit, aim, met."""
    return [*_points(), *_large(), *_sweep(), *_descent()]


def main() -> None:
    """Measure and print."""
    measured_rows = rows()
    if "--json" in sys.argv:
        print(json.dumps(measured_rows, indent=2))
        return
    for row in measured_rows:
        print(f"{row['measure']:62} {row['value']:>10} {row['unit']:3} {row['aim']:>8}  {row['conditions']}")


if __name__ == "__main__":
    main()
