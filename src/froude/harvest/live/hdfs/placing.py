"""Placement of replicas on a real HDFS: what is to be written and set, and the guard that has to allow it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import GuardError, InputError
from froude.base.files import read_bounded
from froude.hadoop.cluster import background
from froude.harvest.live.hdfs import plugin
from froude.harvest.live.hdfs.changes import HdfsChanges, set_up
from froude.harvest.live.hdfs.datanodes import named
from froude.harvest.live.hdfs.hosts import with_maintenance
from froude.harvest.live.hdfs.namenode import NameNodeCalls
from froude.harvest.live.hdfs.placement_map import Placed, map_text, placed, rack_table, too_few
from froude.harvest.live.hdfs.plugin import Way
from froude.harvest.live.hdfs.prior import HdfsPrior
from froude.harvest.place.policies import Policy
from froude.harvest.telemetry.datacenter import Datacenter

_MAPS = {Way.PLUGIN: "placement-map.tsv", Way.RACKS: "racks.txt"}
_LIMIT_BYTES = 64 << 20
RELAX = "Choose a policy that relaxes, such as history-soft, or fewer --replicas"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a NameNode is to place by."""

    way: Way
    policy: Policy
    replicas: int | None
    """Of most blocks; None for the NameNode's own number."""
    file: Path
    """What it reads, absolute."""
    conf: Path | None
    """Its configuration folder; None where it is not on this machine."""
    hosts: Path | None
    """Its file of hosts; None where busy DataNodes stay in service."""
    busy: frozenset[str]
    """Names of servers whose primary tenants leave less than the reserve."""
    busy_for_s: float


@dataclass(frozen=True, slots=True)
class Placing:
    """What is to be done to a NameNode."""

    address: str
    id: str
    wanted: Wanted
    found: Placed
    changes: HdfsChanges
    replicas: int | None
    """Of most blocks; None where no policy of ours places them."""

    @property
    def busy(self) -> frozenset[str]:
        """Addresses of DataNodes that get nothing new."""
        return frozenset(named(self.found.nodes, self.wanted.busy))

    @property
    def too_few(self) -> str | None:
        """Why no block can have all its replicas; None where blocks can."""
        return None if self.replicas is None else too_few(self.found, self.wanted.policy, self.replicas)

    def allow(self, typed: str) -> None:
        """See that it may be done.

        Args:
            typed: the cluster id that the user named.

        Raises:
            GuardError: it is of another NameNode.
            InputError: blocks would lack replicas.
        """
        if typed != self.id:
            raise GuardError(
                "is not the NameNode that was named", file=self.address, found=self.id, allowed=typed
            )
        if self.too_few is not None:
            raise InputError(
                "would leave every block without some of its replicas",
                place=f"policy {self.wanted.policy.name}",
                found=self.too_few,
                remedy=RELAX,
            )


def placing_of(  # noqa: PLR0917 - what is known, what is wanted, and when
    datacenter: Datacenter,
    calls: NameNodeCalls,
    wanted: Wanted,
    state: Path,
    before: HdfsPrior | None,
    now_s: float,
) -> Placing:
    """What is to be done, from what the NameNode answers; nothing is changed.

    Args:
        state: file of what was there before.
        before: what it holds; None for nothing.
        now_s: seconds since 1970.

    Raises:
        GuardError: what is remembered is of another NameNode, folder or file of hosts.
    """
    identity = calls.identity()
    if before is not None and before.id != identity:
        raise GuardError(
            "holds what another NameNode had",
            file=state,
            found=before.id,
            allowed=identity,
            remedy="Choose another --state, or roll that one back",
        )
    for name, was, now in (
        ("--conf", before and before.conf, wanted.conf),
        ("--hosts", before and before.hosts, wanted.hosts),
    ):
        if was and now is not None and was != str(now):
            raise GuardError("is another one than before", place=name, found=now, allowed=was)
    found = placed(datacenter, calls.datanodes())
    changes = _changes(wanted, found, before, now_s)
    replicas = (wanted.replicas or calls.replication()) if wanted.way is Way.PLUGIN else None
    return Placing(calls.address, identity, wanted, found, changes, replicas)


def _changes(wanted: Wanted, found: Placed, before: HdfsPrior | None, now_s: float) -> HdfsChanges:
    busy = named(found.nodes, wanted.busy)
    is_plugin = wanted.way is Way.PLUGIN
    text = map_text(found, wanted.policy, busy) if is_plugin else rack_table(found)
    files = {wanted.file: text.encode()}
    if is_plugin and wanted.conf is not None:
        files |= {wanted.conf / name: data for name, data in plugin.class_files().items()}
    hosts = ""
    marked: tuple[str, ...] = ()
    if wanted.hosts is not None:
        now = read_bounded(wanted.hosts, limit_bytes=_LIMIT_BYTES).decode()
        nodes = (*found.nodes, *found.unknown)
        earlier = before.marked if before else ()
        hosts, marked = with_maintenance(now, nodes, busy, earlier, now_s + wanted.busy_for_s)
    return HdfsChanges(
        files,
        plugin.settings(wanted.way, wanted.file),
        wanted.conf,
        reread=is_plugin,
        hosts=wanted.hosts,
        hosts_text=hosts,
        marked=marked,
    )


def map_place(way: Way, file: Path | None, conf: Path | None, state: Path) -> Path:
    """Where the NameNode reads what is written, which it decides when it takes up the plug-in, once.

    Args:
        file: as the user named it; None for the usual name in the current folder.
        conf: the NameNode's configuration folder; None where it is not here.
        state: file of what was there before.

    Raises:
        GuardError: it reads another file, or was set up by us and what it had before is not here.
    """
    there = set_up(conf, plugin.MAP) if way is Way.PLUGIN else None
    if there is None:
        return (file or Path(_MAPS[way])).absolute()
    if file is not None and file.absolute() != Path(there):
        raise GuardError(
            "is not what the NameNode reads",
            file=file,
            found=there,
            remedy="Roll back first, or leave --map out",
        )
    if not state.exists():
        raise GuardError(
            "is not here, and the NameNode was set up already: what it had before would be forgotten",
            file=state,
            found=f"{plugin.MAP} = {there}",
            remedy="Name the --state of the first time",
        )
    return Path(there)


def own_conf(workspace: Path, namenode: str) -> Path | None:
    """The configuration folder of a NameNode that Froude started in a workspace; None for another one.

    Args:
        namenode: `host:port` of its RPC server.
    """
    state = background.running(workspace)
    if state is None or state.uri.removeprefix("hdfs://") != namenode.removeprefix("hdfs://").rstrip("/"):
        return None
    return background.folder_of(workspace) / "run" / "namenode" / "conf"


def allow_rollback(prior: HdfsPrior, identity: str, typed: str | None) -> None:
    """See that what is brought back was the NameNode's own.

    Args:
        typed: the cluster id that the user named; None for none.

    Raises:
        GuardError: it is another NameNode's.
    """
    if identity not in {prior.id, typed}:
        raise GuardError(
            "is not the NameNode that was changed",
            file=prior.address,
            found=identity,
            allowed=prior.id,
            remedy=f"If it is the same cluster, say --target-is {identity}",
        )
