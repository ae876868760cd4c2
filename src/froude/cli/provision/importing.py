"""`froude provision import`: tables of prices → a catalog, or the list of what they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli.outputs import Output, claim, write
from froude.cli.provision import common
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.documents.artifact import Origin
    from froude.provision.prices.build import Imported
    from froude.provision.prices.layouts import Prices, Tariff
    from froude.provision.types import Catalog


class Figures(StrEnum):
    """Which bandwidths count."""

    SUSTAINED = "sustained"
    UP_TO = "up-to"


class Tariffs(StrEnum):
    """How instance types are paid."""

    ON_DEMAND = "on-demand"
    RESERVED_1Y = "reserved-1y"
    RESERVED_3Y = "reserved-3y"
    SPOT = "spot"


class Arch(StrEnum):
    """Architectures of cores."""

    X86 = "x86_64"
    ARM = "arm64"


_MOST_SHOWN = 20
_DAYS = {"h": 1 / 24, "d": 1.0, "mo": 730 / 24, "y": 365.0}


def import_(
    ctx: typer.Context,
    tables: Annotated[
        list[Path],
        typer.Argument(metavar="TABLE", help="CSV or JSON of prices, also .gz; of any layouts together."),
    ],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The catalog: .yaml or .xml.")] = None,
    rates: Annotated[
        list[str] | None,
        typer.Option(
            help="What the tables do not give: a YAML file, or the shipped `aws` or `gcp`; the first counts."
        ),
    ] = None,
    template: Annotated[Path | None, typer.Option(help="Write what is missing here, to fill in.")] = None,
    base: Annotated[
        str | None, typer.Option(help="A catalog of your own that volumes and disks are added to.")
    ] = None,
    date: Annotated[str | None, typer.Option(help="Of the prices [from the names of the tables].")] = None,
    term: Annotated[str | None, typer.Option(help="How long it is paid, such as 3y or 6mo [3y].")] = None,
    region: Annotated[str | None, typer.Option(help="Of a table with several.")] = None,
    tariff: Annotated[Tariffs, typer.Option(help="How instance types are paid.")] = Tariffs.ON_DEMAND,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD=NAME", help="Which column of an instance table is a field."),
    ] = None,
    bandwidth: Annotated[
        Figures, typer.Option(help="Bandwidth to volumes: what is sustained, or what is reached for a while.")
    ] = Figures.SUSTAINED,
    burstable: Annotated[bool, typer.Option(help="Types whose cores are a credit too.")] = True,
    gpu: Annotated[bool | None, typer.Option("--gpu/--no-gpu", help="Only with, or only without.")] = None,
    bare_metal: Annotated[
        bool | None, typer.Option("--bare-metal/--no-bare-metal", help="Only, or none.")
    ] = None,
    previous: Annotated[bool, typer.Option(help="Types of a previous generation too.")] = True,
    arch: Annotated[Arch | None, typer.Option(help="Only this.")] = None,
    family: Annotated[
        list[str] | None, typer.Option(help="Only this one; several times for several.")
    ] = None,
    min_price: Annotated[float, typer.Option(help="Dollars an hour.")] = 0.0,
    max_price: Annotated[float, typer.Option(help="Dollars an hour.")] = float("inf"),
    strict: Annotated[bool, typer.Option("--strict", help="A malformed row is an error.")] = False,
) -> None:
    """Tables of prices → a catalog of servers with what they include, volumes and disks.

    What the tables do not give (rates, gaps, capacities) comes from --rates and is never invented: parts without it
    are left out, with a note. --template writes a file of everything that is missing.

    Example: froude provision import ec2_2026-07.csv --rates aws --template mine.yaml
    """
    from froude.provision.prices.bandwidth import Bandwidth
    from froude.provision.prices.build import build
    from froude.provision.prices.files import date_of, load_rates, rates_file
    from froude.provision.prices.filters import Filters
    from froude.provision.prices.layouts import Tariff
    from froude.provision.prices.mismatch import unmatched
    from froude.provision.prices.request import Wanted
    from froude.provision.types import HOURS

    settings: Settings = ctx.obj
    rated = [rates_file(name) for name in rates or []]
    _outputs(settings, output, template, [*tables, *rated, base])
    own = None if base is None else catalog_of(base, "--base")
    hours = (own.hours if own is not None else HOURS) if term is None else _hours(term)
    _range(min_price, max_price)
    filters = Filters(
        burstable, gpu, arch and arch.value, tuple(family or ()), min_price, max_price, bare_metal, previous
    )
    paid = Tariff(tariff.value)
    _long_enough(paid, hours)
    figures = Bandwidth(bandwidth.value)
    wanted = Wanted(date_of(tables, date), hours, filters, figures, paid, region)
    given = load_rates(rated)
    with settings.progress().task("reading prices"):
        prices = _prices(settings, tables, _mapping(column or []), region, paid)
        _malformed(settings, prices, strict=strict)
        imported = build(prices, given, wanted)
    idle = unmatched(load_rates(_own(rated)), given, prices)
    imported.notes.add(idle, "entries of your rates fit nothing in the tables")
    for note in imported.notes.lines:
        settings.note(f"note: {note}")
    how = common.origin(settings, [path for path in (*tables, *rated, base) if path is not None])
    if template is not None:
        _write_template(settings, template, imported, rated, how)
    if output is not None:
        _write_catalog(settings, output, imported, own, tables, how)


def _outputs(
    settings: Settings, output: Path | None, template: Path | None, read: Sequence[Path | str | None]
) -> None:
    if output is None and template is None:
        raise InputError("nothing to write", place="-o, --template", allowed="one of them, or both")
    places = [Output(output, "provision")] if output is not None else []
    claim(
        settings, [*places, *([Output(template, "rates", keeps=True)] if template is not None else [])], read
    )
    if output is not None and output.suffix not in {".yaml", ".yml", ".xml"}:
        raise InputError("has no suffix that tells its form", file=output, allowed=".yaml or .xml")


def catalog_of(name: str, place: str) -> Catalog:
    """The resources of an input file.

    Args:
        name: a path, or a shipped name.

    Raises:
        InputError: there are none.
    """
    from froude.provision.inputs.read import read_parts

    catalog = read_parts([name]).catalog
    if catalog is None:
        raise InputError("has no resources", file=name, place=place)
    return catalog


def _hours(term: str) -> float:
    digits = term.rstrip("hdmoy")
    unit = term[len(digits) :]
    try:
        days = float(digits) * _DAYS[unit]
    except (KeyError, ValueError) as error:
        raise InputError("is no term", place="--term", found=term, allowed="3y, 6mo, 30d or 24h") from error
    if not 0 < days <= 36_500:
        raise InputError("is out of range", place="--term", found=term, allowed="above 0, at most 100y")
    return days * 24


def _range(low: float, high: float) -> None:
    if not 0 <= low <= high:
        raise InputError("is no range", place="--min-price, --max-price", found=f"{low:g} to {high:g}")


def _mapping(columns: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in columns]
    for name, equals, column in pairs:
        if not (name and equals and column):
            raise InputError("is no mapping", place="--column", found=name, allowed="FIELD=NAME")
    return {name.strip(): column.strip() for name, _, column in pairs}


def _long_enough(tariff: Tariff, hours: float) -> None:
    from froude.provision.prices.request import HOURS_PER_YEAR

    if hours < tariff.years * HOURS_PER_YEAR:
        found, allowed = f"{hours:g} h", f"at least {tariff.years}y, for which such servers are paid"
        raise InputError("is too short for this tariff", place="--term", found=found, allowed=allowed)


def _prices(
    settings: Settings, tables: Sequence[Path], mapping: dict[str, str], region: str | None, tariff: Tariff
) -> Prices:
    from froude.base.summary import counted, recognised_text
    from froude.provision.prices.files import load_table
    from froude.provision.prices.layouts import Prices
    from froude.provision.prices.rows import read_prices

    prices = Prices()
    for path in tables:
        mine = read_prices(load_table(path), mapping=mapping, region=region, tariff=tariff)
        kinds = {"server type": mine.instances, "volume": mine.volumes, "disk": mine.disks}
        entities = ", ".join(counted(len(rows), kind) for kind, rows in kinds.items() if rows)
        settings.note(recognised_text("table of prices", entities or "no row with a price"))
        prices += mine
    return prices


def _own(rates: Sequence[Path]) -> list[Path]:
    """Without the files that ship: they need not be repeated, and know more than any table has."""
    from froude.provision.prices.rates import SOURCED

    return [path for path in rates if path.parent != SOURCED]


def _malformed(settings: Settings, prices: Prices, *, strict: bool) -> None:
    """Name the rows that cannot be used; with `strict` the first is an error, as if there are too many."""
    from froude.base.dropped import SHORT_LOG, TOLERANCE

    rows = prices.malformed
    of = len((*prices.instances, *prices.volumes, *prices.disks, *prices.unpriced, *rows))
    if rows and (strict or len(rows) > TOLERANCE * max(of, SHORT_LOG)):
        more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
        allowed = None if strict else f"at most {TOLERANCE:.0%} of the rows"
        raise InputError(rows[0].message + more, file=rows[0].file, place=rows[0].line, allowed=allowed)
    for row in rows[:_MOST_SHOWN]:
        settings.note(f"left out: {row}")
    if len(rows) > _MOST_SHOWN:
        settings.note(f"left out: {len(rows) - _MOST_SHOWN} more malformed rows")


def _write_template(
    settings: Settings, path: Path, imported: Imported, rates: Sequence[Path], how: Origin
) -> None:
    from froude.documents.lineage import with_lineage
    from froude.provision.prices.asked import template
    from froude.provision.prices.files import load_rates
    from froude.provision.prices.rates import MIGRATIONS

    text = template(imported.asked, load_rates(_own(rates)))
    if settings.dry_run:
        settings.would(f"write {path}")
        return
    write({path: with_lineage(text, MIGRATIONS, how)})
    settings.out(
        f"What is missing is written to {path}" if imported.asked else f"Nothing is missing; see {path}"
    )


def _write_catalog(
    settings: Settings,
    path: Path,
    imported: Imported,
    base: Catalog | None,
    tables: Sequence[Path],
    how: Origin,
) -> None:
    from froude.documents.lineage import with_lineage
    from froude.provision.inputs.comments import Comment, with_comments
    from froude.provision.inputs.read import Parts, parts_of
    from froude.provision.inputs.tree import Flaws
    from froude.provision.inputs.write import elements, to_xml, to_yaml
    from froude.provision.inputs.yaml_form import MIGRATIONS

    catalog = imported.catalog(base)
    parts, flaws = Parts(catalog), Flaws()
    parts_of(elements(parts), flaws)
    flaws.check()
    text = to_xml(parts) if path.suffix == ".xml" else to_yaml(parts)
    remarks = [
        f"Prices as of {catalog.prices_as_of}, from {', '.join(table.name for table in tables)}.",
        *imported.notes.whole,
    ]
    if settings.dry_run:
        settings.would(f"write {path}", notes=imported.notes.lines)
        return
    text = with_comments(text, [Comment(tuple(remarks), beside=False)])
    write({path: text if path.suffix == ".xml" else with_lineage(text, MIGRATIONS, how)})
    settings.emit(
        {
            "output": str(path),
            "servers": len(catalog.servers),
            "units": len(catalog.units),
            "notes": imported.notes.whole,
        }
    )
    kinds = f"{len(catalog.servers):,} servers, {len(catalog.units)} storage units, {len(catalog.cpus)} core types"
    settings.out(f"{kinds} written to {path}, prices as of {catalog.prices_as_of}")
