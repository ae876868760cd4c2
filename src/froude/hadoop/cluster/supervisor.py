"""The process that holds a background cluster: its daemons are its children and fall with it.

Started by `background.start`, it is tied to its starter by its standard input until the state file says what
runs: whoever starts a cluster and dies before anybody can know of it leaves nothing running. From then on it
is on its own, until SIGTERM.

Run as `python -m froude.hadoop.cluster.supervisor FOLDER WANTED`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from froude.base.errors import FroudeError
from froude.base.files import atomic_write_text
from froude.hadoop.cluster import loopback
from froude.hadoop.cluster.background import FAILURE, STATE, Wanted, end_children
from froude.hadoop.cluster.cluster import Cluster, ClusterOptions
from froude.hadoop.cluster.resourcemanager import ResourceManager
from froude.hadoop.cluster.state import Process, State
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.settings.yarn import Containers

_END_S = 20
"""How long the daemons get to end in order; then they are killed with this process."""


class Leash:
    """Ties this process to its starter until it is let go.

    Args:
        starter: the reading end of a pipe whose other end only the starter holds; it ends with the starter.
    """

    def __init__(self, starter: int) -> None:
        self.broken = False
        """Whether the starter was gone first."""
        self._starter = starter
        self._free = False
        self._lock = threading.Lock()

    def hold(self) -> None:
        """Watch from now on; this process gets SIGTERM when the starter ends, and is ended if that is too slow."""
        threading.Thread(target=self._watch, daemon=True).start()

    def let_go(self, path: Path, state: State, *, tied: bool = False) -> None:
        """Say in a file what runs, and go on alone: both or neither.

        Args:
            path: the file; it is written whole or not at all.
            tied: whether it only says so, and falls with the starter as before.

        Raises:
            SystemExit: the starter was gone before.
        """
        with self._lock:
            if self.broken:
                raise SystemExit(1)
            atomic_write_text(path, json.dumps(state.plain(), indent=1))
            self._free = not tied

    def _watch(self) -> None:
        while os.read(self._starter, 1):
            pass
        with self._lock:
            self.broken = not self._free
        if self.broken:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(_END_S)
            os._exit(1)


@dataclass(frozen=True, slots=True)
class Front:
    """What clients of a cluster use."""

    address: tuple[str, int] | None = None
    """Where they connect; None for the NameNode's own address."""
    trace: str = ""
    """The Trace that is being recorded; empty for none."""


Fronted = Callable[[Cluster | YarnCluster, Wanted, Path], AbstractContextManager[Front]]
"""Brings up the nodes of a cluster and puts what is wanted before its masters: cluster, wishes, folder."""


@contextmanager
def directly(cluster: Cluster | YarnCluster, wanted: Wanted, folder: Path) -> Iterator[Front]:
    """Nothing stands between clients and the masters."""
    del wanted, folder
    cluster.wait_live()
    yield Front()


def supervise(folder: Path, wanted: Wanted, leash: Leash, fronted: Fronted = directly) -> None:
    """Hold a cluster until SIGTERM.

    Args:
        leash: let go once the cluster is live.
    """
    hadoop = Hadoop.find(wanted.release, wanted.home)
    with ExitStack() as stack:
        started = _described(hadoop, wanted, folder)
        stack.enter_context(started)
        front = stack.enter_context(fronted(started, wanted, folder))
        alone = _alone(hadoop, wanted, folder)
        if alone is not None:
            stack.enter_context(alone)
        yarn = started if isinstance(started, YarnCluster) else None
        cluster = started.hdfs if isinstance(started, YarnCluster) else started
        nn = cluster.namenode
        host, port = front.address or nn.address
        nodes = zip(cluster.datanodes, cluster.node_addresses, strict=True)
        home = cluster.client_home(front.address) if yarn is None else yarn.client_home()
        state = State(
            supervisor=Process.of("supervisor", os.getpid()),
            release=hadoop.version,
            uri=f"hdfs://{host}:{port}",
            http=f"http://{nn.http[0]}:{nn.http[1]}",
            cluster_id=nn.cluster_id,
            block_pool_id=nn.block_pool_id,
            daemons=(
                Process.of("namenode", nn.pid, f"{nn.host}:{nn.port}"),
                *(Process.of(node.name, node.pid, address) for node, address in nodes),
                *(() if yarn is None else (Process.of(*each) for each in yarn.processes())),
                *(() if alone is None else (Process.of("resourcemanager", alone.daemon.pid, alone.host),)),
            ),
            home=str(home),
            trace=front.trace,
            gc_log="" if nn.gc_log is None else str(nn.gc_log),
            resourcemanager=next(
                (_page(each) for each in (yarn and yarn.resourcemanager_http, alone and alone.http) if each),
                "",
            ),
            jobhistory="" if yarn is None else _page(yarn.jobhistory_http),
            master_id="" if alone is None else alone.id,
        )
        leash.let_go(folder / STATE, state, tied=wanted.tied)
        with contextlib.suppress(SystemExit):  # asked to end: what stands before the NameNode ends well
            while True:
                signal.pause()


def _described(hadoop: Hadoop, wanted: Wanted, folder: Path) -> Cluster | YarnCluster:
    """The cluster; it does not run yet."""
    options: ClusterOptions = {
        "heap": wanted.heap,
        "fast": wanted.fast,
        "folder": folder / "run",
        "addresses": _addresses(wanted),
        "conf": wanted.properties,
    }
    if not wanted.nodemanagers:
        return Cluster(hadoop, datanodes=wanted.datanodes, replication=wanted.replication, **options)
    return YarnCluster(
        hadoop,
        datanodes=wanted.datanodes,
        nodemanagers=wanted.nodemanagers,
        replication=wanted.replication,
        containers=Containers(wanted.node_mb),
        **options,
    )


def _alone(hadoop: Hadoop, wanted: Wanted, folder: Path) -> ResourceManager | None:
    """A ResourceManager for emulated NodeManagers; it does not run yet. None where none is wanted."""
    if not wanted.resourcemanager or wanted.nodemanagers:
        return None
    run = folder / "run" / "resourcemanager"
    return ResourceManager(hadoop, heap=wanted.heap, folder=run, fast=wanted.fast, conf=wanted.properties)


def _page(http: tuple[str, int]) -> str:
    return f"http://{http[0]}:{http[1]}"


def _addresses(wanted: Wanted) -> tuple[tuple[str, int], tuple[str, int]] | None:
    """Of the NameNode; its usual one is the proxy's where there is one."""
    if not wanted.fixed:
        return None
    rpc = loopback.NAMENODE
    if wanted.recording is not None:
        rpc = (rpc[0], loopback.free_ports([rpc[0]], 1)[0])
    return rpc, loopback.NAMENODE_HTTP


def run(folder: Path, wanted: Wanted, fronted: Fronted = directly) -> int:
    """The body of the process.

    Returns:
        The exit code; why it is not 0 stands in the folder, unless the starter is gone: then the folder is.
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leash = Leash(sys.stdin.fileno())
    leash.hold()
    try:
        supervise(folder, wanted, leash, fronted)
    except FroudeError as error:
        atomic_write_text(folder / FAILURE, str(error))
        return 1
    finally:
        if leash.broken:
            end_children()
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def main(arguments: list[str], fronted: Fronted = directly) -> int:
    """Hold the cluster that the command line asks for.

    Args:
        arguments: its folder, and what is wanted as JSON.

    Returns:
        The exit code.
    """
    return run(Path(arguments[0]), Wanted(**json.loads(arguments[1])), fronted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
