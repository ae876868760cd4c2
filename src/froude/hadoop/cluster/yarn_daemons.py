"""The daemons of YARN on one cluster, each configured and not yet started, and the home of its clients."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from froude.base.files import atomic_write_text, stated_os_errors
from froude.hadoop.cluster import launcher
from froude.hadoop.cluster.cluster import Cluster
from froude.hadoop.cluster.daemons import Daemon
from froude.hadoop.release.yarn_jars import YarnJars
from froude.hadoop.settings import hdfs as settings
from froude.hadoop.settings import yarn as yarn_settings
from froude.hadoop.settings.yarn import Containers

_YARN = "org.apache.hadoop.yarn.server"
_CLASSES = {
    "resourcemanager": f"{_YARN}.resourcemanager.ResourceManager",
    "nodemanager": f"{_YARN}.nodemanager.NodeManager",
    "jobhistory": "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
}
_HEAPS = {"resourcemanager": "256 MB", "nodemanager": "192 MB", "jobhistory": "192 MB"}


@dataclass(frozen=True, slots=True)
class YarnDaemons:
    """What all daemons of one cluster share."""

    jars: YarnJars
    hdfs: Cluster
    containers: Containers
    conf: Mapping[str, str]
    flags: Sequence[str]
    """Further JVM flags of every daemon and client."""
    fast: bool

    @property
    def resourcemanager_host(self) -> str:
        """The ResourceManager's address."""
        return f"{self.hdfs.network}.{yarn_settings.RESOURCEMANAGER_HOST}"

    @property
    def jobhistory_host(self) -> str:
        """The JobHistoryServer's address."""
        return f"{self.hdfs.network}.{yarn_settings.JOBHISTORY_HOST}"

    def resourcemanager(self) -> Daemon:
        """The ResourceManager."""
        own = {
            "yarn-site.xml": yarn_settings.resourcemanager_site(
                self.hdfs.network, folder=str(self.hdfs.folder / "resourcemanager")
            ),
            "capacity-scheduler.xml": yarn_settings.capacity_scheduler(),
        }
        names = {yarn_settings.NAMENODE: self.hdfs.namenode.host}
        return self._daemon("resourcemanager", self.resourcemanager_host, names, own)

    def jobhistory(self) -> Daemon:
        """The JobHistoryServer, which finds the NameNode at its own address."""
        own = {"mapred-site.xml": yarn_settings.jobhistory_site(self.hdfs.network)}
        host = self.jobhistory_host
        return self._daemon("jobhistory", host, {yarn_settings.NAMENODE: host}, own)

    def nodemanager(self, index: int, address: str, *, behind: str | None = None) -> Daemon:
        """A NodeManager, which finds both masters at its own address.

        Args:
            behind: where it really listens; None for its own address.
        """
        folder = self.hdfs.folder / f"nodemanager-{index}"
        hosts = str(folder / "conf" / yarn_settings.HOSTS)
        own = yarn_settings.nodemanager_site(
            address, folder=str(folder), containers_java=yarn_settings.container_flags(hosts), behind=behind
        )
        names = {yarn_settings.NAMENODE: address, yarn_settings.RESOURCEMANAGER: address}
        return self._daemon(f"nodemanager-{index}", address, names, {"yarn-site.xml": own})

    def client_home(self, masters_at: str | None = None) -> Path:
        """A folder with `bin/hdfs`, `bin/yarn`, `bin/mapred` and a configuration for programs that use this cluster.

        Args:
            masters_at: the address at which they find NameNode and ResourceManager; None for those of the daemons.
        """
        core, hdfs = self.hdfs.namenode.site()
        core["fs.defaultFS"] = self._default_fs
        hdfs["dfs.namenode.http-address"] = "{}:{}".format(*self.hdfs.namenode.http)
        folder = self.hdfs.folder / "yarn-client"
        hosts = folder / "conf" / yarn_settings.HOSTS
        core["hadoop.tmp.dir"] = str(folder / "scratch")
        sites = {"core-site.xml": core, "hdfs-site.xml": hdfs, **self._shared_sites()}
        temporary = f"-Djava.io.tmpdir={folder}"  # where a job's client unpacks its jar
        flags = [*yarn_settings.java_flags(str(hosts)), temporary, *self.flags]
        launcher.write_home(folder, self.jars.hadoop, sites, flags=flags, jobs=self.jars.jobs)
        names = {yarn_settings.NAMENODE: masters_at or self.hdfs.namenode.host}
        if masters_at is not None:
            names[yarn_settings.RESOURCEMANAGER] = masters_at
        atomic_write_text(hosts, self._hosts("127.0.0.1", names))
        return folder

    def link_jars(self) -> None:
        """One folder with all jars: what containers load is said in one word.

        Raises:
            FroudeError: the folder cannot be written.
        """
        lib = self.hdfs.folder / "lib"
        with stated_os_errors(lib):
            lib.mkdir(exist_ok=True)
            release = self.jars.hadoop
            for number, jar in enumerate((*release.jars, *release.beside)):
                with contextlib.suppress(FileExistsError):
                    (lib / f"{number:03}-{jar.name}").symlink_to(jar)

    @property
    def _default_fs(self) -> str:
        return f"hdfs://{yarn_settings.NAMENODE}:{self.hdfs.namenode.port}"

    def _shared_sites(self) -> dict[str, settings.Site]:
        network = self.hdfs.network
        jars = f"{self.hdfs.folder}/lib/*"
        return {
            "yarn-site.xml": yarn_settings.yarn_site(
                network, containers=self.containers, jars=jars, extra=self.conf
            ),
            "mapred-site.xml": yarn_settings.mapred_site(
                network, containers=self.containers, extra=self.conf
            ),
        }

    def _hosts(self, self_at: str, names: Mapping[str, str]) -> str:
        masters = {
            yarn_settings.RESOURCEMANAGER: self.resourcemanager_host,
            yarn_settings.JOBHISTORY: self.jobhistory_host,
        }
        return yarn_settings.hosts(self_at, {**masters, **names}, machine=socket.gethostname())

    def _daemon(
        self, name: str, address: str, names: Mapping[str, str], own: Mapping[str, settings.Site]
    ) -> Daemon:
        """A daemon of YARN, configured.

        Args:
            name: what it is called, such as `nodemanager-0`.
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
            fast=self.fast,
            flags=[*yarn_settings.java_flags(str(hosts)), *self.flags],
        )
        daemon.configure(sites, settings.log4j())
        atomic_write_text(hosts, self._hosts(address, names))
        return daemon
