"""From a view to a state, and from a plan to limits."""

from __future__ import annotations

import pytest

from froude.cache.control.deciding import Assumed, Solver, Wishes
from froude.cache.curves import MissRatioCurve
from froude.cache.monitor.jobs import JobRun
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.view import HypervisorView, View, VmView
from froude.cache.solve.policies import policy

_MIB = 1 << 20
_RATES = {
    "chunks": 100.0, "reads": 90.0, "writes": 10.0, "read_bytes": 400_000.0, "write_bytes": 50_000.0,
    "cpu_s": 0.5, "wait_s": 0.25, "io_s": 0.75,
}  # fmt: skip


def _loop(size: int) -> MissRatioCurve:
    """A loop over so many bytes: nothing hits until all of it fits."""
    return MissRatioCurve((0, size), (1.0, 0.0), 1000.0)


def _vm(name: str, size: int, **changes: object) -> VmView:
    fields: dict[str, object] = {
        "hypervisor": "h1", "held": Limits(8 * _MIB), "rates": _RATES, "window_s": 60.0, "curve": _loop(size),
        "application": "a",
    }  # fmt: skip
    return VmView(name=name, **(fields | changes))  # type: ignore[arg-type] # as written above


def _view(*vms: VmView, iops: int | None = 1000) -> View:
    return View(
        (HypervisorView("h1", Limits(32 * _MIB, iops)),),
        vms,
        runs=(JobRun("a", 9.0, {"vm1": 5}, {"vm1": 2}),),
    )


def _solver(name: str = "exact", **changes: object) -> Solver:
    return Solver(policy=policy(name), **changes)  # type: ignore[arg-type] # its own fields


def test_what_a_solver_is_told() -> None:
    """Rates, times over the window, and what the user wants."""
    wishes = {"vm1": Wishes(application="b", importance=3, floor_bytes=_MIB, ceiling_iops=70)}
    solver = _solver(wishes=wishes, assumed=Assumed(master_importance=4))
    state = solver.state(_view(_vm("vm1", 9), _vm("vm2", 9, master=True)), {})
    first, second = state.vms
    assert (first.application, first.importance, first.floor_bytes, first.ceiling_iops) == ("b", 3, _MIB, 70)
    assert (second.application, second.importance) == ("a", 4)
    assert (first.reads_per_s, first.iops, first.disk_bytes_per_s, first.cpu_s, first.io_s) == (
        100,
        100,
        450_000,
        30,
        15,
    )
    assert first.size_bytes == 8 * _MIB
    assert {each.name: len(each.runs) for each in state.applications} == {"b": 0, "a": 1}


def test_runs_of_an_application_that_the_user_has_named() -> None:
    """The monitor calls it otherwise; its job times belong to it all the same."""
    wishes = {"vm1": Wishes(application="orders"), "vm2": Wishes(application="orders")}
    state = _solver(wishes=wishes).state(_view(_vm("vm1", 9), _vm("vm2", 9)), {})
    assert [(each.name, len(each.runs)) for each in state.applications] == [("orders", 1)]


def test_what_wears_the_ssd() -> None:
    """What writes put into the cache: not what a VM writes past it, and not what its misses bring in."""
    rates = {**_RATES, "misses": 2.0, "ssd_written_bytes": 5 * 65536.0, "write_bytes": 1e9}
    state = _solver().state(_view(_vm("vm1", 9, rates=rates, chunk_bytes=65536)), {})
    assert state.vms[0].writes_bytes_per_s == 3 * 65536


def test_a_cap_that_nobody_splits_stays() -> None:
    """Somebody has set it by hand."""
    view = _view(_vm("vm1", 9, held=Limits(8 * _MIB, 70)), iops=None)
    assert _solver().decide(view, {}).limits["vm1"].iops == 70


def test_without_an_agent_on_the_vm() -> None:
    """Waiting for disks is what its cache counted."""
    rates = {name: value for name, value in _RATES.items() if name not in {"cpu_s", "wait_s"}}
    (vm,) = _solver().state(_view(_vm("vm1", 9, rates=rates)), {}).vms
    assert (vm.cpu_s, vm.io_s) == (0, 45)


def test_before_any_rate_is_known() -> None:
    """A plan can be made all the same."""
    decision = _solver().decide(_view(_vm("vm1", 9, rates={}, window_s=0.0, curve=None)), {})
    assert set(decision.limits) == {"vm1"}


def test_pinned_vms_keep_their_part() -> None:
    """The rest of the SSD is split among the others."""
    view = _view(_vm("vm1", 20 * _MIB), _vm("vm2", 20 * _MIB), _vm("vm3", 9, held=Limits(30 * _MIB, 400)))
    decision = _solver().decide(view, {"vm3": Limits(30 * _MIB, 400)})
    assert set(decision.limits) == {"vm1", "vm2"}
    assert sum(each.cache_bytes or 0 for each in decision.limits.values()) <= 2 * _MIB
    assert sum(each.iops or 0 for each in decision.limits.values()) <= 600


def test_a_vm_without_a_cache_gets_no_space() -> None:
    """None is planned for it, whatever its file wants, so that the others have all of it."""
    without = _vm("vm2", 9, held=Limits(None, 400), controls=frozenset({"iops"}), curve=None)
    solver = _solver("equal", wishes={"vm2": Wishes(floor_bytes=_MIB)})
    decision = solver.decide(_view(_vm("vm1", 40 * _MIB), without), {})
    assert decision.limits["vm1"].cache_bytes == 32 * _MIB
    assert decision.limits["vm2"].cache_bytes == 0


def test_a_plan_as_limits() -> None:
    """Each with its reason; what was expected of it and of now; a bandwidth that is capped stays so."""
    view = _view(_vm("vm1", 20 * _MIB, held=Limits(8 * _MIB, None, 77)), _vm("vm2", 40 * _MIB))
    decision = _solver().decide(view, {})
    assert decision.limits["vm1"].cache_bytes is not None
    assert decision.limits["vm1"].cache_bytes >= 20 * _MIB
    assert decision.limits["vm1"].bytes_per_s == 77
    assert set(decision.reasons) == {"vm1", "vm2"}
    assert decision.expected["misses_per_s"] < decision.expected["misses_now_per_s"]


def test_an_ssd_whose_requests_are_not_counted() -> None:
    """Then nobody is capped."""
    decision = _solver().decide(_view(_vm("vm1", 9), iops=None), {})
    assert decision.limits["vm1"].iops is None


def test_caps_that_hardly_change_stay() -> None:
    """Unless a size changes with them, or one of them by more than a tenth."""
    plan = _solver("equal").decide(_view(_vm("vm1", 9), _vm("vm2", 9)), {}).limits

    def again(**factors: float) -> dict[str, Limits]:
        held = {
            vm: Limits(each.cache_bytes, round((each.iops or 0) * factors[vm])) for vm, each in plan.items()
        }
        view = _view(*(_vm(vm, 9, held=each) for vm, each in held.items()))
        decided = _solver("equal").decide(view, {}).limits
        return {vm: each for vm, each in decided.items() if each != held[vm]}

    assert again(vm1=0.92, vm2=1.0) == {}
    assert set(again(vm1=1.05, vm2=1.05)) == {"vm1", "vm2"}  # more than the SSD has
    assert again(vm1=0.8, vm2=1.0) == {"vm1": plan["vm1"]}


def test_what_if() -> None:
    """Twice the SSD fits both loops; half of it neither; under another policy all are alike."""
    view = _view(_vm("vm1", 30 * _MIB), _vm("vm2", 30 * _MIB))
    misses = [_solver().what_if(view, factor=factor).expected["misses_per_s"] for factor in (0.5, 1.0, 2.0)]
    assert misses == pytest.approx([200, 100, 0])
    equal = _solver().what_if(view, factor=1.0, policy=policy("equal"))
    assert {each.cache_bytes for each in equal.limits.values()} == {16 * _MIB}
