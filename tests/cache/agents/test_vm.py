"""The agent on a VM, on this machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.cache.agents.config import VmAgent
from froude.cache.agents.vm import JobReader, VmWatch
from froude.cache.monitor.messages import ProcessSample
from froude.cache.monitor.view import Monitor
from tests.support.cache.agents.jobs import ANSWERS, ENDED, RUNNING, Cluster
from tests.support.cache.monitor import figure5


def test_it_reports_this_machine(tmp_path: Path) -> None:
    """Counters that go on, connections by peer, and the jobs of a ResourceManager."""
    cluster = Cluster(dict(ANSWERS))
    config = VmAgent(
        name="vm1",
        token=tmp_path / "t",
        addresses=("127.0.8.1",),
        resourcemanager=cluster.address,
        every_s=0.05,
    )
    with socket.create_server(("127.0.8.2", 0)) as server:
        source = ("127.0.8.1", 0)
        with (
            socket.create_connection(server.getsockname(), source_address=source) as client,
            VmWatch(config) as watch,
        ):
            client.sendall(b"x" * 1000)
            watch.look()
            first, second = watch.report(), watch.report()
    assert (first.name, first.addresses) == ("vm1", ("127.0.8.1",))
    assert first.instance == second.instance
    assert second.uptime_s > first.uptime_s
    assert {job.id for job in first.jobs} == {"application_1_0002", "application_1_0003"}
    (peer,) = first.peers
    assert (peer.address, peer.incoming, peer.role) == ("127.0.8.2", False, "")
    assert peer.sent_bytes >= 1000
    cluster.shutdown()
    cluster.server_close()


def test_a_resourcemanager_that_is_down(tmp_path: Path) -> None:
    """No jobs are known then; the rest is."""
    config = VmAgent(name="vm1", token=tmp_path / "t", resourcemanager="127.0.0.1:1")
    watch = VmWatch(config)
    watch.look()
    assert watch.report().jobs == ()


def test_what_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    """Not at each look."""
    told: list[str] = []
    watch = VmWatch(VmAgent(name="vm1", token=tmp_path / "t"), told.append)
    watch._tell("x")
    watch._tell("x")
    assert told == ["x"]


def test_the_papers_clusters_over_real_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten VMs as ten addresses of this machine: who talks to whom, by the kernel's counters, tells two of the clusters.

    All of them are this process, which takes the part of a DataNode.
    """
    masters = ("vm1", "vm10")
    here = [ProcessSample(role="DataNode", pid=os.getpid())]
    monkeypatch.setattr("froude.cache.agents.system.processes", lambda: here)
    vms = [vm for master in masters for vm in figure5.names(master)]
    at = {vm: f"127.0.9.{vm.removeprefix('vm')}" for vm in vms}
    watches = {vm: VmWatch(VmAgent(name=vm, token=tmp_path / "t", addresses=(at[vm],))) for vm in vms}
    monitor = Monitor(window_s=1000, stale_s=1000)
    with ExitStack() as stack:
        servers = {vm: stack.enter_context(socket.create_server((at[vm], 0))) for vm in vms}
        clients = []
        for flow in figure5.flows():
            if flow.calls and flow.receiver in vms:
                address = servers[flow.receiver].getsockname()
                client = socket.create_connection(address, source_address=(at[flow.sender], 0))
                serving, _ = servers[flow.receiver].accept()
                clients.append((stack.enter_context(client), stack.enter_context(serving)))
        for _ in range(2):
            for client, serving in clients:
                client.sendall(bytes(5000))
                assert serving.recv(5000, socket.MSG_WAITALL)
            for watch in watches.values():
                watch.look()
                report = watch.report()
                monitor.guest(report, report.uptime_s)
        view = monitor.view(0.0)
    assert {each.name: set(each.vms) for each in view.applications} == {
        master: set(figure5.names(master)) for master in masters
    }


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
