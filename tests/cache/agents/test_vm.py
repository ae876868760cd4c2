"""The agent on a VM, on this machine."""

from __future__ import annotations

import socket
from pathlib import Path

from froude.cache.agents.config import VmAgent
from froude.cache.agents.vm import VmWatch
from tests.cache.agents.test_jobs import _ANSWERS, Cluster


def test_it_reports_this_machine(tmp_path: Path) -> None:
    """Counters that go on, connections by peer, and the jobs of a ResourceManager."""
    cluster = Cluster(dict(_ANSWERS))
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
