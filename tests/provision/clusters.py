"""Inputs and clusters that several tests start from."""

from __future__ import annotations

from dataclasses import replace

from froude.provision.inputs.read import read_problem
from froude.provision.plan import Group, Held, Plan, Running, Status
from froude.provision.types import Problem

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


def paper_plan() -> Plan:
    """The cluster that the paper gives for it (5.2)."""
    return Plan(Status.PROVED, (WEB, PHOTOS, SMALL), CHOICES, lower=7329.0948, upper=7329.0948)


def with_thumbs(unit: str, units: int) -> Plan:
    """The paper's cluster with the thumbnails on something else."""
    small = replace(SMALL, held=(Held("thumbs", unit, units, 1.0), *TAGS))
    return replace(paper_plan(), groups=(WEB, PHOTOS, small), choices={**CHOICES, "thumbs": (unit,)})


def alternatives() -> dict[str, Plan]:
    """The four alternatives that the paper measured to miss the SLA (5.2)."""
    plan = paper_plan()
    fewer = replace(PHOTOS, held=(Held("photos", "15KDisk", 3, 1.0),))
    return {
        "Alt1": replace(plan, groups=(replace(WEB, cores=3), PHOTOS, SMALL)),
        "Alt2": with_thumbs("15KDisk", 1),
        "Alt3": replace(plan, groups=(WEB, fewer, SMALL)),
        "Alt4": with_thumbs("7.2KDisk", 2),
    }
