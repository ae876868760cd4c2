"""`froude harvest generate`, `import` and `reimages`: where the history of a datacenter, and its wipes, come from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError, TargetError
from froude.base.units import parse_seconds
from froude.cli import table_flags
from froude.cli.fields import Given, with_fields
from froude.cli.harvest import common
from froude.cli.harvest.placing import calls_to
from froude.cli.numbers import amount

if TYPE_CHECKING:
    from froude.base.forms import Options
    from froude.cli.settings import Settings
    from froude.harvest.live.hdfs.datanodes import DataNode
    from froude.harvest.telemetry.correlation import Correlation
    from froude.harvest.telemetry.datacenter import Datacenter

HEAD = "server,time\n"
_LIMIT_BYTES = 1 << 30
_Output = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The datacenter.")]


@with_fields
def generate(
    ctx: typer.Context,
    *,
    output: _Output,
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="DC-0 to DC-9, of differing variation.")
    ] = "DC-9",
    servers: Annotated[int | None, typer.Option(min=3, max=200_000, help="How many [the profile's].")] = None,
    tenants: Annotated[int | None, typer.Option(min=3, max=20_000, help="How many [the profile's].")] = None,
    days: Annotated[int, typer.Option(min=2, max=366, help="Of utilisation, every two minutes.")] = 31,
    months_before: Annotated[
        int, typer.Option("--months-before", min=0, max=120, help="Of reimages before the utilisation.")
    ] = 36,
    months_after: Annotated[
        int, typer.Option("--months-after", min=0, max=120, help="Of reimages from its begin on.")
    ] = 12,
    correlation: Annotated[
        str,
        typer.Option(
            help="How reimages come together: paper; ssd-failures (racks and days of failures at Alibaba); or a CSV "
            "with server, rack and time of failures of yours."
        ),
    ] = "paper",
    table: Annotated[Given, table_flags.FORM],
) -> None:
    """A made-up datacenter whose patterns and reimages are known, in the proportions of the paper.

    Example: froude harvest generate --profile DC-3 -o dc3
    """
    from dataclasses import replace

    from froude.base.seeds import Seeds
    from froude.cli.outputs import Output, claim
    from froude.documents.artifact import hash_file
    from froude.harvest.telemetry.files import MIGRATIONS, PARTS, write_datacenter
    from froude.harvest.telemetry.generate import generate as make
    from froude.harvest.telemetry.profiles import PROFILES

    settings: Settings = ctx.obj
    chosen = PROFILES.get(profile)
    if chosen is None:
        raise InputError("is no profile", place="--profile", found=profile, allowed=PROFILES)
    try:
        chosen = replace(chosen, servers=servers or chosen.servers, tenants=tenants or chosen.tenants)
    except ValueError as error:
        raise InputError(str(error), place="--servers, --tenants") from error
    others, read = _correlation(settings, correlation, table_flags.options_of(**table))
    claim(settings, [Output(output, MIGRATIONS.kind, folder=True, parts=PARTS)], read)
    if others is not None:
        chosen = chosen.like(others)
    if settings.dry_run:
        settings.would(f"write {output}")
        return
    with settings.progress().task("Making a datacenter"):
        made = make(
            chosen, Seeds(settings.seed), days=days, months_before=months_before, months_after=months_after
        )
        write_datacenter(output, made, settings.origin([hash_file(path) for path in read], seeded=True))
    _said(settings, made, output)


@with_fields
def import_(
    ctx: typer.Context,
    *,
    tables: Annotated[
        list[Path],
        typer.Argument(metavar="TABLE…", help="Samples of servers, or folders of them; may be packed."),
    ],
    output: _Output,
    layout: Annotated[
        str | None,
        typer.Option(
            help="Of the tables, such as bitbrains or azure; all are in `docs/reference/tables.md` [found by each file]."
        ),
    ] = None,
    table: Annotated[Given, table_flags.TABLE],
    scale: Annotated[str | None, typer.Option(help="percent or share [the layout's].")] = None,
    slot: Annotated[
        str, typer.Option(metavar="TIME", help="A server's samples in it are one mean.")
    ] = "2min",
    inventory: Annotated[
        Path | None, typer.Option(metavar="CSV", help="server, tenant, and if known environment and rack.")
    ] = None,
    reimages: Annotated[
        Path | None, typer.Option(metavar="CSV", help="server and time of every wipe.")
    ] = None,
    align: Annotated[
        bool, typer.Option("--align", help="Tables begin together: for series of different times.")
    ] = False,
    cores: Annotated[int, typer.Option(min=1, max=1024, help="Of each server.")] = 12,
    memory: Annotated[
        float,
        typer.Option(
            metavar="SIZE",
            parser=amount("B", 1 << 30, least=1, most=65536),
            help="Of each server; a number is in GiB.",
        ),
    ] = 32,
    name: Annotated[str | None, typer.Option(help="What reports call it [the folder's name].")] = None,
) -> None:
    """Measured utilisation, and if known reimages → a datacenter; what was dirty is cleaned and counted.

    Example: froude harvest import load.csv --inventory servers.csv --reimages wipes.csv -o dc
    """
    from dataclasses import replace

    from froude.base.columns import Style
    from froude.base.forms import Options
    from froude.base.summary import counted, recognised_text
    from froude.base.tables import parts_of
    from froude.base.units import seconds_text
    from froude.cli.outputs import Output, claim
    from froude.documents.artifact import hash_file
    from froude.harvest.telemetry.files import MIGRATIONS, PARTS, write_datacenter
    from froude.harvest.telemetry.importers import (
        LONGEST_SLOT_S,
        datacenter_of,
        read_inventory,
        with_reimages,
    )
    from froude.harvest.telemetry.samples import read_samples

    settings: Settings = ctx.obj
    common.require()
    options = table_flags.options_of(layout=layout, known=("time", "server", "cpu"), **table)
    if scale not in {None, "percent", "share"}:
        raise InputError("is not a scale", place="--scale", found=scale, allowed="percent, share")
    files = parts_of(tables)
    read = [*files, *(path for path in (inventory, reimages) if path is not None)]
    claim(settings, [Output(output, MIGRATIONS.kind, folder=True, parts=PARTS)], read)
    others = Options(style=Style(zone=options.style.zone), strict=options.strict)
    known, listed = (None, None) if inventory is None else read_inventory(inventory, others)
    slot_s = parse_seconds(slot, place="--slot")
    with settings.progress().task("Reading samples"):
        samples = read_samples(
            tables,
            options,
            percent=None if scale is None else scale == "percent",
            align_s=slot_s if align else 0.0,
        )
        datacenter, cleaned = datacenter_of(
            samples, files[0], slot_s=slot_s, name=name or output.name, inventory=known
        )
    unknown, wiped = 0, None
    if reimages is not None:
        datacenter, unknown, wiped = with_reimages(datacenter, reimages, others)
    every_s = cleaned.apart_s
    entities = f"{counted(len(datacenter.servers), 'server')}, {counted(len(samples.time_s), 'sample')}"
    settings.note(recognised_text(samples.understood, entities, every_s, samples.span_s))
    for each in (samples, listed, wiped):
        if each is not None:
            table_flags.note_dropped(settings, each.dropped)
    silent = set() if known is None else known.tenant.keys() - set(datacenter.servers)
    if silent:
        settings.note(
            f"note: left out: {counted(len(silent), 'server')} of the inventory without a sample, such as {min(silent)}"
        )
    datacenter = replace(datacenter, cores=cores, memory_mb=round(memory * 1024))
    if unknown:
        settings.note(f"note: left out: {counted(unknown, 'reimage')} of servers without a sample")
    settings.note(cleaned.text())
    if cleaned.gaps > cleaned.samples and datacenter.slot_s < every_s <= LONGEST_SLOT_S:
        settings.note(
            f"note: samples are {seconds_text(every_s)} apart, and slots {seconds_text(datacenter.slot_s)}: "
            f"--slot {math.ceil(every_s)}s has a sample in nearly each"
        )
    if settings.dry_run:
        settings.would(f"write {output}")
        return
    write_datacenter(output, datacenter, settings.origin([hash_file(path) for path in read]))
    _said(settings, datacenter, output)


def _correlation(settings: Settings, text: str, options: Options) -> tuple[Correlation | None, list[Path]]:
    """How reimages come together, None as the profile has it; and the file that says so."""
    from froude.harvest.telemetry.correlation import SSD_FAILURES

    if text in {"paper", "ssd-failures"}:
        return (None if text == "paper" else SSD_FAILURES), []
    from froude.harvest.telemetry.importers import read_failures

    common.require()
    found, table = read_failures(Path(text), options)
    table_flags.note_dropped(settings, table.dropped)
    share = found.correlation.share
    settings.note(
        f"{found.failures:,} failures, {share:.1%} of them with another of their rack and day: {found.pairs:,} pairs, "
        f"by chance {found.by_chance:,.0f}"
    )
    if not found.pairs:
        raise InputError("holds no two failures of one rack and day", file=text)
    return found.correlation, [Path(text)]


def _said(settings: Settings, made: Datacenter, output: Path) -> None:
    from froude.base.summary import counted

    days = made.slots * made.slot_s / 86400
    settings.emit(
        {
            "name": made.name,
            "tenants": len(made.tenants),
            "servers": len(made.servers),
            "days": days,
            "reimages": len(made.reimages.server),
        }
    )
    settings.out(
        f"{counted(len(made.tenants), 'tenant')}, {counted(len(made.servers), 'server')}, {days:.1f} days of "
        f"utilisation, {counted(len(made.reimages.server), 'reimage')} written to {output}"
    )


def reimages(
    ctx: typer.Context,
    namenode: common.NameNode,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="CSV", help="Wipes are added; beside it is what was seen last."
        ),
    ],
    interval: common.Interval = "10min",
    samples: common.Samples = None,
    user: common.User = None,
) -> None:
    """Wipes of DataNodes' disks as a NameNode sees them, for `harvest import --reimages`.

    A DataNode that answers at an old address with a new uuid was wiped, and one that holds nothing any more while
    others do. With --samples 1 it can be started again and again.

    Example: froude harvest reimages --namenode nn.example.com:8020 -o wipes.csv
    """
    from froude.base.clock import RealClock
    from froude.base.files import atomic_write_text, read_bounded, refuse_special
    from froude.documents.recognise import head_of
    from froude.harvest.live.hdfs.reimages import merged, read_seen, seen_text, wiped

    settings: Settings = ctx.obj
    seconds = parse_seconds(interval, place="--interval")
    refuse_special(output)
    seen = output.with_name(output.name + ".seen.json")
    refuse_special(seen)
    if output.exists() and not head_of(output).startswith(HEAD.encode()):
        allowed = f"a table that begins with {HEAD.strip()}"
        raise InputError("holds something else", file=output, allowed=allowed)
    if settings.dry_run:
        settings.would(f"add wipes to {output}")
        return
    known: tuple[DataNode, ...] = ()
    if seen.exists():
        known = read_seen(
            read_bounded(seen, limit_bytes=_LIMIT_BYTES).decode("utf-8", "replace"), name=str(seen)
        )
    calls, clock = calls_to(settings, namenode, user), RealClock()
    begun, number, found = clock.now(), 0, 0
    while samples is None or number < samples:
        clock.sleep(max(0.0, begun + number * seconds - clock.now()))
        number += 1
        try:
            now = calls.datanodes()
        except TargetError as error:
            if samples == 1:
                raise
            settings.note(f"note: a look is missing: {error}")
            continue
        lines = [f"{node.host},{clock.wall():.0f}\n" for node in wiped(known, now)]
        with output.open("a", encoding="utf-8") as file:
            file.write((HEAD if not file.tell() else "") + "".join(lines))
        known = merged(known, now)
        atomic_write_text(seen, seen_text(known))
        found += len(lines)
    settings.emit({"samples": number, "datanodes": len(known), "reimages": found, "output": str(output)})
    settings.out(f"{found} wipes of {len(known)} DataNodes in {number} looks added to {output}")
