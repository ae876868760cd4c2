"""A small real cluster on loopback: one NameNode and DataNodes that each have an address of their own.

Entering the block formats and starts the NameNode only. The DataNodes follow with `start_datanodes`, or by
themselves at the first use of `uri`, `shell` or `wait_live`. In between, a recorder can put a capture proxy
in front of the NameNode for each node, on the node's own address (`node_addresses`), and hand the proxies'
addresses to `start_datanodes(namenode_at=...)`: each DataNode then dials its own proxy, which must connect
onward from the node's address, for the NameNode knows a node by the address it dials from. Without proxies,
plain relays of ours do that.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from froude.base.errors import InputError, TargetError
from froude.hadoop.cluster import launcher, loopback
from froude.hadoop.cluster.daemons import Daemon, reaper_command
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.relay import Relay
from froude.hadoop.cluster.run_folder import RunFolder, Startable
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.settings import hdfs as settings

_DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
_INFO = "Hadoop:service=NameNode,name=NameNodeInfo"
_STATE = "Hadoop:service=NameNode,name=FSNamesystemState"
_POLL_S = 0.05
_DATANODE_PORTS = (9866, 9864, 9867)
"""Data, HTTP and IPC: Hadoop's own defaults, on each node's own address."""


@dataclass(frozen=True, slots=True)
class NodePlace:
    """Where a DataNode lives, if not in the run folder like any other process."""

    blocks: Path
    """The folder of its blocks, such as one on a disk of its own; it is not removed with the cluster."""
    before: tuple[str, ...] = ()
    """See `Daemon`."""


class ClusterOptions(TypedDict, total=False):
    """What else a cluster takes."""

    heap: str | int
    """The NameNode's largest heap, with its unit or in bytes; 512 MB by default."""
    datanode_heap: str | int
    """Each DataNode's; 256 MB by default."""
    folder: Path | None
    """The run folder, kept afterwards; by default a temporary one that is removed."""
    audit_log: bool
    """Whether the NameNode writes an audit log; yes by default."""
    fast: bool
    """Quick start-up instead of full speed; no by default."""
    conf: Mapping[str, str] | None
    """Further properties for every daemon: `dfs.*` go to hdfs-site.xml, others to core-site.xml."""
    flags: Sequence[str]
    """Further JVM flags for every daemon and client; none by default."""
    aged: bool | int
    """Whether it begins with ids as a namespace in use has them, so that recordings do not all count from the same
    numbers; yes by default, with a seed of chance. A number is the seed."""
    places: Sequence[NodePlace]
    """Of the first DataNodes; the others' blocks lie in the run folder."""
    addresses: tuple[tuple[str, int], tuple[str, int]] | None
    """Of the NameNode's RPC and web server; by default free ports on an address of its own."""


class Cluster(Startable):
    """One NameNode and some DataNodes; `with Cluster(hadoop, datanodes=3) as cluster:`."""

    called = "cluster"

    def __init__(  # noqa: PLR0913 - the options of one cluster, all by name
        self,
        hadoop: Hadoop,
        *,
        datanodes: int = 3,
        replication: int = 2,
        heap: str | int = "512 MB",
        datanode_heap: str | int = "256 MB",
        folder: Path | None = None,
        audit_log: bool = True,
        fast: bool = False,
        conf: Mapping[str, str] | None = None,
        flags: Sequence[str] = (),
        aged: bool | int = True,
        places: Sequence[NodePlace] = (),
        addresses: tuple[tuple[str, int], tuple[str, int]] | None = None,
    ) -> None:
        """Describe it (see `ClusterOptions`); nothing runs before the block is entered.

        Args:
            datanodes: how many DataNodes, 0 to `loopback.MOST_NODES`.
            replication: copies of each block that clients are told to make.

        Raises:
            InputError: a number of DataNodes that does not fit on one loopback network.
        """
        if not 0 <= datanodes <= loopback.MOST_NODES:
            allowed = f"0 to {loopback.MOST_NODES}"
            raise InputError(
                "cannot start so many DataNodes", place="datanodes", found=datanodes, allowed=allowed
            )
        self.hadoop = hadoop
        self.datanodes: list[Daemon] = []
        """The DataNodes' processes, once started, in the order of `node_addresses`."""
        self._count = datanodes
        self._heap = heap
        self._datanode_heap = datanode_heap
        self._fast = fast
        self._extra = dict(conf or {})
        self._flags = tuple(flags)
        self._addresses = addresses
        self._places = tuple(places)
        self._aged = (None if not aged else secrets.randbits(63)) if isinstance(aged, bool) else aged
        self._run_folder = RunFolder("cluster", folder)
        self._folder: Path | None = None
        self._prefix = ""
        self._came_up = False
        self._stack = contextlib.ExitStack()
        self._audit_log = audit_log
        self._replication = replication
        self._namenode: NameNode | None = None

    @property
    def namenode(self) -> NameNode:
        """Its NameNode, once it was started."""
        return self._started(self._namenode)

    @property
    def folder(self) -> Path:
        """The run folder: `namenode`, `datanode-0`, ... and `client` under it, once it was started."""
        return self._started(self._folder)

    @property
    def network(self) -> str:
        """The loopback network that is this cluster's alone, such as `127.3.7`."""
        return self._prefix

    @property
    def node_addresses(self) -> list[str]:
        """The loopback address of each DataNode, known before they are started."""
        return [loopback.node_address(self._prefix, index) for index in range(self._count)]

    @property
    def uri(self) -> str:
        """Where clients connect, such as `hdfs://127.3.7.1:40001`; starts the DataNodes if need be.

        Raises:
            TargetError: a DataNode does not come up.
        """
        self._come_up()
        return self.namenode.uri

    def start_datanodes(self, namenode_at: Mapping[int, tuple[str, int]] | None = None) -> None:
        """Start the DataNodes; nothing happens the second time. Does not wait: see `wait_live`.

        Args:
            namenode_at: for each node's index, the address that it shall take for the NameNode's: a capture
                proxy that connects onward from the node's own address. Nodes left out get a plain relay.

        Raises:
            TargetError: one could not be started.
        """
        if self.datanodes or not self._count:
            return
        dialled = dict(namenode_at or {})
        port = self.namenode.port
        plain = [(address, port) for i, address in enumerate(self.node_addresses) if i not in dialled]
        if plain:
            self._stack.enter_context(Relay(dict.fromkeys(plain, self.namenode.address)))
        ports = loopback.free_ports(self.node_addresses, 3, preferred=_DATANODE_PORTS)
        for index, address in enumerate(self.node_addresses):
            daemon = self._datanode(
                index, address, (ports[0], ports[1], ports[2]), dialled.get(index, (address, port))
            )
            daemon.start()
            self.datanodes.append(daemon)

    def wait_live(self, *, timeout_s: float = 120) -> None:
        """Wait until every DataNode is live and has told its capacity, and files can be written.

        Starts the DataNodes if that has not happened.

        Raises:
            TargetError: one died, with its own last error, or the time is over.
        """
        self.start_datanodes()
        deadline = time.monotonic() + timeout_s
        while not self._all_live():
            for daemon in (self.namenode.daemon, *self.datanodes):
                daemon.check()
            if time.monotonic() > deadline:
                found = f"{self.namenode.live_datanodes()} of {self._count} live"
                raise TargetError(
                    f"DataNodes did not all come up in {timeout_s:g} s", file=self.namenode.uri, found=found
                )
            time.sleep(_POLL_S)
        self._came_up = True

    def shell(self, *arguments: str, at: str | tuple[str, int] | None = None, timeout_s: float = 120) -> str:
        """Run Hadoop's own file system shell, in a JVM of its own.

        Args:
            arguments: as after `hdfs dfs`: `"-put", "file", "/in"`.
            at: the NameNode's address for this client, such as a capture proxy's; by default its own.

        Returns:
            What it wrote to standard output.

        Raises:
            TargetError: it failed; with what it wrote to standard error.
        """
        return run_shell(self.hadoop, self.client_home(at), self._uri_at(at), arguments, timeout_s)

    def client_home(self, at: str | tuple[str, int] | None = None) -> Path:
        """A folder with `bin/hdfs`, `bin/hadoop` and a configuration for programs that use this cluster.

        Args:
            at: the NameNode's address for them, such as a capture proxy's; by default its own.

        Raises:
            TargetError: a DataNode does not come up.
        """
        self._come_up()
        where = self._uri_at(at)
        core, hdfs = self.namenode.site()
        core["fs.defaultFS"] = where
        http = self.namenode.http
        hdfs["dfs.namenode.http-address"] = f"{http[0]}:{http[1]}"  # for `hdfs fsck`
        name = "client" if at is None else f"client-{where.removeprefix('hdfs://').replace(':', '-')}"
        sites = {"core-site.xml": core, "hdfs-site.xml": hdfs}
        return launcher.write_home(self.folder / name, self.hadoop, sites, flags=self._flags)

    def start(self) -> None:
        """Format and start the NameNode; `with` does this.

        Raises:
            TargetError: it failed, with its own last error.
        """
        hosts = [1, *range(loopback.FIRST_NODE, loopback.FIRST_NODE + self._count)]
        self._prefix = loopback.free_network(hosts)
        self._folder = self._run_folder.make()
        self._namenode = NameNode(
            self.hadoop,
            heap=self._heap,
            folder=self._folder / "namenode",
            prefix=self._prefix,
            audit_log=self._audit_log,
            fast=self._fast,
            conf=self._extra,
            replication=self._replication,
            flags=self._flags,
            aged=self._aged,
            addresses=self._addresses,
        )
        with self._coming_up():
            self._namenode.start()

    def stop(self, *, keep: bool = False) -> None:
        """End every process; remove the folder unless it was named or `keep`. Harmless when nothing runs."""
        for daemon in self.datanodes:
            daemon.terminate()
        for daemon in self.datanodes:
            daemon.stop()
        self.datanodes = []
        if self._namenode is not None:
            self._namenode.stop()
        self._stack.close()
        self._run_folder.leave(keep=keep)

    def _come_up(self) -> None:
        """Wait for the DataNodes once; afterwards it is an experiment's business which of them live."""
        if not self._came_up:
            self.wait_live()

    def _datanode(
        self, index: int, address: str, ports: tuple[int, int, int], namenode: tuple[str, int]
    ) -> Daemon:
        folder = self.folder / f"datanode-{index}"
        place = self._places[index] if index < len(self._places) else NodePlace(folder / "data")
        daemon = Daemon(
            self.hadoop,
            name=f"datanode-{index}",
            main_class=_DATANODE,
            folder=folder,
            heap=self._datanode_heap,
            fast=self._fast,
            flags=self._flags,
            before=place.before,
        )
        core, hdfs = self.namenode.site()
        core["fs.defaultFS"] = f"hdfs://{namenode[0]}:{namenode[1]}"
        core["hadoop.tmp.dir"] = str(folder / "scratch")
        hdfs |= settings.datanode_site(address, ports=ports, folder=str(place.blocks))
        daemon.configure({"core-site.xml": core, "hdfs-site.xml": hdfs}, settings.log4j())
        return daemon

    def _all_live(self) -> bool:
        try:
            beans = self.namenode.jmx(_INFO)
            nodes = json.loads(beans[0]["LiveNodes"]) if beans else {}
            if sum(1 for each in nodes.values() if each.get("capacity", 0) > 0) < self._count:
                return False
            return bool(self.namenode.jmx(_STATE)[0]["FSState"] == "Operational")
        except TargetError:  # a NameNode that gives up closes its web server first; its log says why
            return False

    def _uri_at(self, at: str | tuple[str, int] | None) -> str:
        return self.namenode.uri if at is None else at if isinstance(at, str) else f"hdfs://{at[0]}:{at[1]}"


def run_shell(hadoop: Hadoop, home: Path, uri: str, arguments: Sequence[str], timeout_s: float) -> str:
    """Run Hadoop's own file system shell as a client.

    Args:
        uri: of the NameNode, or of the proxy before it.

    Returns:
        What it wrote to standard output.

    Raises:
        TargetError: it failed; with what it wrote to standard error.
    """
    name = "hdfs dfs " + " ".join(arguments)
    try:
        done = subprocess.run(
            [*reaper_command(), str(home / "bin" / "hdfs"), "dfs", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=launcher.home_environment(hadoop, home, uri),
            timeout=timeout_s,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise TargetError(f"took longer than {timeout_s:g} s", file=name) from error
    if done.returncode:
        raise TargetError(f"failed with exit code {done.returncode}", file=name, found=done.stderr.strip())
    return done.stdout
