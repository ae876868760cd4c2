"""From prices and rates to a catalog: servers with what they include, volumes, disks; nothing that nobody said.

An instance type is a server with a bundle: all its cores, its memory in pieces of 1 GiB, its local storage in pieces
of its family; its price is that of the term. It takes no more than it includes, except attached volumes. The buses of
memory and of local storage carry what their pieces can together, or what the rates say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from froude.base.errors import InputError
from froude.provision.prices.asked import Asked
from froude.provision.prices.bandwidth import Bandwidth, only_up_to, to_network, to_volumes
from froude.provision.prices.filters import Filters, apply
from froude.provision.prices.layouts import InstanceType, Prices
from froude.provision.prices.parts import (
    GIB,
    MEMORY,
    VOLUME,
    Local,
    Notes,
    disks_of,
    local_of,
    memory_of,
    volumes_of,
)
from froude.provision.prices.pieces import count_of
from froude.provision.prices.rates import Memory, Rates
from froude.provision.types import HOURS, Bundle, Bus, Catalog, Cpu, Server, StorageUnit


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be made of the tables."""

    date: str
    """Of the prices."""
    hours: float = HOURS
    """Of the term."""
    filters: Filters = field(default_factory=Filters)
    bandwidth: Bandwidth = Bandwidth.SUSTAINED


@dataclass(frozen=True, slots=True)
class Imported:
    """A catalog's parts, what was left out, and what is missing."""

    units: tuple[StorageUnit, ...]
    cpus: tuple[Cpu, ...]
    servers: tuple[Server, ...]
    asked: Asked
    notes: tuple[str, ...]
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
                found="; ".join(self.notes),
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
        return Catalog(
            base.units + self.units,
            base.cpus,
            base.servers,
            base.hours,
            base.dollars_per_kwh,
            base.pue,
            base.mean_load,
            base.diversity,
            date,
        )


def build(prices: Prices, rates: Rates, wanted: Wanted) -> Imported:
    """Everything that can be bought by what is known.

    Args:
        prices: of all tables.
        rates: what they do not give.
        wanted: date, term, filters.
    """
    notes = Notes()
    notes.add(prices.unpriced, "rows without a price left out")
    notes.add([f"line {row.line}" for row in prices.malformed], "malformed rows left out")
    types, refused = apply(prices.instances, wanted.filters)
    for why, count in sorted(refused.items()):
        notes.lines.append(f"{count:,} types left out by the filters: {why}")
    volumes, asked_volumes = volumes_of(prices, rates, notes)
    disks = disks_of(prices, rates, notes)
    attached = bool(volumes) and rates.volume_slots is not None
    if volumes and prices.instances and not attached:
        notes.lines.append("volumes left out: volume_slots, how many a server takes, is not given")
    local = local_of(types, rates, notes)
    servers, unknown = _servers(types, prices, rates, wanted, local, attached=attached, notes=notes)
    pieces = Counter(name for server in servers if server.bundle for name, _ in server.bundle.units)
    units = [unit for unit in local.units if pieces[unit.name]]
    if rates.memory is not None and servers:
        units.insert(0, memory_of(rates.memory))
    kept = volumes if attached or not prices.instances else ()
    cores = dict.fromkeys(server.cpu or "" for server in servers)
    asked = Asked(
        memory=bool(types) and rates.memory is None,
        nvme=local.asked,
        volumes=asked_volumes,
        volume_slots=bool(prices.instances and (volumes or asked_volumes)) and rates.volume_slots is None,
        disks=tuple(d.model for d in prices.disks if d.model not in {unit.name for unit in disks}),
        network=tuple(unknown["network"]),
        to_volumes=tuple(unknown["volume"]) if volumes or asked_volumes else (),
    )
    return Imported(
        (*units, *kept, *disks),
        tuple(Cpu(0.0, name=name) for name in cores),
        servers,
        asked,
        tuple(notes.lines),
        wanted,
    )


def _servers(
    types: Sequence[InstanceType],
    prices: Prices,
    rates: Rates,
    wanted: Wanted,
    local: Local,
    *,
    attached: bool,
    notes: Notes,
) -> tuple[tuple[Server, ...], dict[str, list[str]]]:
    """Servers of everything that is known; types without a network, and without a way to volumes."""
    up_to = only_up_to(prices.instances)
    servers: list[Server] = []
    left: dict[str, list[str]] = {"network": [], "volume": [], "small": []}
    for instance in types:
        network = to_network(instance, rates.network, wanted.bandwidth)
        volume = to_volumes(instance, up_to, rates.to_volumes, wanted.bandwidth)
        if network is None:
            left["network"].append(instance.name)
        if volume is None:
            left["volume"].append(instance.name)
        if instance.memory < GIB:
            left["small"].append(instance.name)
        unreached = attached and volume is None
        if network is None or unreached or instance.memory < GIB or rates.memory is None:
            continue
        slots = rates.volume_slots or 0
        buses = [Bus(VOLUME, slots, volume)] if attached and volume else []
        servers.append(
            _server(
                instance,
                network=network,
                buses=buses,
                memory=rates.memory,
                local=local.of.get(instance.family),
                hours=wanted.hours,
            )
        )
    notes.add(left["network"], "types left out: no figure of the network that holds")
    known = "" if wanted.bandwidth is Bandwidth.UP_TO else ' that is sustained (others are "up to")'
    notes.add(left["volume"] if attached else (), f"types left out: no bandwidth to volumes{known}")
    notes.add(left["small"], "types left out: less than 1 GiB of memory")
    if attached and wanted.bandwidth is Bandwidth.UP_TO:
        taken = [
            instance.name
            for instance in types
            if instance.name in up_to and instance.name not in rates.to_volumes
        ]
        notes.add(taken, 'types with a bandwidth to volumes that is "up to", taken as it stands')
    cut = [instance.name for instance in types if instance.memory >= GIB and instance.memory % GIB]
    notes.add(cut, "types whose memory is no whole number of GiB: the rest is not counted")
    return tuple(servers), left


def _server(
    instance: InstanceType,
    *,
    network: float,
    buses: Sequence[Bus],
    memory: Memory,
    local: StorageUnit | None,
    hours: float,
) -> Server:
    pieces = int(instance.memory // GIB)
    included = [(MEMORY, pieces)]
    inside = [Bus(MEMORY, pieces, memory.bandwidth_per_cpu * instance.cpu)]
    count = _pieces(instance, local) if local is not None else 0
    if local is not None and count:
        included.append((local.name, count))
        inside.append(Bus(local.name, count, count * max(local.rate_r, local.rate_w)))
    return Server(
        instance.name,
        instance.price_hour * hours,
        instance.cpu,
        network,
        (*inside, *buses),
        cpu=instance.core,
        bundle=Bundle(instance.cpu, tuple(included)),
    )


def _pieces(instance: InstanceType, local: StorageUnit) -> int:
    """Pieces of the local storage, counted within each device where the table tells devices."""
    devices = instance.devices or 1
    return devices * count_of(instance.local / devices, local.capacity)
