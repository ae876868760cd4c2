"""`froude harvest place`, and its way back: placement of replicas on a real HDFS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.units import parse_seconds
from froude.cli.harvest import common
from froude.cli.harvest.managers import only_one
from froude.cli.harvest.usage import usage_of_servers
from froude.cli.inputs import member
from froude.cli.numbers import finite
from froude.cli.outputs import write
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.live.hdfs.namenode import NameNodeCalls
    from froude.harvest.live.hdfs.placing import Placing, Wanted
    from froude.harvest.live.hdfs.prior import HdfsPrior
    from froude.harvest.telemetry.datacenter import Datacenter

STATE = Path("harvest-placement.json")
"""What was there before, by default."""
_RESTART = "note: the NameNode reads its topology only when it starts: start it again"


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
    busy: Annotated[
        float,
        typer.Option(
            min=0, max=1, callback=finite, metavar="SHARE", help="CPU above which a server is busy."
        ),
    ] = 0.66,
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
    state: common.PriorState = STATE,
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
    from froude.harvest.live.hdfs.placing import Wanted, map_place, own_conf
    from froude.harvest.live.hdfs.plugin import Way
    from froude.harvest.live.hdfs.prior import MIGRATIONS, read_prior
    from froude.harvest.telemetry.files import read_datacenter

    settings: Settings = ctx.obj
    common.require()
    chosen = common.chosen_policies([] if distinct else [policy], distinct)[0]
    if way == "racks":
        _refuse_unused(ctx, usage, hosts)
    by = member(Way, way, "--way")
    found_conf = conf or own_conf(settings.workspace, namenode)
    place = map_place(by, file, found_conf, state)
    claim(settings, [Output(state, MIGRATIONS.kind)], [folder, usage, hosts])
    if not settings.dry_run:
        ctx.with_resource(only_one(state))
    before = read_prior(state) if state.exists() else None
    written = None if before is None else before.written.get(str(place))
    claim(settings, [Output(place, "placement map", content=written)], [folder, usage, hosts, state])
    wanted = Wanted(
        by,
        chosen,
        replicas,
        place,
        None if found_conf is None else found_conf.resolve(),
        None if hosts is None else hosts.resolve(),
        frozenset() if usage is None else frozenset(_busy(usage, busy)),
        parse_seconds(busy_for, place="--busy-for"),
    )
    datacenter = read_datacenter(folder)
    _place(settings, datacenter, calls_to(settings, namenode, user), wanted, (state, before), target_is)


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


def _place(
    settings: Settings,
    datacenter: Datacenter,
    calls: NameNodeCalls,
    wanted: Wanted,
    known: tuple[Path, HdfsPrior | None],
    typed: str | None,
) -> None:
    from froude.base.clock import RealClock
    from froude.harvest.live.hdfs.changes import make, remembered
    from froude.harvest.live.hdfs.placing import RELAX, placing_of
    from froude.harvest.live.hdfs.prior import prior_json

    (state, before), clock = known, RealClock()
    todo = placing_of(datacenter, calls, wanted, state, before, clock.wall())
    _show(settings, todo)
    if todo.too_few is not None:
        settings.note(f"note: no block can have all its replicas: {todo.too_few}")
    if settings.dry_run or typed is None:
        remedy = RELAX if todo.too_few is not None else f"To do it: --target-is {todo.id}"
        settings.note(f"Nothing was changed. {remedy}")
        return
    todo.allow(typed)
    prior = remembered(calls, todo.id, todo.changes).with_earlier(before)
    write({state: prior_json(prior, settings.origin())})
    make(calls, todo.changes, clock)
    settings.out(f"Done. Back again: froude harvest rollback {state}")
    if todo.changes.conf is not None and not todo.changes.reread:
        settings.note(_RESTART)


def rollback(settings: Settings, state: Path, target_is: str | None, user: str | None) -> None:
    """What a NameNode had before comes back.

    Raises:
        GuardError: it is another NameNode.
    """
    from froude.base.clock import RealClock
    from froude.harvest.live.hdfs.changes import restore
    from froude.harvest.live.hdfs.placing import allow_rollback
    from froude.harvest.live.hdfs.plugin import MAP
    from froude.harvest.live.hdfs.prior import read_prior

    prior = read_prior(state)
    calls = calls_to(settings, prior.address, user)
    identity = calls.identity()
    allow_rollback(prior, identity, target_is)
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


def _busy(path: Path, most: float) -> Iterator[str]:
    """Servers that use more than a share of their CPU."""
    for server, used in usage_of_servers(path).items():
        if used.cpu_share > most:
            yield server


def _show(settings: Settings, todo: Placing) -> None:
    import numpy as np

    from froude.base.summary import counted
    from froude.harvest.live.hdfs.plugin import Way, jar_place

    wanted, found, changes = todo.wanted, todo.found, todo.changes
    layout, is_plugin = found.layout, wanted.way is Way.PLUGIN
    cells = np.zeros((layout.rows, layout.columns), np.int64)
    np.add.at(cells, (layout.row, layout.column), 1)
    settings.emit(
        {
            "namenode": todo.id,
            "datanodes": len(found.nodes),
            "unknown": [node.address for node in found.unknown],
            "busy": sorted(todo.busy),
            "classes": cells.tolist(),
            "policy": wanted.policy.name,
            "replicas": todo.replicas,
            "properties": dict(changes.properties),
            "files": sorted(map(str, changes.files)),
            "conf": None if changes.conf is None else str(changes.conf),
            "maintenance": list(changes.marked),
        }
    )
    lines = [f"NameNode {todo.id}: {counted(len(found.nodes), 'DataNode')} of tenants, {len(todo.busy)} busy"]
    if is_plugin:
        head = ("DataNodes", *(f"reimage column {n}" for n in range(layout.columns)))
        rows = [head, *((f"peak row {n}", *map(str, row)) for n, row in enumerate(cells.tolist()))]
        whose = "--replicas" if wanted.replicas else "the NameNode's dfs.replication"
        a_block = f"{counted(todo.replicas or 0, 'replica')} a block ({whose})"
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
