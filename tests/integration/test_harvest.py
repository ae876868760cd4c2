"""Harvesting on a real ResourceManager: classes, resources as primary tenants leave them, jobs, and all back."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from hdfs_native import Client, WriteOptions

from froude.base.files import atomic_write_text
from froude.cli.app import run
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.launcher import home_environment
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.release.jvm import FAST_FLAGS
from froude.hadoop.settings.yarn import TRACKER, Containers
from froude.harvest.live.resourcemanager import ResourceManager
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import made
from tests.support.harvest.live.emulated import register

pytestmark = pytest.mark.integration

_HOURS = np.arange(4 * 24)
_DAY = 0.4 + 0.2 * np.cos(2 * np.pi * _HOURS / 24)
_SUBMIT = ["harvest", "submit", "--memory", "256", "--last", "10s"]
_FROUDE = "from froude.cli.entry import main; main()"
_ASSIGNED = re.compile(r"Assigned container (container_\S+) .*?on host (\S+?):")

T = TypeVar("T")


def test_a_daemon_places_jobs_and_makes_room_for_tenants(
    hadoop: Hadoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A job lands in its class, a spike kills the youngest containers first, and rollback restores everything."""
    monkeypatch.chdir(tmp_path)
    conf = {
        "yarn.node-labels.enabled": "true",
        "yarn.node-labels.fs-store.root-dir": f"file://{tmp_path}/labels",
        "yarn.scheduler.configuration.store.class": "memory",
        "yarn.scheduler.capacity.resource-calculator": (
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
        ),
    }
    quick = " ".join(FAST_FLAGS)
    conf |= {
        "yarn.app.mapreduce.am.command-opts": f"-Xmx256m {quick}",
        "mapreduce.map.java.opts": f"-Xmx176m {quick}",
    }
    size = Containers(node_mb=2048, node_cores=8)
    with YarnCluster(
        hadoop, datanodes=1, nodemanagers=2, replication=1, containers=size, fast=True, conf=conf
    ) as cluster:
        home = cluster.client_home()
        server = ResourceManager(*cluster.resourcemanager_http, user="root")
        first = server.state()
        night, day = cluster.node_addresses
        lab = made(np.array([_DAY, np.roll(_DAY, 12)]))
        write_datacenter(tmp_path / "lab", replace(lab, servers=[night, day]))
        use({night: 0.0, day: 0.0})
        command = ["harvest", "serve", "lab", "--resourcemanager", server.address, "--resources"]
        command += ["--as", "both", "--usage", "use.csv", "--listen", "127.0.0.1:0", "--interval", "1s"]

        spare(cluster, server)
        first = replace(first, nodes=server.nodes())

        assert run(command) == 0
        assert {node.host: node.total for node in server.nodes()} == {n.host: n.total for n in first.nodes}
        with serving([*command, "--target-is", first.id]) as daemon:
            real = lambda: [node for node in server.nodes() if node.host in {night, day}]  # noqa: E731
            nodes = waited(real, lambda nodes: all(node.total.vcores == 5 and node.label for node in nodes))
            classes = {node.host: node.label for node in nodes}
            assert sorted(classes.values()) == ["periodic-01", "periodic-02"]
            assert {node.host: node.attribute for node in nodes} == classes

            with monkeypatch.context() as environment:
                for name, value in home_environment(cluster.jars.hadoop, home, cluster.hdfs.uri).items():
                    environment.setenv(name, value)
                capfd.readouterr()
                # All of it in its application master: two JVMs less to wait for.
                words = [str(home / "bin" / "yarn"), "examples", "pi", "-Dmapreduce.job.ubertask.enable=true"]
                assert (
                    run([*_SUBMIT, "--job", "pi", "--containers", "3", "--json", "--", *words, "2", "10"])
                    == 0
                )
                told = json.loads(capfd.readouterr().out)
                assert told["fit"] == "one class"
                assert {classes[host] for host in hosts_of(cluster, server)} == {told["label"]}
                spike(cluster, str(home / "bin" / "yarn"), classes, server)
            daemon.terminate()
            assert daemon.wait(120) == 0
        known = json.loads(Path("harvest-service", "service.json").read_text())
        assert [job["job"] for job in known["jobs"]] == ["pi"]

        assert run(["harvest", "rollback", "harvest-service/prior.json"]) == 0
        assert not Path("harvest-service", "prior.json").exists()
        after = server.state()
        assert {(node.label, node.attribute) for node in after.nodes} == {("", "")}
        assert (after.labels, after.scheduler) == (first.labels, first.scheduler)
        assert {node.host: node.total for node in after.nodes} == {n.host: n.total for n in first.nodes}


def spare(cluster: YarnCluster, server: ResourceManager) -> None:
    """Many nodes report what is in use: each gets what that leaves its containers, and gets back what it had."""
    hosts = {f"127.1.0.{n}": (n % 5 * 0.75, n % 2 * 1.0) for n in range(1, 41)}
    register((cluster.resourcemanager[0], TRACKER), cluster.jars.schema(), hosts)
    command = [
        "harvest",
        "apply",
        "--resourcemanager",
        server.address,
        "--resources",
        "--state",
        "spare.json",
    ]
    waited(server.nodes, lambda nodes: len(nodes) == 42)
    assert run([*command, "--target-is", server.state().id]) == 0
    # Of 8 virtual cores: what the machine's cores in use are, less those of containers, rounded up; 3 in reserve.
    wanted = {
        host: max(0, 8 - math.ceil(max(0.0, 8 * cores / 4 - by_containers)) - 3)
        for host, (cores, by_containers) in hosts.items()
    }
    seen = waited(
        lambda: {node.host: node.total.vcores for node in server.nodes() if node.host in hosts},
        lambda found: found == wanted,
    )
    assert seen == wanted
    assert run(["harvest", "rollback", "spare.json"]) == 0
    assert waited(
        lambda: {node.total.vcores for node in server.nodes() if node.host in hosts},
        lambda found: found == {8},
    )


@contextmanager
def serving(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon of its own process, once jobs can ask it."""
    access = Path("harvest-service", "access.json")
    with subprocess.Popen([sys.executable, "-c", _FROUDE, *command]) as daemon:
        try:
            assert waited(lambda: access.exists() or daemon.poll() is not None, bool)
            assert daemon.poll() is None
            yield daemon
        finally:
            daemon.kill()


def use(shares: dict[str, float]) -> None:
    """Tell the daemon what primary tenants use."""
    text = "server,cpu\n" + "".join(f"{host},{share}\n" for host, share in shares.items())
    atomic_write_text(Path("use.csv"), text)


def spike(cluster: YarnCluster, yarn: str, classes: dict[str, str], server: ResourceManager) -> None:
    """Three maps sleep on one node; its primary tenant takes most of it; what was started last goes."""
    hdfs = Client(cluster.hdfs.uri)
    hdfs.mkdirs("/sleep")
    for number in range(3):
        with hdfs.create(f"/sleep/{number}", WriteOptions()) as file:
            file.write(b"x\n")
    words = [yarn, "streaming", "-Dmapreduce.job.reduces=0", "-Dmapreduce.map.maxattempts=1"]
    words += ["-input", "/sleep", "-output", "/slept", "-mapper", "sleep 60"]
    ended: list[int] = []
    command = [*_SUBMIT, "--job", "sleep", "--containers", "4", "--", *words]
    job = threading.Thread(target=lambda: ended.append(run(command)))
    job.start()
    try:
        busy = waited(
            lambda: {host: containers(host) for host in classes}, lambda found: 4 in map(len, found.values())
        )
        host = max(busy, key=lambda each: len(busy[each]))
        use({each: 0.3 if each == host else 0.0 for each in classes})
        # 8 cores less 3 for the tenant and 3 in reserve: the application master and one map stay.
        left = waited(lambda: containers(host), lambda found: len(found) <= 2)
        assert {node.total.vcores for node in server.nodes() if node.host == host} == {2}
    finally:
        for application in server.calls.send("GET", "apps")["apps"]["app"]:
            if application["state"] == "RUNNING":
                server.calls.send("PUT", f"apps/{application['id']}/state", {"state": "KILLED"})
        job.join(120)
    assert left == busy[host][:2]
    assert ended == [1]


def hosts_of(cluster: YarnCluster, server: ResourceManager) -> set[str]:
    """Where the containers of the only job were put, as the ResourceManager's log says."""
    (application,) = server.calls.send("GET", "apps")["apps"]["app"]
    log = (cluster.hdfs.folder / "resourcemanager" / "resourcemanager.log").read_text()
    number = application["id"].removeprefix("application")
    return {host for container, host in _ASSIGNED.findall(log) if f"{number}_" in container}


def containers(host: str) -> list[str]:
    """Containers that run on a node, the oldest first."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(
        f"http://{host}:8042/ws/v1/node/containers", headers={"Accept": "application/json"}
    )
    with opener.open(request, timeout=10) as answer:
        found = (json.loads(answer.read()).get("containers") or {}).get("container") or []
    listed = found if isinstance(found, list) else [found]
    return sorted(each["id"] for each in listed if each["state"] in {"RUNNING", "LOCALIZING", "SCHEDULED"})


def waited(ask: Callable[[], T], reached: Callable[[T], bool]) -> T:
    """What is there once it is as it shall be, or after a minute."""
    deadline = time.monotonic() + 60
    while True:
        found = ask()
        if reached(found) or time.monotonic() > deadline:
            return found
        time.sleep(0.2)
