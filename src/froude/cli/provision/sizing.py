"""`froude provision hdfs`: an HDFS by its capacity and throughput → its application, and the cheapest cluster."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.numbers import ranged
from froude.cli.outputs import Output, write
from froude.cli.provision import common
from froude.cli.provision.common import Gap, Limit
from froude.cli.provision.compiling import Places, compiled
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
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
    catalogs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="What can be bought [EC2's instances with disks made for HDFS, July 2026]."
        ),
    ] = None,
    replication: Annotated[int, typer.Option(min=1, max=512, help="Replicas of each block.")] = 3,
    read: Annotated[str, typer.Option(metavar="RATE", help="Of all clients together: '5 GB/s'.")] = "0",
    write_: Annotated[str, typer.Option("--write", metavar="RATE", help="Likewise: '1 GB/s'.")] = "0",
    survive: Annotated[Loss, typer.Option(help="What may be lost and the rest does it all.")] = Loss.HOST,
    rebuild: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until a lost host has all its replicas again: '6 h'.")
    ] = None,
    fill: Annotated[float, typer.Option(help="Largest share of a disk that data fills.")] = 0.8,
    most: Annotated[
        str, typer.Option("--most-per-datanode", metavar="SIZE", help="Of disks in a DataNode, at most.")
    ] = "100 TB",
    least_volumes: Annotated[
        int, typer.Option("--least-volumes", min=1, help="That a DataNode takes, at least.")
    ] = 4,
    most_volumes: Annotated[int, typer.Option("--most-volumes", min=1, help="Of a DataNode, at most.")] = 24,
    cores: Annotated[int, typer.Option("--datanode-cores", min=1, help="For a DataNode alone.")] = 4,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The application, with what can be bought: YAML.")
    ] = Path("hdfs.yaml"),
    plan: Annotated[Path, typer.Option("--plan", help="The plan, as JSON.")] = Path("plan.json"),
    bill_file: Annotated[
        Path | None, typer.Option("--bill", metavar="CSV", help="The bill of materials too.")
    ] = None,
    report: common.Page = None,
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
    from froude.provision.analyses.hdfs import (
        DataNodeLimits,
        HdfsDemand,
        datanodes,
        facts,
        memory_unit,
        parts_of,
        within,
    )
    from froude.provision.inputs.comments import Comment, with_comments
    from froude.provision.inputs.units import Dimension
    from froude.provision.inputs.write import to_yaml
    from froude.provision.inputs.yaml_form import MIGRATIONS
    from froude.provision.types import Lost

    settings: Settings = ctx.obj
    size, rate, time = Dimension.SIZE, Dimension.RATE, Dimension.TIME
    limits = DataNodeLimits(
        _amount("--most-per-datanode", most, size),
        least_volumes,
        most_volumes,
        cores,
        fill=ranged("--fill", fill, 0.01, 1.0),
    )
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
    bill_place = [] if bill_file is None else [Output(bill_file, "bill")]
    others = [*bill_place, Output(output, MIGRATIONS.kind)]
    common.claim(settings, catalogs or [], results=(plan, "cluster"), report=report, others=others)
    catalog, sources, remarks = _catalog(settings, catalogs or [])
    if survive is Loss.RACK and catalog.rack is None:
        remedy = "Write one into the resources: rack: {servers: 16, uplink: 100Gbps}"
        raise InputError(
            "needs racks, which the resources do not have", place="--survive", found="rack", remedy=remedy
        )
    parts = parts_of(wanted, limits)
    forgetful = {unit.name for unit in catalog.units if unit.volatile}
    catalog, left = within(catalog, memory_unit(parts, catalog), limits)
    if not catalog.servers:
        raise InputError(
            "has no server that may be a DataNode", file=", ".join(sources), found="; ".join(left)
        )
    remarks += [*left, f"Limits: {limits}."]
    for text in remarks:
        settings.note(f"note: {text}")
    text = with_comments(to_yaml(replace(parts, catalog=catalog)), [Comment(tuple(remarks), beside=False)])
    if settings.dry_run:
        settings.would(f"write {output} and {plan}")
        return
    write({output: with_lineage(text, MIGRATIONS, common.origin(settings, sources))})
    problem, found = compiled(settings, [str(output)], Places(plan, bill_file, report), gap, time_limit)
    if found.found:
        settings.out(f"\n{aligned(datanodes(problem, found))}\n")
        settings.out("\n".join(facts(problem, found, limits)))
        if not forgetful.isdisjoint(held.unit for group in found.groups for held in group.held):
            settings.out(
                "its disks are those of instances: an instance that stops loses its data, all that stop lose all"
            )
    settings.out(f"Application: {output}, plan: {plan}; hold a cluster of yours against it with --cluster:")
    settings.out(f"froude provision check {output} --cluster {plan}")
    common.end(settings, [found])


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


def _catalog(settings: Settings, names: Sequence[str]) -> tuple[Catalog, list[str], list[str]]:
    """What can be bought, the files that it is from, and what is to be known of it."""
    from froude.provision.inputs.read import read_parts
    from froude.provision.inputs.tree import FlawedInputError
    from froude.provision.prices.shipped import hdfs_instances

    if not names:
        imported, files, remark = hdfs_instances()
        return imported.catalog(), [str(file) for file in files], [remark, *imported.notes.lines]
    try:
        parts = read_parts(names)
    except FlawedInputError as error:
        common.tell(settings, error)
        raise typer.Exit(common.EXIT_ERROR) from error
    if parts.catalog is None:
        raise InputError("has no resources", file=", ".join(names), place="FILE")
    others = [
        name for name, part in (("application", parts.application), ("sla", parts.sla)) if part is not None
    ]
    ignored = [f"{' and '.join(others)} of {', '.join(names)} are not used"] if others else []
    return parts.catalog, list(names), ignored
