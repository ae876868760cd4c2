"""A world for the loop: agents that die, lie, lag and refuse, changes that come late, a controller that is mortal.

The agents' own guard and numbers are the real ones (`Keeper`); what is below them, and the network, is made up and
follows a seed. After everything that changes a limit, `World.check` holds the sum against the SSD.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from froude.base.errors import FroudeError, TargetError
from froude.cache.agents.keeper import Keeper
from froude.cache.backends.order import Step
from froude.cache.control.types import Decision, Record
from froude.cache.monitor.limits import RESOURCES, Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport, VmReport
from froude.cache.monitor.view import View
from testbed.virtual_clock import VirtualClock

SPACE, IOPS = 1000, 500


class Killed(Exception):  # noqa: N818 - it is no error of the controller
    """The controller died here."""


@dataclass
class Disk:
    """What is in force for one VM."""

    world: World
    limits: Limits
    refuses: bool = False
    cacheless: bool = False
    """Its back-end caps requests, and nobody splits the SSD's space with it."""

    def apply(self, limits: Limits) -> None:
        """Take them; or refuse before, after, or half way."""
        how = (
            "refuse"
            if self.refuses
            else self.world.chance({"done": 0.9, "refuse": 0.04, "half": 0.03, "after": 0.03})
        )
        if how == "refuse":
            raise TargetError("refuses", file="disk")
        space = None if self.cacheless else limits.cache_bytes
        self.limits = Limits(space, self.limits.iops if how == "half" else limits.iops)
        self.world.check()
        if how in {"half", "after"}:
            raise TargetError(f"fails {how}", file="disk")

    def read_back(self) -> Limits:
        """What is in force."""
        return self.limits


@dataclass
class World:
    """Hypervisors with their agents, seen by a controller."""

    seed: int
    hypervisors: int = 2
    vms_each: int = 3
    faults: bool = True
    mortal: bool = False
    cacheless: bool = False
    """Whether the last VM of each hypervisor has no cache."""
    clock: VirtualClock = field(default_factory=VirtualClock)

    def __post_init__(self) -> None:
        """All VMs begin alike."""
        self.random = random.Random(self.seed)
        share = Limits(SPACE // self.vms_each, IOPS // self.vms_each)
        self.disks = {
            f"h{number}": {f"h{number}v{vm}": Disk(self, share) for vm in range(self.vms_each)}
            for number in range(self.hypervisors)
        }
        if self.cacheless:
            for disks in self.disks.values():
                last = list(disks.values())[-1]
                last.cacheless, last.limits = True, Limits(None, last.limits.iops)
        self.keepers = {name: Keeper(Limits(SPACE, IOPS), disks) for name, disks in self.disks.items()}
        self.dead_until = dict.fromkeys(self.disks, -1.0)
        self.old: dict[str, HypervisorReport] = {}
        self.late: list[tuple[str, int, Step]] = []
        self.kept: list[Record] = []
        self.given = 0
        self.lies = 0

    def chance(self, shares: Mapping[str, float]) -> str:
        """One of some words; the first when nothing may go wrong."""
        if not self.faults:
            return next(iter(shares))
        return self.random.choices(list(shares), list(shares.values()))[0]

    def mortally(self) -> None:
        """A moment at which the controller may die."""
        if self.mortal and self.random.random() < 0.03:
            raise Killed

    def check(self) -> None:
        """No SSD is promised twice."""
        for name, disks in self.disks.items():
            assert sum(disk.limits.cache_bytes or 0 for disk in disks.values()) <= SPACE, name
            assert sum(disk.limits.iops or 0 for disk in disks.values()) <= IOPS, name

    # What the controller sees: agents

    def hypervisors_report(self, name: str) -> HypervisorReport:
        """What its agent would say in truth."""
        vms = tuple(
            CachedVm(
                name=vm,
                instance="1",
                limits=disk.limits,
                controls=RESOURCES[disk.cacheless : 2],
            )
            for vm, disk in self.disks[name].items()
        )
        supply = Limits(cache_bytes=SPACE, iops=IOPS)
        number = self.keepers[name].last_number
        return HypervisorReport(
            name=name, instance="1", uptime_s=self.clock.now(), supply=supply, vms=vms, last_number=number
        )

    def report(self, name: str) -> HypervisorReport | FroudeError:
        """What its agent says: the truth, an old truth, or what cannot be."""
        if self.clock.now() < self.dead_until[name]:
            return TargetError("does not answer", file=name)
        true = self.hypervisors_report(name)
        how = self.chance({"true": 0.86, "dead": 0.04, "lags": 0.05, "lies": 0.05})
        if how == "dead":
            self.dead_until[name] = self.clock.now() + self.random.choice((30, 90, 300))
            return TargetError("does not answer", file=name)
        if how == "lags":
            return self.old.get(name, true)
        if how == "lies":
            self.lies += 1
            doubled = Limits(cache_bytes=SPACE * 1000, iops=IOPS)
            negative = true.vms[0].model_copy(update={"hits": 10**17})
            lie = {"supply": doubled} if self.random.random() < 0.5 else {"vms": (negative, *true.vms[1:])}
            return true.model_copy(update=lie)
        self.old[name] = true
        return true

    def apply(self, steps: Mapping[str, tuple[int, Step]]) -> Mapping[str, CachedVm | FroudeError]:
        """Carry out changes; some answers are lost, some changes come when nobody expects them any more."""
        self.mortally()
        answers: dict[str, CachedVm | FroudeError] = {}
        for name, (number, step) in steps.items():
            how = self.chance({"done": 0.88, "lost": 0.06, "late": 0.06})
            if self.clock.now() < self.dead_until[name]:
                answers[name] = TargetError("does not answer", file=name)
            elif how == "late":
                self.late.append((name, number, step))
                answers[name] = TargetError("does not answer in time", file=name)
            else:
                answer = self.change(name, number, step)
                answers[name] = TargetError("connection lost", file=name) if how == "lost" else answer
        self.mortally()
        return answers

    def change(self, name: str, number: int, step: Step) -> CachedVm | FroudeError:
        """What the agent does with a change that has arrived."""
        try:
            held = self.keepers[name].apply(step.vm, number, step.after)
        except FroudeError as error:
            return error
        finally:
            self.check()
        return CachedVm(name=step.vm, instance="1", limits=held, controls=RESOURCES[:2])

    def deliver_late(self) -> None:
        """Some changes that were on their way arrive."""
        for each in [each for each in self.late if self.random.random() < 0.5]:
            self.late.remove(each)
            self.change(*each)

    def in_force(self, hypervisor: str) -> dict[str, Limits]:
        """Limits by VM."""
        return {vm: disk.limits for vm, disk in self.disks[hypervisor].items()}


@dataclass
class SimulatedAgents:
    """The seam that the controller has to the world."""

    world: World

    def hypervisors(self) -> Mapping[str, HypervisorReport | FroudeError]:
        """All of them; asking takes a while."""
        self.world.mortally()
        self.world.clock.sleep(0.001)
        return {name: self.world.report(name) for name in self.world.disks}

    def guests(self) -> Mapping[str, VmReport | FroudeError]:
        """None: hypervisors tell enough."""
        return {}

    def apply(self, steps: Mapping[str, tuple[int, Step]]) -> Mapping[str, CachedVm | FroudeError]:
        """As the world does."""
        return self.world.apply(steps)


@dataclass
class SimulatedJournal:
    """A journal that survives its controller."""

    world: World

    def numbers(self, count: int, *, above: int) -> range:
        """The next ones."""
        self.world.mortally()
        first = max(self.world.given, above) + 1
        self.world.given = first + count - 1
        return range(first, first + count)

    def add(self, record: Record) -> None:
        """Keep it; the controller may die before or after."""
        self.world.mortally()
        self.world.kept = [each for each in self.world.kept if each.number != record.number] + [record]
        self.world.mortally()

    def pause(self, paused: bool) -> None:
        """Nobody asks for it here."""

    def records(self) -> tuple[Record, ...]:
        """All."""
        return tuple(self.world.kept)


@dataclass
class RandomPolicy:
    """Splits at random, within what is left beside pinned VMs; sometimes more than there is."""

    world: World
    greedy: bool = False

    def decide(self, view: View, pinned: Mapping[str, Limits]) -> Decision:
        """Another split each time."""
        limits: dict[str, Limits] = {}
        for hypervisor in view.hypervisors:
            vms = [vm for vm in view.vms if vm.hypervisor == hypervisor.name]
            free = [vm.name for vm in vms if vm.name not in pinned]
            fixed = [pinned[vm.name] for vm in vms if vm.name in pinned]
            space = SPACE - sum(each.cache_bytes or 0 for each in fixed)
            rate = IOPS - sum(each.iops or 0 for each in fixed)
            spaces, rates = self._cut(space, len(free)), self._cut(rate - len(free), len(free))
            for vm, size, iops in zip(free, spaces, rates, strict=True):
                limits[vm] = Limits(size * (2 if self.greedy else 1), iops + 1)
        return Decision("random", limits)

    def _cut(self, whole: int, parts: int) -> list[int]:
        cuts = sorted(self.world.random.randint(0, whole) for _ in range(parts))
        return [high - low for low, high in zip([0, *cuts], cuts, strict=False)]
