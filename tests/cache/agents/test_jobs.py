"""Jobs by REST, of a cluster that a test plays: its answers are those of Hadoop 3.4."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from froude.base.errors import TargetError
from froude.cache.agents.jobs import JobReader
from tests.support.cache.agents.jobs import ANSWERS, ENDED, RUNNING, Cluster


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A ResourceManager, an application master behind its proxy, and a JobHistoryServer."""
    server = Cluster(dict(ANSWERS))
    yield server
    server.shutdown()
    server.server_close()


def test_jobs_that_run_and_ended_lately(cluster: Cluster) -> None:
    """With the hosts of the one, and of the other the time that the history has."""
    jobs = {job.id: job for job in JobReader(cluster.address, cluster.address).jobs()}
    assert set(jobs) == {RUNNING, ENDED}
    running, ended = jobs[RUNNING], jobs[ENDED]
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
    with pytest.raises(TargetError, match=r"127\.0\.0\.1:1: "):
        JobReader("127.0.0.1:1").jobs()


def test_a_resourcemanager_that_speaks_tls_alone(tls_alert: int) -> None:
    """One error, as of one that is not there."""
    with pytest.raises(TargetError, match=r"127\.0\.0\.1:\d+: "):
        JobReader(f"127.0.0.1:{tls_alert}").jobs()
