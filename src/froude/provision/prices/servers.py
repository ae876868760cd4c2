"""Instance types as servers: what their price includes, what they may do to volumes; and why some are left out.

A type includes all its cores, its memory in pieces of 1 GiB and its own local disks, and takes no more of them. Its
buses of memory and of local disks carry what their pieces can together, or what the rates say; that of attached volumes
has the type's limits: how many, how many bytes and how many accesses a second. A type of which one of the first two is
not known is a server without volumes: it computes, and serves what is elsewhere. A burstable type has as many cores as
its baseline is worth, whole ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from froude.provision.prices.bandwidth import Bandwidth, to_network, to_volumes
from froude.provision.prices.filters import is_burstable
from froude.provision.prices.layouts import InstanceType
from froude.provision.prices.parts import MEMORY, Local, Notes
from froude.provision.prices.rates import Rates, TypeFigures
from froude.provision.prices.volumes import BUS, GIB
from froude.provision.prices.wanted import Wanted
from froude.provision.types import Bundle, Bus, Server


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
        rates: what the tables do not give.
        wanted: term, and which bandwidth counts.
        local: disks of the types.
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
        """What was left out, and what is not counted.

        Args:
            types: all that were looked at.
        """
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
