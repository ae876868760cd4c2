"""An application master in Python that runs small programs in real containers and starts again what was killed.

It speaks the protocols itself: an unmanaged application that is registered, asks by label, and starts containers
at their NodeManagers. One application serves all jobs, so that no job waits for a master of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Self

from froude.hadoop.rpc.connection import Connection
from froude.hadoop.rpc.sasl import Token
from froude.messages.schema import Schema

_CLIENT = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
_MASTER = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
_NODE = "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB"
_SUCCEEDED = 1
_WAIT_S = 60.0
_MOST_JOBS = 100


@dataclass(slots=True)
class BatchJob:
    """So many tasks, each one container."""

    number: int
    kind: str
    tasks: int
    work_s: float
    """CPU of each task."""
    submitted_s: float = 0.0
    ended_s: float | None = None
    killed: int = 0
    """Containers that were taken away."""
    wasted_s: float = 0.0
    """Time that those had run."""
    hosts: list[str] = field(default_factory=list)
    """Where its containers were started."""
    left: int = 0
    """Tasks that have not ended."""


@dataclass(slots=True)
class _Running:
    job: BatchJob
    key: int
    started_s: float


class BatchMaster:
    """Runs jobs; a context manager."""

    def __init__(
        self,
        host: str,
        ports: tuple[int, int],
        schema: Schema,
        *,
        memory_mb: int,
        command: Callable[[BatchJob, str], str],
    ) -> None:
        """Nothing is sent yet.

        Args:
            host: of the ResourceManager.
            ports: for clients, and for application masters.
            schema: of its release.
            memory_mb: of each container, beside one virtual core.
            command: what a job's container runs on a host.
        """
        self._host, self._ports, self._schema = host, ports, schema
        self._memory_mb, self._command = memory_mb, command
        self._stack = ExitStack()
        self._wanted: dict[int, tuple[BatchJob, str, int]] = {}
        """By key: job, label, containers that are asked for."""
        self._changed: set[int] = set()
        self._running: dict[tuple[int, int], _Running] = {}
        self._tokens: dict[str, Token] = {}
        self._response = 0

    def __enter__(self) -> Self:
        application, token = self._application()
        self._master = self._stack.enter_context(
            Connection(self._host, self._ports[1], self._schema, _MASTER, token=token)
        )
        self._master.call(
            "registerApplicationMaster", self._message("registerApplicationMaster", host="", rpc_port=0)
        )
        self.application = f"application_{application.cluster_timestamp}_{application.id:04}"
        return self

    def __exit__(self, *_: object) -> None:
        try:
            done = self._message("finishApplicationMaster", final_application_status=_SUCCEEDED)
            self._master.call("finishApplicationMaster", done)
        finally:
            self._stack.close()

    @property
    def running(self) -> int:
        """Containers that run."""
        return len(self._running)

    def submit(self, job: BatchJob, shares: Sequence[tuple[str, int]]) -> None:
        """Ask for a job's containers.

        Args:
            job: with a number of its own; the earlier one is served first.
            shares: labels, and how many containers on each; an empty label is any node.
        """
        job.submitted_s, job.left = time.monotonic(), job.tasks
        for index, (label, number) in enumerate(shares):
            key = job.number * _MOST_JOBS + index
            self._wanted[key] = (job, label, number)
            self._changed.add(key)

    def step(self) -> list[BatchJob]:
        """One heartbeat: asks, starts what was given, notes what ended.

        Returns:
            Jobs that are done.
        """
        request: Any = self._message("allocate", response_id=self._response, progress=0.5)
        for key in sorted(self._changed):
            self._ask(request, key)
        self._changed.clear()
        answer: Any = self._master.call("allocate", request)
        self._response = answer.response_id
        for each in answer.nm_tokens:
            self._tokens[each.nodeId.host] = Token(each.token.identifier, each.token.password)
        by_host: dict[str, list[Any]] = {}
        for container in answer.allocated_containers:
            by_host.setdefault(container.nodeId.host, []).append(container)
        for host, containers in by_host.items():
            self._start(host, containers)
        return [job for each in answer.completed_container_statuses if (job := self._ended(each)) is not None]

    def _ask(self, request: Any, key: int) -> None:
        job, label, number = self._wanted[key]
        ask = request.ask.add(resource_name="*", num_containers=number, allocation_request_id=key)
        ask.priority.priority = job.number + 1
        ask.capability.memory, ask.capability.virtual_cores = self._memory_mb, 1
        if label:
            ask.node_label_expression = label

    def _start(self, host: str, containers: Sequence[Any]) -> None:
        request: Any = self._schema.method(_NODE, "startContainers").request()
        for container in containers:
            key = container.allocation_request_id
            job, label, number = self._wanted[key]
            self._wanted[key] = (job, label, number - 1)
            one = request.start_container_request.add()
            one.container_launch_context.command.append(self._command(job, host))
            # Messages of two protocols are of two pools: by their bytes.
            one.container_token.ParseFromString(container.container_token.SerializeToString())
            self._running[_id(container.id)] = _Running(job, key, time.monotonic())
            job.hosts.append(host)
        port = containers[0].nodeId.port
        with Connection(host, port, self._schema, _NODE, token=self._tokens[host]) as node:
            answer: Any = node.call("startContainers", request)
        for failed in answer.failed_requests:
            raise RuntimeError(f"{host} refuses a container: {failed.exception.message}")

    def _ended(self, status: Any) -> BatchJob | None:
        found = self._running.pop(_id(status.container_id), None)
        if found is None:
            return None
        job, now_s = found.job, time.monotonic()
        if status.exit_status == 0:
            job.left -= 1
            if not job.left:
                job.ended_s = now_s
                return job
            return None
        job.killed += 1
        job.wasted_s += now_s - found.started_s
        _, label, number = self._wanted[found.key]
        self._wanted[found.key] = (job, label, number + 1)
        self._changed.add(found.key)
        return None

    def _application(self) -> tuple[Any, Token]:
        """A new unmanaged application, and the token of its master."""
        with Connection(self._host, self._ports[0], self._schema, _CLIENT) as client:
            ask = self._schema.method(_CLIENT, "getNewApplication").request()
            application = client.call("getNewApplication", ask).application_id  # type: ignore[attr-defined]
            submit: Any = self._schema.method(_CLIENT, "submitApplication").request()
            context = submit.application_submission_context
            context.application_id.CopyFrom(application)
            context.application_name, context.unmanaged_am = "batch", True
            context.am_container_spec.SetInParent()
            context.priority.priority = 0
            context.resource.memory, context.resource.virtual_cores = self._memory_mb, 1
            client.call("submitApplication", submit)
            report: Any = self._schema.method(_CLIENT, "getApplicationReport").request()
            report.application_id.CopyFrom(application)
            deadline = time.monotonic() + _WAIT_S
            while time.monotonic() < deadline:
                answer: Any = client.call("getApplicationReport", report)
                token = answer.application_report.am_rm_token
                if token.password:
                    return application, Token(token.identifier, token.password)
                time.sleep(0.1)
        raise RuntimeError("the application was not accepted in time")

    def _message(self, method: str, **fields: object) -> Any:
        return self._schema.method(_MASTER, method).request(**fields)


def _id(container: Any) -> tuple[int, int]:
    attempt = container.app_attempt_id
    return attempt.application_id.id, container.id
