"""From prices and rates to a catalog: servers with what they include, volumes, disks; nothing that nobody said.

An instance type is a server with a bundle; attached volumes are units that are bought whole (`volumes`). A type
includes all its cores, its memory in pieces of 1 GiB and its own local disks, and takes no more of them. Its buses of
memory and of local disks carry what their pieces can together, or what the rates say; that of attached volumes has the
limits of the type: how many, how many bytes and how many accesses a second. A type of which one of the first two is not
known is a server without volumes: it computes, and serves what is elsewhere. A burstable type has as many cores as its
baseline is worth, whole ones. Why a type is left out is stated.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from froude.base.errors import InputError
from froude.provision.prices.asked import Asked
from froude.provision.prices.bandwidth import Bandwidth, to_network, to_volumes
from froude.provision.prices.filters import apply, is_burstable
from froude.provision.prices.layouts import InstanceType, Prices, Tariff
from froude.provision.prices.mismatch import distinct, note_mismatch
from froude.provision.prices.parts import MEMORY, Local, Notes, disks_of, local_of, memory_of, volumes_of
from froude.provision.prices.rates import Rates, TypeFigures
from froude.provision.prices.request import HOURS_PER_YEAR, Wanted
from froude.provision.prices.volumes import BUS, GIB
from froude.provision.prices.volumes import BUS as VOLUME
from froude.provision.types import Bundle, Bus, Catalog, Cpu, Server, StorageUnit


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


class Lack(Enum):
    """What a type lacks that it is left out for, or must do without; to follow their number."""

    NETWORK = "types left out: no figure of the network that holds"
    TO_VOLUMES = "types without attached volumes: no bandwidth to them that is sustained"
    VOLUMES = "types without attached volumes: how many they take is not given (volumes of the type, or volume_slots)"
    BASELINE = "burstable types left out: their baseline is not given"
    SHARE = "types left out: their baseline is less than one core"
    SMALL = "types left out: less than 1 GiB of memory"


class Servers:
    """Makes servers of instance types, and keeps what is left out.

    Args:
        attached: whether there are volumes to attach: then a type needs a way to them.
    """

    def __init__(self, rates: Rates, wanted: Wanted, local: Local, *, attached: bool) -> None:
        self.rates, self.wanted, self.local, self.attached = rates, wanted, local, attached
        self.left: dict[Lack, list[str]] = {lack: [] for lack in Lack}
        self.unreached: list[str] = []
        """Types without a figure of their way to volumes, whether there are volumes or not."""
        self.unlimited: list[str] = []
        """Types whose accesses of volumes are not bounded: nobody said by how much."""
        self.taken: list[str] = []
        """Types whose bandwidth to volumes is taken though it is only "up to"."""

    def of(self, instance: InstanceType) -> Server | None:
        """The server; None when it is left out, and why is kept."""
        figures = self.rates.of(instance.name)
        network = to_network(instance, figures.network, self.wanted.bandwidth)
        volume = to_volumes(instance, figures.to_volumes, self.wanted.bandwidth)
        count = self.rates.volume_slots if figures.volumes is None else figures.volumes
        cores = _cores(instance, figures)
        if volume is None:
            self.unreached.append(instance.name)
        lacks = {
            Lack.NETWORK: network is None,
            Lack.BASELINE: cores is None,
            Lack.SHARE: cores == 0,
            Lack.SMALL: instance.memory < GIB,
        }
        for lack in (lack for lack, lacking in lacks.items() if lacking):
            self.left[lack].append(instance.name)
        if any(lacks.values()) or network is None or not cores or self.rates.memory is None:
            return None
        pieces = int(instance.memory // GIB)
        included = [(MEMORY, pieces)]
        buses = [Bus(MEMORY, pieces, self.rates.memory.bandwidth_per_cpu * instance.cpu)]
        if instance.name in self.local.of:
            disk, disks = self.local.of[instance.name]
            included.append((disk.name, disks))
            buses.append(Bus(disk.name, disks, disks * max(disk.rate_r, disk.rate_w)))
        if self.attached and count is None:
            self.left[Lack.VOLUMES].append(instance.name)
        elif self.attached and count and volume is None:
            self.left[Lack.TO_VOLUMES].append(instance.name)
        elif self.attached and count and volume is not None:
            buses.append(Bus(BUS, count, volume, self._accesses(instance, figures)))
        return Server(
            instance.name,
            instance.price_hour * self.wanted.paid_hours,
            cores,
            network,
            tuple(buses),
            cpu=instance.core,
            bundle=Bundle(cores, tuple(included)),
        )

    def _accesses(self, instance: InstanceType, figures: TypeFigures) -> float:
        """Of volumes per second, by the same rule as the bytes; infinite, and kept, where nobody says."""
        up_to = self.wanted.bandwidth is Bandwidth.UP_TO
        if up_to and figures.to_volumes is None and instance.volume is not None:
            self.taken.append(instance.name)
        sustained = figures.volume_iops or instance.volume_iops_baseline
        if sustained is None and up_to:
            sustained = instance.volume_iops
        if sustained is None:
            self.unlimited.append(instance.name)
            return math.inf
        return sustained

    def note(self, types: Sequence[InstanceType], notes: Notes) -> None:
        """What was left out, and what is not counted."""
        for lack, names in self.left.items():
            notes.add(names, lack.value)
        notes.add(self.taken, 'types with a bandwidth to volumes that is "up to", taken as it stands')
        notes.add(self.unlimited, "types without a limit on accesses of volumes: none is given (volume_IOPS)")
        cut = [instance.name for instance in types if instance.memory >= GIB and instance.memory % GIB]
        notes.add(cut, "types whose memory is no whole number of GiB: the rest is not counted")


def _cores(instance: InstanceType, figures: TypeFigures) -> int | None:
    """Whole cores that can be had all day; None of a burstable type whose baseline nobody says."""
    baseline = instance.baseline if figures.baseline is None else figures.baseline
    if baseline is None:
        return None if is_burstable(instance) else instance.cpu
    return min(instance.cpu, int(baseline + 1e-9))
