"""The configuration of YARN's daemons, of jobs and their containers: plain mappings and texts, nothing is written here.

Masters are called by names, which each process reads from a hosts file of its own (`jdk.net.hosts.file`): what a
client writes into a job's configuration is the same on every node, and on every node the name leads to that node's
own way to the master.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.hadoop.release import jvm
from froude.hadoop.settings.hdfs import Site

NAMENODE, RESOURCEMANAGER, JOBHISTORY = "namenode", "resourcemanager", "jobhistory"
"""What processes call the masters."""
RESOURCEMANAGER_HOST, JOBHISTORY_HOST, CLIENTS_HOST = 2, 3, 4
"""Last numbers of addresses; the NameNode's is 1. The last is where clients find the masters that are recorded."""
SCHEDULER, TRACKER, CLIENT, ADMIN, WEB = 8030, 8031, 8032, 8033, 8088
"""Ports of a ResourceManager: Hadoop's own defaults."""
RPC_PORTS = (SCHEDULER, TRACKER, CLIENT, ADMIN)
NODE_PORTS = (8041, 8040, 8042)
"""Ports of a NodeManager: container management, localisation, web server; the same on every node."""
HISTORY_RPC, HISTORY_ADMIN, HISTORY_WEB = 10020, 10033, 19888
HOSTS = "hosts"
"""The hosts file, in a daemon's folder of configuration."""

_OPENED = "--add-opens=java.base/java.lang=ALL-UNNAMED"
"""Guice, which makes the web pages of ResourceManager, NodeManager and application master, reflects into the JDK."""
_LEAST_MB = 128
NODE_MB = 1024
"""Memory of all containers of one node, unless somebody says otherwise."""
PREFIXES = ("yarn.", "mapreduce.")
"""Of the properties that are YARN's; all others are HDFS's."""
_SHUFFLE = "mapreduce_shuffle"


@dataclass(frozen=True, slots=True)
class Containers:
    """What containers may use."""

    node_mb: int = NODE_MB
    """Memory of all containers of one node."""
    node_cores: int = 4
    """Virtual cores of one node."""
    master_mb: int = 512
    task_mb: int = 256
    """Memory of a map or reduce task."""

    def __post_init__(self) -> None:
        """Check that one node alone can run a job.

        Raises:
            InputError: it cannot.
        """
        least = self.master_mb + self.task_mb
        if self.node_mb < least:
            raise InputError(
                "holds no application master and one task",
                place="memory of a node",
                found=f"{self.node_mb} MiB",
                allowed=f"{least} MiB or more ({self.master_mb} + {self.task_mb})",
            )


def hosts(self_at: str, names: Mapping[str, str], *, machine: str) -> str:
    """A hosts file: who is who, as one process sees it.

    Args:
        self_at: the address that the process takes for this machine's.
    """
    lines = dict.fromkeys((self_at, "127.0.0.1", *names.values()))
    # The first name is what an address is called in turn: its own digits, so that nodes keep their addresses.
    named: dict[str, list[str]] = {address: [address] for address in lines}
    named[self_at].append(machine)
    named["127.0.0.1"].append("localhost")
    for name, address in names.items():
        named[address].append(name)
    return "".join(f"{address} {' '.join(words)}\n" for address, words in named.items())


def java_flags(hosts_file: str) -> list[str]:
    """What each JVM of YARN needs, its clients' and containers' too."""
    return [f"-Djdk.net.hosts.file={hosts_file}", _OPENED]


def yarn_site(network: str, *, containers: Containers, jars: str, extra: Mapping[str, str]) -> Site:
    """What all daemons and clients share.

    Args:
        network: such as `127.3.7`.
        jars: what containers load, as a class path.
    """
    return {
        **_resourcemanager(RESOURCEMANAGER),
        # Pages are for people's browsers, which know no names of ours.
        "yarn.resourcemanager.webapp.address": f"{network}.{RESOURCEMANAGER_HOST}:{WEB}",
        "yarn.application.classpath": f"$HADOOP_CONF_DIR,{jars}",
        "yarn.nodemanager.aux-services": _SHUFFLE,
        f"yarn.nodemanager.aux-services.{_SHUFFLE}.class": "org.apache.hadoop.mapred.ShuffleHandler",
        "yarn.nodemanager.resource.memory-mb": str(containers.node_mb),
        "yarn.nodemanager.resource.cpu-vcores": str(containers.node_cores),
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.pmem-check-enabled": "false",
        # A machine that is nearly full would have only unhealthy nodes.
        "yarn.nodemanager.disk-health-checker.enable": "false",
        "yarn.scheduler.minimum-allocation-mb": str(_LEAST_MB),
        "yarn.scheduler.maximum-allocation-mb": str(containers.node_mb),
        "yarn.scheduler.maximum-allocation-vcores": str(containers.node_cores),
        **{key: value for key, value in extra.items() if key.startswith("yarn.")},
    }


def resourcemanager_site(network: str, *, folder: str) -> Site:
    """What only the ResourceManager is told: to listen on its own address, and to keep its files at home."""
    return {
        **_resourcemanager(f"{network}.{RESOURCEMANAGER_HOST}"),
        "yarn.node-attribute.fs-store.root-dir": f"file://{folder}/attributes",
        "rpc.metrics.timeunit": "MICROSECONDS",
    }


def capacity_scheduler() -> Site:
    """One queue, which one job may fill, with as many application masters as fit."""
    return {
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        "yarn.scheduler.capacity.root.default.user-limit-factor": "100",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
    }


def nodemanager_site(
    address: str, *, folder: str, containers_java: Sequence[str], behind: str | None = None
) -> Site:
    """What only one NodeManager is told.

    Args:
        address: its own loopback address, also its host name.
        folder: where its containers work and write their logs.
        containers_java: flags of every JVM in its containers.
        behind: where it listens, for callers that come through a proxy on its address; None for that address.
    """
    manager, localizer, web = NODE_PORTS
    # Its own localizers call it without the proxy.
    apart = {} if behind is None else {"yarn.nodemanager.bind-host": behind}
    options = " ".join(f"'{flag}'" for flag in containers_java)
    return {
        "yarn.nodemanager.hostname": address,
        "yarn.nodemanager.address": f"{address}:{manager}",
        "yarn.nodemanager.localizer.address": f"{behind or address}:{localizer}",
        "yarn.nodemanager.webapp.address": f"{address}:{web}",
        "yarn.nodemanager.local-dirs": f"{folder}/local",
        "yarn.nodemanager.log-dirs": f"{folder}/logs",
        # All daemons start at once: a node that is first looks for its master again soon, not in half a minute.
        "yarn.resourcemanager.connect.retry-interval.ms": "500",
        # The launcher of every JVM takes its flags from there, whatever framework it belongs to.
        "yarn.nodemanager.admin-env": f"MALLOC_ARENA_MAX=2,JDK_JAVA_OPTIONS={options}",
        **apart,
    }


def container_flags(hosts_file: str) -> list[str]:
    """Flags of every JVM in a container: short-lived, many, on few cores."""
    return [*java_flags(hosts_file), "-Djava.net.preferIPv4Stack=true", *jvm.FAST_FLAGS]


def mapred_site(network: str, *, containers: Containers, extra: Mapping[str, str]) -> Site:
    """What jobs of MapReduce and the JobHistoryServer are told."""
    task_heap = f"-Xmx{containers.task_mb * 11 // 16}m"
    return {
        "mapreduce.framework.name": "yarn",
        "mapreduce.application.classpath": "$HADOOP_CONF_DIR",
        "mapreduce.shuffle.port": "0",
        "mapreduce.jobhistory.address": f"{JOBHISTORY}:{HISTORY_RPC}",
        "mapreduce.jobhistory.webapp.address": f"{network}.{JOBHISTORY_HOST}:{HISTORY_WEB}",
        "mapreduce.map.memory.mb": str(containers.task_mb),
        "mapreduce.reduce.memory.mb": str(containers.task_mb),
        "mapreduce.map.java.opts": task_heap,
        "mapreduce.reduce.java.opts": task_heap,
        "mapreduce.task.io.sort.mb": str(containers.task_mb // 8),
        "yarn.app.mapreduce.am.resource.mb": str(containers.master_mb),
        "yarn.app.mapreduce.am.command-opts": f"-Xmx{containers.master_mb // 2}m",
        **{
            key: value
            for key, value in extra.items()
            if key.startswith(("mapreduce.", "yarn.app.mapreduce."))
        },
    }


def jobhistory_site(network: str) -> Site:
    """What only the JobHistoryServer is told: to listen on its own address."""
    host = f"{network}.{JOBHISTORY_HOST}"
    return {
        "mapreduce.jobhistory.address": f"{host}:{HISTORY_RPC}",
        "mapreduce.jobhistory.admin.address": f"{host}:{HISTORY_ADMIN}",
    }


def _resourcemanager(host: str) -> Site:
    return {
        "yarn.resourcemanager.hostname": host,
        "yarn.resourcemanager.scheduler.address": f"{host}:{SCHEDULER}",
        "yarn.resourcemanager.resource-tracker.address": f"{host}:{TRACKER}",
        "yarn.resourcemanager.address": f"{host}:{CLIENT}",
        "yarn.resourcemanager.admin.address": f"{host}:{ADMIN}",
    }
