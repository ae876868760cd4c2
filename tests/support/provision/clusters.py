"""Inputs and clusters that several tests start from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from froude.provision.check.checker import cost_of
from froude.provision.inputs.read import read_problem
from froude.provision.types import (
    Application,
    Bus,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Io,
    Op,
    Persistence,
    Problem,
    RateTarget,
    Server,
    Sla,
    StorageUnit,
    Task,
)
from froude.provision.types.plan import Group, Held, ProvisionPlan, Running, Status

WEB = Group(
    "Server1",
    1,
    running=(Running("upload", 3, 1.0), Running("photoview", 4, 1.0), Running("tagview", 1, 1.0)),
    cores=4,
    dimms=2,
)
PHOTOS = Group("Server1", 1, held=(Held("photos", "15KDisk", 4, 1.0),), cores=2, dimms=1)
THUMBS = Held("thumbs", "SSD", 1, 1.0)
TAGS = (Held("tags", "7.2KDisk", 1, 1.0), Held("tags", "DRAM", 1, 1.0, cache=True))
SMALL = Group("Server1", 1, held=(THUMBS, *TAGS), cores=2, dimms=1)
CHOICES = {"photos": ("15KDisk",), "thumbs": ("SSD",), "tags": ("7.2KDisk", "DRAM")}


def photoshare() -> Problem:
    """The calibrated example at 100 uploads, 300 photo views, 100 tag views a second."""
    return read_problem(["photoshare-calibrated"])


def paper_plan() -> ProvisionPlan:
    """The cluster that the paper gives for it (5.2)."""
    return ProvisionPlan(Status.PROVED, (WEB, PHOTOS, SMALL), CHOICES, lower=7329.0948, upper=7329.0948)


def with_thumbs(unit: str, units: int) -> ProvisionPlan:
    """The paper's cluster with the thumbnails on something else."""
    small = replace(SMALL, held=(Held("thumbs", unit, units, 1.0), *TAGS))
    return replace(paper_plan(), groups=(WEB, PHOTOS, small), choices={**CHOICES, "thumbs": (unit,)})


def alternatives() -> dict[str, ProvisionPlan]:
    """The four alternatives that the paper measured to miss the SLA (5.2)."""
    plan = paper_plan()
    fewer = replace(PHOTOS, held=(Held("photos", "15KDisk", 3, 1.0),))
    return {
        "Alt1": replace(plan, groups=(replace(WEB, cores=3), PHOTOS, SMALL)),
        "Alt2": with_thumbs("15KDisk", 1),
        "Alt3": replace(plan, groups=(WEB, fewer, SMALL)),
        "Alt4": with_thumbs("7.2KDisk", 2),
    }


DISK = StorageUnit("disk", 100e9, "SAS", 100e6, 0.01, 100e6, 0.01, False, 200, 10)
SSD = StorageUnit("ssd", 30e9, "SAS", 200e6, 0.001, 200e6, 0.001, False, 430)
DRAM = StorageUnit("dram", 1e9, "DIMM", 1e10, 0, 1e10, 0, True, 30)
STORE = StorageUnit("store", 1e15, "", 50e6, 0.02, 50e6, 0.02, False, 0, service=True)
BOX = Server("box", 500, 4, 125e6, (Bus("SAS", 4, 1e9), Bus("DIMM", 4, 2e10)))


def small(**dataset: Any) -> Problem:
    """40 executions a second, each with a read and in half of them a write of 50 KB of 60 GB."""
    data = Dataset("d", 60e9, Persistence.REQUIRED, True)
    path = (Compute(0.01), Io(Op.READ, "d", 1, 50e3), Io(Op.WRITE, "d", 1, 50e3, probability=0.5))
    application = Application((replace(data, **dataset),), (Task("t", "p", 400e6, path),), 1, 0.5e9)
    catalog = Catalog((DISK, SSD, DRAM, STORE), (Cpu(100),), (BOX,), hours=8760)
    return Problem(catalog, application, Sla((RateTarget("t", 40.0),)))


def small_plan(problem: Problem, hosts: int = 3, **changes: Any) -> ProvisionPlan:
    """So many hosts with a disk each, and two workers; at its own cost."""
    held = (Held("d", "disk", 1, 1 / hosts),)
    groups = (
        Group("box", hosts, held=held, cores=1, dimms=1),
        Group("box", 2, running=(Running("t", 2, 0.5),), cores=1, dimms=1),
    )
    plan = replace(ProvisionPlan(Status.GAP, groups, {"d": ("disk",)}), **changes)
    return replace(plan, upper=cost_of(problem, plan))
