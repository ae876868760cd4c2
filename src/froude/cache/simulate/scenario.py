"""What is played out: hypervisors, clusters on them, and the jobs that they run, as a document that people can edit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from froude.base.units import MIB
from froude.cache.curves import LARGEST
from froude.cache.simulate.jobs import JOBS
from froude.documents.forms import FieldError, Number, Seconds, Size
from froude.documents.lineage import open_document, read_placed
from froude.documents.migrate import Migrations
from froude.documents.model import Model

SCENARIO = Migrations("cache-scenario", 1)
EXAMPLES = Path(__file__).parent / "examples"
"""Scenarios that come with Froude."""
_MOST_VMS = 1000


class Host(Model):
    """A hypervisor."""

    name: str
    vms: Annotated[tuple[str, ...], Field(min_length=1)]
    """That run on it."""


class Cluster(Model):
    """A Hadoop cluster."""

    name: str
    master: str
    """One of its VMs."""
    vms: Annotated[tuple[str, ...], Field(min_length=2)]
    """All, the master among them."""


class Scenario(Model):
    """Clusters on hypervisors, and what they run."""

    hypervisors: tuple[Host, ...]
    """Each with an SSD of the same space."""
    clusters: tuple[Cluster, ...]
    """Each VM of which runs on one of the hypervisors."""
    groups: Annotated[tuple[Mapping[str, str], ...], Field(min_length=1)]
    """Jobs by cluster; all clusters of a group begin together, when the group before has ended."""
    space_bytes: Annotated[int, Size(zero=True, most_bytes=LARGEST)] = 640_000_000
    """Of each SSD."""
    chunk_bytes: Annotated[int, Size(most_bytes=LARGEST)] = MIB
    """What is read at once, and cached."""
    passes: Annotated[float, Number(0.01, 1000)] = 3.0
    """Over its data that a job makes, as a multiple of what is assumed of each job: how long jobs are."""
    data_bytes: Annotated[int, Size(most_bytes=LARGEST)] = 400_000_000
    """Of a slave's job, on average."""
    uneven: Annotated[float, Number(0, 2)] = 0.3
    """Standard deviation of the logarithm of a VM's data."""
    miss_s: Annotated[float, Seconds()] = 0.020
    """A disk takes for a chunk."""
    disks: Annotated[int, Number(1, 1000, whole=True)] = 4
    """Behind all caches; each serves one read after the other."""
    hit_s: Annotated[float, Seconds()] = 0.002
    """An SSD takes for a chunk."""
    ssd_iops: Annotated[float, Number(1, 1e9)] = 500.0
    """Chunks that an SSD serves a second."""
    window_s: Annotated[float, Seconds()] = 60.0
    """After which the split is looked at again."""
    horizon_s: Annotated[float, Seconds()] = 300.0
    """What a move must pay for itself in."""
    master_importance: Annotated[float, Number(0, 1e6)] = 4.0
    """Of a master's misses beside a slave's, for the policies that weigh by it."""

    def check(self) -> None:
        """Every VM on one hypervisor and in one cluster, and every job known."""
        placed = [vm for host in self.hypervisors for vm in host.vms]
        members = [vm for cluster in self.clusters for vm in cluster.vms]
        for field, names in (("hypervisors", placed), ("clusters", members)):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise FieldError("has a VM twice", names=(field,), found=twice)
        homeless = sorted({*members} ^ {*placed})
        if homeless or len(members) > _MOST_VMS:
            found, allowed = (
                ", ".join(homeless[:5]) or len(members),
                "each VM on a hypervisor and in a cluster",
            )
            raise FieldError(
                "and hypervisors have other VMs", names=("clusters",), found=found, allowed=allowed
            )
        for cluster in self.clusters:
            if cluster.master not in cluster.vms:
                raise FieldError(
                    "has a master that is none of its VMs", names=("clusters",), found=cluster.master
                )
        self._check_jobs()

    def _check_jobs(self) -> None:
        clusters = {cluster.name for cluster in self.clusters}
        for number, group in enumerate(self.groups):
            for name, job in group.items():
                names = ("groups", f"[{number}]", name)
                if name not in clusters:
                    raise FieldError("is none of the clusters", names=names, allowed=sorted(clusters))
                if job not in JOBS:
                    raise FieldError("is none of the jobs", names=names, found=job, allowed=JOBS)


class Opened(NamedTuple):
    """A scenario that was read."""

    scenario: Scenario
    content: str
    """The hash of its file's content."""


def read_scenario(path: Path) -> Opened:
    """Read a scenario.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    opened = open_document(path, SCENARIO)
    return Opened(read_placed(Scenario, opened.root.fields, path), opened.content)


def shipped() -> dict[str, Path]:
    """The scenarios that come with Froude, by name."""
    return {path.stem: path for path in sorted(EXAMPLES.glob("*.yaml"))}
