"""Harvesting on a real ResourceManager: classes as labels, resources as primary tenants leave them, and all back."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.cli.app import run
from froude.experiment.session import Hadoop
from froude.hadoop.yarn_cluster import JobResult, YarnCluster
from froude.hadoop.yarn_settings import Containers
from froude.harvest.live.resourcemanager import ResourceManager
from froude.harvest.telemetry.files import write_datacenter
from tests.harvest.datacenters import made

pytestmark = pytest.mark.integration

_HOURS = np.arange(4 * 24)
_DAY = 0.4 + 0.2 * np.cos(2 * np.pi * _HOURS / 24)
_ASSIGNED = re.compile(r"Assigned container (container_\S+) .*?on host (\S+?):")


def test_classes_and_spare_resources_on_real_nodes(
    hadoop: Hadoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    size = Containers(node_mb=2048, node_cores=8)
    with YarnCluster(
        hadoop, datanodes=1, nodemanagers=2, replication=1, containers=size, fast=True, conf=conf
    ) as cluster:
        cluster.wait_live()
        server = ResourceManager(*cluster.resourcemanager_http, user="root")
        first = server.state()
        night, day = cluster.node_addresses
        lab = made(np.array([_DAY, np.roll(_DAY, 12)]))
        write_datacenter(tmp_path / "lab", replace(lab, servers=[night, day]))
        command = ["harvest", "apply", "lab", "--resourcemanager", server.address]

        assert run(command) == 0
        assert labels_of(server) == {night: "", day: ""}
        assert run([*command, "--target-is", first.id]) == 0
        named = labels_of(server)
        assert sorted(named.values()) == ["periodic-01", "periodic-02"]

        label = named[day]
        flags = [f"-Dmapreduce.job.{part}node-label-expression={label}" for part in ("", "am.")]
        job = cluster.run_job("examples", "pi", *flags, "2", "10", timeout_s=120)
        assert job.exit_code == 0, job.log
        assert hosts_of(cluster, job) == {day}

        spike(cluster, day, label, server)

        assert run(["harvest", "rollback"]) == 0
        assert not (tmp_path / "harvest-state.json").exists()
        after = server.state()
        assert labels_of(server) == {night: "", day: ""}
        assert (after.labels, after.scheduler) == (first.labels, first.scheduler)
        assert {node.host: node.total for node in after.nodes} == {n.host: n.total for n in first.nodes}


def spike(cluster: YarnCluster, day: str, label: str, server: ResourceManager) -> None:
    """Four maps sleep on one node; its primary tenant takes most of it; what was started last goes."""
    Path("in").mkdir()
    for number in range(4):
        Path("in", f"{number}").write_text("x\n")
    cluster.shell("-put", "in", "/sleep")
    words = [f"-Dmapreduce.job.{part}node-label-expression={label}" for part in ("", "am.")]
    words += ["-Dmapreduce.job.reduces=0", "-Dmapreduce.map.maxattempts=1"]
    words += ["-input", "/sleep", "-output", "/slept", "-mapper", "sleep 60"]
    job = threading.Thread(target=lambda: cluster.run_job("streaming", *words, timeout_s=180))
    job.start()
    try:
        before = waited(lambda: containers(day), 5)
        Path("use.csv").write_text(f"server,cpu\n{day},0.3\n")
        flags = ["--resources", "--usage", "use.csv", "--target-is", server.state().id]
        assert run(["harvest", "apply", "--resourcemanager", server.address, *flags]) == 0
        # 8 cores less 3 for the tenant and 3 in reserve: the application master and one map stay.
        left = waited(lambda: containers(day), 2, most=True)
    finally:
        for node in server.nodes():
            if node.host == day:
                assert node.total.vcores == 2
        kill(server, "application_" + "_".join(before[0].split("_")[1:3]))
        job.join(120)
    assert (len(before), left) == (5, before[:2])


def labels_of(server: ResourceManager) -> dict[str, str]:
    """The label of each node by its host."""
    return {node.host: node.label for node in server.nodes()}


def hosts_of(cluster: YarnCluster, job: JobResult) -> set[str]:
    """Where a job's containers were put, as the ResourceManager's log says."""
    log = (cluster.hdfs.folder / "resourcemanager" / "resourcemanager.log").read_text()
    number = job.applications[0].removeprefix("application")
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


def waited(ask: Callable[[], list[str]], number: int, *, most: bool = False) -> list[str]:
    """What is there once it is so many, at least or at most."""
    deadline = time.monotonic() + 60
    while True:
        found = ask()
        if (len(found) <= number if most else len(found) >= number) or time.monotonic() > deadline:
            return found
        time.sleep(0.2)


def kill(server: ResourceManager, application: str) -> None:
    """End an application."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    url = f"http://{server.address}/ws/v1/cluster/apps/{application}/state?user.name=root"
    request = urllib.request.Request(
        url, b'{"state":"KILLED"}', {"Content-Type": "application/json"}, method="PUT"
    )
    with opener.open(request, timeout=10) as answer:
        answer.read()
