"""What a table of prices does not give: rates, gaps, sizes, limits. Asked for in a small YAML, never invented.

    froude: rates/2
    volume_slots: 26
    memory: {rateR: 20GBps, gapR: 100ns, rateW: 20GBps, gapW: 100ns, BW_per_cpu: 2GBps}
    nvme:
      - {types: i3.16xlarge i3.8xlarge, disk: 1900GB, rateR: 1600MBps, gapR: 3us, rateW: 700MBps, gapW: 6us}
    volume:
      - {class: balanced, min_size: 10GiB, max_size: 64TiB, sizes: 100GiB 1TiB, IOPS: 3000, IOPS_per_GiB: 6,
         max_IOPS: 80000, BW: 140MiBps, BW_per_GiB: 0.28MiBps, max_BW: 1200MiBps}
    disk:
      - {model: st16000nm001g, capacity: 16TB, bus: SAS, rateR: 250MBps, gapR: 8ms, rateW: 250MBps, gapW: 8ms, power: 7W}
    type:
      - {type: m5.large, volume_BW: 650Mbps, volume_IOPS: 3600}
      - {type: t3.*, volumes: 10}

A value may be `blank`, as in the template that is written of what is missing. Rates and gaps are of one piece. Names of
types may have wildcards (`*`, `?`); of several entries that fit, the first that has a figure counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from froude.documents.migrate import Migrations
from froude.provision.inputs.blanks import is_blank
from froude.provision.inputs.fields import Fields, at_most_one, distinct, every
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from froude.provision.inputs.yaml_form import parse_elements
from froude.provision.prices.volumes import Volume, read_volume

SOURCED = Path(__file__).parent / "sourced"
"""Where the files of rates lie that ship with the package, each figure with its source."""
MIGRATIONS = Migrations("rates", 2)
_RATE, _TIME, _SIZE = Dimension.RATE, Dimension.TIME, Dimension.SIZE
T = TypeVar("T")
_TOP = ("memory", "nvme", "volume", "disk", "type")


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one piece is: bytes per second and seconds, reading and writing."""

    rate_r: float
    gap_r: float
    rate_w: float
    gap_w: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory as a storage unit."""

    speed: Speed
    bandwidth_per_cpu: float
    """Bytes per second of a server's memory bus, for each of its cores."""


@dataclass(frozen=True, slots=True)
class Nvme:
    """Local disks of some types of servers."""

    types: tuple[str, ...]
    speed: Speed
    disk: float | None = None
    """Bytes of one; None where the table tells how many there are."""
    disks: int | None = None
    """How many there are, where the table has nothing about the disks of the type."""

    def fits(self, name: str) -> bool:
        """Whether a type's local disks are meant."""
        return any(fnmatchcase(name, pattern) for pattern in self.types)


@dataclass(frozen=True, slots=True)
class TypeFigures:
    """Of the types of a name, possibly with wildcards; None is not said."""

    name: str
    network: float | None = None
    """Bytes per second."""
    to_volumes: float | None = None
    """Sustained bytes per second to volumes."""
    volume_iops: float | None = None
    """Sustained accesses of volumes per second."""
    volumes: int | None = None
    """That can be attached, beside the one it starts from."""
    baseline: float | None = None
    """Cores' worth of a burstable type that can be had all day."""


@dataclass(frozen=True, slots=True)
class Disk:
    """One disk of a model."""

    model: str
    capacity: float
    bus: str
    speed: Speed
    power: float


@dataclass(frozen=True, slots=True)
class Rates:
    """Everything that was given; what is blank is absent."""

    memory: Memory | None = None
    nvme: tuple[Nvme, ...] = ()
    volumes: tuple[Volume, ...] = ()
    disks: tuple[Disk, ...] = ()
    volume_slots: int | None = None
    """Volumes that a server takes whose type has no number of its own."""
    types: tuple[TypeFigures, ...] = ()

    def __add__(self, other: Rates) -> Rates:
        """Both; where both say something, this counts, of a class of volumes field by field."""
        models = {disk.model for disk in self.disks}
        own, others = ({volume.name: volume for volume in r.volumes} for r in (self, other))
        both = {name: own[name].or_else(others[name]) for name in own.keys() & others.keys()}
        return Rates(
            self.memory or other.memory,
            self.nvme + other.nvme,
            tuple((own | {n: v for n, v in others.items() if n not in own} | both).values()),
            self.disks + tuple(disk for disk in other.disks if disk.model not in models),
            other.volume_slots if self.volume_slots is None else self.volume_slots,
            self.types + other.types,
        )

    def of(self, name: str) -> TypeFigures:
        """All that is said of a type."""
        fitting = [entry for entry in self.types if fnmatchcase(name, entry.name)]

        def first(of: Callable[[TypeFigures], T | None]) -> T | None:
            return next((value for entry in fitting if (value := of(entry)) is not None), None)

        return TypeFigures(
            name,
            first(lambda entry: entry.network),
            first(lambda entry: entry.to_volumes),
            first(lambda entry: entry.volume_iops),
            first(lambda entry: entry.volumes),
            first(lambda entry: entry.baseline),
        )

    def local(self, name: str) -> list[Nvme]:
        """Entries for the local disks of a type."""
        return [entry for entry in self.nvme if entry.fits(name)]


def read_rates(data: bytes, file: str) -> Rates:
    """The rates of a file.

    Raises:
        FlawedInputError: everything that is wrong with it.
        InputError: it is not YAML of this kind.
    """
    flaws = Flaws()
    root = parse_elements(data, file, flaws, MIGRATIONS)
    fields = Fields(_without_blanks(root), flaws)
    slots = fields.optional_whole("volume_slots")
    at_most_one(fields, "memory")
    memories = every(fields, "memory", _memory, flaws)
    nvme = every(fields, "nvme", _nvme, flaws)
    volumes, disks = every(fields, "volume", read_volume, flaws), every(fields, "disk", _disk, flaws)
    types = every(fields, "type", _type, flaws)
    for tag, by in (("volume", "class"), ("disk", "model"), ("type", "type")):
        distinct(fields, flaws, tag, by=by)
    fields.finish(*_TOP)
    flaws.check()
    return Rates(
        memories[0] if memories else None,
        tuple(nvme),
        tuple(volumes),
        tuple(disks),
        slots,
        tuple(types),
    )


def _without_blanks(element: Element) -> Element:
    fields = {name: text for name, text in element.fields.items() if not is_blank(text.text)}
    children = tuple(_without_blanks(child) for child in element.children)
    return Element(element.tag, element.file, element.line, fields, children)


def _speed(fields: Fields) -> Speed | None:
    """Rates and gaps; None when one is blank."""
    values = [
        fields.optional_number(name, kind, above_zero=kind is _RATE)
        for name, kind in (("rateR", _RATE), ("gapR", _TIME), ("rateW", _RATE), ("gapW", _TIME))
    ]
    known = [value for value in values if value is not None]
    return Speed(*known) if len(known) == len(values) else None


def _memory(fields: Fields, _flaws: Flaws) -> Memory | None:
    speed = _speed(fields)
    wide = fields.optional_number("BW_per_cpu", _RATE, above_zero=True)
    fields.finish()
    return None if speed is None or wide is None else fields.make(lambda: Memory(speed, wide))


def _nvme(fields: Fields, _flaws: Flaws) -> Nvme | None:
    types = tuple(re.split(r"[\s,]+", fields.text("types").strip(" ,")))
    disk, speed = fields.optional_number("disk", _SIZE, above_zero=True), _speed(fields)
    disks = fields.optional_whole("disks")
    fields.finish()
    return None if speed is None else fields.make(lambda: Nvme(types, speed, disk, disks))


def _disk(fields: Fields, _flaws: Flaws) -> Disk | None:
    model, speed, bus = fields.text("model"), _speed(fields), fields.optional_text("bus")
    capacity = fields.optional_number("capacity", _SIZE, above_zero=True)
    power = fields.optional_number("power", Dimension.POWER)
    fields.finish()
    if speed is None or capacity is None or bus is None or power is None:
        return None
    return fields.make(lambda: Disk(model, capacity, bus, speed, power))


def _type(fields: Fields, _flaws: Flaws) -> TypeFigures | None:
    name = fields.text("type")
    rates = [fields.optional_number(n, _RATE, above_zero=True) for n in ("BW", "volume_BW")]
    iops = fields.optional_number("volume_IOPS", Dimension.COUNT, above_zero=True)
    volumes = fields.optional_whole("volumes")
    baseline = fields.optional_number("baseline", Dimension.NUMBER)
    fields.finish()
    if all(figure is None for figure in (*rates, iops, volumes, baseline)):
        return None
    return fields.make(lambda: TypeFigures(name, rates[0], rates[1], iops, volumes, baseline))
