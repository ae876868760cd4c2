"""Between what was observed and who solves: a view becomes a state, a plan becomes limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from froude.base.seeds import Seeds
from froude.cache.control.types import Decision
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.view import View, VmView
from froude.cache.solve.hysteresis import LEAST_GAIN
from froude.cache.solve.plan import Plan
from froude.cache.solve.planner import Planning, solve
from froude.cache.solve.policies import Policy
from froude.cache.solve.state import MOST, Application, Bounds, Hypervisor, JobRun, State, Vm
from froude.documents.forms import Number


class Wishes(Bounds):
    """What the user wants of one VM; without an entry it is as any other."""

    application: str | None = None
    """Whose part it is; without it, what its processes talk to tells."""
    importance: Annotated[float | None, Number(0, 1e6)] = None
    """How much one of its misses counts beside another's; without it 1, or what a master's counts."""
    ceiling_iops: Annotated[float | None, Number(1, MOST)] = None
    """The most requests per second: without any it would hang."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """What nobody measures."""

    miss_s: float = 0.01
    """What a read of the disk behind the caches takes."""
    hit_s: float = 0.001
    """What a read of the SSD takes."""
    horizon_s: float = 600.0
    """How long the load is expected to stay as it is."""
    granule_bytes: int = 1 << 20
    """Sizes of caches are multiples of it."""
    master_importance: float = 1.0
    """How much a miss of an application's master counts."""
    writes_bytes_per_day: Mapping[str, int] = field(default_factory=dict)
    """That each hypervisor's SSD may take; without one it is not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """Decides by a policy of `froude.cache.solve`."""

    policy: Policy
    wishes: Mapping[str, Wishes] = field(default_factory=dict)
    """By VM."""
    assumed: Assumed = Assumed()
    least_gain: float | None = LEAST_GAIN
    """Part of the cost that a move must save; None to move whatever it gains."""
    seed: int = 0

    def decide(self, view: View, pinned: Mapping[str, Limits]) -> Decision:
        """Split the SSDs, as far as their VMs may change.

        Args:
            pinned: VMs whose limits must stay as they are.
        """
        state = self.state(view, pinned)
        planning = Planning(seeds=Seeds(self.seed), least_gain=self.least_gain)
        return _decision(solve(state, self.policy, planning), view)

    def what_if(self, view: View, *, factor: float, policy: Policy | None = None) -> Decision:
        """What a plan would be with SSDs of another size, and what it would bring."""
        state = self.state(view, {}).scaled(factor)
        plan = solve(state, policy or self.policy, Planning(seeds=Seeds(self.seed), least_gain=None))
        return _decision(plan, view)

    def state(self, view: View, pinned: Mapping[str, Limits]) -> State:
        """What a solver knows of a view: SSDs without what pinned VMs have of them."""
        hypervisors = []
        for each in view.hypervisors:
            taken = [vm.held for vm in view.vms if vm.hypervisor == each.name and vm.name in pinned]
            space = (each.supply.cache_bytes or 0) - sum(limits.cache_bytes or 0 for limits in taken)
            iops = each.supply.iops
            left = None if iops is None else max(0.0, iops - sum(limits.iops or 0 for limits in taken))
            writes = self.assumed.writes_bytes_per_day.get(each.name)
            hypervisors.append(
                Hypervisor(name=each.name, space_bytes=max(0, space), iops=left, writes_bytes_per_day=writes)
            )
        vms = tuple(self._vm(vm) for vm in view.vms if vm.name not in pinned)
        # The monitor names an application by its VMs; the user may have named it otherwise.
        named = {seen.application: vm.application for seen in view.vms for vm in vms if vm.name == seen.name}
        runs: dict[str, list[JobRun]] = {}
        for run in view.runs:
            runs.setdefault(named.get(run.application) or run.application, []).append(
                JobRun(time_s=run.time_s, reads=run.reads, misses=run.misses)
            )
        names = dict.fromkeys(vm.application for vm in vms if vm.application)
        window_s = max((vm.window_s for vm in view.vms), default=0.0) or 60.0
        return State(
            window_s=window_s,
            horizon_s=self.assumed.horizon_s,
            miss_s=self.assumed.miss_s,
            hit_s=self.assumed.hit_s,
            granule_bytes=self.assumed.granule_bytes,
            hypervisors=tuple(hypervisors),
            vms=vms,
            applications=tuple(Application(name=each, runs=tuple(runs.get(each, ()))) for each in names),
        )

    def _vm(self, vm: VmView) -> Vm:
        wishes = self.wishes.get(vm.name, Wishes())
        rate = defaultdict(float, {name: max(0.0, each) for name, each in vm.rates.items()})
        importance = wishes.importance
        if importance is None:
            importance = self.assumed.master_importance if vm.master else 1.0
        return Vm(
            name=vm.name,
            hypervisor=vm.hypervisor,
            application=vm.application if wishes.application is None else wishes.application,
            master=vm.master,
            importance=importance,
            reads_per_s=rate["chunks"],
            curve=vm.curve,
            chunk_bytes=vm.chunk_bytes,
            writes_bytes_per_s=round(_written(rate, vm.chunk_bytes)),
            iops=rate["reads"] + rate["writes"],
            disk_bytes_per_s=round(rate["read_bytes"] + rate["write_bytes"]),
            network_bytes_per_s=round(vm.network_bytes_per_s),
            cpu_s=rate["cpu_s"] * vm.window_s,
            io_s=(rate["wait_s"] or rate["io_s"]) * vm.window_s,
            size_bytes=vm.held.cache_bytes or 0,
            floor_bytes=wishes.floor_bytes if "cache_bytes" in vm.controls else 0,
            ceiling_bytes=wishes.ceiling_bytes if "cache_bytes" in vm.controls else 0,
            floor_iops=wishes.floor_iops,
            ceiling_iops=wishes.ceiling_iops,
        )


_STEADY = 0.1
"""Part of a cap by which demand varies from minute to minute."""


def _written(rate: Mapping[str, float], chunk_bytes: int) -> float:
    """Bytes per second that writes put into the cache: what the SSD took, less what misses brought in."""
    return max(0.0, rate["ssd_written_bytes"] - rate["misses"] * chunk_bytes)


def _steady(held: Limits, wanted: Limits) -> bool:
    """Whether a change is none but in a cap, and that by less than demand varies by itself."""
    if held.cache_bytes != wanted.cache_bytes or held.iops is None or wanted.iops is None:
        return held == wanted
    return abs(wanted.iops - held.iops) <= _STEADY * held.iops


def _cap(planned: float | None, otherwise: int | None) -> int | None:
    return otherwise if planned is None else max(1, int(planned))


def _decision(plan: Plan, view: View) -> Decision:
    held = {vm.name: vm.held for vm in view.vms}
    # Where nobody counts an SSD's requests, a cap that somebody has set by hand stays.
    unsplit = {each.name for each in view.hypervisors if each.supply.iops is None}
    limits = {
        grant.vm: replace(
            held[grant.vm],
            cache_bytes=grant.size_bytes,
            iops=_cap(grant.iops, held[grant.vm].iops if grant.hypervisor in unsplit else None),
        )
        for grant in plan.grants
    }
    for hypervisor in view.hypervisors:
        mine = [vm.name for vm in view.vms if vm.hypervisor == hypervisor.name and vm.name in limits]
        fits = sum(held[vm].iops or 0 for vm in mine) <= (hypervisor.supply.iops or 0)
        if fits and all(_steady(held[vm], limits[vm]) for vm in mine):
            limits |= {vm: held[vm] for vm in mine}
    figures = {
        "latency_s": plan.expected.latency_s,
        "latency_now_s": plan.now.latency_s,
        "misses_per_s": plan.expected.misses_per_s,
        "misses_now_per_s": plan.now.misses_per_s,
        "written_bytes_per_s": plan.expected.written_bytes_per_s,
    }
    expected = {name: value for name, value in figures.items() if value is not None}
    expected |= {f"time_s/{name}": seconds for name, seconds in plan.expected.times_s.items()}
    advice = tuple(f"{each.hypervisor}: {each.text}" for each in plan.advice)
    stays = tuple(f"{name} stays as it is: another split would not pay for the move" for name in plan.kept)
    reasons = {grant.vm: grant.reason for grant in plan.grants}
    return Decision(plan.policy, limits, reasons, expected, (*plan.remarks, *advice, *stays))
