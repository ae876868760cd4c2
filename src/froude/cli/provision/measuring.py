"""`froude provision measure`: a device → its rate and gap for reads and for writes, and how well models predict it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.cli import answers
from froude.cli.answers import Page
from froude.cli.ending import Code, end
from froude.cli.numbers import amount
from froude.cli.outputs import Output, write
from froude.cli.settings import Settings
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.provision.inputs.units import Dimension
    from froude.provision.measure.documents import UnitFacts
    from froude.provision.measure.live.measure import Request
    from froude.provision.measure.live.target import StorageTarget
    from froude.provision.measure.measurement import Fit, Measurement

_SIZES = "4KiB,64KiB,200KiB,1MiB,10MiB"
_WORDS = {"R": "reads", "W": "writes"}


def measure(
    ctx: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER|DEVICE",
            help="A folder, for a new file in it that is gone at the end; or an unused block device.",
        ),
    ],
    size: Annotated[
        str | None, typer.Option(metavar="SIZE", help="To write and read [1GiB of a file, all of a device].")
    ] = None,
    sizes: Annotated[str, typer.Option(metavar="SIZE,…", help="Record sizes, multiples of 4KiB.")] = _SIZES,
    destroy: Annotated[
        str | None, typer.Option(metavar="DEVICE", help="The device's name again: all on it is lost.")
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Reads of a device only; nothing is written to it.")
    ] = False,
    durable: Annotated[
        bool, typer.Option("--durable", help="A write counts when it is on the medium (O_DSYNC).")
    ] = False,
    round_s: Annotated[
        float,
        typer.Option(
            "--round", metavar="TIME", parser=amount("s"), help="Length of a round; five make a window."
        ),
    ] = 2.0,
    rounds: Annotated[int, typer.Option(min=5, max=1000, help="Most rounds a record size.")] = 25,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit", metavar="TIME", parser=amount("s"), help="Then one round a size that is left."
        ),
    ] = 3600.0,
    output: Annotated[Path, typer.Option("-o", "--output", help="All figures, as JSON.")] = Path(
        "measured.json"
    ),
    unit_file: Annotated[
        Path | None, typer.Option("--unit-file", metavar="YAML", help="The storage_unit too, with blanks.")
    ] = None,
    unit: Annotated[str | None, typer.Option(metavar="NAME", help="Name of that unit.")] = None,
    capacity: Annotated[str | None, typer.Option(metavar="SIZE", help="Of that unit [the device's].")] = None,
    bus: Annotated[str | None, typer.Option(metavar="NAME", help="Of that unit.")] = None,
    price: Annotated[str | None, typer.Option(metavar="DOLLARS", help="Of that unit.")] = None,
    power: Annotated[str | None, typer.Option(metavar="WATTS", help="Of that unit, such as 5W.")] = None,
    volatile: Annotated[bool, typer.Option("--volatile", help="That unit forgets without power.")] = False,
    report: Page = None,
) -> None:
    """A device → its rate and gap for reads and writes, beside what IOPS and rate would predict.

    Written once, then at random until steady; then records of each size, one at a time, in rounds until steady.
    Ends with 3 when something did not become steady; the figures are written all the same, and say so.

    Example: froude provision measure /mnt/disk --unit 7.2KDisk --unit-file unit.yaml
    """
    from froude.documents.lineage import with_lineage
    from froude.provision.inputs.yaml_form import MIGRATIONS as INPUT
    from froude.provision.measure.documents import measurement_json, unit_yaml
    from froude.provision.measure.figures import measurement_report
    from froude.provision.measure.live.measure import check_region
    from froude.provision.measure.live.measure import measure as measure_target
    from froude.provision.measure.live.target import find_target

    settings: Settings = ctx.obj
    unit_place = [] if unit_file is None else [Output(unit_file, INPUT.kind)]
    answers.claim(settings, [], output, "measurement", report, others=unit_place)
    given = any(value is not None for value in (unit, capacity, bus, price, power)) or volatile
    if given and unit_file is None:
        raise InputError(
            "describe a unit that is not written", place="--unit", allowed="--unit-file beside it"
        )
    asked = _request(sizes, round_s, rounds, time_limit, durable=durable, seed=settings.seed)
    facts = _facts(unit, capacity, bus, price, power, volatile=volatile)
    place = find_target(target, size=_size(size, "--size"), destroy=destroy, read_only=read_only)
    check_region(place, asked)
    if settings.dry_run:
        settings.would(_plan(place, asked), target=place.name, region_bytes=place.region_bytes)
        return
    for note in place.notes:
        settings.note(f"note: {note}")
    measurement = measure_target(place, asked, progress=settings.progress())
    how = settings.origin(seeded=True)
    said = answers.facts(settings, [])
    del said["Inputs"]
    texts = answers.page_files(
        measurement_report(measurement, {"StorageTarget": measurement.target, **said}), report, how
    )
    if unit_file is not None:
        texts[unit_file] = with_lineage(unit_yaml(measurement, facts), INPUT, how)
    text = measurement_json(measurement, how)
    write({**texts, output: text})
    settings.emit(text)
    settings.out(_summary(measurement))
    if not measurement.steady:
        settings.note(_unsteady(measurement))
        end(Code.MISSED)


def _request(
    sizes: str, round_s: float, rounds: int, time_limit: float, *, durable: bool, seed: int
) -> Request:
    from froude.provision.measure.live.measure import Request
    from froude.provision.measure.steady_state import Rule

    parsed = [_size(text.strip(), "--sizes") for text in sizes.split(",") if text.strip()]
    return Request(
        tuple(size for size in parsed if size is not None),
        round_s,
        Rule(rounds=rounds),
        time_limit,
        durable,
        seed,
    )


def _facts(
    name: str | None,
    capacity: str | None,
    bus: str | None,
    price: str | None,
    power: str | None,
    *,
    volatile: bool,
) -> UnitFacts:
    from froude.provision.inputs.units import Dimension
    from froude.provision.measure.documents import UnitFacts

    return UnitFacts(
        name or "measured",
        _quantity(capacity, Dimension.SIZE, "--capacity"),
        bus,
        _quantity(price, Dimension.DOLLARS, "--price"),
        _quantity(power, Dimension.POWER, "--power"),
        volatile,
    )


def _size(text: str | None, place: str) -> int | None:
    from froude.provision.inputs.units import Dimension

    value = _quantity(text, Dimension.SIZE, place)
    return None if value is None else int(value)


def _quantity(text: str | None, dimension: Dimension, place: str) -> float | None:
    from froude.provision.inputs.units import parse

    if text is None:
        return None
    try:
        value = parse(text, dimension)
    except InputError as error:
        raise InputError(error.message, place=place, found=error.found, allowed=error.allowed) from error
    if value < 0:
        raise InputError("is negative", place=place, found=text)
    return value


def _plan(target: StorageTarget, request: Request) -> str:
    """What --dry-run leaves undone."""
    from froude.base.units import size_text

    region = size_text(target.region_bytes)
    doing = "read" if target.read_only else "write and read"
    where = f"a new file in {target.name}" if target.kind.value == "file" else target.name
    return f"{doing} {region} of {where}, for {request.least_seconds(target):.0f} s or longer"


def _summary(measurement: Measurement) -> str:
    """A measurement for people."""
    parts = [_fit_summary(fit) for fit in measurement.fits]
    notes = "".join(f"note: {note}\n" for note in measurement.notes)
    legend = (
        "error: of the throughput predicted; `ends` is rate+gap from the smallest and largest size alone, "
        "as IOPS+rate is"
    )
    return "\n\n".join(parts) + f"\n\n{legend}\n{notes}".rstrip()


def _fit_summary(fit: Fit) -> str:
    from froude.base.units import size_text
    from froude.provision.inputs.units import Dimension, show
    from froude.provision.measure.measurement import error_text

    rate = show(float(f"{fit.rate_gap.rate:.4g}"), Dimension.RATE)
    gap = show(float(f"{fit.rate_gap.gap:.4g}"), Dimension.TIME)
    rows = [("record", "MB/s", "each", "rate+gap", "error", "ends", "IOPS+rate", "error", "steady")]
    for row in fit.rows:
        each = show(float(f"{row.sample.seconds:.4g}"), Dimension.TIME)
        rows.append(
            (
                size_text(row.sample.record_size),
                f"{row.sample.throughput / 1e6:.4g}",
                each,
                f"{row.rate_gap / 1e6:.4g}",
                error_text(row.error(row.rate_gap)),
                error_text(row.error(row.ends)),
                f"{row.iops_rate / 1e6:.4g}",
                error_text(row.error(row.iops_rate)),
                "yes" if row.sample.steady else f"no, after {len(row.sample.rounds)}",
            )
        )
    return f"{_WORDS[fit.op.value]}: rate {rate}, gap {gap}\n{aligned(rows)}"


def _unsteady(measurement: Measurement) -> str:
    from froude.base.units import size_text

    left = [
        f"{_WORDS[fit.op.value]} of {size_text(sample.record_size)}"
        for fit in measurement.fits
        for sample in fit.samples
        if not sample.steady
    ]
    left += ["random writes before the measuring"] * (measurement.preconditioned is False)
    return f"not steady: {', '.join(left)}; other work on the machine, or a longer --round or --time-limit is needed"
