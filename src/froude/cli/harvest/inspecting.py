"""`froude harvest inspect`: constraints that the blocks of an HDFS break as they lie, and what a year would cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from froude.base.errors import InputError
from froude.base.progress import counting
from froude.cli import answers
from froude.cli.harvest import common
from froude.cli.harvest.replicas import chosen_policies, reimages_start, year_text
from froude.cli.numbers import ranged

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.figures.inspection import Inspected
    from froude.harvest.place.existing import Existing
    from froude.harvest.place.layout import Layout
    from froude.harvest.place.policies import Policy
    from froude.harvest.telemetry.datacenter import Datacenter
    from froude.harvest.telemetry.fsck import Locations

_KIND = "placement-inspection"
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
    fill: Annotated[float, typer.Option(metavar="SHARE", help="Of the space that these blocks take.")] = 0.5,
    runs: Annotated[
        int, typer.Option(min=1, max=1000, help="On this datacenter, each with chance of its own.")
    ] = 3,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who asks [HADOOP_USER_NAME, or you].")
    ] = None,
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
    answers.claim(settings, [folder, *([] if blocks is None else [blocks])], output, _KIND, report)
    common.require()
    ranged("--fill", fill, 0.001, 1.0)
    chosen = chosen_policies(policy or ["stock", "history"], None)

    def find(datacenter: Datacenter) -> answers.Answer:
        from dataclasses import asdict

        from froude.harvest.figures.inspection import inspection_report

        with settings.progress().task("Reading where blocks lie"):
            located, numbers = _located(settings, datacenter, blocks, namenode, path, user)
        found = _inspected(settings, datacenter, located, numbers, chosen, days=days, fill=fill, runs=runs)
        content = {
            "blocks": found.existing.blocks,
            "unknown": list(found.existing.unknown),
            "left_out": dict(found.left_out),
            "bad_replicas": dict(found.bad),
            "replicas": {str(number): blocks for number, blocks in found.existing.counts.items()},
            "broken": {
                each.attribute.value: {
                    "blocks": each.blocks if each.judged else None,
                    "replicas": each.replicas if each.judged else None,
                    "judged": each.judged,
                }
                for each in found.broken
            },
            "days": found.days,
            **{
                name: [{"policy": e.policy, "outcomes": [asdict(o) for o in e.outcomes]} for e in group]
                for name, group in (("as_it_is", found.as_it_is), ("anew", found.anew))
            },
        }
        return answers.Answer(_KIND, content, lambda facts: inspection_report(datacenter.name, found, facts))

    common.finish(settings, folder, find, output, report)


def _located(
    settings: Settings,
    datacenter: Datacenter,
    blocks: Path | None,
    namenode: str | None,
    path: str,
    user: str | None,
) -> tuple[Locations, np.ndarray]:
    """Where blocks lie, and the server of each address."""
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
    number = {server: n for n, server in enumerate(datacenter.servers)}
    servers = [number.get(each, number.get(each.rpartition(":")[0], -1)) for each in located.addresses]
    return located, np.array(servers, np.int32)


def _of_lists(datacenter: Datacenter, folder: Path) -> tuple[Locations, np.ndarray]:
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
    return Locations(addresses, placed, coded=coded), np.arange(lists.nodes, dtype=np.int32)


def _inspected(
    settings: Settings,
    datacenter: Datacenter,
    located: Locations,
    servers: np.ndarray,
    policies: list[Policy],
    *,
    days: float,
    fill: float,
    runs: int,
) -> Inspected:
    from froude.harvest.figures.inspection import WITHOUT, Inspected
    from froude.harvest.place.existing import broken, existing, known_of
    from froude.harvest.place.layout import layout_at

    def lying(layout: Layout, at_s: float) -> Existing:
        known = known_of(datacenter, at_s)
        return existing(layout, located.addresses, servers, located.placed, known)

    end_s = datacenter.slots * datacenter.slot_s
    now = lying(layout_at(datacenter, end_s), end_s)
    left_out = {WITHOUT: located.without, "groups of erasure-coded files": located.coded}
    counts = broken(now)
    if not days:
        return Inspected(now, counts, left_out, 0.0, bad=located.bad)
    from dataclasses import replace

    from froude.base.seeds import Seeds
    from froude.harvest.simulate.durability import DurabilitySetting, compare, year_of

    start_s = reimages_start(datacenter, days)
    year = year_of(datacenter, start_s, days)
    there = lying(year.layout, start_s)
    width = int(np.median((there.replicas >= 0).sum(axis=1)))
    setting = DurabilitySetting(there.blocks, max(1, width), fill, days)
    year = replace(year, layout=there.layout)
    said = f"{2 * runs} simulated years under each of {len(policies)} policies"
    with settings.progress().task(said, 2 * runs * len(policies)) as task:
        as_it_is, anew = (
            compare(
                [each], setting, Seeds(settings.seed), policies, runs, settings.workers,
                done=counting(task, year_text),
            )
            for each in (replace(year, existing=there), year)
        )  # fmt: skip
    return Inspected(now, counts, left_out, days, as_it_is, anew, located.bad)
