"""The agent on a VM: looks at connections and processes on a beat of its own, and reports when it is asked."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from froude.base.errors import FroudeError
from froude.cache.agents import sockets, system
from froude.cache.agents.beat import Beat, Beating
from froude.cache.agents.config import VmAgent
from froude.cache.agents.jobs import JobReader
from froude.cache.monitor.connections import PeerTotals
from froude.cache.monitor.messages import JobSample, ProcessSample, VmReport

_PROCESSES_EVERY_S = 10.0
"""Processes begin and end seldom, and looking through all of them costs most."""
_JOBS_EVERY_S = 10.0


@dataclass(slots=True)
class VmWatch(Beating):
    """What the agent knows; `with VmWatch(config) as watch:` looks until the block ends."""

    config: VmAgent
    failed: Callable[[str], None] = lambda _: None
    """Told once of each thing that cannot be read here."""
    _totals: PeerTotals = field(default_factory=PeerTotals)
    _processes: list[ProcessSample] = field(default_factory=list)
    _jobs: tuple[JobSample, ...] = ()
    _told: set[str] = field(default_factory=set)
    _processes_at: float = -1e9
    _jobs_at: float = -1e9
    _begun: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _instance: str = field(default_factory=lambda: f"{system.boot()}/{os.getpid()}/{time.monotonic_ns()}")
    _reader: JobReader | None = None

    def look(self) -> None:
        """Look once: at connections each time, at processes and jobs now and then."""
        now = time.monotonic()
        if now - self._processes_at >= _PROCESSES_EVERY_S:
            self._processes_at = now
            self._processes = system.processes()
        if now - self._jobs_at >= _JOBS_EVERY_S:
            self._jobs_at = now
            self._read_jobs()
        roles = {each.pid: each.role for each in self._processes}
        try:
            found = sockets.connections(roles, self.config.addresses)
        except FroudeError as error:
            self._tell(str(error))
            return
        with self._lock:
            self._totals.look(found)

    def report(self) -> VmReport:
        """Everything now."""
        disks = system.disks()
        wait_s, how = system.waited(self._processes, disks.busy_s)
        with self._lock:
            peers = self._totals.peers()
        return VmReport(
            name=self.config.name,
            instance=self._instance,
            uptime_s=time.monotonic() - self._begun,
            cores=os.cpu_count() or 1,
            cpu_s=system.processor_s(),
            io_s=wait_s,
            io_by=how,
            **disks.model_dump(exclude={"busy_s"}),
            addresses=self.config.addresses or system.addresses(),
            processes=tuple(self._processes),
            peers=peers,
            jobs=self._jobs,
        )

    def beat(self) -> Beat:
        """Looks, the first time before this returns."""
        self.look()
        return Beat("froude-vm-watch", self.config.every_s, self.look)

    def _read_jobs(self) -> None:
        if self.config.resourcemanager is None:
            return
        if self._reader is None:
            self._reader = JobReader(self.config.resourcemanager, self.config.history)
        with suppress(FroudeError):  # it may be down for a while: no jobs are known then
            self._jobs = ()
            self._jobs = self._reader.jobs()

    def _tell(self, what: str) -> None:
        if what not in self._told:
            self._told.add(what)
            self.failed(what)
