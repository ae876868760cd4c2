"""The value that all of harvesting starts from: tenants, their servers, utilisation and reimages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Shares = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

_SLACK = 1e-3
"""By which a share may be off what it can be: sums and means of floats are."""
_MOST = 1 << 40
SLOT_S = 120.0
"""How often the paper's telemetry samples a server (section 3.1)."""


@dataclass(frozen=True, slots=True, eq=False)
class Reimages:
    """Wipes of servers' disks, in order of time."""

    server: Ints
    """Shape (n,): index of the server that was wiped."""
    time_s: Floats
    """Shape (n,), ascending: seconds since the start of the datacenter's utilisation; before it is negative."""

    def __post_init__(self) -> None:
        if self.server.shape != self.time_s.shape:
            raise ValueError("a reimage has one server and one time")
        if len(self.time_s) > 1 and bool((np.diff(self.time_s) < 0).any()):
            raise ValueError("reimages are in order of time")
        if not np.isfinite(self.time_s).all():
            raise ValueError("a reimage has a finite time")

    def between(self, start_s: float, end_s: float) -> Reimages:
        """Those from `start_s` on and before `end_s`; logarithmic."""
        first, last = np.searchsorted(self.time_s, (start_s, end_s), side="left").tolist()
        return Reimages(self.server[first:last], self.time_s[first:last])

    @classmethod
    def none(cls) -> Reimages:
        """No server was ever wiped."""
        return cls(np.zeros(0, np.int32), np.zeros(0))


@dataclass(frozen=True, slots=True, eq=False)
class Datacenter:
    """Tenants on servers of their own, and what was seen of them.

    A primary tenant is a pair of environment and machine function; it owns its servers whole (harvesting
    paper, section 3.1). Tenants, environments, racks and servers are numbers from 0 in all arrays.
    """

    tenants: Sequence[str]
    tenant_environment: Ints
    """Shape (tenants,): number of the tenant's environment."""
    environments: Sequence[str]
    servers: Sequence[str]
    """Names of servers: a host, or `host:port`."""
    server_tenant: Ints
    """Shape (servers,): whose it is."""
    server_rack: Ints
    """Shape (servers,): number of the rack it stands in; -1 where not known."""
    utilisation: Shares
    """Shape (tenants, slots): CPU of the tenant's average server, 0 to 1; NaN where nothing was measured."""
    slot_s: float = SLOT_S
    """Length of a slot in seconds."""
    start_s: float = 0.0
    """When the first slot begins, seconds since 1970."""
    cores: int = 12
    memory_mb: int = 32 * 1024
    reimages: Reimages = field(default_factory=Reimages.none)
    """Wipes, those before the first slot included."""
    name: str = "datacenter"
    truth: Mapping[str, npt.NDArray[np.generic]] = field(default_factory=dict)
    """What a generator knows and no telemetry tells, such as `pattern` by tenant; empty for what was read."""

    def __post_init__(self) -> None:
        tenants, servers = len(self.tenants), len(self.servers)
        for name, shape, wanted in (
            ("tenant_environment", self.tenant_environment.shape, (tenants,)),
            ("server_tenant", self.server_tenant.shape, (servers,)),
            ("server_rack", self.server_rack.shape, (servers,)),
            ("utilisation", self.utilisation.shape[:1], (tenants,)),
        ):
            if shape != wanted:
                raise ValueError(f"{name} has shape {shape}, not {wanted}")
        if servers and not 0 <= int(self.server_tenant.min()) <= int(self.server_tenant.max()) < tenants:
            raise ValueError("server_tenant names a tenant that is not there")
        self._check_numbers()
        for name, names in (
            ("tenants", self.tenants),
            ("environments", self.environments),
            ("servers", self.servers),
        ):
            if len(set(names)) != len(names):
                raise ValueError(f"two {name} have one name")

    def _check_numbers(self) -> None:
        for name, numbers, first, number in (
            ("tenant_environment", self.tenant_environment, 0, len(self.environments)),
            ("server_rack", self.server_rack, -1, None),
            ("reimages", self.reimages.server, 0, len(self.servers)),
        ):
            if numbers.size and (numbers.min() < first or (number is not None and numbers.max() >= number)):
                raise ValueError(f"{name} has a number that is out of range")
        if not (0.001 <= self.slot_s <= 86_400.0 and np.isfinite(self.start_s)):
            raise ValueError("slot_s is 1 ms to 1 day, and start_s finite")
        if not (1 <= self.cores <= _MOST and 1 <= self.memory_mb <= _MOST):
            raise ValueError(f"cores and memory_mb are 1 to {_MOST}")
        # The least and the most of what is no NaN, without a copy of what may be hundreds of MiB.
        least = np.fmin.reduce(self.utilisation, axis=None, initial=0)
        most = np.fmax.reduce(self.utilisation, axis=None, initial=0)
        if least < -_SLACK or most > 1 + _SLACK:
            raise ValueError("utilisation is 0 to 1, or NaN")

    @property
    def slots(self) -> int:
        """How many slots the utilisation has."""
        return int(self.utilisation.shape[1])

    @property
    def tenant_servers(self) -> Ints:
        """Shape (tenants,): how many servers each tenant has."""
        return np.bincount(self.server_tenant, minlength=len(self.tenants)).astype(np.int32)

    def slots_between(self, first: int, last: int) -> Datacenter:
        """The same datacenter with the slots `first` to `last` (excluded) alone; times count from the new start.

        Args:
            first: a slot, 0 to slots.
            last: a slot, `first` to slots.
        """
        shift_s = first * self.slot_s
        moved = Reimages(self.reimages.server, self.reimages.time_s - shift_s)
        return replace(
            self,
            utilisation=self.utilisation[:, first:last],
            start_s=self.start_s + shift_s,
            reimages=moved,
        )
