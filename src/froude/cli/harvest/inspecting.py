"""`froude harvest inspect`: constraints that the blocks of an HDFS break as they lie, and what a year would cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli import answers
from froude.cli.harvest import common

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.telemetry.datacenter import Datacenter
    from froude.harvest.telemetry.fsck import Locations
    from froude.render.answer import Answer

_LONGEST = 1 << 20


def inspect(
    ctx: typer.Context,
    folder: common.Folder,
    blocks: Annotated[
        Path | None,
        typer.Argument(
            metavar="[BLOCKS]",
            help="What `hdfs fsck / -files -blocks -locations -replicaDetails` wrote, may be packed; or a folder of "
            "`froude image blocks`, whose DataNode n is the datacenter's server n.",
        ),
    ] = None,
    namenode: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Ask this NameNode's web server instead.")
    ] = None,
    path: Annotated[str, typer.Option(metavar="PATH", help="What is looked at there.")] = "/",
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", metavar="NAME", help="That copies again; repeat [stock, history]."),
    ] = None,
    days: Annotated[
        float,
        typer.Option(min=0, max=3660, help="The last ones of the record of reimages; 0: none is simulated."),
    ] = 365.0,
    fill: common.Fill = 0.5,
    runs: common.Runs = 3,
    user: common.User = None,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Which constraints the blocks of an HDFS break as they lie, and how many of them a year of reimages would lose.

    Example: froude harvest inspect dc9 fsck.txt --days 0
    """
    settings: Settings = ctx.obj
    if (blocks is None) == (namenode is None):
        allowed = "BLOCKS or --namenode, one of them"
        raise InputError("does not know where blocks lie", place="harvest inspect", allowed=allowed)
    common.require()
    from froude.harvest import analyses

    answers.claim(settings, [folder, blocks], output, analyses.INSPECTION, report)
    chosen = common.chosen_policies(policy or ["stock", "history"], None)

    def find(datacenter: Datacenter) -> Answer:
        with settings.progress().task("Reading where blocks lie"):
            located = _located(settings, datacenter, blocks, namenode, path, user)
        return analyses.inspection(
            datacenter,
            located,
            chosen,
            days=days,
            fill=fill,
            runs=runs,
            **answers.how(settings),
        )

    common.answer(settings, folder, find, output, report)


def _located(
    settings: Settings,
    datacenter: Datacenter,
    blocks: Path | None,
    namenode: str | None,
    path: str,
    user: str | None,
) -> Locations:
    """Where blocks lie."""
    from froude.base.dropped import Dropped
    from froude.base.packed import read_lines
    from froude.base.summary import counted
    from froude.harvest.telemetry.fsck import read_fsck

    if blocks is not None and blocks.is_dir():
        return _of_lists(datacenter, blocks)
    if namenode is not None:
        from froude.hadoop.rpc.connection import current_user
        from froude.hadoop.rpc.target import parse_address
        from froude.harvest.live.hdfs.fsck import fsck_lines

        host, port = parse_address(namenode.removeprefix("http://"), place="--namenode")
        with fsck_lines(host, port, path=path, user=user or current_user()) as lines:
            located = read_fsck(lines, name=namenode)
    else:
        assert blocks is not None
        dropped = Dropped()
        located = read_fsck(read_lines(blocks, longest=_LONGEST, dropped=dropped), name=str(blocks))
        for left_out in dropped.notes():
            settings.note(f"note: {left_out}")
    if not located.whole:
        settings.note("note: the end of fsck's output is not there: some blocks may be missing")
    if located.bad:
        why = ", ".join(f"{number:,} {why}" for why, number in located.bad.items())
        settings.note(f"note: {counted(sum(located.bad.values()), 'replica')} left out: {why}")
    if not located.detailed:
        settings.note(
            "note: without -replicaDetails fsck does not say which replicas are corrupt, in excess or on decommissioned "
            "DataNodes: they count like any"
        )
    return located


def _of_lists(datacenter: Datacenter, folder: Path) -> Locations:
    import numpy as np

    from froude.experiment.replay.block_lists import open_block_lists
    from froude.harvest.place.existing import by_block
    from froude.harvest.telemetry.fsck import Locations

    lists = open_block_lists(folder).lists
    if lists.nodes > len(datacenter.servers):
        raise InputError(
            "has more DataNodes than the datacenter has servers",
            file=folder,
            found=lists.nodes,
            allowed=f"at most {len(datacenter.servers)}",
        )
    held = np.diff(lists.starts).reshape(lists.nodes, -1).sum(axis=1)
    node = np.repeat(np.arange(lists.nodes, dtype=np.int32), held)
    ids = np.asarray(lists.replicas.ids)
    whole = ids >= 0
    if not whole.any():
        raise InputError("holds no replica of a block", file=folder)
    placed = by_block(ids[whole], node[whole])
    coded = len(np.unique(ids[~whole] // 16))  # internal blocks of a group have ids beside each other
    addresses = tuple(datacenter.servers[: lists.nodes])
    return Locations(addresses, placed, coded=coded)
