"""A real ResourceManager alone, for emulated NodeManagers: configured, started, asked who it is, watched.

It keeps nothing in HDFS, so that it needs no NameNode; what emulated nodes are told of their containers, such as a job's
files, lies wherever the play has it.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import TargetError
from froude.base.files import atomic_write_text
from froude.hadoop.cluster import loopback
from froude.hadoop.cluster.daemons import Daemon
from froude.hadoop.cluster.run_folder import RunFolder, Startable
from froude.hadoop.metrics import jmx as metrics
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.yarn_jars import YarnJars
from froude.hadoop.settings import hdfs as settings
from froude.hadoop.settings import yarn as yarn_settings
from froude.hadoop.settings.yarn import Containers

SERVICES: Mapping[str, int] = {
    "resourcemanager": yarn_settings.CLIENT,
    "resourcemanager-tracker": yarn_settings.TRACKER,
    "resourcemanager-scheduler": yarn_settings.SCHEDULER,
}
"""Its RPC servers and their ports: Hadoop's own defaults."""
MAIN_CLASS = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
_LARGEST = Containers(node_mb=1 << 20, node_cores=4096)
"""What one container may have: emulated nodes are as large as those that were recorded, whatever that was."""
_ANSWERS_S = 120.0
BEANS: tuple[str, ...] = (
    "Hadoop:service=ResourceManager,name=ClusterMetrics",
    "Hadoop:service=ResourceManager,name=QueueMetrics,*",
    "Hadoop:service=ResourceManager,name=CapacitySchedulerMetrics",
    "Hadoop:service=ResourceManager,name=JvmMetrics",
    "Hadoop:service=ResourceManager,name=Rpc*ActivityForPort*",
)
"""What is sampled of one; names of readings begin with `RM`, so that they stand beside a NameNode's."""
CPU = "RMprocess.cpu_seconds"
_NAME = re.compile(r"name=(\w+)")
_QUEUE = re.compile(r"q\d+=([^,]+)")
_OF_QUEUES = ("AllocatedMB", "PendingContainers")
"""What is kept of queues below the root; of their users, and of partitions, nothing is."""
_DETAILED = "Hadoop:service=ResourceManager,name=RpcDetailedActivityForPort*"


class ResourceManager(Startable):
    """One ResourceManager; `with ResourceManager(hadoop) as master:` starts and stops it."""

    called = "ResourceManager"

    def __init__(
        self,
        hadoop: Hadoop,
        *,
        heap: str | int = "1 GB",
        folder: Path | None = None,
        fast: bool = False,
        conf: Mapping[str, str] | None = None,
        flags: Sequence[str] = (),
        patches: Sequence[Path] = (),
    ) -> None:
        """Describe it; nothing runs before the block is entered.

        Args:
            heap: its largest heap, with its unit or in bytes.
            folder: the run folder, kept afterwards; None for a temporary one that is removed.
            fast: quick start-up instead of full speed.
            conf: further properties, of which those that begin with `yarn.` are for it.
            patches: jars whose classes take the place of the release's own.

        Raises:
            InputError: a release without YARN.
            MissingError: its jars cannot be had.
        """
        self.jars = YarnJars.find(hadoop)
        self._heap, self._fast, self._flags, self._patches = heap, fast, tuple(flags), tuple(patches)
        self._conf = dict(conf or {})
        self._run_folder = RunFolder("resourcemanager", folder)
        self._daemon: Daemon | None = None
        self._network = ""
        self.id = ""
        """The time stamp of its start, by which it names its applications."""

    @property
    def hadoop(self) -> Hadoop:
        """The release."""
        return self.jars.hadoop

    @property
    def host(self) -> str:
        """The loopback address it listens on."""
        return f"{self._network}.{yarn_settings.RESOURCEMANAGER_HOST}"

    @property
    def http(self) -> tuple[str, int]:
        """Its web server."""
        return self.host, yarn_settings.WEB

    @property
    def daemon(self) -> Daemon:
        """Its process, once it was started."""
        return self._started(self._daemon)

    def address(self, service: str) -> tuple[str, int]:
        """Where one of its servers answers.

        Args:
            service: one of `SERVICES`.
        """
        return self.host, SERVICES[service]

    # --- metrics ----------------------------------------------------------------------------------------

    @property
    def cache_s(self) -> float:
        """How old what its metrics tell may be, seconds."""
        return settings.METRICS_PERIOD_S

    def rpc_counts(self) -> dict[str, int]:
        """Calls by method so far; a moment old."""
        return metrics.rpc_counts(metrics.jmx(self.http, _DETAILED))

    def sample(self) -> dict[str, float]:
        """Its numbers now, by `RM` and `bean.attribute`, and its CPU, memory and heap.

        Raises:
            TargetError: it does not answer.
        """
        values = sample(self.http)
        values[CPU] = self.daemon.cpu_seconds()
        values["RMprocess.rss_bytes"] = float(self.daemon.rss_bytes())
        return values | {f"RM{name}": seconds for name, seconds in self.daemon.thread_seconds().items()}

    # --- its life ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it, and wait until it has come to the start time by which it is known. `with` does this.

        Raises:
            TargetError: it failed; with its own last error.
        """
        self._network = loopback.free_network([yarn_settings.RESOURCEMANAGER_HOST])
        for port in (*yarn_settings.RPC_PORTS, yarn_settings.WEB):
            loopback.check_free((self.host, port))
        self._daemon = self._configured(self._run_folder.make())
        with self._coming_up():
            self._daemon.start()
            self._daemon.wait_until(self._answers, what="answer", timeout_s=_ANSWERS_S)

    def stop(self, *, keep: bool = False) -> None:
        """End the process; remove the folder unless it was named or `keep`. Harmless when nothing runs."""
        if self._daemon is not None:
            self._daemon.stop()
        self._run_folder.leave(keep=keep)

    def _configured(self, folder: Path) -> Daemon:
        hosts = folder / "conf" / yarn_settings.HOSTS
        daemon = Daemon(
            self.jars.hadoop,
            name="resourcemanager",
            main_class=MAIN_CLASS,
            folder=folder,
            heap=self._heap,
            fast=self._fast,
            flags=[*yarn_settings.java_flags(str(hosts)), *self._flags],
            patches=self._patches,
        )
        shared = yarn_settings.yarn_site(self._network, containers=_LARGEST, jars="", extra=self._conf)
        own = yarn_settings.resourcemanager_site(self._network, folder=str(folder))
        daemon.configure(
            {
                "core-site.xml": {
                    "fs.defaultFS": f"file://{folder}",
                    "hadoop.tmp.dir": str(folder / "scratch"),
                },
                "yarn-site.xml": shared | own,
                "capacity-scheduler.xml": yarn_settings.capacity_scheduler(),
            },
            settings.log4j(),
        )
        atomic_write_text(daemon.conf / "hadoop-metrics2.properties", settings.metrics2())
        names = {yarn_settings.RESOURCEMANAGER: self.host}
        atomic_write_text(hosts, yarn_settings.hosts(self.host, names, machine=socket.gethostname()))
        return daemon

    def _answers(self) -> bool:
        """Whether it answers clients; the stamp changes once more before it does."""
        try:
            if not all(loopback.answers(self.address(service)) for service in SERVICES):
                return False
            self.id = metrics.resourcemanager_id(self.http)
        except TargetError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Web:
    """A ResourceManager that is known by its web address alone; satisfies `metrics.Watched`."""

    http: tuple[str, int]
    cache_s: float = metrics.CACHE_S
    """How old what it tells may be, seconds."""

    def rpc_counts(self) -> dict[str, int]:
        """Calls by method so far; up to 10 s old."""
        return metrics.rpc_counts(metrics.jmx(self.http, _DETAILED))

    def sample(self) -> dict[str, float]:
        """Its numbers now, and the CPU time that its JVM reports.

        Raises:
            TargetError: it does not answer.
        """
        own = metrics.cpu_now(self.http) | metrics.compiler_now(self.http)
        return sample(self.http) | {f"RM{name}": value for name, value in own.items()}


def sample(http: tuple[str, int]) -> dict[str, float]:
    """The numbers of a ResourceManager now, as its web server tells them.

    Raises:
        TargetError: it does not answer.
    """
    values: dict[str, float] = {}
    for query in BEANS:
        for bean in metrics.jmx(http, query):
            name = str(bean.get("name", ""))
            kind, queues = _NAME.search(name), _QUEUE.findall(name)
            if kind is None or ",user=" in name or ",partition=" in name:
                continue
            place = f"RM{kind[1]}" if len(queues) < 2 else f"RMQueues.{'.'.join(queues)}"
            for key, value in bean.items():
                counts = isinstance(value, (int, float)) and not isinstance(value, bool)
                if counts and not key.startswith("Overall") and (len(queues) < 2 or key in _OF_QUEUES):
                    values[f"{place}.{key}"] = float(value)
    waiting = [value for name, value in values.items() if name.endswith(".CallQueueLength")]
    values |= {"RMRpcActivity.CallQueueLength": max(waiting)} if waiting else {}  # at the fullest server
    values |= {f"RM{name}": value for name, value in metrics.heap_now(http).items()}
    return metrics.in_ms(values, http)
