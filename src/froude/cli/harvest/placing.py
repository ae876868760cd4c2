"""`froude harvest place`, and its way back: placement of replicas on a real HDFS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import GuardError, InputError
from froude.base.units import parse_seconds
from froude.cli.harvest import common
from froude.cli.harvest.managers import only_one
from froude.cli.harvest.usage import usage_of_servers
from froude.cli.inputs import member
from froude.cli.numbers import ranged
from froude.cli.outputs import write
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.live.hdfs.changes import HdfsChanges
    from froude.harvest.live.hdfs.namenode import NameNodeCalls
    from froude.harvest.live.hdfs.placement_map import Placed
    from froude.harvest.live.hdfs.plugin import Way
    from froude.harvest.live.hdfs.prior import HdfsPrior
    from froude.harvest.place.policies import Policy

STATE = Path("harvest-placement.json")
"""What was there before, by default."""
_MAPS = {"plugin": "placement-map.tsv", "racks": "racks.txt"}
_LIMIT_BYTES = 64 << 20
_RESTART = "note: the NameNode reads its topology only when it starts: start it again"
_RELAX = "Choose a policy that relaxes, such as history-soft, or fewer --replicas"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the command line asked for."""

    namenode: str
    way: Way
    policy: Policy
    replicas: int | None
    file: Path
    conf: Path | None
    hosts: Path | None
    busy: frozenset[str]
    """Names of servers whose primary tenants leave less than the reserve."""
    busy_for_s: float


def place(
    ctx: typer.Context,
    folder: common.Folder,
    namenode: common.NameNode,
    way: Annotated[
        str, typer.Option(help="plugin (any constraints, Hadoop 3.3 on) or racks (environments as racks).")
    ] = "plugin",
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="history, history-space, rows+environment, environment; -soft after it."
        ),
    ] = "history",
    distinct: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…", help="Instead: environment, rack, peak_row, reimage_column; ? if soft."
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            min=1, max=512, help="Of most blocks, to see if they can be had [the NameNode's dfs.replication]."
        ),
    ] = None,
    usage: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV", help="server, cpu (0 to 1) of primary tenants: who is busy gets nothing new."
        ),
    ] = None,
    busy: Annotated[float, typer.Option(metavar="SHARE", help="CPU above which a server is busy.")] = 0.66,
    hosts: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON", help="The NameNode's dfs.hosts: busy ones are in maintenance, for reads, too."
        ),
    ] = None,
    busy_for: Annotated[
        str, typer.Option("--busy-for", metavar="TIME", help="Then they are in service again by themselves.")
    ] = "10min",
    file: Annotated[
        Path | None,
        typer.Option("--map", metavar="FILE", help="What the NameNode reads [placement-map.tsv]."),
    ] = None,
    conf: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The NameNode's configuration [of one started in this workspace]."
        ),
    ] = None,
    state: Annotated[
        Path, typer.Option("--state", metavar="JSON", help="What was there before, for `harvest rollback`.")
    ] = STATE,
    target_is: Annotated[
        str | None,
        typer.Option("--target-is", metavar="ID", help="Its cluster id; without it nothing is changed."),
    ] = None,
    user: common.User = None,
) -> None:
    """Replicas on a real HDFS as a policy wants them; shows what it would write and set unless told.

    A NameNode whose configuration folder is here takes it up while it runs; for another one the files are written, and
    the settings shown. Run it again when tenants, DataNodes or their use have changed: the map is read anew.

    Example: froude harvest place dc --namenode nn.example.com:8020
    """
    from froude.cli.outputs import Output, claim
    from froude.harvest.live.hdfs.prior import MIGRATIONS, read_prior

    settings: Settings = ctx.obj
    common.require()
    ranged("--busy", busy, 0.0, 1.0)
    chosen = common.chosen_policies([] if distinct else [policy], distinct)[0]
    if way == "racks":
        _refuse_unused(ctx, usage, hosts)
    by, found_conf = _way(way), conf or _own_conf(settings, namenode)
    place = _map_place(by, file, found_conf, state)
    claim(settings, [Output(state, MIGRATIONS.kind)], [folder, usage, hosts])
    if not settings.dry_run:
        ctx.with_resource(only_one(state))
    before = read_prior(state) if state.exists() else None
    written = None if before is None else before.written.get(str(place))
    claim(settings, [Output(place, "placement map", content=written)], [folder, usage, hosts, state])
    wanted = _Wanted(
        namenode,
        by,
        chosen,
        replicas,
        place,
        None if found_conf is None else found_conf.resolve(),
        None if hosts is None else hosts.resolve(),
        frozenset() if usage is None else frozenset(_busy(usage, busy)),
        parse_seconds(busy_for, place="--busy-for"),
    )
    _place(settings, folder, wanted, (state, before), target_is, user)


def _refuse_unused(ctx: typer.Context, usage: Path | None, hosts: Path | None) -> None:
    """Refuse what a table of racks cannot say, rather than leave it out.

    Raises:
        InputError: constraints, or use that no file of hosts would tell.
    """
    for name in ("policy", "distinct"):
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise InputError(
                "is of the plug-in only: the NameNode's own policy places by racks",
                place=f"--{name}",
                remedy="Leave it out, or say --way plugin",
            )
    if usage is not None and hosts is None:
        raise InputError(
            "is of no use here: a table of racks does not say who is busy",
            place="--usage",
            remedy="Give --hosts as well, or say --way plugin",
        )


def _map_place(way: Way, file: Path | None, conf: Path | None, state: Path) -> Path:
    """Where the NameNode reads what is written, which it decides when it takes up the plug-in, once.

    Raises:
        GuardError: it reads another file, or was set up by us and what it had before is not here.
    """
    from froude.harvest.live.hdfs.changes import set_up
    from froude.harvest.live.hdfs.plugin import MAP, Way

    there = set_up(conf, MAP) if way is Way.PLUGIN else None
    if there is None:
        return (file or Path(_MAPS[way.value])).absolute()
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
            found=f"{MAP} = {there}",
            remedy="Name the --state of the first time",
        )
    return Path(there)


def _place(
    settings: Settings,
    folder: Path,
    wanted: _Wanted,
    known: tuple[Path, HdfsPrior | None],
    typed: str | None,
    user: str | None,
) -> None:
    from froude.base.clock import RealClock
    from froude.harvest.live.hdfs import prior as prior_file
    from froude.harvest.live.hdfs.changes import make, remembered
    from froude.harvest.live.hdfs.placement_map import placed, too_few
    from froude.harvest.telemetry.files import read_datacenter

    state, before = known
    datacenter = read_datacenter(folder)
    calls = calls_to(settings, wanted.namenode, user)
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
    changes = _changes(wanted, found, before)
    replicas = _replicas(wanted, calls)
    _show(settings, wanted, identity, found, changes, replicas=replicas)
    reason = None if replicas is None else too_few(found, wanted.policy, replicas)
    if reason is not None:
        settings.note(f"note: no block can have all its replicas: {reason}")
    if settings.dry_run or typed is None:
        todo = _RELAX if reason is not None else f"To do it: --target-is {identity}"
        settings.note(f"Nothing was changed. {todo}")
        return
    if typed != identity:
        raise GuardError(
            "is not the NameNode that was named", file=calls.address, found=identity, allowed=typed
        )
    if reason is not None:
        raise InputError(
            "would leave every block without some of its replicas", place=f"policy {wanted.policy.name}", found=reason,
            remedy=_RELAX,
        )  # fmt: skip
    prior = remembered(calls, identity, changes).with_earlier(before)
    write({state: prior_file.prior_json(prior, settings.origin())})
    make(calls, changes, RealClock())
    settings.out(f"Done. Back again: froude harvest rollback {state}")
    if changes.conf is not None and not changes.reread:
        settings.note(_RESTART)


def rollback(settings: Settings, state: Path, target_is: str | None, user: str | None) -> None:
    """What a NameNode had before comes back.

    Args:
        state: what `apply` wrote.
        target_is: an id that was typed.

    Raises:
        GuardError: it is another NameNode.
    """
    from froude.base.clock import RealClock
    from froude.harvest.live.hdfs.changes import restore
    from froude.harvest.live.hdfs.plugin import MAP
    from froude.harvest.live.hdfs.prior import read_prior

    prior = read_prior(state)
    calls = calls_to(settings, prior.address, user)
    identity = calls.identity()
    if identity not in {prior.id, target_is}:
        remedy = f"If it is the same cluster, say --target-is {identity}"
        raise GuardError(
            "is not the NameNode that was changed", file=prior.address, found=identity, allowed=prior.id,
            remedy=remedy,
        )  # fmt: skip
    lines = [
        f"{name} = {'(removed)' if value is None else value}" for name, value in prior.properties.items()
    ]
    lines += [f"{name}: {'removed' if text is None else 'as before'}" for name, text in prior.files.items()]
    lines += [f"{prior.hosts}: {address} in service" for address in prior.marked]
    settings.emit({"namenode": identity, "properties": prior.properties, "files": sorted(prior.files)})
    settings.out("\n".join([f"NameNode {identity}", *lines]))
    if settings.dry_run:
        settings.note(f"Nothing was changed, and {state} stays")
        return
    at_once = MAP in prior.properties  # the plug-in's
    restore(calls, prior, RealClock(), reread=at_once)
    state.unlink()
    settings.out(f"Everything is as it was; {state} is removed")
    if prior.properties and not at_once:
        settings.note(_RESTART)


def calls_to(settings: Settings, text: str, user: str | None) -> NameNodeCalls:
    """A NameNode at an address, asked by somebody.

    Args:
        text: `host:port` of its RPC server.
        user: who asks; None for `HADOOP_USER_NAME`, or you.
    """
    from froude.hadoop.release.distribution import Hadoop
    from froude.hadoop.rpc.target import parse_address
    from froude.harvest.live.hdfs.namenode import NameNodeCalls

    host, port = parse_address(text, place="--namenode")
    return NameNodeCalls(host, port, Hadoop.find(progress=settings.progress()).schema(), user=user)


def _way(name: str) -> Way:
    from froude.harvest.live.hdfs.plugin import Way

    return member(Way, name, "--way")


def _busy(path: Path, most: float) -> Iterator[str]:
    """Servers that use more than a share of their CPU."""
    for server, used in usage_of_servers(path).items():
        if used.cpu_share > most:
            yield server


def _changes(wanted: _Wanted, found: Placed, before: HdfsPrior | None) -> HdfsChanges:
    import time

    from froude.base.files import read_bounded
    from froude.harvest.live.hdfs import plugin
    from froude.harvest.live.hdfs.changes import HdfsChanges
    from froude.harvest.live.hdfs.datanodes import named
    from froude.harvest.live.hdfs.hosts import with_maintenance
    from froude.harvest.live.hdfs.placement_map import map_text, rack_table

    busy = named(found.nodes, wanted.busy)
    is_plugin = wanted.way is plugin.Way.PLUGIN
    text = map_text(found, wanted.policy, busy) if is_plugin else rack_table(found)
    files = {wanted.file: text.encode()}
    if is_plugin and wanted.conf is not None:
        files |= {wanted.conf / name: data for name, data in plugin.class_files().items()}
    hosts = ""
    marked: tuple[str, ...] = ()
    if wanted.hosts is not None:
        now = read_bounded(wanted.hosts, limit_bytes=_LIMIT_BYTES).decode()
        nodes = (*found.nodes, *found.unknown)
        until_s = time.time() + wanted.busy_for_s
        hosts, marked = with_maintenance(now, nodes, busy, before.marked if before else (), until_s)
    return HdfsChanges(
        files,
        plugin.settings(wanted.way, wanted.file),
        wanted.conf,
        reread=is_plugin,
        hosts=wanted.hosts,
        hosts_text=hosts,
        marked=marked,
    )


def _own_conf(settings: Settings, namenode: str) -> Path | None:
    """The configuration folder of a NameNode that Froude started in this workspace."""
    from froude.hadoop.cluster import background

    state = background.running(settings.workspace)
    if state is None or state.uri.removeprefix("hdfs://") != namenode.removeprefix("hdfs://").rstrip("/"):
        return None
    return background.folder_of(settings.workspace) / "run" / "namenode" / "conf"


def _show(
    settings: Settings,
    wanted: _Wanted,
    identity: str,
    found: Placed,
    changes: HdfsChanges,
    *,
    replicas: int | None,
) -> None:
    import numpy as np

    from froude.base.summary import counted
    from froude.harvest.live.hdfs.datanodes import named
    from froude.harvest.live.hdfs.plugin import Way, jar_place

    busy, layout, is_plugin = named(found.nodes, wanted.busy), found.layout, wanted.way is Way.PLUGIN
    cells = np.zeros((layout.rows, layout.columns), np.int64)
    np.add.at(cells, (layout.row, layout.column), 1)
    settings.emit(
        {
            "namenode": identity,
            "datanodes": len(found.nodes),
            "unknown": [node.address for node in found.unknown],
            "busy": sorted(busy),
            "classes": cells.tolist(),
            "policy": wanted.policy.name,
            "replicas": replicas,
            "properties": dict(changes.properties),
            "files": sorted(map(str, changes.files)),
            "conf": None if changes.conf is None else str(changes.conf),
            "maintenance": list(changes.marked),
        }
    )
    lines = [f"NameNode {identity}: {counted(len(found.nodes), 'DataNode')} of tenants, {len(busy)} busy"]
    if is_plugin:
        head = ("DataNodes", *(f"reimage column {n}" for n in range(layout.columns)))
        rows = [head, *((f"peak row {n}", *map(str, row)) for n, row in enumerate(cells.tolist()))]
        whose = "--replicas" if wanted.replicas else "the NameNode's dfs.replication"
        a_block = f"{counted(replicas or 0, 'replica')} a block ({whose})"
        lines += [f"policy {wanted.policy.name}, {a_block}", aligned(rows, words=1)]
    where = (
        "hdfs-site.xml of the NameNode, for you to set"
        if changes.conf is None
        else changes.conf / "hdfs-site.xml"
    )
    lines += [f"{where}:", *(f"  {name} = {value}" for name, value in changes.properties.items())]
    if is_plugin and changes.conf is None:
        lines.append(f"and on its class path: {jar_place()}")
    settings.out("\n".join(lines))
    if found.unknown:
        number, first = counted(len(found.unknown), "DataNode"), found.unknown[0].address
        what = "the plug-in gives none of them a replica" if is_plugin else "they share one rack"
        settings.note(f"note: {number} of no known server, such as {first}: {what}")


def _replicas(wanted: _Wanted, calls: NameNodeCalls) -> int | None:
    """Of most blocks; None where no policy of ours places them."""
    from froude.harvest.live.hdfs.plugin import Way

    if wanted.way is not Way.PLUGIN:
        return None
    return wanted.replicas or calls.replication()
