"""One dataset, one task and one kind of server with round numbers, for arithmetic that can be done by hand."""

from __future__ import annotations

from froude.provision.types import (
    Application,
    Bus,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Io,
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

DISK = StorageUnit("disk", 1000.0, "SAS", 100.0, 0.01, 50.0, 0.02, False, 100.0)
"""10-byte records: a read takes 10 / 100 + 0.01 = 0.11 s, a write 10 / 50 + 0.02 = 0.22 s."""
DRAM = StorageUnit("dram", 100.0, "DIMM", 1e6, 0.0, 1e6, 0.0, True, 10.0)
STORE = StorageUnit(
    "store",
    1e15,
    "",
    50.0,
    0.05,
    50.0,
    0.05,
    False,
    0.0,
    price_per_gb_month=2.0,
    price_per_read=1e-6,
    price_per_write=1e-5,
    service=True,
)
BOX = Server("box", 1000.0, 4, 1e4, (Bus("SAS", 4, 1e4), Bus("DIMM", 8, 1e6)))
DATA = Dataset("data", 600.0, Persistence.REQUIRED, remote=True)
READ = Io(Op.READ, "data", 1, 10.0)
WRITE = Io(Op.WRITE, "data", 1, 10.0)
SERVE = Task("serve", "p", 1.0, (Compute(0.5), READ, WRITE))
"""Run at 10 a second: 10 reads and 10 writes of 10 bytes a second, which keep 1.1 + 2.2 disks busy."""


def small(
    *,
    data: Dataset = DATA,
    task: Task = SERVE,
    units: tuple[StorageUnit, ...] = (DISK, DRAM),
    servers: tuple[Server, ...] = (BOX,),
    cpus: tuple[Cpu, ...] = (Cpu(85),),
    target: RateTarget | None = None,
    options: Options | None = None,
) -> Problem:
    """The small problem with some of it replaced; 10 executions a second."""
    return Problem(
        Catalog(units, cpus, servers, hours=730.0 * 36),
        Application((data,), (task,)),
        Sla((target or RateTarget("serve", 10.0),)),
        options or Options(),
    )
