"""A small real cluster that runs jobs: HDFS as in `cluster`, a ResourceManager, NodeManagers, a JobHistoryServer.

One JVM a daemon. Node i is one address that its DataNode and its NodeManager share, as on a real machine, so that tasks
find their blocks at home. What runs on a node (NodeManager, application masters, tasks) dials the masters through
relays on the node's address, which connect onward from it: each master sees every call come from the node it comes from.
A recording puts its proxies in the place of the relays (`routes`), and before the NodeManagers, which then listen
behind the addresses by which they are known.
Containers are started by Hadoop's default executor, as this user; they fall with their NodeManager, and all with this
process, whatever ends it.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import psutil

from froude.base.errors import InputError, TargetError
from froude.base.progress import Progress
from froude.hadoop.cluster import launcher, loopback
from froude.hadoop.cluster.cluster import Cluster, ClusterOptions, run_shell
from froude.hadoop.cluster.daemons import Daemon
from froude.hadoop.cluster.program import run_program
from froude.hadoop.cluster.relay import Relay
from froude.hadoop.cluster.run_folder import Startable
from froude.hadoop.cluster.yarn_daemons import YarnDaemons
from froude.hadoop.metrics import jmx as metrics
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.yarn_jars import YarnJars
from froude.hadoop.rpc.target import target_at
from froude.hadoop.settings import yarn as yarn_settings
from froude.hadoop.settings.routes import Masters, Route, ways_of_nodes, ways_to_nodemanagers
from froude.hadoop.settings.yarn import Containers
from froude.hadoop.settings.yarn_memory import Nodes, check_memory

_METRICS = "Hadoop:service=ResourceManager,name=ClusterMetrics"
_POLL_S = 0.1
_READY_S = 180.0
_APPLICATION = re.compile(r"\bapplication_\d+_\d+\b")


@dataclass(frozen=True, slots=True)
class JobResult:
    """How a job ended."""

    exit_code: int
    log: str
    """What its client printed."""

    @property
    def applications(self) -> list[str]:
        """The ids of what YARN ran, in the order in which the client named them."""
        return list(dict.fromkeys(_APPLICATION.findall(self.log)))


class YarnCluster(Startable):
    """HDFS and YARN; `with YarnCluster(hadoop, datanodes=3, nodemanagers=3) as cluster:`."""

    called = "cluster"

    def __init__(
        self,
        hadoop: Hadoop,
        *,
        datanodes: int = 3,
        nodemanagers: int = 3,
        replication: int = 2,
        containers: Containers | None = None,
        progress: Progress | None = None,
        **options: Unpack[ClusterOptions],
    ) -> None:
        """Describe it; nothing runs before the block is entered.

        Args:
            nodemanagers: how many NodeManagers, 1 to `loopback.MOST_NODES`.
            replication: copies of each block that clients are told to make.
            containers: what they may use; None for `Containers()`.
            options: those of `Cluster`; further properties (`conf`) go to the file that their prefix says.

        Raises:
            InputError: numbers of nodes that do not fit on one loopback network, or a release without YARN.
            MissingError: its jars cannot be had.
        """
        if not 1 <= nodemanagers <= loopback.MOST_NODES:
            allowed = f"1 to {loopback.MOST_NODES}"
            raise InputError(
                "cannot start so many NodeManagers", place="nodemanagers", found=nodemanagers, allowed=allowed
            )
        self.jars = YarnJars.find(hadoop, progress=progress)
        self._conf = dict(options.get("conf") or {})
        options["conf"] = {
            key: value for key, value in self._conf.items() if not key.startswith(yarn_settings.PREFIXES)
        }
        self.hdfs = Cluster(hadoop, datanodes=datanodes, replication=replication, **options)
        """NameNode and DataNodes."""
        self.containers = containers or Containers()
        """What containers may use."""
        self._daemons = YarnDaemons(
            self.jars,
            self.hdfs,
            self.containers,
            self._conf,
            tuple(options.get("flags", ())),
            options.get("fast", False),
        )
        self.masters: list[Daemon] = []
        """ResourceManager and JobHistoryServer, once started."""
        self.nodemanagers: list[Daemon] = []
        """The NodeManagers' processes, once started, in the order of `node_addresses`."""
        self._count = nodemanagers
        self._stack = contextlib.ExitStack()
        self._captured = False
        self._behind: list[str] | None = None

    @property
    def node_addresses(self) -> list[str]:
        """The loopback address of each NodeManager, the first ones shared with the DataNodes."""
        return [loopback.node_address(self.hdfs.network, index) for index in range(self._count)]

    @property
    def resourcemanager(self) -> tuple[str, int]:
        """Where clients find the ResourceManager."""
        return self._daemons.resourcemanager_host, yarn_settings.CLIENT

    @property
    def resourcemanager_http(self) -> tuple[str, int]:
        """Its web server."""
        return self.resourcemanager[0], yarn_settings.WEB

    @property
    def jobhistory_http(self) -> tuple[str, int]:
        """The JobHistoryServer's web server."""
        return self._daemons.jobhistory_host, yarn_settings.HISTORY_WEB

    @property
    def clients_address(self) -> str:
        """Where clients find both masters while they are recorded."""
        return f"{self.hdfs.network}.{yarn_settings.CLIENTS_HOST}"

    def routes(self) -> list[Route]:
        """All ways on which daemons are called: the clients' way to the NameNode first; for a recording to stand on.

        Raises:
            TargetError: the ResourceManager does not come up, or the cluster was not started.
        """
        namenode = self.hdfs.namenode
        masters = Masters(
            target_at("namenode", namenode.address, namenode.cluster_id),
            self.resourcemanager[0],
            self._resourcemanager_started(),
        )
        return [
            *masters.ways(self.clients_address),
            *self._ways_of_nodes(masters),
            *ways_to_nodemanagers(self.node_addresses, self._listening()),
        ]

    def processes(self) -> list[tuple[str, int, str]]:
        """Name, process id and address of each daemon of YARN that was started."""
        history = f"{self.jobhistory_http[0]}:{yarn_settings.HISTORY_RPC}"
        addresses = [
            "{}:{}".format(*self.resourcemanager),
            history,
            *(f"{address}:{yarn_settings.NODE_PORTS[0]}" for address in self.node_addresses),
        ]
        daemons = (*self.masters, *self.nodemanagers)
        return [(each.name, each.pid, at) for each, at in zip(daemons, addresses, strict=False)]

    def live_nodemanagers(self) -> int:
        """How many NodeManagers the ResourceManager counts as active.

        Raises:
            TargetError: it does not answer.
        """
        beans = metrics.jmx(self.resourcemanager_http, _METRICS)
        return int(beans[0].get("NumActiveNMs", 0)) if beans else 0

    def start_nodemanagers(self, *, captured: bool = False) -> None:
        """Start the JobHistoryServer, DataNodes and NodeManagers; nothing happens the second time.

        Does not wait: see `wait_live`.

        Args:
            captured: whether a recording listens on all `routes` already, in the place of plain relays.

        Raises:
            TargetError: one could not be started.
        """
        if self.nodemanagers:
            return
        namenode = self.hdfs.namenode
        self._captured = captured
        if captured:
            web = yarn_settings.NODE_PORTS[2]
            known = zip(self.node_addresses, self._listening(), strict=True)
            relayed = {(address, web): (behind, web) for address, behind in known}
        else:
            masters = Masters(target_at("namenode", namenode.address, ""), self.resourcemanager[0])
            relayed = {way.listen: (way.target.host, way.listen[1]) for way in self._ways_of_nodes(masters)}
        self._stack.enter_context(Relay(relayed))
        taken = [(address, namenode.port) for address in self.hdfs.node_addresses]
        self.hdfs.start_datanodes(namenode_at=dict(enumerate(taken)))
        jobhistory = self._daemons.jobhistory()
        jobhistory.start()
        self.masters.append(jobhistory)
        behind_it = self._listening() if captured else [None] * self._count
        for index, (address, behind) in enumerate(zip(self.node_addresses, behind_it, strict=True)):
            daemon = self._daemons.nodemanager(index, address, behind=behind)
            daemon.start()
            self.nodemanagers.append(daemon)

    def wait_live(self, *, timeout_s: float = _READY_S) -> None:
        """Wait until every DataNode and NodeManager is live; starts them if that has not happened.

        Raises:
            TargetError: a daemon died, with its own last error, or the time is over.
        """
        deadline = time.monotonic() + timeout_s
        self.start_nodemanagers()
        self.hdfs.wait_live(timeout_s=timeout_s)
        while not self._all_live():
            for daemon in (*self.masters, *self.nodemanagers):
                daemon.check()
            if time.monotonic() > deadline:
                with contextlib.suppress(TargetError):
                    found = f"{self.live_nodemanagers()} of {self._count} live"
                raise TargetError(f"NodeManagers did not all come up in {timeout_s:g} s", found=found)
            time.sleep(_POLL_S)

    def client_home(self) -> Path:
        """A folder with `bin/hdfs`, `bin/yarn`, `bin/mapred` and a configuration for programs that use this cluster.

        Raises:
            TargetError: a node does not come up.
        """
        self.wait_live()
        return self._daemons.client_home(self.clients_address if self._captured else None)

    def shell(self, *arguments: str, timeout_s: float = 120) -> str:
        """Run Hadoop's own file system shell, in a JVM of its own, as a client of this cluster.

        Args:
            arguments: as after `hdfs dfs`: `"-put", "file", "/in"`.

        Returns:
            What it wrote to standard output.

        Raises:
            TargetError: it failed; with what it wrote to standard error.
        """
        return run_shell(self.jars.hadoop, self.client_home(), self.hdfs.uri, arguments, timeout_s)

    def run_job(
        self, *words: str, environment: Mapping[str, str] | None = None, timeout_s: float = 600
    ) -> JobResult:
        """Run one of Hadoop's commands to its end: `run_job("examples", "wordcount", "/in", "/out")`.

        Args:
            words: a ready job (`examples`, `streaming`, `distcp`), `jar` and a jar, or another command of `yarn`,
                `mapred` or `hdfs`; and its arguments.

        Raises:
            InputError: it took longer.
            TargetError: a node does not come up.
        """
        home = self.client_home()
        output = self.hdfs.folder / "job.out"
        around = launcher.home_environment(self.jars.hadoop, home, self.hdfs.uri) | dict(environment or {})
        command = [str(home / "bin" / "yarn"), *words]
        code = run_program(command, environment=around, output=output, timeout_s=timeout_s)
        return JobResult(code, output.read_text(errors="replace"))

    def start(self) -> None:
        """Start the NameNode and the ResourceManager; `with` does this.

        Raises:
            TargetError: one failed, with its own last error.
            InputError: the folder's path has characters that Hadoop's lists of paths do not take.
        """
        self.hdfs.start()
        with self._coming_up():
            check_memory(
                Nodes(len(self.hdfs.node_addresses), self._count, self.containers),
                psutil.virtual_memory().available,
            )
            if set(str(self.hdfs.folder)) & set(",'\" \\$"):
                allowed = "a path without commas, quotes, spaces, backslashes and $"
                raise InputError("cannot hold a cluster with YARN", file=self.hdfs.folder, allowed=allowed)
            self._daemons.link_jars()
            self.masters = [self._daemons.resourcemanager()]
            self.masters[0].start()

    def stop(self, *, keep: bool = False) -> None:
        """End every process, containers first; remove the folder unless it was named or `keep`."""
        for daemon in self.nodemanagers:
            daemon.kill()  # asked to end, it waits for its jobs for some 15 s; its containers fall with it
        for daemon in self.masters:
            daemon.terminate()
        for daemon in (*self.nodemanagers, *self.masters):
            daemon.stop()
        self.nodemanagers, self.masters = [], []
        self._stack.close()
        self.hdfs.stop(keep=keep)

    def _ways_of_nodes(self, masters: Masters) -> list[Route]:
        return ways_of_nodes(
            masters,
            nodemanagers=self.node_addresses,
            datanodes=self.hdfs.node_addresses,
            jobhistory=self.jobhistory_http[0],
        )

    def _listening(self) -> list[str]:
        """Where NodeManagers listen that are recorded: on a network beside, each under its own number."""
        if self._behind is None:
            network = loopback.free_network(range(loopback.FIRST_NODE, loopback.FIRST_NODE + self._count))
            self._behind = [loopback.node_address(network, index) for index in range(self._count)]
        return self._behind

    def _resourcemanager_started(self) -> str:
        """The time stamp by which the ResourceManager is known: it changes once more before clients are answered."""
        deadline = time.monotonic() + _READY_S
        while True:
            self.masters[0].check()
            with contextlib.suppress(TargetError):
                if loopback.answers(self.resourcemanager):
                    return metrics.resourcemanager_id(self.resourcemanager_http)
            if time.monotonic() > deadline:
                raise TargetError("did not answer in time", file="{}:{}".format(*self.resourcemanager_http))
            time.sleep(_POLL_S)

    def _all_live(self) -> bool:
        host = self.jobhistory_http[0]
        try:
            # NodeManagers register a moment before the ResourceManager calls itself active.
            metrics.resourcemanager_id(self.resourcemanager_http)
            return self.live_nodemanagers() == self._count and loopback.answers(
                (host, yarn_settings.HISTORY_RPC)
            )
        except TargetError:
            return False
