"""The agent on a hypervisor: its SSD, what each VM has and does there, and changes of limits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

from froude.base.errors import GuardError
from froude.cache.agents import system
from froude.cache.agents.beat import Beat, Beating
from froude.cache.agents.keeper import Keeper
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm, FindingMessage, HypervisorReport

_AT_ONCE = 32


class WatchedVm(Protocol):
    """A VM as this agent needs it (`froude.cache.backends.enforced.Watch`)."""

    def look(self, now_s: float) -> None:
        """Take what was read since the last look into the curve."""

    def report(self, instance: str, now_s: float) -> CachedVm:
        """The VM now."""

    def findings(self) -> Iterable[FindingMessage]:
        """What came of measuring its back-ends."""


@dataclass(slots=True)
class HypervisorWatch(Beating):
    """What the agent knows; `with HypervisorWatch(...) as watch:` looks at curves until the block ends."""

    name: str
    keeper: Keeper
    vms: Mapping[str, WatchedVm]
    every_s: float = 5.0
    """From one look at curves to the next."""
    _pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="froude-vm")
    )
    """One that hangs does not hold up the others."""
    _begun: float = field(default_factory=time.monotonic)
    _instance: str = field(default_factory=lambda: f"{system.boot()}/{time.monotonic_ns()}")

    def report(self) -> HypervisorReport:
        """Everything now."""
        now = self._now()
        return HypervisorReport(
            name=self.name,
            instance=self._instance,
            uptime_s=now,
            supply=self.keeper.supply,
            last_number=self.keeper.last_number,
            vms=tuple(self._pool.map(lambda vm: vm.report(self._instance, now), self.vms.values())),
            findings=tuple(finding for vm in self.vms.values() for finding in vm.findings()),
        )

    def apply(self, vm: str, number: int, limits: Limits, instance: str | None = None) -> CachedVm:
        """Change the limits of a VM.

        Args:
            instance: of the agent that the change is for: after a restart, numbers say nothing of what came before.

        Returns:
            The VM after it.

        Raises:
            InputError: no such VM.
            GuardError: the change was made for the agent before its restart.
            FroudeError: as `Keeper.apply`.
        """
        if instance not in {None, self._instance}:
            raise GuardError("is late", place=f"change {number}", found="the agent was started again since")
        self.keeper.apply(vm, number, limits)
        return self.vms[vm].report(self._instance, self._now())

    def look(self) -> None:
        """Look at all curves once."""
        now = self._now()
        for _ in self._pool.map(lambda vm: vm.look(now), self.vms.values()):
            pass

    def beat(self) -> Beat:
        """Looks at all curves."""
        return Beat("froude-hypervisor-watch", self.every_s, self.look)

    def _now(self) -> float:
        return time.monotonic() - self._begun
