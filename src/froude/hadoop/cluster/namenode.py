"""A real NameNode on loopback: formatted, started, asked, restarted and stopped."""

from __future__ import annotations

import getpass
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from froude.base.errors import TargetError
from froude.base.files import atomic_write_text
from froude.base.seeds import Seeds
from froude.hadoop.cluster import loopback
from froude.hadoop.cluster.daemons import Daemon
from froude.hadoop.cluster.name_directory import take_name_directory, version_of
from froude.hadoop.cluster.run_folder import RunFolder, Startable
from froude.hadoop.fsimage.aged import LastIds, age
from froude.hadoop.metrics import jmx as metrics
from froude.hadoop.metrics.gc_log import gc_log_flag
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.errors import RemoteException
from froude.hadoop.rpc.identity import ask_identity, asked_methods
from froude.hadoop.settings import hdfs as settings
from froude.messages.schema import Schema

_CLASS = "org.apache.hadoop.hdfs.server.namenode.NameNode"
_OLD_LAYOUT = "An upgrade to version"
"""What a NameNode says of an image of an older release."""
_ANSWERS_S, _BYTES_PER_S = 60.0, 2 << 20
"""How long it may take to answer, beside its image; and how slowly it may read that."""
_SAFE_MODE = "Hadoop:service=NameNode,name=NameNodeInfo::Safemode"
_STATE = "Hadoop:service=NameNode,name=FSNamesystemState"


class NameNodeOptions(TypedDict, total=False):
    """What else a NameNode takes."""

    folder: Path | None
    """Its run folder, kept afterwards; by default a temporary one that is removed."""
    audit_log: bool
    """Whether it writes an audit log; yes by default, as in production."""
    fast: bool
    """Quick start-up instead of full speed; no by default."""
    conf: Mapping[str, str] | None
    """Further properties: `dfs.*` go to hdfs-site.xml, others to core-site.xml."""
    image: Path | None
    """A name directory, or an FsImage alone, to start from (it is copied and gets ids of its own) instead of an empty
    one; an older release's is upgraded."""
    prefix: str | None
    """The loopback network, `127.a.b`; by default a free one."""
    replication: int
    """Copies of each block that clients are told to make; 3 by default."""
    flags: Sequence[str]
    """Further JVM flags; none by default."""
    jars: Sequence[Path]
    """Plug-ins on its class path; none by default."""
    patches: Sequence[Path]
    """Jars whose classes take the place of the release's own; none by default."""
    aged: int | None
    """Seed of random numbers by which the block, file and generation ids of a freshly formatted one are moved on; None,
    by default, for none."""
    addresses: tuple[tuple[str, int], tuple[str, int]] | None
    """Of its RPC and its web server; by default free ports on an address of its own."""


class NameNode(Startable):
    """One NameNode; `with NameNode(hadoop) as namenode:` starts and stops it."""

    called = "NameNode"

    def __init__(  # noqa: PLR0913 - the options of one daemon, all by name
        self,
        hadoop: Hadoop,
        *,
        heap: str | int = "1 GB",
        folder: Path | None = None,
        audit_log: bool = True,
        fast: bool = False,
        conf: Mapping[str, str] | None = None,
        image: Path | None = None,
        prefix: str | None = None,
        replication: int = 3,
        flags: Sequence[str] = (),
        jars: Sequence[Path] = (),
        patches: Sequence[Path] = (),
        aged: int | None = None,
        addresses: tuple[tuple[str, int], tuple[str, int]] | None = None,
    ) -> None:
        """Describe it (see `NameNodeOptions`); nothing runs before the block is entered.

        Args:
            heap: its largest heap, with its unit or in bytes.
        """
        self.hadoop = hadoop
        self._addresses = addresses
        self._aged = aged
        self.last_ids: LastIds | None = None
        """The ids that an aged one had given last when it was started; None for one that is not."""
        self._heap = heap
        self._run_folder = RunFolder("namenode", folder)
        self._audit = audit_log
        self._fast = fast
        self._extra = dict(conf or {})
        self._image = image
        self._prefix = prefix
        self._replication = replication
        self._flags = tuple(flags)
        self._jars, self._patches = tuple(jars), tuple(patches)
        self._folder: Path | None = None
        self._daemon: Daemon | None = None
        self._rpc = ("", 0)
        self._web = ("", 0)
        self._numbers = metrics.NamenodeNumbers(self._web)
        self.asked: Counter[str] = Counter()
        """The calls that it took to see that it answers, as it counts them."""

    @property
    def host(self) -> str:
        """The loopback address it listens on."""
        return self._rpc[0]

    @property
    def port(self) -> int:
        """The port of its RPC server."""
        return self._rpc[1]

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of its RPC server."""
        return self._rpc

    @property
    def uri(self) -> str:
        """Such as `hdfs://127.3.7.1:40001`."""
        return f"hdfs://{self.host}:{self.port}"

    @property
    def http(self) -> tuple[str, int]:
        """Host and port of its web server."""
        return self._web

    @property
    def folder(self) -> Path:
        """Its run folder: `conf`, `name`, log, output, audit log, GC log, once it was started."""
        return self._started(self._folder)

    @property
    def daemon(self) -> Daemon:
        """Its process, once it was started."""
        return self._started(self._daemon)

    @property
    def pid(self) -> int:
        """The Java process's id."""
        return self.daemon.pid

    @property
    def audit_log(self) -> Path | None:
        """The file of its audit log, or None where auditing is off."""
        return self.folder / "audit.log" if self._audit else None

    @property
    def cluster_id(self) -> str:
        """The id by which the guard knows it, such as `CID-…`."""
        return self._version()["clusterID"]

    @property
    def block_pool_id(self) -> str:
        """What DataNodes register for."""
        return self._version()["blockpoolID"]

    @property
    def namespace_id(self) -> int:
        """What DataNodes register for, too."""
        return int(self._version()["namespaceID"])

    def jmx(self, query: str = "Hadoop:*") -> list[metrics.Bean]:
        """The MBeans that match.

        Raises:
            TargetError: it does not answer.
        """
        return metrics.jmx(self._web, query)

    def rpc_counts(self) -> dict[str, int]:
        """Calls by method so far; a moment old (see `metrics.settled_counts`)."""
        return metrics.rpc_counts(self.jmx(metrics.DETAILED))

    @property
    def cache_s(self) -> float:
        """How old what its metrics tell may be, seconds."""
        return settings.METRICS_PERIOD_S

    def sample(self) -> dict[str, float]:
        """The numbers of `metrics.NAMENODE_BEANS` now, by `bean.attribute`, and its CPU, threads, memory and heap."""
        values = self._numbers.now()
        values["process.cpu_seconds"] = self.cpu_seconds()
        values["process.rss_bytes"] = float(self.rss_bytes())
        return values | metrics.heap_now(self._web) | self.daemon.thread_seconds()

    def live_datanodes(self) -> int:
        """How many DataNodes it counts as live."""
        return int(self.jmx(f"{_STATE}::NumLiveDataNodes")[0]["NumLiveDataNodes"])

    def safe_mode(self) -> str:
        """Why it is in safe mode, in its own words; empty when it is not."""
        words = str(self.jmx(_SAFE_MODE)[0]["Safemode"]).removeprefix("Safe mode is ON. ")
        return words.partition("\n")[0].strip()

    def cpu_seconds(self) -> float:
        """CPU time that its process used so far."""
        return self.daemon.cpu_seconds()

    def rss_bytes(self) -> int:
        """Memory that its process holds."""
        return self.daemon.rss_bytes()

    @property
    def gc_log(self) -> Path | None:
        """The log of its garbage collector (`gc_log`); None on Java 8, which writes another one."""
        return self.folder / "gc.log" if self.hadoop.java.major >= 9 else None

    def site(self) -> tuple[settings.Site, settings.Site]:
        """What clients need to know: core-site and hdfs-site properties."""
        return self._sites(self.uri)

    def start(self) -> None:
        """Format (or take the image), start, and wait until RPC and JMX answer. `with` does this.

        Raises:
            TargetError: it failed; with its own last error.
        """
        self._folder = self._run_folder.make()
        self._choose_addresses()
        self._numbers = metrics.NamenodeNumbers(self._web)
        with self._coming_up():
            self._prepare()
            if self._image is not None:
                take_name_directory(self._image, self._name_dir, self.hadoop.schema, host=self.host)
            elif not (self._name_dir / "current" / "VERSION").exists():
                self._format()
            self._launch_upgraded()

    def restart(self) -> None:
        """Stop the process and start it again on the same addresses and data.

        Raises:
            TargetError: it does not come back.
        """
        self.daemon.stop()
        self._launch()

    def stop(self, *, keep: bool = False) -> None:
        """End the process; remove the folder unless it was named or `keep`. Harmless when nothing runs."""
        if self._daemon is not None:
            self._daemon.stop()
        if self._run_folder.leave(keep=keep):
            self._folder = None

    @property
    def _name_dir(self) -> Path:
        return self.folder / "name"

    @property
    def _load_s(self) -> float:
        """How long it may take to answer."""
        images = (path.stat().st_size for path in (self._name_dir / "current").glob("fsimage_*"))
        return _ANSWERS_S + sum(images) / _BYTES_PER_S

    def _choose_addresses(self) -> None:
        if self._addresses is not None:
            for address in self._addresses:
                loopback.check_free(address)
            self._rpc, self._web = self._addresses
            return
        host = f"{self._prefix or loopback.free_network([1])}.1"
        rpc, http = loopback.free_ports([host], 2)
        self._rpc, self._web = (host, rpc), (host, http)

    def _prepare(self) -> None:
        gc_log = () if self.gc_log is None else (gc_log_flag(self.gc_log),)
        self._daemon = Daemon(
            self.hadoop,
            name="namenode",
            main_class=_CLASS,
            folder=self.folder,
            heap=self._heap,
            fast=self._fast,
            flags=(*gc_log, *self._flags),
            jars=self._jars,
            patches=self._patches,
        )
        core, hdfs = self._sites(self.uri)
        own = settings.namenode_site(
            rpc=self._rpc, http=self._web, folder=str(self._name_dir), extra=self._extra
        )
        audit = str(self.folder / "audit.log") if self._audit else None
        files = {"core-site.xml": core, "hdfs-site.xml": {**hdfs, **own}}
        self._daemon.configure(files, settings.log4j(audit=audit))
        atomic_write_text(self._daemon.conf / "hadoop-metrics2.properties", settings.metrics2())

    def _sites(self, default_fs: str) -> tuple[settings.Site, settings.Site]:
        user = getpass.getuser()
        scratch = str(self.folder / "scratch")
        return (
            settings.core_site(default_fs, scratch=scratch, user=user, extra=self._extra),
            settings.hdfs_site(replication=self._replication, user=user, extra=self._extra),
        )

    def _format(self) -> None:
        self.daemon.run(("-format", "-nonInteractive", "-clusterId", f"CID-{uuid.uuid4()}"))
        if self._aged is not None:
            schema = Schema.from_jars(self.hadoop.jars)
            self.last_ids = age(self._name_dir, schema, Seeds(self._aged).child("aged").random())

    def _launch_upgraded(self) -> None:
        """Start it; where its image is of an older release, bring that up to this one first."""
        try:
            self._launch()
        except TargetError as error:
            if self._image is None or _OLD_LAYOUT not in str(error.found):
                raise
            self.daemon.stop()
            self.daemon.run(("-upgradeOnly",), timeout_s=self._load_s)
            self._launch()

    def _launch(self) -> None:
        self.asked.clear()
        self.daemon.start()
        self.daemon.wait_until(self._answers, what="answer", timeout_s=self._load_s)

    def _answers(self) -> bool:
        """Whether it answers JMX and calls: its port is open before that, and each call is then refused for a moment."""
        try:
            if not loopback.answers(self._rpc) or not self.jmx(_STATE):
                return False
            ask_identity("namenode", self._rpc, self.hadoop.schema())
        except RemoteException as error:
            self.asked[metrics.failure_name(error.error_class)] += 1
            return False
        except TargetError:
            return False
        self.asked.update(asked_methods([""]))
        return True

    def _version(self) -> dict[str, str]:
        return version_of(self._name_dir)
