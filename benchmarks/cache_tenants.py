"""Three tenants of one small HDFS and YARN cluster, whose DataNodes' folders lie on a modelled hypervisor's caches.

A DataNode is a VM of the paper: one disk, one cache, one control group with little memory. As on one hypervisor of the
paper's Figure 5, tenants 1 and 3 have a VM each and tenant 2 has two. YARN's node labels keep each tenant's tasks on its
own nodes, and with one replica HDFS keeps what a task writes on the node that writes it: a tenant's data and jobs stay
on its VMs, as if each had a cluster of its own.

NodeManagers' own folders (logs, what is shuffled) do not lie on the caches; jobs' own files (jars, configuration,
history) lie on whichever VM HDFS chooses. Every half second each group is told to give its page cache back, so that
files are read from the caches again and not from memory.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from benchmarks import cache_classes
from benchmarks.cache_client import Ended, JobsClient
from benchmarks.cache_machine import Group, Hypervisor
from froude.base.errors import TargetError
from froude.cache.disk.client import DiskClient
from froude.cache.disk.status import DiskStatus
from froude.hadoop.cluster import launcher
from froude.hadoop.cluster.cluster import NodePlace
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.release.distribution import GROUP, Hadoop, cache_folder
from froude.hadoop.release.maven import Coordinate, Repository
from froude.hadoop.settings.yarn import NODE_PORTS, Containers

MIB = 1 << 20
_TESTS = "hadoop-mapreduce-client-jobclient"
"""Its tests jar holds TestDFSIO."""
_HEADROOM_BYTES = 48 * MIB
"""Of a DataNode's group, beyond what the process itself holds when it has come up."""
_EMPTIED_S = 0.5
_BACK_S = 120.0
_SERVES = "Successfully sent block report"
"""What a DataNode logs when the NameNode knows its blocks."""
_HEARTBEAT_MS = "250"
_MASTER_MB = 256
"""Heap of an application master, in which a small job's tasks run, too."""
_POLL_MS = "200"


@dataclass(frozen=True, slots=True)
class Tenant:
    """Somebody with VMs and jobs: an application of the paper."""

    name: str
    vms: tuple[int, ...]
    """Numbers of its VMs; the first is its master, where its application master runs."""


TENANTS = (Tenant("c1", (0,)), Tenant("c2", (1, 2)), Tenant("c3", (3,)))


class Tenants:
    """The cluster; `with Tenants(hadoop, hypervisor) as it:`, inside the hypervisor's block, with disks attached."""

    def __init__(self, hadoop: Hadoop, hypervisor: Hypervisor, *, block_bytes: int) -> None:
        """Describe it.

        Args:
            hadoop: the release.
            hypervisor: whose VMs' disks are attached.
            block_bytes: of HDFS.
        """
        self.hypervisor = hypervisor
        self._hadoop = hadoop
        self._jar = Repository(cache_folder() / "maven").fetch(
            Coordinate(GROUP, _TESTS, hadoop.version, "tests")
        )
        pairs = zip(hypervisor.mounts, hypervisor.memory, strict=True)
        folder = hypervisor.folder / "cluster"
        self.cluster = YarnCluster(
            hadoop,
            datanodes=len(hypervisor.mounts),
            nodemanagers=len(hypervisor.mounts),
            replication=1,
            fast=True,
            datanode_heap="64 MB",
            audit_log=False,
            places=[NodePlace(mount / "data", group.before) for mount, group in pairs],
            folder=folder,
            containers=Containers(node_mb=2048, node_cores=8, master_mb=512, task_mb=256),
            conf=_conf(block_bytes, folder),
        )
        self._lib = folder / "lib"
        self._archive: Path | None = None
        self._stack = contextlib.ExitStack()
        self._client: JobsClient | None = None

    def __enter__(self) -> Self:
        with self._stack as stack:
            stack.enter_context(self.cluster)
            cache_classes.link(self._lib, self._job_jars)
            self.cluster.wait_live()
            self._label()
            self._client = stack.enter_context(
                JobsClient(self._home_words(), self.hypervisor.folder / "client.log")
            )
            self._tighten()
            stack.enter_context(_emptied(self.hypervisor.memory))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(None, None, None)

    def put(self, folder: Path, vm: int) -> None:
        """Write a folder into HDFS, below its root, onto one VM; what is there already stays.

        Args:
            folder: whose name is the one below the root.
            vm: its number.
        """
        at = (self.cluster.hdfs.node_addresses[vm], self.cluster.hdfs.namenode.port)
        self.cluster.hdfs.shell("-put", str(folder), "/", at=at, timeout_s=300)

    def run(self, tenant: Tenant, words: Sequence[str]) -> Ended:
        """Run a job of a tenant's to its end; jobs may run side by side.

        Args:
            tenant: whose.
            words: the job's class and its arguments.
        """
        assert self._client is not None
        label = f"-Dmapreduce.job.node-label-expression={tenant.name}"
        return self._client.run(
            [words[0], label, *cache_classes.flags(self._archive, _MASTER_MB), *words[1:]]
        )

    def quicken(self, words: Sequence[str]) -> None:
        """Let application masters start from an archive of their classes, made by a job unless it is there.

        Args:
            words: of a job that shows what application masters load.
        """

        def train(flag: str) -> None:
            assert self._client is not None
            label = f"-Dmapreduce.job.node-label-expression={TENANTS[0].name}"
            opts = f"-Dyarn.app.mapreduce.am.command-opts=-Xmx{_MASTER_MB}m {flag}"
            ended = self._client.run([words[0], label, opts, *words[1:]])
            if ended.code:
                raise TargetError("failed", file=words[0], found=ended.why)

        self._archive = cache_classes.archive(self._hadoop, self._lib, train)

    def statuses(self) -> list[DiskStatus]:
        """Of each cache."""
        found = []
        for control in self.hypervisor.controls:
            with DiskClient(control) as disk:
                found.append(disk.stat())
        return found

    @contextlib.contextmanager
    def rearranged(self) -> Iterator[None]:
        """Stop the DataNodes, so that their disks can be attached anew in the block, and start them again."""
        datanodes = self.cluster.hdfs.datanodes
        for each in datanodes:
            each.terminate()
        for each in datanodes:
            each.stop()
        for group in self.hypervisor.memory:
            group.set("memory.limit_in_bytes", -1)
        yield
        logs = [_Log(each.log) for each in datanodes]
        for each in datanodes:
            each.start()
        deadline = time.monotonic() + _BACK_S
        while not all(log.tells(_SERVES) for log in logs):
            for each in datanodes:
                each.check()
            if time.monotonic() > deadline:
                raise TargetError("DataNodes did not come back")
            time.sleep(0.1)
        self._tighten()

    @property
    def _job_jars(self) -> list[Path]:
        return [self._jar, *(self.cluster.jars.jobs[word] for word in ("examples", "streaming"))]

    def _home_words(self) -> tuple[str, Mapping[str, str]]:
        """The program that starts Hadoop's clients, and their environment."""
        home = self.cluster.client_home()
        around = launcher.home_environment(self._hadoop, home, self.cluster.hdfs.uri)
        return str(home / "bin" / "yarn"), {**around, "HADOOP_CLASSPATH": ":".join(map(str, self._job_jars))}

    def _label(self) -> None:
        base = "http://{}:{}/ws/v1/cluster".format(*self.cluster.resourcemanager_http)
        labels = [{"name": each.name, "exclusivity": "true"} for each in TENANTS]
        _post(f"{base}/add-node-labels", {"nodeLabelInfo": labels})
        for tenant in TENANTS:
            for vm in tenant.vms:
                node = f"{self.cluster.node_addresses[vm]}:{NODE_PORTS[0]}"
                _post(f"{base}/nodes/{node}/replace-labels", None, labels=tenant.name)

    def _tighten(self) -> None:
        """Leave each DataNode little more memory than it holds."""
        for group in self.hypervisor.memory:
            group.set("memory.force_empty", 0)
            group.set("memory.limit_in_bytes", group.number("memory.usage_in_bytes") + _HEADROOM_BYTES)


@contextlib.contextmanager
def _emptied(groups: Sequence[Group]) -> Iterator[None]:
    """Have groups give their page cache back, again and again."""
    over = threading.Event()

    def empty(group: Group) -> None:
        while not over.wait(_EMPTIED_S):
            with contextlib.suppress(OSError):  # nobody is there between two arrangements
                group.set("memory.force_empty", 0)

    threads = [threading.Thread(target=empty, args=(group,), daemon=True) for group in groups]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        over.set()
        for each in threads:
            each.join()


def _conf(block_bytes: int, folder: Path) -> dict[str, str]:
    labelled = {
        f"{queue}.accessible-node-labels.{each.name}.capacity": "100"
        for each in TENANTS
        for queue in ("yarn.scheduler.capacity.root", "yarn.scheduler.capacity.root.default")
    }
    return {
        "dfs.blocksize": str(block_bytes),
        "dfs.datanode.round-robin-volume-choosing-policy.additional-available-space": "0",
        "yarn.node-labels.enabled": "true",
        "yarn.node-labels.fs-store.root-dir": f"file://{folder}/labels",
        "yarn.scheduler.capacity.root.default.accessible-node-labels": "*",
        **labelled,
        **cache_classes.conf(folder / "lib"),
        # By default a job's time is told in steps of five seconds, and each container waits for a second's heartbeat.
        "mapreduce.client.completion.pollinterval": _POLL_MS,
        "mapreduce.client.progressmonitor.pollinterval": _POLL_MS,
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": _HEARTBEAT_MS,
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": _HEARTBEAT_MS,
        "mapreduce.client.submit.file.replication": "1",
        "mapreduce.map.speculative": "false",
        "mapreduce.reduce.speculative": "false",
    }


def _post(url: str, body: Any, **query: str) -> None:
    words = "&".join(f"{key}={value}" for key, value in {"user.name": "root", **query}.items())
    request = urllib.request.Request(
        f"{url}?{words}",
        data=b"" if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()


class _Log:
    """What a log says from now on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._from = path.stat().st_size

    def tells(self, text: str) -> bool:
        """Whether it has said something."""
        with self._path.open("rb") as file:
            file.seek(self._from)
            return text.encode() in file.read()
