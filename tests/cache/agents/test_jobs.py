"""Jobs by REST, of a cluster that a test plays: its answers are those of Hadoop 3.4."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from froude.base.errors import TargetError
from froude.cache.agents.jobs import JobReader

_RUNNING, _ENDED, _OLD = "application_1_0003", "application_1_0002", "application_1_0001"
_NOW = 1_700_000_000_000
_APPS = [
    {"id": _OLD, "state": "FINISHED", "finishedTime": _NOW - 9_000_000, "elapsedTime": 5000},
    {
        "id": _ENDED,
        "state": "FINISHED",
        "name": "sort",
        "finishedTime": _NOW,
        "elapsedTime": 61_000,
        "progress": 100.0,
    },
    {
        "id": _RUNNING,
        "state": "RUNNING",
        "applicationType": "MAPREDUCE",
        "progress": 35.5,
        "elapsedTime": 12_000,
    },
]
_TASKS = f"/proxy/{_RUNNING}/ws/v1/mapreduce/jobs/job_1_0003/tasks"
_HISTORY = [{"id": "job_1_0002", "startTime": _NOW - 58_500, "finishTime": _NOW}]
_ANSWERS: dict[str, Any] = {
    "/ws/v1/cluster/apps": {"apps": {"app": _APPS}},
    _TASKS: {"tasks": {"task": [{"id": "t1"}, {"id": "t2"}]}},
    f"{_TASKS}/t1/attempts": {"taskAttempts": {"taskAttempt": [{"nodeHttpAddress": "10.0.0.4:8042"}]}},
    f"{_TASKS}/t2/attempts": {"taskAttempts": {"taskAttempt": {"nodeHttpAddress": "10.0.0.5:8042"}}},
    "/ws/v1/history/mapreduce/jobs": {"jobs": {"job": _HISTORY}},
}


class Cluster(ThreadingHTTPServer):
    """Answers by path, and counts who asks what."""

    def __init__(self, answers: dict[str, Any]) -> None:
        """Serve from now on."""
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                asked.append(path)
                answer = answers.get(path)
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(200 if path in answers else 404)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"127.0.0.1:{self.server_address[1]}"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A ResourceManager, an application master behind its proxy, and a JobHistoryServer."""
    server = Cluster(dict(_ANSWERS))
    yield server
    server.shutdown()
    server.server_close()


def test_jobs_that_run_and_ended_lately(cluster: Cluster) -> None:
    """With the hosts of the one, and of the other the time that the history has."""
    jobs = {job.id: job for job in JobReader(cluster.address, cluster.address).jobs()}
    assert set(jobs) == {_RUNNING, _ENDED}
    running, ended = jobs[_RUNNING], jobs[_ENDED]
    assert (running.running, running.progress, running.kind) == (True, 0.355, "MAPREDUCE")
    assert running.hosts == ("10.0.0.4", "10.0.0.5")
    assert (ended.running, ended.name, ended.elapsed_s) == (False, "sort", 58.5)


def test_hosts_are_asked_for_once(cluster: Cluster) -> None:
    """There is no call for all attempts: what is known is kept."""
    reader = JobReader(cluster.address)
    reader.jobs()
    first = len(cluster.asked)
    reader.jobs()
    assert len(cluster.asked) == first + 1


def test_a_cluster_without_jobs() -> None:
    """The list is null then."""
    server = Cluster({"/ws/v1/cluster/apps": {"apps": None}})
    assert JobReader(server.address).jobs() == ()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "answer", [b"<html>", b"[1]", b'{"apps": [1]}', b'{"apps": {"app": [{"state": "RUNNING"}]}}']
)
def test_what_is_no_resourcemanager(answer: bytes) -> None:
    """One clear error, whatever it says."""
    server = Cluster({"/ws/v1/cluster/apps": answer})
    with pytest.raises(TargetError, match=server.address):
        JobReader(server.address).jobs()
    server.shutdown()
    server.server_close()


def test_nobody_there() -> None:
    """Neither is that a traceback."""
    with pytest.raises(TargetError, match="does not answer"):
        JobReader("127.0.0.1:1").jobs()


def test_a_resourcemanager_that_speaks_tls_alone(tls_alert: int) -> None:
    """One error, as of one that is not there."""
    with pytest.raises(TargetError, match="does not answer"):
        JobReader(f"127.0.0.1:{tls_alert}").jobs()
