"""Jobs of Hadoop by REST, of the ResourceManager, the application masters behind its proxy, and the JobHistoryServer.

There is no call for all attempts of a cluster (MAPREDUCE-6422), so hosts are asked for one job after the other, a few
a look, and kept. Source: ResourceManagerRest, MapredAppMasterRest and HistoryServerRest of Hadoop 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from froude.base.errors import TargetError
from froude.cache.monitor.messages import JobSample
from froude.rest.calls import Bounds, JsonCalls

_BOUNDS = Bounds(timeout_s=5.0, whole_s=5.0, largest_bytes=8 << 20)
_ASKED_A_LOOK = 3
"""Jobs whose tasks are asked for in one look."""
_TASKS_A_JOB = 20
"""Tasks of a job that are asked for; its hosts are known well enough by them."""
_MOST_JOBS = 200
_LATELY_MS = 600_000
_RUNNING = frozenset({"RUNNING", "ACCEPTED", "SUBMITTED", "NEW", "NEW_SAVING"})


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
