"""From reports to a view: the paper's three clusters, and agents in trouble."""

from __future__ import annotations

import pytest

from froude.cache.curves import MissRatioCurve
from froude.cache.monitor.limits import RESOURCES, Limits
from froude.cache.monitor.messages import (
    CachedVm,
    HypervisorReport,
    JobSample,
    PeerSample,
    ProcessSample,
    VmReport,
)
from froude.cache.monitor.view import Monitor, View
from tests.support.cache.monitor import figure5

_CURVE = MissRatioCurve((0, 4096), (1.0, 0.25), 10.0).plain()
_ALL = [f"vm{number}" for number in range(1, 21)]


def _cached(name: str, at: float = 0.0, **changes: object) -> CachedVm:
    """100 reads a second of a chunk each, of which a tenth misses."""
    fields: dict[str, object] = {
        "name": name, "instance": "1", "limits": Limits(cache_bytes=100), "controls": RESOURCES,
        "reads": int(100 * at), "hits": int(90 * at), "misses": int(10 * at), "read_bytes": int(409_600 * at),
        "io_s": at / 2, "curve": _CURVE,
    }  # fmt: skip
    return CachedVm.model_validate(fields | changes)


def _hypervisor(name: str, at: float, vms: tuple[CachedVm, ...], **changes: object) -> HypervisorReport:
    supply = Limits(cache_bytes=1000, iops=5000)
    report = HypervisorReport(name=name, instance="1", uptime_s=at, supply=supply, vms=vms)
    return report.model_copy(update=changes)


def _guest(vm: str, at: float, *, role: str = "DataNode", jobs: tuple[JobSample, ...] = ()) -> VmReport:
    """What each VM exchanges with the others of its cluster, as made up; it has an address of its own."""
    peers: dict[tuple[str, bool], list[float]] = {}
    for flow in figure5.flows():
        if flow.receiver == vm:
            peers.setdefault((flow.sender, flow.calls), [0.0, 0.0])[1] += flow.bytes_per_s * at
        if flow.sender == vm:
            peers.setdefault((flow.receiver, False), [0.0, 0.0])[0] += flow.bytes_per_s * at
    samples = tuple(
        PeerSample(
            address=f"ip-{peer}",
            incoming=calls,
            role=role,
            sent_bytes=int(sent),
            received_bytes=int(received),
        )
        for (peer, calls), (sent, received) in peers.items()
    )
    monitoring = PeerSample(address="ip-monitor", role="", sent_bytes=int(1e6 * at))
    process = ProcessSample(role="NameNode" if vm in figure5.CLUSTERS else role, pid=1)
    return VmReport(
        name=vm, instance="1", uptime_s=at, cores=2, cpu_s=at, io_s=at / 4, addresses=(f"ip-{vm}",),
        processes=(process,), peers=(*samples, monitoring), jobs=jobs,
    )  # fmt: skip


def _seen(times: tuple[float, ...] = (0.0, 10.0, 20.0)) -> tuple[Monitor, View]:
    monitor = Monitor(window_s=60, stale_s=100)
    for at in times:
        for number in range(4):
            vms = tuple(_cached(vm, at) for vm in _ALL if figure5.hypervisor(vm) == f"h{number + 1}")
            monitor.hypervisor(_hypervisor(f"h{number + 1}", at, vms), at)
        for vm in _ALL:
            monitor.guest(_guest(vm, at), at)
    return monitor, monitor.view(times[-1])


def test_a_vm_that_two_agents_name_stays_as_it_is() -> None:
    """As while it moves; the others are split all the same."""
    monitor = Monitor(window_s=60, stale_s=100)
    monitor.hypervisor(_hypervisor("h1", 10.0, (_cached("a"), _cached("b"))), 10.0)
    monitor.hypervisor(_hypervisor("h2", 10.0, (_cached("a", limits=Limits(cache_bytes=70)),)), 10.0)
    view = monitor.view(10.0)
    assert [(vm.hypervisor, vm.name, vm.trouble) for vm in view.vms] == [
        ("h1", "a", "is named by h1 and h2"),
        ("h1", "b", ""),
        ("h2", "a", "is named by h1 and h2"),
    ]
    assert "a is named by h1 and h2" in view.remarks
    assert [vm.held.cache_bytes for vm in view.vms] == [100, 100, 70]


def test_a_disk_that_does_not_answer_still_has_what_it_had() -> None:
    """Of one that never did, nothing is known."""
    monitor = Monitor(window_s=60, stale_s=100)
    monitor.hypervisor(_hypervisor("h1", 10.0, (_cached("a"),)), 10.0)
    down = {"limits": Limits(), "error": "no disk answers there"}
    monitor.hypervisor(_hypervisor("h1", 20.0, (_cached("a", **down), _cached("b", **down))), 20.0)
    assert [vm.held.cache_bytes for vm in monitor.view(20.0).vms] == [100, None]


def test_the_papers_clusters() -> None:
    """Three applications with their masters; each VM with its rates, its curve, and what it exchanges within its own."""
    _, view = _seen()
    assert {each.master: set(each.vms) for each in view.applications} == {
        master: set(figure5.names(master)) for master in figure5.CLUSTERS
    }
    assert (len(view.vms), len(view.hypervisors), view.remarks) == (20, 4, ())
    by_name = {vm.name: vm for vm in view.vms}
    first = by_name["vm1"]
    assert (first.application, first.master, first.roles) == ("vm1", True, ("NameNode",))
    assert first.hypervisor == figure5.hypervisor("vm1")
    assert first.rates["chunks"] == pytest.approx(100)
    assert first.rates["misses"] == pytest.approx(10)
    assert (first.rates["cpu_s"], first.rates["wait_s"]) == pytest.approx((1.0, 0.25))
    assert first.curve is not None
    assert first.curve.at(4096) == 0.25
    expected = sum(each.bytes_per_s for each in figure5.flows() if "vm1" in {each.sender, each.receiver})
    assert first.network_bytes_per_s == pytest.approx(expected, rel=0.01)


def test_before_a_second_report() -> None:
    """There are no rates yet, and nothing is made up."""
    monitor = Monitor(window_s=60, stale_s=100)
    monitor.hypervisor(_hypervisor("h1", 0.0, (_cached("vm1", 0.0),)), 0.0)
    (vm,) = monitor.view(0.0).vms
    assert (dict(vm.rates), vm.window_s, vm.held) == ({}, 0.0, Limits(100))


def test_a_hypervisor_that_lies() -> None:
    """Its VMs must stay as they are; when it tells what can be again, they may change."""
    monitor, _ = _seen()
    monitor.hypervisor(_hypervisor("h1", 30.0, (_cached("vm1", 1e12),)), 30.0)
    view = monitor.view(30.0)
    assert "cannot be" in view.vms[0].trouble
    assert view.remarks[0].startswith("h1 reports what cannot be: vm1: ")
    monitor.hypervisor(_hypervisor("h1", 40.0, (_cached("vm1", 1e12),)), 40.0)
    assert monitor.view(40.0).vms[0].trouble == ""


def test_an_ssd_that_grows_of_itself_is_never_believed() -> None:
    """Neither the first time nor when it is said again; as large as it was, it is."""
    monitor, _ = _seen()
    more = Limits(cache_bytes=10**6, iops=5000)
    for at in (30.0, 40.0, 50.0):
        monitor.hypervisor(_hypervisor("h1", at, (_cached("vm1", at),), supply=more), at)
        view = monitor.view(at)
        assert "has grown" in view.vms[0].trouble
        assert view.hypervisors[0].supply.cache_bytes == 1000
    monitor.hypervisor(_hypervisor("h1", 60.0, (_cached("vm1", 60.0),)), 60.0)
    assert monitor.view(60.0).vms[0].trouble == ""


def test_an_agent_that_is_not_heard() -> None:
    """Its VMs stay as they are once its last report is stale, or at once if it refuses to answer."""
    monitor, _ = _seen()
    assert monitor.view(119.0).remarks == ()
    assert "was last heard 101 s ago" in monitor.view(121.0).vms[0].trouble
    monitor.failed("h2", "does not answer")
    assert [vm.trouble for vm in monitor.view(20.0).vms if vm.hypervisor == "h2"] == ["does not answer"] * 5


def test_one_that_never_reported() -> None:
    """It is missed."""
    monitor = Monitor(window_s=60, stale_s=100)
    monitor.failed("h1", "does not answer")
    monitor.failed("vm1", "does not answer", guest=True)
    assert monitor.view(0.0).remarks == ("h1 does not answer", "vm1 does not answer")


def test_a_guest_that_lies_does_not_hold_up_the_split() -> None:
    """What counts for it is counted by the hypervisor: the VM may change, its application is not known."""
    monitor, _ = _seen()
    monitor.guest(_guest("vm3", 30.0).model_copy(update={"cpu_s": 1e6}), 30.0)
    view = monitor.view(30.0)
    (vm,) = [vm for vm in view.vms if vm.name == "vm3"]
    assert vm.trouble == ""
    assert any(remark.startswith("vm3 reports what cannot be") for remark in view.remarks)


def test_a_disk_that_does_not_answer() -> None:
    """Only its VM stays as it is."""
    monitor, _ = _seen()
    vms = (_cached("vm1", 30.0), _cached("vm2", 0.0, error="gone"))
    monitor.hypervisor(_hypervisor("h1", 30.0, vms), 30.0)
    assert [vm.trouble for vm in monitor.view(30.0).vms if vm.name in {"vm1", "vm2"}] == ["", "gone"]


def test_a_report_that_comes_twice() -> None:
    """A lagging agent's old report tells nothing of now: its VMs stay as they are, until it is up to date."""
    monitor, _ = _seen()
    vms = tuple(_cached(vm, 20.0) for vm in _ALL[:5])
    monitor.hypervisor(_hypervisor("h1", 20.0, vms), 30.0)
    assert monitor.view(30.0).vms[0].trouble == "repeats an old report"
    monitor.hypervisor(_hypervisor("h1", 40.0, vms), 40.0)
    assert monitor.view(40.0).vms[0].trouble == ""


def test_a_cap_that_does_not_hold() -> None:
    """A VM that was faster than its cap all the while is told of: accepted is not in force."""
    monitor = Monitor(window_s=60, stale_s=100)
    for at in (0.0, 10.0):
        monitor.hypervisor(
            _hypervisor("h1", at, (_cached("vm1", at, limits=Limits(cache_bytes=100, iops=50)),)), at
        )
    (remark,) = monitor.view(10.0).remarks
    assert remark == "vm1 went at 100 under a cap of 50 (iops): its back-end does not limit it"


def test_an_ssd_that_is_over_committed() -> None:
    """Somebody has given away more than there is."""
    monitor = Monitor(window_s=60, stale_s=100)
    vm = _cached("vm1", limits=Limits(cache_bytes=2000))
    monitor.hypervisor(_hypervisor("h1", 0.0, (vm,)), 0.0)
    assert "2000 B of an SSD that has 1000" in monitor.view(0.0).remarks[0]


def test_a_load_that_changes() -> None:
    """Rates are those of the new load at once."""
    monitor, _ = _seen()
    busy = _cached("vm1", 20.0, reads=2000 + 20_000, hits=1800 + 20_000, misses=200)
    monitor.hypervisor(_hypervisor("h1", 30.0, (busy,)), 30.0)
    assert monitor.view(30.0).vms[0].rates["chunks"] == pytest.approx(2000)


def test_what_a_job_cost() -> None:
    """The agent beside the ResourceManager tells of it; the caches tell what it read and missed."""
    monitor, _ = _seen()
    for at, running in ((30.0, True), (40.0, False)):
        for number in range(4):
            vms = tuple(_cached(vm, at) for vm in _ALL if figure5.hypervisor(vm) == f"h{number + 1}")
            monitor.hypervisor(_hypervisor(f"h{number + 1}", at, vms), at)
        monitor.guest(_guest("vm1", at, jobs=(JobSample(id="j", running=running, elapsed_s=at - 25),)), at)
        view = monitor.view(at)
        assert [job.id for _, job in view.jobs] == ["j"] * running
    (run,) = view.runs
    assert (run.application, run.time_s) == ("vm1", 15.0)
    assert run.misses == dict.fromkeys(figure5.names("vm1"), 100.0)


def test_a_curve_that_is_none() -> None:
    """A VM whose agent sends what is no curve has none."""
    monitor = Monitor(window_s=60, stale_s=100)
    monitor.hypervisor(_hypervisor("h1", 0.0, (_cached("vm1", curve={"sizes_bytes": [3]}),)), 0.0)
    assert monitor.view(0.0).vms[0].curve is None
