"""What is known of all VMs and SSDs: reports go in as they come, a view of the last while comes out.

Whatever a split is made by (reads, misses, the curve) is counted by the hypervisor's cache. The agent within a VM, which
its tenant could have changed, tells what only it can know: processor time, who talks to whom, which jobs run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from froude.base.errors import InputError
from froude.cache.curves import MissRatioCurve
from froude.cache.monitor.checks import clock_lies, evades, hypervisor_lies, overcommitted, vm_lies
from froude.cache.monitor.jobs import JobRun, JobRuns
from froude.cache.monitor.limits import RESOURCES, Limits
from froude.cache.monitor.messages import (
    CacheCounters,
    CachedVm,
    FindingMessage,
    HypervisorReport,
    JobSample,
    VmReport,
)
from froude.cache.monitor.topology import Application, Flow, applications
from froude.cache.monitor.window import Sample, Window

_WATCHED = ("chunks", "write_bytes")
_LEAST_FLOW = 1.0
"""Bytes per second below which a flow joins nobody."""


@dataclass(frozen=True, slots=True)
class VmView:
    """One VM in the last while."""

    name: str
    hypervisor: str
    held: Limits
    rates: Mapping[str, float]
    """Per second: all of `CacheCounters` and chunks (hits and misses) by its cache; cpu_s and wait_s by its own agent.
    Empty before a second report."""
    window_s: float
    """How long that while is."""
    controls: frozenset[str] = frozenset(RESOURCES)
    """Of which resources its limits can be changed."""
    chunk_bytes: int = 65536
    curve: MissRatioCurve | None = None
    application: str = ""
    master: bool = False
    roles: tuple[str, ...] = ()
    network_bytes_per_s: float = 0.0
    """With the other VMs of its application."""
    trouble: str = ""
    """Why its limits must stay as they are; empty where nothing is wrong."""

    def most(self, supply: Limits) -> Limits:
        """The most that it may have: all space of its SSD, where it has a cache and nobody knows how large."""
        unknown = "cache_bytes" in self.controls and self.held.cache_bytes is None
        return replace(self.held, cache_bytes=supply.cache_bytes) if unknown else self.held


@dataclass(frozen=True, slots=True)
class HypervisorView:
    """One SSD."""

    name: str
    supply: Limits
    """What it has; of nobody who has never reported, nothing is known."""
    trouble: str = ""
    """Why nothing may be changed on it; empty where nothing is wrong."""


@dataclass(frozen=True, slots=True)
class View:
    """Everything, at one moment."""

    hypervisors: tuple[HypervisorView, ...]
    vms: tuple[VmView, ...]
    applications: tuple[Application, ...] = ()
    runs: tuple[JobRun, ...] = ()
    jobs: tuple[tuple[str, JobSample], ...] = ()
    """Those that run now, each with the VM whose agent tells of it."""
    findings: tuple[FindingMessage, ...] = ()
    remarks: tuple[str, ...] = ()
    """What is not as it should be."""
    last_number: int = 0
    """The largest number of a change that any agent has carried out."""

    @property
    def pinned(self) -> dict[str, Limits]:
        """What VMs have whose limits must stay as they are, by name."""
        return {vm.name: vm.held for vm in self.vms if vm.trouble}


R = TypeVar("R", HypervisorReport, VmReport)


@dataclass(slots=True)
class _Heard(Generic[R]):
    """One agent, and what it said last."""

    report: R | None = None
    heard_s: float = 0.0
    """When, by our clock."""
    trouble: str = ""


@dataclass(slots=True)
class _Guest:
    """What is kept of one VM."""

    cache: Window
    own: Window
    peers: dict[str, Window] = field(default_factory=dict)
    last: tuple[CachedVm, float] | None = None
    """As it was last reported, and when."""
    evades: str = ""
    """What to say of a cap that did not hold it."""

    @property
    def totals(self) -> tuple[float, float]:
        """Chunks read and missed so far."""
        vm = None if self.last is None else self.last[0]
        return (0.0, 0.0) if vm is None else (vm.hits + vm.misses, vm.misses)


class Monitor:
    """Takes reports, gives views."""

    def __init__(self, *, window_s: float, stale_s: float) -> None:
        """Nothing is known yet.

        Args:
            stale_s: how old the last report of an agent may be before it counts as lost.
        """
        self._window_s, self._stale_s = window_s, stale_s
        self._hypervisors: defaultdict[str, _Heard[HypervisorReport]] = defaultdict(_Heard)
        self._guests: defaultdict[str, _Heard[VmReport]] = defaultdict(_Heard)
        self._vms: dict[str, _Guest] = {}
        self._jobs = JobRuns()

    def failed(self, name: str, why: str, *, guest: bool = False) -> None:
        """An agent did not answer, or not as it should.

        Args:
            guest: whether it is a VM's.
        """
        heard = self._guests[name] if guest else self._hypervisors[name]
        heard.trouble = why

    def hypervisor(self, report: HypervisorReport, now_s: float) -> None:
        """Take a report of a hypervisor's agent.

        Args:
            now_s: when, by our clock.
        """
        heard = self._hypervisors[report.name]
        before = heard.report
        if not _accepted(heard, report, hypervisor_lies(before, report), now_s):
            if before is not None and before.instance == report.instance:
                # An SSD that grew of itself is not believed the second time either.
                heard.report = report.model_copy(update={"supply": before.supply})
            return
        for vm in report.vms:
            if not vm.error:
                self._cached(vm, f"{report.instance}/{vm.instance}", report.uptime_s)

    def guest(self, report: VmReport, now_s: float) -> None:
        """Take a report of a VM's own agent.

        Args:
            now_s: when, by our clock.
        """
        heard = self._guests[report.name]
        if not _accepted(heard, report, vm_lies(heard.report, report), now_s):
            return
        kept = self._kept(report.name)
        own = {"cpu_s": report.cpu_s, "wait_s": report.io_s}
        kept.own.add(Sample(report.instance, report.uptime_s, own))
        for peer in report.peers:
            if peer.role:  # only what Hadoop's processes exchange
                window = kept.peers.setdefault(f"{peer.address} {peer.incoming}", Window(self._window_s))
                counts = {"sent": float(peer.sent_bytes), "received": float(peer.received_bytes)}
                window.add(Sample(report.instance, report.uptime_s, counts))

    def view(self, now_s: float) -> View:
        """What is known at a moment.

        Args:
            now_s: by our clock.
        """
        remarks = [*self._lost(self._hypervisors, now_s), *self._lost(self._guests, now_s)]
        for heard in self._hypervisors.values():
            if heard.report is not None and not heard.trouble:
                remarks += filter(None, [overcommitted(heard.report)])
        remarks += [f"{name} {kept.evades}" for name, kept in self._vms.items() if kept.evades]
        flows = self._flows()
        roles = {name: _roles(each.report) for name, each in self._guests.items() if each.report is not None}
        groups = applications(flows, roles, least_bytes_per_s=_LEAST_FLOW)
        group_of = {vm: group for group in groups for vm in group.vms}
        reports = [each.report for each in self._hypervisors.values() if each.report is not None]
        where: defaultdict[str, list[str]] = defaultdict(list)
        for report in reports:
            for vm in report.vms:
                where[vm.name].append(report.name)
        vms = [
            self._vm(
                vm,
                report.name,
                self._hypervisors[report.name].trouble or _twice(where[vm.name]),
                group_of.get(vm.name),
                flows,
            )
            for report in reports
            for vm in report.vms
        ]
        remarks += [f"{name} {_twice(names)}" for name, names in where.items() if len(names) > 1]
        jobs = self._follow(group_of)
        return View(
            hypervisors=tuple(
                HypervisorView(name, Limits() if each.report is None else each.report.supply, each.trouble)
                for name, each in self._hypervisors.items()
            ),
            vms=tuple(vms),
            applications=groups,
            runs=tuple(self._jobs.runs),
            jobs=jobs,
            findings=tuple(found for each in reports for found in each.findings),
            remarks=tuple(remarks),
            last_number=max((each.last_number for each in reports), default=0),
        )

    def _cached(self, vm: CachedVm, instance: str, time_s: float) -> None:
        kept = self._kept(vm.name)
        counts = {name: float(getattr(vm, name)) for name in CacheCounters.model_fields}
        counts["chunks"] = float(vm.hits + vm.misses)
        kept.evades = "" if kept.last is None else evades(kept.last[0], vm, time_s - kept.last[1])
        kept.last = (vm, time_s)
        kept.cache.add(Sample(instance, time_s, counts))

    def _kept(self, name: str) -> _Guest:
        if name not in self._vms:
            self._vms[name] = _Guest(Window(self._window_s, watched=_WATCHED), Window(self._window_s))
        return self._vms[name]

    def _lost(self, agents: Mapping[str, _Heard[R]], now_s: float) -> list[str]:
        """Remarks on agents that are in trouble; those that were not heard for long are, from now on."""
        for heard in agents.values():
            if heard.report is not None and now_s - heard.heard_s > self._stale_s and not heard.trouble:
                heard.trouble = f"was last heard {now_s - heard.heard_s:.0f} s ago"
        return [f"{name} {heard.trouble}" for name, heard in agents.items() if heard.trouble]

    def _flows(self) -> list[Flow]:
        """Between VMs, by what each end says that it received, so that no byte counts twice."""
        owner = {}
        for name, heard in self._guests.items():
            if heard.report is not None and not heard.trouble:
                owner.update(dict.fromkeys(heard.report.addresses, name))
        flows = []
        for name in set(owner.values()):
            for key, window in self._vms[name].peers.items():
                address, _, incoming = key.partition(" ")
                rates = window.rates()
                if address in owner and rates:
                    flows.append(Flow(owner[address], name, rates["received"], calls=incoming == "True"))
        return flows

    def _vm(
        self, vm: CachedVm, hypervisor: str, trouble: str, group: Application | None, flows: list[Flow]
    ) -> VmView:
        kept, heard = self._kept(vm.name), self._guests.get(vm.name)
        peers = set(group.vms) if group is not None else set()
        network = sum(
            each.bytes_per_s
            for each in flows
            if (each.receiver == vm.name and each.sender in peers)
            or (each.sender == vm.name and each.receiver in peers)
        )
        held = vm.limits
        if vm.error and kept.last is not None and held.cache_bytes is None:
            # Its disk does not answer: what it had is still on the SSD, and its own when it is back.
            held = replace(held, cache_bytes=kept.last[0].limits.cache_bytes)
        return VmView(
            name=vm.name,
            hypervisor=hypervisor,
            held=held,
            rates={**kept.cache.rates(), **kept.own.rates()},
            window_s=kept.cache.covered_s,
            controls=frozenset(vm.controls),
            chunk_bytes=vm.chunk_bytes,
            curve=_curve(vm),
            application="" if group is None else group.name,
            master=group is not None and group.master == vm.name,
            roles=() if heard is None or heard.report is None else _roles(heard.report),
            network_bytes_per_s=network,
            trouble=trouble or vm.error,
        )

    def _follow(self, group_of: Mapping[str, Application]) -> tuple[tuple[str, JobSample], ...]:
        told: dict[str, list[JobSample]] = {}
        running = []
        for name, heard in self._guests.items():
            if heard.report is not None and heard.report.jobs and name in group_of:
                told.setdefault(group_of[name].name, []).extend(heard.report.jobs)
                running += [(name, job) for job in heard.report.jobs if job.running]
        for application, jobs in told.items():
            members = {vm for vm, group in group_of.items() if group.name == application}
            totals = {vm: self._vms[vm].totals for vm in members if vm in self._vms}
            self._jobs.add(application, jobs, totals)
        return tuple(running)


def _accepted(heard: _Heard[R], report: R, wrong: str | None, now_s: float) -> bool:
    """Whether a report tells anything: not one that was told before, and not one that cannot be, which is remembered."""
    before = heard.report
    if before is not None and before.instance == report.instance:
        if before.uptime_s == report.uptime_s:
            heard.trouble = "repeats an old report"  # what VMs have may have changed since
            return False
        wrong = clock_lies(before.uptime_s, report.uptime_s, now_s - heard.heard_s) or wrong
    heard.report, heard.heard_s = report, now_s
    heard.trouble = f"reports what cannot be: {wrong}" if wrong else ""
    return not wrong


def _twice(hypervisors: list[str]) -> str:
    """What is wrong with a VM that several agents tell of, as while it moves from one to the other."""
    return f"is named by {' and '.join(hypervisors)}" if len(hypervisors) > 1 else ""


def _roles(report: VmReport) -> tuple[str, ...]:
    return tuple(sorted({each.role for each in report.processes}))


def _curve(vm: CachedVm) -> MissRatioCurve | None:
    if vm.curve is None:
        return None
    try:
        return MissRatioCurve.of_plain(vm.curve)
    except InputError:
        return None  # a split by working set or by nothing is still one
