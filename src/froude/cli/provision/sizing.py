"""`froude provision hdfs`: an HDFS by its capacity and throughput → its application, and the cheapest cluster."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.answers import claim
from froude.cli.ending import Code, end
from froude.cli.outputs import Output, write
from froude.cli.provision import common
from froude.cli.provision.common import Gap, Limit
from froude.cli.provision.importing import catalog_of
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.provision.analyses.hdfs import DataNodeLimits
    from froude.provision.inputs.read import Parts
    from froude.provision.inputs.units import Dimension
    from froude.provision.types import Catalog


class Loss(StrEnum):
    """What may be lost, so that the rest still does everything."""

    HOST = "host"
    RACK = "rack"
    NONE = "none"


def hdfs(
    ctx: typer.Context,
    capacity: Annotated[str, typer.Option(metavar="SIZE", help="Of all files, without replicas: '400 TB'.")],
    file: Annotated[
        str | None,
        typer.Argument(help="What can be bought [EC2's instances with disks made for HDFS, July 2026]."),
    ] = None,
    replication: Annotated[int, typer.Option(min=1, max=512, help="Replicas of each block.")] = 3,
    read: Annotated[str, typer.Option(metavar="RATE", help="Of all clients together: '5 GB/s'.")] = "0",
    write_: Annotated[str, typer.Option("--write", metavar="RATE", help="Likewise: '1 GB/s'.")] = "0",
    survive: Annotated[Loss, typer.Option(help="What may be lost and the rest does it all.")] = Loss.HOST,
    rebuild: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Until what may be lost has all its replicas again: '6 h'."),
    ] = None,
    most: Annotated[
        str, typer.Option("--most-per-datanode", metavar="SIZE", help="Of disks in a DataNode, at most.")
    ] = "100 TB",
    most_volumes: Annotated[int, typer.Option("--most-volumes", min=1, help="Of a DataNode, at most.")] = 24,
    cores: Annotated[int, typer.Option("--datanode-cores", min=1, help="For a DataNode alone.")] = 4,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The application, with what can be bought: YAML.")
    ] = Path("hdfs.yaml"),
    plan_file: Annotated[Path, typer.Option("--plan", help="The plan, as JSON.")] = Path("hdfs-plan.json"),
    gap: Gap = 0.01,
    time_limit: Limit = 60.0,
) -> None:
    """Capacity, replication and throughput of an HDFS → its application, and the cheapest cluster that does it.

    Without a FILE the cluster is of Amazon's d3, d3en, h1, i3en and i4i, on demand in us-east-1, for three years.
    Ends with 3 when no cluster does it, or the gap was not reached.

    Example: froude provision hdfs --capacity '400 TB' --read '5 GB/s' --write '1 GB/s' --rebuild '6 h'
    """
    from dataclasses import replace

    from froude.documents.lineage import with_lineage
    from froude.provision.analyses.hdfs import DataNodeLimits, HdfsDemand, datanodes, facts, parts_of, too_few
    from froude.provision.answers import compiling
    from froude.provision.inputs.comments import Comment, with_comments
    from froude.provision.inputs.plan_file import plan_json
    from froude.provision.inputs.units import Dimension
    from froude.provision.inputs.write import to_yaml
    from froude.provision.inputs.yaml_form import MIGRATIONS
    from froude.provision.search.compile import compile_plan
    from froude.provision.types import Lost

    settings: Settings = ctx.obj
    size, rate, time = Dimension.SIZE, Dimension.RATE, Dimension.TIME
    limits = DataNodeLimits(_amount("--most-per-datanode", most, size), volumes=most_volumes, cores=cores)
    wanted = HdfsDemand(
        _amount("--capacity", capacity, size),
        replication,
        _amount("--read", read, rate, zero=True),
        _amount("--write", write_, rate, zero=True),
        {Loss.HOST: Lost.SERVER, Loss.RACK: Lost.RACK}.get(survive),
        None if rebuild is None else _amount("--rebuild", rebuild, time),
    )
    if replication < 2 and survive is not Loss.NONE:
        allowed = "2 or more, or --survive none"
        raise InputError("keeps no block of a lost host", place="--replication", found=1, allowed=allowed)
    application = Output(output, MIGRATIONS.kind)
    claim(settings, [file], plan_file, "cluster", others=[application])
    parts = parts_of(wanted, limits)
    catalog, sources, remarks = _bought(settings, file, parts, limits)
    parts = replace(parts, catalog=catalog)
    remarks.append(f"limits: {limits}")
    text = with_comments(to_yaml(parts), [Comment(tuple(remarks), beside=False)])
    if settings.dry_run:
        settings.would(f"write {output} and {plan_file}")
        return
    write({output: with_lineage(text, MIGRATIONS, common.origin(settings, sources))})
    problem = common.problem([str(output)])
    with compiling(settings.progress(), common.limits(settings, gap, time_limit)) as solving:
        plan = compile_plan(problem, solving)
    document = plan_json(plan, common.origin(settings, [output]))
    write({plan_file: document})
    settings.emit(document)
    settings.out(common.summary(problem, plan))
    if plan.found:
        settings.out(f"\n{aligned(datanodes(problem, plan))}\n")
        settings.out("\n".join(facts(problem, plan, limits)))
        settings.out(f"written to {output} and {plan_file}; see froude provision evaluate, why-not and sweep")
    common.end(settings, [plan])
    if plan.found and (why := too_few(problem, plan)):
        settings.note(f"not met: {why}")
        end(Code.MISSED)


def _bought(
    settings: Settings, file: str | None, parts: Parts, limits: DataNodeLimits
) -> tuple[Catalog, Sequence[Path], list[str]]:
    """What may be bought, the files that it is from, and what is to be known of it, which is printed.

    Raises:
        InputError: it has no racks where one may be lost, or nothing that may be a DataNode.
    """
    from froude.provision.analyses.hdfs import memory_unit, within
    from froude.provision.prices.shipped import hdfs_instances
    from froude.provision.types import RackLoss

    if file is None:
        imported, sources, remark = hdfs_instances()
        catalog, remarks = imported.catalog(), [remark, *imported.notes.lines]
    else:
        catalog, sources, remarks = catalog_of(file, "FILE"), (Path(file),), []
    if parts.options.survive_rack is not RackLoss.NONE and catalog.rack is None:
        remedy = (
            "With --survive host the resources are written to --output: add rack: {servers: 16, uplink: 100Gbps} to "
            "them there, and give that file as FILE"
        )
        raise InputError(
            "needs racks, which the resources do not have", place="--survive", found="rack", remedy=remedy
        )
    catalog, left = within(catalog, memory_unit(parts, catalog), limits)
    if not catalog.servers:
        raise InputError("has no server that may be a DataNode", file=sources[0], found="; ".join(left))
    for text in (*remarks, *left):
        settings.note(f"note: {text}")
    return catalog, sources, [*remarks, *left]


def _amount(flag: str, text: str, dimension: Dimension, *, zero: bool = False) -> float:
    """A quantity of a flag, in base units.

    Raises:
        InputError: it is not one, negative, or 0 where that is not allowed.
    """
    from froude.provision.inputs.units import parse

    try:
        value = parse(text, dimension)
    except InputError as error:
        raise InputError(error.message, place=flag, found=text, allowed=error.allowed) from error
    if value < 0 or not (value or zero):
        raise InputError(
            "is out of range", place=flag, found=text, allowed="0 or above" if zero else "above 0"
        )
    return value
