"""What is still missing before everything of the tables can be bought, and the file to fill in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from froude.documents.reading import STAMP
from froude.provision.inputs.blanks import BLANK
from froude.provision.inputs.units import Dimension, show
from froude.provision.inputs.yaml_form import plain_number
from froude.provision.prices.rates import MIGRATIONS, Rates, Speed
from froude.provision.prices.volumes import WANTED, fields_of

_PLAIN = re.compile(r"[A-Za-z][\w. /+-]*")
_QUANTITY = re.compile(r"[\d.]+(e[+-]?\d+)?[A-Za-z]+")
"""With a unit: without one YAML reads `1e3` and `0x1f` as numbers, and a type may be called so."""
_SPEED = ("rateR", "gapR", "rateW", "gapW")
_SIZE, _RATE, _TIME = Dimension.SIZE, Dimension.RATE, Dimension.TIME


@dataclass(frozen=True, slots=True)
class Family:
    """Types of a family whose local disks are not known."""

    types: int
    """How many have some."""
    told: bool
    """Whether the table says how many disks each has, and so of what size."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What no table and no file of rates says."""

    memory: bool = False
    nvme: Mapping[str, Family] = field(default_factory=dict)
    """By names of types, with wildcards."""
    volumes: tuple[str, ...] = ()
    volume_slots: bool = False
    disks: tuple[str, ...] = ()
    network: tuple[str, ...] = ()
    """Types whose network has no figure that holds."""
    to_volumes: tuple[str, ...] = ()
    """Types whose way to volumes has none."""
    baseline: tuple[str, ...] = ()
    """Burstable types of which nobody says what they can do all day."""

    def __bool__(self) -> bool:
        named = (self.nvme, self.volumes, self.disks, self.network, self.to_volumes, self.baseline)
        return self.memory or self.volume_slots or any(named)


def template(asked: Asked, rates: Rates) -> str:
    """A file of rates: what was given whole, and a blank for everything that is missing."""
    lines = [
        "# What the tables of prices do not give. Fill in each blank from a data sheet, the provider's documentation",
        "# or a measurement; entries that stay blank are left out of the catalog. Rates and gaps are of one piece.",
        f"{STAMP}: {MIGRATIONS.stamp}",
    ]
    if asked.volume_slots or rates.volume_slots is not None:
        slots = BLANK if rates.volume_slots is None else rates.volume_slots
        lines.append(f"volume_slots: {slots}    # volumes that a server takes")
    if asked.memory or rates.memory is not None:
        memory = rates.memory
        wide = BLANK if memory is None else show(memory.bandwidth_per_cpu, _RATE)
        fields = _speed(memory.speed if memory else None) | {"BW_per_cpu": wide}
        lines.append(f"memory: {_mapping(fields)}    # a piece is 1 GiB")
    sections = {
        "nvme": _nvme(asked, rates),
        "volume": _volumes(asked, rates),
        "disk": _disks(asked, rates),
        "type": _types(asked, rates),
    }
    for name, entries in sections.items():
        items = [f"  - {entry}" for entry in entries]
        lines += [f"{name}:", *items] if items else []
    return "\n".join(lines) + "\n"


def _nvme(asked: Asked, rates: Rates) -> Iterator[str]:
    for entry in rates.nvme:
        disk = {} if entry.disk is None else {"disk": show(entry.disk, _SIZE)}
        yield _mapping({"types": " ".join(entry.types)} | disk | _speed(entry.speed))
    for name, family in asked.nvme.items():
        fields = {"types": name} | ({} if family.told else {"disk": BLANK}) | _speed(None)
        yield f"{_mapping(fields)}    # {family.types} types; an entry for each size of disk"


def _volumes(asked: Asked, rates: Rates) -> Iterator[str]:
    for volume in rates.volumes:
        blank = volume.missing if volume.name in asked.volumes else ()
        yield _mapping(fields_of(volume) | dict.fromkeys(blank, BLANK))
    given = {volume.name for volume in rates.volumes}
    for name in (name for name in asked.volumes if name not in given):
        yield _mapping({"class": name} | dict.fromkeys(WANTED, BLANK))


def _disks(asked: Asked, rates: Rates) -> Iterator[str]:
    for disk in rates.disks:
        fields = {"model": disk.model, "capacity": show(disk.capacity, _SIZE), "bus": disk.bus}
        yield _mapping(fields | _speed(disk.speed) | {"power": show(disk.power, Dimension.POWER)})
    for name in asked.disks:
        yield _mapping({"model": name, "capacity": BLANK, "bus": BLANK} | _speed(None) | {"power": BLANK})


def _types(asked: Asked, rates: Rates) -> Iterator[str]:
    for entry in rates.types:
        given = {
            "BW": None if entry.network is None else show(entry.network, _RATE),
            "volume_BW": None if entry.to_volumes is None else show(entry.to_volumes, _RATE),
            "volume_IOPS": None if entry.volume_iops is None else f"{entry.volume_iops!r}",
            "volumes": None if entry.volumes is None else str(entry.volumes),
            "baseline": None if entry.baseline is None else f"{entry.baseline!r}",
        }
        yield _mapping(
            {"type": entry.name} | {name: text for name, text in given.items() if text is not None}
        )
    wanted = {"BW": asked.network, "volume_BW": asked.to_volumes, "baseline": asked.baseline}
    for name in dict.fromkeys(name for names in wanted.values() for name in names):
        yield _mapping({"type": name} | {field: BLANK for field, names in wanted.items() if name in names})


def _speed(speed: Speed | None) -> dict[str, str]:
    if speed is None:
        return dict.fromkeys(_SPEED, BLANK)
    rates = (
        show(speed.rate_r, _RATE),
        show(speed.gap_r, _TIME),
        show(speed.rate_w, _RATE),
        show(speed.gap_w, _TIME),
    )
    return dict(zip(_SPEED, rates, strict=True))


def _mapping(fields: Mapping[str, str]) -> str:
    inside = ", ".join(f"{name}: {_quoted(text)}" for name, text in fields.items())
    return f"{{{inside}}}"


def _quoted(text: str) -> str:
    """As YAML reads it back as the same text: names in quotes unless they are plain words, or look like quantities."""
    plain = _QUANTITY.fullmatch(text) or not isinstance(plain_number(text), str) or _is_word(text)
    return text if plain else json.dumps(text)


def _is_word(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and text.lower() not in {
        "yes",
        "no",
        "true",
        "false",
        "null",
        "on",
        "off",
    }
