"""How long one round takes for many VMs: observing, deciding and ordering, with agents that answer at once."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.results import ONE_INPUT, Row
from froude.cache.agents.keeper import Keeper
from froude.cache.backends.order import Step
from froude.cache.control.deciding import Solver
from froude.cache.control.rounds import Controller
from froude.cache.curves import MissRatioCurve
from froude.cache.monitor.limits import RESOURCES, Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport, VmReport
from froude.cache.monitor.view import Monitor
from froude.cache.solve.policies import policy
from testbed.cache_world import SimulatedJournal, World
from testbed.virtual_clock import VirtualClock

_SPACE, _IOPS = 1 << 36, 100_000
_CHUNK = 65536
_ROUNDS = 4


@dataclass
class _Vm:
    limits: Limits
    reads_per_s: int
    curve: dict[str, object]

    def apply(self, limits: Limits) -> None:
        self.limits = limits

    def read_back(self) -> Limits:
        return self.limits


@dataclass
class _Site:
    """Hypervisors with equal splits, whose VMs read at random rates by random working sets."""

    hypervisors_count: int
    vms_each: int
    clock: VirtualClock = field(default_factory=VirtualClock)

    def __post_init__(self) -> None:
        numbers = random.Random(1)
        share = Limits(_SPACE // self.vms_each, _IOPS // self.vms_each)
        self._vms = {
            f"h{h}": {
                f"h{h}v{v}": _Vm(
                    share,
                    numbers.randint(10, 2000),
                    MissRatioCurve.linear(numbers.randint(1 << 28, 1 << 35), 1000.0).plain(),
                )
                for v in range(self.vms_each)
            }
            for h in range(self.hypervisors_count)
        }
        self._keepers = {name: Keeper(Limits(_SPACE, _IOPS), vms) for name, vms in self._vms.items()}

    def hypervisors(self) -> Mapping[str, HypervisorReport]:
        return {name: self._report(name, vms) for name, vms in self._vms.items()}

    def guests(self) -> Mapping[str, VmReport]:
        return {}

    def apply(self, steps: Mapping[str, tuple[int, Step]]) -> Mapping[str, CachedVm]:
        answers = {}
        for name, (number, step) in steps.items():
            held = self._keepers[name].apply(step.vm, number, step.after)
            answers[name] = CachedVm(name=step.vm, instance="1", limits=held, controls=RESOURCES[:2])
        return answers

    def _report(self, name: str, vms: Mapping[str, _Vm]) -> HypervisorReport:
        at = self.clock.now()
        cached = tuple(
            CachedVm(
                name=vm,
                instance="1",
                limits=each.limits,
                controls=RESOURCES[:2],
                reads=int(at * each.reads_per_s),
                hits=int(at * each.reads_per_s * 0.7),
                misses=int(at * each.reads_per_s * 0.3),
                read_bytes=int(at * each.reads_per_s) * _CHUNK,
                curve=each.curve,
            )
            for vm, each in vms.items()
        )
        supply = Limits(cache_bytes=_SPACE, iops=_IOPS)
        number = self._keepers[name].last_number
        return HypervisorReport(
            name=name, instance="1", uptime_s=at, supply=supply, vms=cached, last_number=number
        )


def rows() -> list[Row]:
    """Processor time of a round, for the paper's 20 VMs and for 1,000."""
    made = []
    for hypervisors, vms in ((4, 5), (50, 20)):
        for name in ("exact", "deadline"):
            site = _Site(hypervisors, vms)
            journal, monitor = SimulatedJournal(World(1, faults=False)), Monitor(window_s=180, stale_s=150)
            controller = Controller(site, journal, site.clock, monitor, Solver(policy=policy(name)))
            seconds, outcomes = [], []
            for _ in range(_ROUNDS):
                begun = time.process_time()
                outcomes.append(controller.round().outcome.value)
                seconds.append(time.process_time() - begun)
                site.clock.sleep(60)
            measure = f"a round of {hypervisors * vms:,} VMs on {hypervisors} hypervisors, {name}"
            said = f"processor time, mean of {_ROUNDS} rounds ({', '.join(outcomes)}); agents answer at once"
            said += f"; {ONE_INPUT}"
            made.append(Row(measure, round(statistics.fmean(seconds), 4), "s", conditions=said))
    return made


if __name__ == "__main__":
    for row in rows():
        print(row.measure, row.value, row.conditions)
