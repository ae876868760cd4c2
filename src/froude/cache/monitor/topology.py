"""What runs where and who talks to whom: roles of processes of the Hadoop world, and applications with their masters.

A process has its role by the main class on its command line. VMs form one application where what Hadoop's own processes
exchange joins them. All machines of a site talk to the same name and time servers and the same monitoring: with those,
there would be one application.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MASTERS = ("NameNode", "ResourceManager", "HMaster", "MRAppMaster")
"""Roles that make their machine an application's master, the surest first."""
ROLES = {
    "org.apache.hadoop.hdfs.server.namenode.NameNode": "NameNode",
    "org.apache.hadoop.hdfs.server.namenode.SecondaryNameNode": "SecondaryNameNode",
    "org.apache.hadoop.hdfs.server.datanode.DataNode": "DataNode",
    "org.apache.hadoop.hdfs.qjournal.server.JournalNode": "JournalNode",
    "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager": "ResourceManager",
    "org.apache.hadoop.yarn.server.nodemanager.NodeManager": "NodeManager",
    "org.apache.hadoop.yarn.server.timelineservice.reader.TimelineReaderServer": "TimelineServer",
    "org.apache.hadoop.yarn.server.applicationhistoryservice.ApplicationHistoryServer": "TimelineServer",
    "org.apache.hadoop.mapreduce.v2.app.MRAppMaster": "MRAppMaster",
    "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer": "JobHistoryServer",
    "org.apache.hadoop.mapred.YarnChild": "Task",
    "org.apache.hadoop.hbase.master.HMaster": "HMaster",
    "org.apache.hadoop.hbase.regionserver.HRegionServer": "HRegionServer",
    "org.apache.spark.deploy.yarn.ApplicationMaster": "SparkMaster",
    "org.apache.spark.executor.CoarseGrainedExecutorBackend": "SparkExecutor",
    "org.apache.spark.executor.YarnCoarseGrainedExecutorBackend": "SparkExecutor",
    "org.apache.tez.dag.app.DAGAppMaster": "TezMaster",
    "org.apache.tez.runtime.task.TezChild": "Task",
}
"""By main class."""
_SECURE_DATANODE = "org.apache.hadoop.hdfs.server.datanode.SecureDataNodeStarter"


@dataclass(frozen=True, slots=True)
class Flow:
    """What one VM sent another, per second."""

    sender: str
    receiver: str
    bytes_per_s: float
    calls: bool = False
    """Whether the receiver is the server of the connections, and the sender its client."""


@dataclass(frozen=True, slots=True)
class Application:
    """VMs that work together."""

    name: str
    """That of its master."""
    vms: tuple[str, ...]
    """By name, in order."""
    master: str


def applications(
    flows: Iterable[Flow], roles: Mapping[str, Iterable[str]], *, least_bytes_per_s: float = 0.0
) -> tuple[Application, ...]:
    """The applications of all VMs that talk to another, or have a role; linear in VMs and flows.

    Args:
        least_bytes_per_s: flows below it join nothing: a lone probe does not make two clusters one.

    Returns:
        By name of the master. VMs that belong to nobody are in none.
    """
    flows = [each for each in flows if each.bytes_per_s > least_bytes_per_s and each.sender != each.receiver]
    parent = {vm: vm for vm in roles}
    for flow in flows:
        for end in (flow.sender, flow.receiver):
            parent.setdefault(end, end)
        parent[_root(parent, flow.sender)] = _root(parent, flow.receiver)
    members: dict[str, list[str]] = {}
    for vm in sorted(parent):
        members.setdefault(_root(parent, vm), []).append(vm)
    called = Counter(
        {vm: len({each.sender for each in flows if each.calls and each.receiver == vm}) for vm in parent}
    )
    found = []
    for vms in members.values():
        if len(vms) > 1 or any(True for _ in roles.get(vms[0], ())):
            master = _master(vms, roles, called)
            found.append(Application(master, tuple(vms), master))
    return tuple(sorted(found, key=lambda each: each.name))


def _root(parent: dict[str, str], vm: str) -> str:
    while parent[vm] != vm:
        parent[vm] = parent[parent[vm]]  # halves the path, so that all of them stay short
        vm = parent[vm]
    return vm


def _master(vms: list[str], roles: Mapping[str, Iterable[str]], called: Counter[str]) -> str:
    """Who runs a master's process; without one, who is called by most others."""
    for role in MASTERS:
        having = [vm for vm in vms if role in set(roles.get(vm, ()))]
        if having:
            return max(having, key=lambda vm: (called[vm], vm))
    return max(vms, key=lambda vm: (called[vm], vm))


def role_of(command: Sequence[str]) -> str:
    """The role of a process; empty where it has none of the Hadoop world.

    The main class is a word of its own: a class named within an option, or a file of that name, is none.

    Args:
        command: its command line, the program first.
    """
    if not command or "java" not in command[0].rpartition("/")[2]:
        return ""
    for word in command[1:]:
        if word in ROLES:
            return ROLES[word]
        if word == _SECURE_DATANODE:
            return "DataNode"
    return ""
