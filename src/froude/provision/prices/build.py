"""From prices and rates to a catalog: servers with what they include, volumes, disks; nothing that nobody said.

An instance type is a server with a bundle (`servers`); attached volumes are units that are bought whole (`volumes`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from froude.base.errors import InputError
from froude.provision.prices.asked import Asked
from froude.provision.prices.filters import apply
from froude.provision.prices.layouts import Prices, Tariff
from froude.provision.prices.mismatch import distinct, note_mismatch
from froude.provision.prices.parts import Notes, disks_of, local_of, memory_of, volumes_of
from froude.provision.prices.rates import Rates
from froude.provision.prices.servers import Lack, Servers
from froude.provision.prices.volumes import BUS as VOLUME
from froude.provision.prices.wanted import HOURS_PER_YEAR, Wanted
from froude.provision.types import Catalog, Cpu, Server, StorageUnit


@dataclass(frozen=True, slots=True)
class Imported:
    """A catalog's parts, what was left out, and what is missing."""

    units: tuple[StorageUnit, ...]
    cpus: tuple[Cpu, ...]
    servers: tuple[Server, ...]
    asked: Asked
    notes: Notes
    wanted: Wanted

    def catalog(self, base: Catalog | None = None) -> Catalog:
        """The whole, added to a catalog of one's own if there is one.

        Raises:
            InputError: there is no server, memory without rates, or instance types beside servers of one's own.
        """
        if base is not None and self.servers:
            raise InputError(
                "cannot be added to: memory is bought as one unit",
                place="--base",
                allowed="volumes and disks only",
            )
        if base is None and not self.servers:
            why = "memory has no rates" if self.asked.memory else "no instance type is left"
            template = "Write what is missing with --template and fill it in"
            beside = "Name a catalog that has servers with --base, to add these units to it"
            raise InputError(
                f"the catalog has no server: {why}",
                found="; ".join(self.notes.lines),
                remedy=template if self.asked.memory else beside,
            )
        if base is None:
            return Catalog(
                self.units, self.cpus, self.servers, self.wanted.hours, prices_as_of=self.wanted.date
            )
        if base.hours != self.wanted.hours:
            raise InputError(
                "is of another term",
                place="--base",
                found=f"{base.hours:g} h",
                allowed=f"{self.wanted.hours:g} h",
            )
        date = min(filter(None, (base.prices_as_of, self.wanted.date)))
        return replace(base, units=base.units + self.units, prices_as_of=date)


def build(prices: Prices, rates: Rates, wanted: Wanted) -> Imported:
    """Everything that can be bought by what is known.

    Args:
        rates: what they do not give.

    Raises:
        InputError: several tables sell one thing, or sizes of volumes cannot be bought.
    """
    distinct(prices)
    notes = Notes([*prices.said, *_of_tariff(wanted)])
    notes.add(prices.unpriced, "rows without a price left out")
    notes.add([f"line {row.line}" for row in prices.malformed], "malformed rows left out")
    types, refused = apply(prices.instances, wanted.filters)
    for why, names in sorted(refused.items()):
        notes.add(names, f"types left out by the filters: {why}", asked=True)
    volumes, asked_volumes = volumes_of(prices, rates, wanted.hours, wanted.region, notes)
    disks = disks_of(prices, rates, notes)
    counted = rates.volume_slots is not None or any(entry.volumes is not None for entry in rates.types)
    if volumes and prices.instances and not counted:
        notes.add([volume.name for volume in volumes], "volumes left out: volume_slots is not given")
    local = local_of(types, rates, notes)
    servers = Servers(rates, wanted, local, attached=bool(volumes) and counted)
    built = tuple(server for instance in types if (server := servers.of(instance)) is not None)
    servers.note(types, notes)
    pieces = Counter(name for server in built if server.bundle for name, _ in server.bundle.units)
    units = [unit for unit in local.units if pieces[unit.name]]
    if rates.memory is not None and built:
        units.insert(0, memory_of(rates.memory))
    kept = volumes if not prices.instances or any(s.bus(VOLUME) for s in built) else ()
    cores = dict.fromkeys(server.cpu or "" for server in built)
    asked = Asked(
        memory=bool(types) and rates.memory is None,
        nvme=local.asked,
        volumes=asked_volumes,
        volume_slots=bool(prices.instances and (volumes or asked_volumes)) and not counted,
        disks=tuple(d.model for d in prices.disks if d.model not in {unit.name for unit in disks}),
        network=tuple(servers.left[Lack.NETWORK]),
        to_volumes=tuple(servers.unreached) if volumes or asked_volumes else (),
        baseline=tuple(servers.left[Lack.BASELINE]),
    )
    cpus = tuple(Cpu(0.0, name=name) for name in cores)
    note_mismatch((*units, *kept), built, notes)
    return Imported((*units, *kept, *disks), cpus, built, asked, notes, wanted)


def _of_tariff(wanted: Wanted) -> list[str]:
    """What the buyer must know of how the types are paid."""
    if wanted.tariff is Tariff.SPOT:
        return [
            "spot prices: they change, and the provider may take servers back at any time, which no plan counts on"
        ]
    if wanted.tariff.years:
        years = wanted.paid_hours / HOURS_PER_YEAR
        of = "" if wanted.paid_hours == wanted.hours else f", in whole terms of {wanted.tariff.years}"
        return [f"reserved prices: every server is paid for {years:g} years{of}, used or not"]
    return []
