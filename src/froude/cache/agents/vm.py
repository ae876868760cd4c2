"""The agent on a VM: looks at connections, processes and jobs on a beat of its own, and reports when it is asked.

Jobs of Hadoop are read by REST, of the ResourceManager, the application masters behind its proxy, and the
JobHistoryServer. There is no call for all attempts of a cluster (MAPREDUCE-6422), so hosts are asked for one job after
the other, a few a look, and kept.

Source: ResourceManagerRest, MapredAppMasterRest and HistoryServerRest of Hadoop 3.4.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from froude.base.errors import FroudeError, TargetError
from froude.base.limits import machine_cores
from froude.cache.agents import system
from froude.cache.agents.beat import Beat, Beating
from froude.cache.agents.config import VmAgent
from froude.cache.monitor.connections import PeerTotals
from froude.cache.monitor.messages import JobSample, ProcessSample, VmReport
from froude.rest.calls import Bounds, JsonCalls

_BOUNDS = Bounds(timeout_s=5.0, whole_s=5.0, largest_bytes=8 << 20)
_ASKED_A_LOOK = 3
"""Jobs whose tasks are asked for in one look."""
_TASKS_A_JOB = 20
"""Tasks of a job that are asked for; its hosts are known well enough by them."""
_MOST_JOBS = 200
_LATELY_MS = 600_000
_RUNNING = frozenset({"RUNNING", "ACCEPTED", "SUBMITTED", "NEW", "NEW_SAVING"})
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
            found = system.connections(roles, self.config.addresses)
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
            cores=machine_cores(),
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


@dataclass(slots=True)
class JobReader:
    """Reads the jobs of one cluster."""

    resourcemanager: str
    """`HOST:PORT` of its web server."""
    history: str | None = None
    """`HOST:PORT` of the JobHistoryServer's; None where there is none."""
    _hosts: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def jobs(self) -> tuple[JobSample, ...]:
        """Jobs that run, and those that ended within the last ten minutes.

        Raises:
            TargetError: the ResourceManager does not answer, or not as one does. A JobHistoryServer or an application
                master that does not is passed over: the one may be gone, the other still starting.
        """
        listed = self._listed(self._get(self.resourcemanager, "ws/v1/cluster/apps"), "apps", "app")
        newest = max((_number(each.get("finishedTime")) for each in listed), default=0.0)
        found: dict[str, JobSample] = {}
        for each in listed[-_MOST_JOBS:]:
            running = str(each.get("state")) in _RUNNING
            if running or _number(each.get("finishedTime")) >= newest - _LATELY_MS:
                found[str(each.get("id"))] = self._sample(each, running=running)
        self._hosts = {job: hosts for job, hosts in self._hosts.items() if job in found}
        for job in [each.id for each in found.values() if each.running and each.id not in self._hosts][
            :_ASKED_A_LOOK
        ]:
            self._hosts[job] = self._hosts_of(job)
        exact = self._history()
        return tuple(
            each.model_copy(update={"hosts": self._hosts.get(each.id, ()), **exact.get(each.id, {})})
            for each in found.values()
        )

    def _sample(self, app: Mapping[str, Any], *, running: bool) -> JobSample:
        try:
            return JobSample(
                id=str(app["id"])[:200],
                name=str(app.get("name", ""))[:200],
                kind=str(app.get("applicationType", ""))[:200],
                running=running,
                progress=min(1.0, max(0.0, _number(app.get("progress")) / 100)),
                elapsed_s=_number(app.get("elapsedTime")) / 1000,
            )
        except (KeyError, ValidationError) as error:
            raise TargetError(
                "tells of a job in no known form", file=self.resourcemanager, found=error
            ) from error

    def _hosts_of(self, job: str) -> tuple[str, ...]:
        """Where tasks of a running MapReduce job are, from its application master; nowhere for others."""
        base = f"proxy/{job}/ws/v1/mapreduce/jobs/{job.replace('application_', 'job_')}/tasks"
        hosts: dict[str, None] = {}
        try:
            tasks = self._listed(self._get(self.resourcemanager, base), "tasks", "task")
            for task in tasks[:_TASKS_A_JOB]:
                answer = self._get(self.resourcemanager, f"{base}/{task['id']}/attempts")
                for attempt in self._listed(answer, "taskAttempts", "taskAttempt"):
                    hosts[str(attempt.get("nodeHttpAddress", "")).rpartition(":")[0]] = None
        except (TargetError, KeyError, TypeError):
            return ()
        return tuple(host for host in hosts if host)

    def _history(self) -> dict[str, dict[str, object]]:
        """Exact times of jobs that have ended, by the id of their application."""
        if self.history is None:
            return {}
        try:
            answer = self._get(self.history, "ws/v1/history/mapreduce/jobs", {"limit": str(_MOST_JOBS)})
            listed = self._listed(answer, "jobs", "job")
        except TargetError:
            return {}
        exact: dict[str, dict[str, object]] = {}
        for each in listed:
            begun, ended = _number(each.get("startTime")), _number(each.get("finishTime"))
            if 0 < begun < ended:
                job = str(each.get("id")).replace("job_", "application_")
                exact[job] = {"elapsed_s": (ended - begun) / 1000, "running": False}
        return exact

    def _get(self, address: str, path: str, query: Mapping[str, str] | None = None) -> Any:
        calls = JsonCalls(address, "", bounds=_BOUNDS)
        return calls.send("GET", path, query=list((query or {}).items()))

    def _listed(self, answer: Any, *names: str) -> list[Mapping[str, Any]]:
        """The list below some names: nothing, one element or several."""
        for name in names:
            if answer is not None and not isinstance(answer, Mapping):
                raise TargetError(
                    "answers with a form that is not known", file=self.resourcemanager, place=name
                )
            answer = (answer or {}).get(name)
        if answer is None:
            return []
        items = answer if isinstance(answer, list) else [answer]
        return [each for each in items if isinstance(each, Mapping)]


def _number(value: object) -> float:
    return (
        float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
        else 0.0
    )
