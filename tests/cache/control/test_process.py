"""What agent and controller are put together from; as processes in `tests/integration/test_cache_loop.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.cache.agents.config import Group, HypervisorAgent, HypervisorVm, Libvirt, Qmp, Ssd, Throttling
from froude.cache.backends.own import OwnDisk
from froude.cache.backends.types import Verdict
from froude.cache.control import process
from froude.cache.control.config import ControllerConfig, HypervisorEntry
from froude.cache.control.process import hypervisor_watch, probed, run_controller
from froude.cache.monitor.limits import Limits
from testbed.virtual_clock import VirtualClock
from tests.support.cache.backends.own import control


def _agent(folder: Path, vm: HypervisorVm, *, probe: bool = False) -> HypervisorAgent:
    ssd = Ssd(space_bytes=1 << 20, iops=500)
    return HypervisorAgent(name="h1", token=folder / "t", ssd=ssd, vms={"vm1": vm}, probe=probe)


def test_a_vm_with_all_that_can_limit_it(tmp_path: Path) -> None:
    """The project's own disk before QEMU, that before a throttle group; each with its name."""
    vm = HypervisorVm(
        cache=tmp_path / "c",
        qmp=Qmp(socket=tmp_path / "q", device="d0"),
        libvirt=Libvirt(domain="vm1", target="vda"),
        throttle_group=Throttling(socket=tmp_path / "q", group="tg0"),
    )
    watch = hypervisor_watch(_agent(tmp_path, vm), VirtualClock(), lambda _: None)
    enforced = watch.vms["vm1"].vm  # type: ignore[attr-defined] # it is a Watch
    assert [each.name for each in enforced.backends] == ["own", "qmp", "libvirt", "throttle-group"]
    assert watch.keeper.supply == Limits(1 << 20, 500)


def test_a_group_that_is_not_there(tmp_path: Path) -> None:
    """The agent does not begin as if all were well."""
    vm = HypervisorVm(cgroup=Group(name="no/such/group", device=tmp_path))
    with pytest.raises(MissingError, match="group: "):
        hypervisor_watch(_agent(tmp_path, vm), VirtualClock(), lambda _: None)


def test_an_idle_disk_is_measured_at_the_start(tmp_path: Path) -> None:
    """Nothing is known of its caps, since nobody loads it: that is what is said."""
    with control(tmp_path / "c", {"limit": {}}):
        findings = probed([OwnDisk(tmp_path / "c")], HypervisorVm(cache=tmp_path / "c"), VirtualClock())
    assert {(each.resource, each.verdict) for each in findings} == {
        ("bytes_per_s", Verdict.REFUSED),  # the socket that the test plays reads back no cap
        ("iops", Verdict.REFUSED),
    }


def test_what_a_probe_found_is_told(tmp_path: Path) -> None:
    """As a note of the VM and its back-end."""
    told: list[str] = []
    with control(tmp_path / "c", {"limit": {}}):
        watch = hypervisor_watch(
            _agent(tmp_path, HypervisorVm(cache=tmp_path / "c"), probe=True), VirtualClock(), told.append
        )
    assert told == ["vm1: own: reads back as None", "vm1: own: reads back as 50"]
    assert [each.verdict for each in watch.vms["vm1"].findings()] == ["refused", "refused"]


def test_a_secret_that_is_none(tmp_path: Path) -> None:
    """The controller does not begin."""
    config = ControllerConfig(
        token=tmp_path / "absent", state=tmp_path / "s", hypervisors={"h": HypervisorEntry(agent="https://h")}
    )
    with pytest.raises(InputError, match="absent"):
        run_controller(config, ready=print, failed=print)
    assert not (tmp_path / "s").exists()


def test_a_controller_from_begin_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It serves its interface, and gives its journal back after it."""
    (tmp_path / "t").write_text("0123456789abcdef")
    (tmp_path / "t").chmod(0o600)
    served: list[str] = []

    def serve(app, bound, ready):  # type: ignore[no-untyped-def]
        served.append(app.title)
        ready("http://here")

    monkeypatch.setattr(process, "serve", serve)
    config = ControllerConfig(
        token=tmp_path / "t",
        state=tmp_path / "s",
        interval_s=1000,
        timeout_s=1,
        hypervisors={"h": HypervisorEntry(agent="http://127.0.0.1:1")},
    )
    told: list[str] = []
    for _ in range(2):
        run_controller(config, ready=told.append, failed=lambda _: None)
    assert (served, told) == (["Controller of SSD caches"] * 2, ["http://here"] * 2)
