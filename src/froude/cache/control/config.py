"""What the controller is told by a file: its agents, what the user wants of each VM, how often, and by which policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from froude.base.units import MIB
from froude.cache.agents.config import Serving
from froude.cache.control.deciding import Assumed, Solver, Wishes
from froude.cache.solve.hysteresis import LEAST_GAIN
from froude.cache.solve.policies import DEFAULT, policy
from froude.documents.forms import FieldError, Number, Place, Seconds, Size, Text
from froude.documents.lineage import open_document, read_placed
from froude.documents.migrate import Migrations
from froude.documents.model import Example, Flag, Model
from froude.hadoop.rpc.target import is_loopback
from froude.rest.calls import server_of

MIGRATIONS = Migrations("cache-controller", 1)
_WEIGHT = Number(0, 1e6)
_STALE_ROUNDS = 2.5


def _check_policy(name: str) -> None:
    """Policies that caches of their own can carry out."""
    if policy(name).shares:
        raise FieldError(
            "cannot be applied: each VM has a cache of its own",
            found=name,
            allowed="any other of `cache solve`",
        )


def _check_url(text: str) -> None:
    found = server_of(text)
    if found is None:
        raise FieldError(
            "is no address of an agent", found=text, allowed="http://HOST:PORT or https://HOST:PORT"
        )
    scheme, server = found
    if scheme == "http" and not is_loopback(server if ":" in server else f"{server}:80"):
        raise FieldError(
            "would get the secret as it is over the network",
            found=text,
            allowed="https, or an address of loopback",
        )


_URL = Text(_check_url, "http://HOST:PORT or https://HOST:PORT")


class HypervisorEntry(Model):
    """One hypervisor."""

    agent: Annotated[str, _URL, Example("http://127.0.0.1:8078", active=True)]
    """Where its agent serves."""
    writes_bytes_per_day: Annotated[int | None, Size(), Example("2 TB")] = None
    """What may be written to its SSD in a day so that it lasts."""


class VmEntry(Wishes):
    """What is wanted of one VM, and its agent."""

    agent: Annotated[str | None, _URL] = None
    """Where the agent on it serves; without one, nothing is known of its processes and jobs."""


class ControllerConfig(Serving):
    """The controller."""

    state: Annotated[Place, Example("cache-state", active=True)]
    """Folder of its journal: history, and numbers of changes."""
    agents_token: Place | None = None
    """File with the secret of the agents; without it that of the controller itself."""
    authority: Place | None = None
    """PEM file of who signed the agents' certificates; without it the system's."""
    interval_s: Annotated[float, Seconds(most_s=86400)] = 60.0
    """From one round to the next."""
    window_s: Annotated[float, Seconds(most_s=86400)] = 180.0
    """How far back rates look; what is older weighs less."""
    timeout_s: Annotated[float, Seconds(most_s=600)] = 10.0
    """How long an agent may take to answer."""
    policy: Annotated[str, Text(_check_policy, "a policy of `cache solve` that gives each VM a cache")] = (
        DEFAULT
    )
    """How SSDs are split."""
    apply: Flag = True
    """Whether plans are carried out; without it they are only shown."""
    least_gain: Annotated[float, Number(0, 1)] = LEAST_GAIN
    """Part of what misses cost that a move must save."""
    horizon_s: Annotated[float, Seconds(most_s=86400)] = 600.0
    """How long the load is expected to stay as it is: what a move must pay for itself in."""
    granule_bytes: Annotated[int, Size()] = MIB
    """Sizes of caches are multiples of it."""
    disk_read_s: Annotated[float, Seconds(most_s=100)] = 0.01
    """What a read of the disk behind the caches takes."""
    ssd_read_s: Annotated[float, Seconds(most_s=100, zero=True)] = 0.001
    """What a read of an SSD takes."""
    master_importance: Annotated[float, _WEIGHT] = 1.0
    """How much a miss of an application's master counts beside another's."""
    hypervisors: Annotated[
        Mapping[str, HypervisorEntry], Example({"h1": {"agent": "http://127.0.0.1:8078"}}, active=True)
    ] = {}
    """By name, as their agents call themselves."""
    vms: Mapping[str, VmEntry] = {}
    """By name, as their hypervisors call them."""

    def check(self) -> None:
        """Somebody must be there to split."""
        Serving.check(self)
        if not self.hypervisors:
            raise FieldError("names no hypervisor", names=("hypervisors",), allowed="one or more")

    @property
    def stale_s(self) -> float:
        """How old a report may be before its agent counts as lost."""
        return _STALE_ROUNDS * self.interval_s + self.timeout_s

    def solver(self, *, seed: int = 0) -> Solver:
        """Who decides."""
        writes = {
            name: each.writes_bytes_per_day
            for name, each in self.hypervisors.items()
            if each.writes_bytes_per_day is not None
        }
        assumed = Assumed(
            miss_s=self.disk_read_s,
            hit_s=self.ssd_read_s,
            horizon_s=self.horizon_s,
            granule_bytes=self.granule_bytes,
            master_importance=self.master_importance,
            writes_bytes_per_day=writes,
        )
        return Solver(
            policy=policy(self.policy),
            wishes=self.vms,
            assumed=assumed,
            least_gain=self.least_gain,
            seed=seed,
        )


def read_controller(path: Path) -> ControllerConfig:
    """The controller's file, with paths as seen from here.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    return read_placed(ControllerConfig, open_document(path, MIGRATIONS).root.fields, path)
