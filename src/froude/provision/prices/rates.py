"""What a table of prices does not give: rates, gaps, capacities. Asked for in a small YAML, never invented.

    froude: rates/1
    volume_slots: 27
    memory: {rateR: 20GBps, gapR: 100ns, rateW: 20GBps, gapW: 100ns, BW_per_cpu: 2GBps}
    nvme:
      - {families: i3 i3en, rateR: 400MBps, gapR: 100us, rateW: 180MBps, gapW: 100us}
    volume:
      - {class: balanced, capacity: 64TB, rateR: 240MBps, gapR: 0.5ms, rateW: 240MBps, gapW: 0.5ms}
    disk:
      - {model: st16000nm001g, capacity: 16TB, bus: SAS, rateR: 250MBps, gapR: 8ms, rateW: 250MBps, gapW: 8ms, power: 7W}
    type:
      - {type: m5.large, volume_BW: 650Mbps}

A value may be `blank`, as in the template that is written of what is missing. Rates and gaps are of one piece.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from froude.provision.inputs.blanks import is_blank
from froude.provision.inputs.fields import Fields, at_most_one, distinct, every
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from froude.provision.inputs.yaml_form import parse_elements
from froude.workspace.migrate import Migrations

MIGRATIONS = Migrations("rates", 1)
_RATE, _TIME, _SIZE = Dimension.RATE, Dimension.TIME, Dimension.SIZE
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
    """Local storage of some families of servers."""

    families: tuple[str, ...]
    speed: Speed
    piece: float | None = None
    """Bytes of a device; None divides the totals of each family."""


@dataclass(frozen=True, slots=True)
class Volume:
    """One attached volume of a class."""

    name: str
    capacity: float
    """Largest, bytes."""
    speed: Speed
    price_per_gb_month: float | None = None
    """Where no table has it."""


@dataclass(frozen=True, slots=True)
class Disk:
    """One disk of a model."""

    model: str
    capacity: float
    bus: str
    speed: Speed
    power: float
    """Watts."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Everything that was given; what is blank is absent."""

    memory: Memory | None = None
    nvme: tuple[Nvme, ...] = ()
    volumes: tuple[Volume, ...] = ()
    disks: tuple[Disk, ...] = ()
    volume_slots: int | None = None
    """Volumes that a server takes."""
    network: Mapping[str, float] = field(default_factory=dict)
    """Bytes per second by type, where the table says nothing."""
    to_volumes: Mapping[str, float] = field(default_factory=dict)
    """Sustained bytes per second to volumes by type."""


def read_rates(data: bytes, file: str) -> Rates:
    """The rates of a file.

    Args:
        data: content of the file.
        file: its name, for errors.

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
    volumes, disks = every(fields, "volume", _volume, flaws), every(fields, "disk", _disk, flaws)
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
        {name: network for name, network, _ in types if network is not None},
        {name: volume for name, _, volume in types if volume is not None},
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
    families = tuple(re.split(r"[\s,]+", fields.text("families").strip(" ,")))
    piece, speed = fields.optional_number("piece", _SIZE, above_zero=True), _speed(fields)
    fields.finish()
    return None if speed is None else fields.make(lambda: Nvme(families, speed, piece))


def _volume(fields: Fields, _flaws: Flaws) -> Volume | None:
    name, speed = fields.text("class"), _speed(fields)
    capacity = fields.optional_number("capacity", _SIZE, above_zero=True)
    price = fields.optional_number("price_per_GB_month", Dimension.DOLLARS)
    fields.finish()
    if speed is None or capacity is None:
        return None
    return fields.make(lambda: Volume(name, capacity, speed, price))


def _disk(fields: Fields, _flaws: Flaws) -> Disk | None:
    model, speed, bus = fields.text("model"), _speed(fields), fields.optional_text("bus")
    capacity = fields.optional_number("capacity", _SIZE, above_zero=True)
    power = fields.optional_number("power", Dimension.POWER)
    fields.finish()
    if speed is None or capacity is None or bus is None or power is None:
        return None
    return fields.make(lambda: Disk(model, capacity, bus, speed, power))


def _type(fields: Fields, _flaws: Flaws) -> tuple[str, float | None, float | None] | None:
    name = fields.text("type")
    rates = [fields.optional_number(n, _RATE, above_zero=True) for n in ("BW", "volume_BW")]
    fields.finish()
    return fields.make(lambda: (name, rates[0], rates[1]))
