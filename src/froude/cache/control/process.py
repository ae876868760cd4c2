"""The processes of `froude cache serve` and `froude cache agent`: put together from their files, and served."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from froude.base.clock import Clock, RealClock
from froude.cache.agents.client import AgentClient
from froude.cache.agents.config import AgentConfig, Group, HypervisorAgent, HypervisorVm, VmAgent
from froude.cache.agents.hypervisor import HypervisorWatch
from froude.cache.agents.keeper import Keeper
from froude.cache.agents.vm import VmWatch
from froude.cache.backends.cgroup import cgroup_at, device_of, ignored_weights
from froude.cache.backends.enforced import Enforced, Watch
from froude.cache.backends.libvirt_disk import LibvirtDisk
from froude.cache.backends.load import Watched, buffered, scratch_load
from froude.cache.backends.own import OwnDisk
from froude.cache.backends.probe import probe
from froude.cache.backends.qemu_disk import QemuDisk
from froude.cache.backends.storage_daemon import ThrottleGroup
from froude.cache.backends.types import Backend, Finding
from froude.cache.control.config import ControllerConfig
from froude.cache.control.journal import FileJournal
from froude.cache.control.loop import Loop, RestAgents
from froude.cache.control.rounds import Controller
from froude.cache.monitor.pieces import CurvePieces
from froude.cache.monitor.view import Monitor
from froude.rest.calls import require_authority
from froude.rest.serving import listener, serve
from froude.rest.token import read_token

Say = Callable[[str], None]
_LOOK_S = 1.0
"""How long each look of a probe is."""


def run_controller(config: ControllerConfig, *, ready: Say, failed: Say, seed: int = 0) -> None:
    """Serve the controller until it is told to stop.

    Args:
        ready: told the address once it answers.

    Raises:
        FroudeError: it cannot begin.
    """
    from froude.cache.control.api import controller_app

    token = read_token(config.token)
    agents_token = token if config.agents_token is None else read_token(config.agents_token)
    if config.authority is not None:
        require_authority(config.authority)
    bound = listener(config.listen, config.tls)
    client = partial(AgentClient, token=agents_token, timeout_s=config.timeout_s, authority=config.authority)
    agents = RestAgents(
        {name: client(each.agent) for name, each in config.hypervisors.items()},
        {name: client(each.agent) for name, each in config.vms.items() if each.agent is not None},
    )
    with ExitStack() as stack:
        stack.callback(bound.close)
        stack.callback(agents.close)
        journal = stack.enter_context(FileJournal(config.state))
        solver = config.solver(seed=seed)
        monitor = Monitor(window_s=config.window_s, stale_s=config.stale_s)
        controller = Controller(agents, journal, RealClock(), monitor, solver)
        loop = Loop(controller, config.interval_s, apply=config.apply, failed=failed, paused=journal.paused)
        stack.enter_context(loop)
        serve(controller_app(loop, solver, token), bound, ready)


def run_agent(config: AgentConfig, *, ready: Say, failed: Say) -> None:
    """Serve an agent until it is told to stop.

    Args:
        ready: told the address once it answers.
        failed: told what cannot be read here, and what a probe has found.

    Raises:
        FroudeError: it cannot begin.
    """
    from froude.cache.agents.web import hypervisor_app, vm_app

    token = read_token(config.token)
    bound = listener(config.listen, config.tls)
    with ExitStack() as stack:
        stack.callback(bound.close)
        if isinstance(config, VmAgent):
            guest = stack.enter_context(VmWatch(config, failed))
            serve(vm_app(guest, token), bound, ready)
        else:
            watch = stack.enter_context(hypervisor_watch(config, RealClock(), failed))
            serve(hypervisor_app(watch, token), bound, ready)


def hypervisor_watch(config: HypervisorAgent, clock: Clock, failed: Say) -> HypervisorWatch:
    """A hypervisor's agent with its back-ends, measured where that is wanted.

    Args:
        failed: told what a probe has found that is not as it should be.

    Raises:
        FroudeError: a group that is named is not there.
    """
    watches = {name: _watch(name, vm, config) for name, vm in config.vms.items()}
    if config.probe:
        for name, vm in config.vms.items():
            findings = probed(watches[name].vm.backends, vm, clock)
            watches[name].vm.probed(findings)
            for each in findings:
                if each.note:
                    failed(f"{name}: {each.backend}: {each.note}")
    keeper = Keeper(config.ssd.limits(), {name: watch.vm for name, watch in watches.items()})
    return HypervisorWatch(config.name, keeper, watches, every_s=config.curve_every_s)


def probed(backends: Sequence[Backend], vm: HypervisorVm, clock: Clock) -> list[Finding]:
    """What comes of measuring the back-ends of one VM.

    A control group is measured by a child within it. What only the VM itself can load is measured by the load that it
    makes just then: of an idle one nobody knows.
    """
    findings: list[Finding] = []
    for backend in backends:
        resources = sorted(backend.controls - {"cache_bytes"})
        if isinstance(backend, (OwnDisk, QemuDisk, LibvirtDisk)):
            load = Watched(backend.counters, clock)
            findings += [probe(backend, load, resource, seconds=_LOOK_S) for resource in resources]
        elif vm.cgroup is not None and vm.cgroup.scratch is not None and backend.name.startswith("cgroup"):
            findings += _group_probed(backend, vm.cgroup, resources)
    return findings


def _group_probed(backend: Backend, group: Group, resources: list[str]) -> list[Finding]:
    assert group.scratch is not None
    device = device_of(group.device)
    folder = Path(backend.folder)  # type: ignore[attr-defined] # of both versions
    with scratch_load(folder, group.scratch) as load:
        found = [probe(backend, load, resource, seconds=_LOOK_S) for resource in resources]
    noted = [buffered(folder, device, group.scratch).note] if backend.name == "cgroup-v1" else []
    notes = [note for note in (*noted, ignored_weights(folder, device)) if note]
    return [*found[:-1], found[-1].noted("; ".join(notes))]


def _watch(name: str, vm: HypervisorVm, config: HypervisorAgent) -> Watch:
    own = None if vm.cache is None else OwnDisk(vm.cache)
    qemu = None if vm.qmp is None else QemuDisk(vm.qmp.socket, vm.qmp.device)
    told = vm.libvirt
    libvirt = None if told is None else LibvirtDisk(told.domain, told.target, told.uri)
    backends: list[Backend] = [each for each in (own, qemu, libvirt) if each is not None]
    if vm.throttle_group is not None:
        backends.append(ThrottleGroup(vm.throttle_group.socket, vm.throttle_group.group))
    group = None if vm.cgroup is None else cgroup_at(vm.cgroup.name, device_of(vm.cgroup.device))
    if group is not None:
        backends.append(group)
    counting = qemu or libvirt or group
    counters = None if counting is None else counting.counters
    return Watch(Enforced(name, backends), own, counters, CurvePieces(config.curve_window_s))
