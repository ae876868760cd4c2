"""A small real cluster that runs jobs: HDFS as in `cluster`, a ResourceManager, NodeManagers, a JobHistoryServer.

One JVM a daemon. Node i is one address that its DataNode and its NodeManager share, as on a real machine, so that tasks
find their blocks at home. What runs on a node (NodeManager, application masters, tasks) dials the masters through
relays on the node's address, which connect onward from it: each master sees every call come from the node it comes from.
Containers are started by Hadoop's default executor, as this user; they fall with their NodeManager, and all with this
process, whatever ends it.
"""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self, Unpack

import psutil

from froude.base.errors import InputError, TargetError
from froude.base.files import atomic_write_text, stated_os_errors
from froude.base.progress import Progress
from froude.hadoop import launcher, loopback, metrics, settings, yarn_settings
from froude.hadoop.cluster import Cluster, ClusterOptions
from froude.hadoop.daemons import Daemon
from froude.hadoop.distribution import Hadoop
from froude.hadoop.program import run_program
from froude.hadoop.relay import Relay
from froude.hadoop.yarn_jars import YarnJars
from froude.hadoop.yarn_memory import Nodes, check_memory
from froude.hadoop.yarn_settings import Containers

_YARN = "org.apache.hadoop.yarn.server"
_CLASSES = {
    "resourcemanager": f"{_YARN}.resourcemanager.ResourceManager",
    "nodemanager": f"{_YARN}.nodemanager.NodeManager",
    "jobhistory": "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
}
_HEAPS = {"resourcemanager": "256 MB", "nodemanager": "192 MB", "jobhistory": "192 MB"}
_METRICS = "Hadoop:service=ResourceManager,name=ClusterMetrics"
_POLL_S = 0.1
_READY_S = 180.0
_APPLICATION = re.compile(r"\bapplication_\d+_\d+\b")


@dataclass(frozen=True, slots=True)
class JobResult:
    """How a job ended."""

    exit_code: int
    """Of its client."""
    log: str
    """What its client printed."""

    @property
    def applications(self) -> list[str]:
        """The ids of what YARN ran, in the order in which the client named them."""
        return list(dict.fromkeys(_APPLICATION.findall(self.log)))


class YarnCluster:
    """HDFS and YARN; `with YarnCluster(hadoop, datanodes=3, nodemanagers=3) as cluster:`."""

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
            hadoop: the release to start.
            datanodes: how many DataNodes.
            nodemanagers: how many NodeManagers, 1 to `loopback.MOST_NODES`.
            replication: copies of each block that clients are told to make.
            containers: what they may use; None for `Containers()`.
            progress: shows what is fetched.
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
            key: value for key, value in self._conf.items() if not key.startswith(("yarn.", "mapreduce."))
        }
        self._fast = options.get("fast", False)
        self._flags = tuple(options.get("flags", ()))
        self.hdfs = Cluster(hadoop, datanodes=datanodes, replication=replication, **options)
        """NameNode and DataNodes."""
        self.containers = containers or Containers()
        """What containers may use."""
        self.masters: list[Daemon] = []
        """ResourceManager and JobHistoryServer, once started."""
        self.nodemanagers: list[Daemon] = []
        """The NodeManagers' processes, once started, in the order of `node_addresses`."""
        self._count = nodemanagers
        self._stack = contextlib.ExitStack()
        self._machine = socket.gethostname()

    @property
    def node_addresses(self) -> list[str]:
        """The loopback address of each NodeManager, the first ones shared with the DataNodes."""
        return [loopback.node_address(self.hdfs.network, index) for index in range(self._count)]

    @property
    def resourcemanager(self) -> tuple[str, int]:
        """Where clients find the ResourceManager."""
        return f"{self.hdfs.network}.{yarn_settings.RESOURCEMANAGER_HOST}", yarn_settings.CLIENT

    @property
    def resourcemanager_http(self) -> tuple[str, int]:
        """Its web server."""
        return self.resourcemanager[0], yarn_settings.WEB

    @property
    def jobhistory_http(self) -> tuple[str, int]:
        """The JobHistoryServer's web server."""
        return f"{self.hdfs.network}.{yarn_settings.JOBHISTORY_HOST}", yarn_settings.HISTORY_WEB

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

    def start_nodemanagers(self) -> None:
        """Start DataNodes and NodeManagers; nothing happens the second time. Does not wait: see `wait_live`.

        Raises:
            TargetError: one could not be started.
        """
        if self.nodemanagers:
            return
        self.hdfs.start_datanodes()
        namenode = self.hdfs.namenode
        resourcemanager = self.resourcemanager[0]
        routes = {
            (address, port): (resourcemanager, port)
            for address in self.node_addresses
            for port in yarn_settings.RPC_PORTS
        }
        apart = [each for each in self.node_addresses if each not in self.hdfs.node_addresses]
        routes |= {(address, namenode.port): namenode.address for address in apart}
        self._stack.enter_context(Relay(routes))
        for index, address in enumerate(self.node_addresses):
            daemon = self._nodemanager(index, address)
            daemon.start()
            self.nodemanagers.append(daemon)

    def wait_live(self, *, timeout_s: float = _READY_S) -> None:
        """Wait until every DataNode and NodeManager is live; starts them if that has not happened.

        Args:
            timeout_s: how long it may take.

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
        core, hdfs = self.hdfs.namenode.site()
        core["fs.defaultFS"] = self._default_fs
        hdfs["dfs.namenode.http-address"] = "{}:{}".format(*self.hdfs.namenode.http)
        folder = self.hdfs.folder / "yarn-client"
        hosts = folder / "conf" / yarn_settings.HOSTS
        core["hadoop.tmp.dir"] = str(folder / "scratch")
        sites = {"core-site.xml": core, "hdfs-site.xml": hdfs, **self._shared_sites()}
        temporary = f"-Djava.io.tmpdir={folder}"  # where a job's client unpacks its jar
        flags = [*yarn_settings.java_flags(str(hosts)), temporary, *self._flags]
        launcher.write_home(folder, self.jars.hadoop, sites, flags=flags, jobs=self.jars.jobs)
        names = {yarn_settings.NAMENODE: self.hdfs.namenode.host}
        atomic_write_text(hosts, self._hosts("127.0.0.1", names))
        return folder

    def run_job(
        self, *words: str, environment: Mapping[str, str] | None = None, timeout_s: float = 600
    ) -> JobResult:
        """Run one of Hadoop's commands to its end: `run_job("examples", "wordcount", "/in", "/out")`.

        Args:
            words: a ready job (`examples`, `streaming`, `distcp`), `jar` and a jar, or another command of `yarn`,
                `mapred` or `hdfs`; and its arguments.
            environment: further variables of its client.
            timeout_s: how long it may take.

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
        """Start the NameNode, the ResourceManager and the JobHistoryServer; `with` does this.

        Raises:
            TargetError: one failed, with its own last error.
            InputError: the folder's path has characters that Hadoop's lists of paths do not take.
        """
        self.hdfs.start()
        try:
            check_memory(
                Nodes(len(self.hdfs.node_addresses), self._count, self.containers),
                psutil.virtual_memory().available,
            )
            if set(str(self.hdfs.folder)) & set(",'\" \\$"):
                allowed = "a path without commas, quotes, spaces, backslashes and $"
                raise InputError("cannot hold a cluster with YARN", file=self.hdfs.folder, allowed=allowed)
            self._link_jars()
            self.masters = [self._resourcemanager(), self._jobhistory()]
            for daemon in self.masters:
                daemon.start()
        except TargetError:
            self.stop(keep=True)
            raise
        except BaseException:
            self.stop()
            raise

    def stop(self, *, keep: bool = False) -> None:
        """End every process, containers first; remove the folder unless it was named or `keep`.

        Args:
            keep: whether the folder stays.
        """
        for daemon in self.nodemanagers:
            daemon.kill()  # asked to end, it waits for its jobs for some 15 s; its containers fall with it
        for daemon in self.masters:
            daemon.terminate()
        for daemon in (*self.nodemanagers, *self.masters):
            daemon.stop()
        self.nodemanagers, self.masters = [], []
        self._stack.close()
        self.hdfs.stop(keep=keep)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.stop(keep=kind is TargetError)

    @property
    def _default_fs(self) -> str:
        return f"hdfs://{yarn_settings.NAMENODE}:{self.hdfs.namenode.port}"

    def _all_live(self) -> bool:
        host = self.jobhistory_http[0]
        try:
            return self.live_nodemanagers() == self._count and loopback.answers(
                (host, yarn_settings.HISTORY_RPC)
            )
        except TargetError:
            return False

    def _link_jars(self) -> None:
        """One folder with all jars: what containers load is said in one word."""
        lib = self.hdfs.folder / "lib"
        with stated_os_errors(lib):
            lib.mkdir(exist_ok=True)
            release = self.jars.hadoop
            for number, jar in enumerate((*release.jars, *release.beside)):
                with contextlib.suppress(FileExistsError):
                    (lib / f"{number:03}-{jar.name}").symlink_to(jar)

    def _shared_sites(self) -> dict[str, settings.Site]:
        network = self.hdfs.network
        jars = f"{self.hdfs.folder}/lib/*"
        return {
            "yarn-site.xml": yarn_settings.yarn_site(
                network, containers=self.containers, jars=jars, extra=self._conf
            ),
            "mapred-site.xml": yarn_settings.mapred_site(
                network, containers=self.containers, extra=self._conf
            ),
        }

    def _hosts(self, self_at: str, names: Mapping[str, str]) -> str:
        network = self.hdfs.network
        masters = {
            yarn_settings.RESOURCEMANAGER: f"{network}.{yarn_settings.RESOURCEMANAGER_HOST}",
            yarn_settings.JOBHISTORY: f"{network}.{yarn_settings.JOBHISTORY_HOST}",
        }
        return yarn_settings.hosts(self_at, {**masters, **names}, machine=self._machine)

    def _resourcemanager(self) -> Daemon:
        host = self.resourcemanager[0]
        own = {
            "yarn-site.xml": yarn_settings.resourcemanager_site(
                self.hdfs.network, folder=str(self.hdfs.folder / "resourcemanager")
            ),
            "capacity-scheduler.xml": yarn_settings.capacity_scheduler(),
        }
        return self._daemon("resourcemanager", host, {yarn_settings.NAMENODE: self.hdfs.namenode.host}, own)

    def _jobhistory(self) -> Daemon:
        host, namenode = self.jobhistory_http[0], self.hdfs.namenode
        self._stack.enter_context(Relay({(host, namenode.port): namenode.address}))
        own = {"mapred-site.xml": yarn_settings.jobhistory_site(self.hdfs.network)}
        return self._daemon("jobhistory", host, {yarn_settings.NAMENODE: host}, own)

    def _nodemanager(self, index: int, address: str) -> Daemon:
        folder = self.hdfs.folder / f"nodemanager-{index}"
        hosts = str(folder / "conf" / yarn_settings.HOSTS)
        own = yarn_settings.nodemanager_site(
            address, folder=str(folder), containers_java=yarn_settings.container_flags(hosts)
        )
        names = {yarn_settings.NAMENODE: address, yarn_settings.RESOURCEMANAGER: address}
        return self._daemon(f"nodemanager-{index}", address, names, {"yarn-site.xml": own})

    def _daemon(
        self, name: str, address: str, names: Mapping[str, str], own: Mapping[str, settings.Site]
    ) -> Daemon:
        """A daemon of YARN, configured.

        Args:
            name: what it is called, such as `nodemanager-0`.
            address: its own.
            names: where it finds the masters, if not at their own addresses.
            own: what only it is told, by file.
        """
        kind = name.split("-", maxsplit=1)[0]
        folder = self.hdfs.folder / name
        core, hdfs = self.hdfs.namenode.site()
        core |= {"fs.defaultFS": self._default_fs, "hadoop.tmp.dir": str(folder / "scratch")}
        sites: dict[str, settings.Site] = {
            "core-site.xml": core,
            "hdfs-site.xml": hdfs,
            **self._shared_sites(),
        }
        for file, properties in own.items():
            sites[file] = sites.get(file, {}) | properties
        hosts = folder / "conf" / yarn_settings.HOSTS
        daemon = Daemon(
            self.jars.hadoop,
            name=name,
            main_class=_CLASSES[kind],
            folder=folder,
            heap=_HEAPS[kind],
            fast=self._fast,
            flags=[*yarn_settings.java_flags(str(hosts)), *self._flags],
        )
        daemon.configure(sites, settings.log4j())
        atomic_write_text(hosts, self._hosts(address, names))
        return daemon
