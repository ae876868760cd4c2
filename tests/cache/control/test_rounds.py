"""One round, by itself; faults of all kinds are in `tests/simulation/test_cache_loop.py`."""

from __future__ import annotations

from froude.base.errors import InputError, TargetError
from froude.cache.control.rounds import Controller
from froude.cache.control.types import Outcome
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import VmReport
from froude.cache.monitor.view import Monitor
from testbed.cache_world import RandomPolicy, SimulatedAgents, SimulatedJournal, World


class _Agents(SimulatedAgents):
    """With agents on VMs, too."""

    def guests(self) -> dict[str, VmReport | TargetError]:  # type: ignore[override]
        """One that answers, one that does not, one that is somebody else."""
        report = VmReport(name="h0v0", instance="1", uptime_s=1)
        return {"h0v0": report, "h0v1": TargetError("does not answer", file="h0v1"), "h0v2": report}


def _controller(world: World, agents: SimulatedAgents | None = None) -> Controller:
    monitor = Monitor(window_s=180, stale_s=150)
    return Controller(
        agents or SimulatedAgents(world), SimulatedJournal(world), world.clock, monitor, RandomPolicy(world)
    )


def test_a_round_is_written_down_twice() -> None:
    """As begun before anything is changed, and as it ended."""
    world = World(1, faults=False)
    outcomes: list[Outcome] = []
    keep = SimulatedJournal.add

    class Journal(SimulatedJournal):
        def add(self, record) -> None:  # type: ignore[no-untyped-def]
            outcomes.append(record.outcome)
            keep(self, record)

    controller = _controller(world)
    controller.journal = Journal(world)
    record = controller.round()
    assert outcomes == [Outcome.BEGUN, Outcome.APPLIED]
    assert record.after == record.decision.limits
    assert set(record.before) == {vm for disks in world.disks.values() for vm in disks}


def test_a_round_without_a_plan_is_told_of() -> None:
    """It stands in the history with the reason; nothing was changed, and the next one is made."""
    world = World(1, faults=False)
    controller = _controller(world)
    able = controller.policy

    class Unable(RandomPolicy):
        def decide(self, view, pinned):  # type: ignore[no-untyped-def]
            raise InputError("has a name twice", place="vms", found="a")

    before = world.in_force("h0")
    controller.policy = Unable(world)
    record = controller.round()
    assert (record.outcome, record.failures) == (Outcome.FAILED, ("no plan: vms: has a name twice; found a",))
    assert controller.journal.records()[-1] == controller.last == record
    assert world.in_force("h0") == before
    controller.policy = able
    assert controller.round().outcome is Outcome.APPLIED


def test_a_journal_that_cannot_be_written_stops_all() -> None:
    """Nothing is changed of which nobody would know."""
    world = World(2, faults=False)
    before = world.in_force("h0")

    class Journal(SimulatedJournal):
        def add(self, record) -> None:  # type: ignore[no-untyped-def]
            raise TargetError("no space left", file="journal")

    controller = _controller(world)
    controller.journal = Journal(world)
    for _ in range(2):
        try:
            controller.round()
        except TargetError:
            continue
        raise AssertionError
    assert world.in_force("h0") == before


def test_agents_of_vms_in_trouble() -> None:
    """They are remarked upon, and their VMs are split for all the same."""
    world = World(3, faults=False)
    controller = _controller(world, _Agents(world))
    record = controller.round()
    assert record.outcome is Outcome.APPLIED
    assert controller.view.remarks == ("h0v1 h0v1: does not answer", "h0v2 says that it is h0v0")


def test_what_a_back_end_does_not_control_stays() -> None:
    """A plan's cap for a VM that cannot be capped is left out, and the round is whole without it."""
    world = World(4, faults=False)
    true = world.hypervisors_report

    def without_caps(name: str):  # type: ignore[no-untyped-def]
        report = true(name)
        vms = tuple(vm.model_copy(update={"controls": ("cache_bytes",)}) for vm in report.vms)
        return report.model_copy(update={"vms": vms})

    world.hypervisors_report = without_caps  # type: ignore[method-assign]
    before = world.in_force("h0")
    record = _controller(world).round()
    assert record.outcome is Outcome.APPLIED
    after = world.in_force("h0")
    assert {vm: each.iops for vm, each in after.items()} == {vm: each.iops for vm, each in before.items()}
    assert after != before


def test_a_cache_of_which_nobody_knows_the_size() -> None:
    """It may take the whole SSD, so that its hypervisor stays as it is, and the other is split."""
    world = World(4, faults=False)
    true = world.hypervisors_report

    def gone(name: str):  # type: ignore[no-untyped-def]
        report = true(name)
        if name == "h1":
            return report
        first = report.vms[0].model_copy(update={"limits": Limits(), "error": "gone"})
        return report.model_copy(update={"vms": (first, *report.vms[1:])})

    world.hypervisors_report = gone  # type: ignore[method-assign]
    before = world.in_force("h0")
    record = _controller(world).round()
    assert (record.outcome, set(record.after)) == (Outcome.APPLIED, set(world.disks["h1"]))
    assert world.in_force("h0") == before


def test_nothing_to_change() -> None:
    """A plan that is in force already is kept, without a single change."""
    world = World(5, faults=False)
    controller = _controller(world)
    controller.round()
    given = world.given

    class Same(RandomPolicy):
        def decide(self, view, pinned):  # type: ignore[no-untyped-def]
            decision = super().decide(view, pinned)
            return type(decision)("same", {vm.name: vm.held for vm in view.vms})

    controller.policy = Same(world)
    assert controller.round().outcome is Outcome.KEPT
    assert world.given == given


def test_an_agent_under_another_name() -> None:
    """A report of another hypervisor is not taken for this one's."""
    world = World(6, faults=False)
    controller = _controller(world)
    true = world.report
    world.report = lambda name: true("h1")  # type: ignore[method-assign]
    record = controller.round()
    assert set(record.decision.limits) == set(world.disks["h1"])
    assert controller.view.remarks == ("h0 says that it is h1",)
    assert all(isinstance(each, Limits) for each in record.after.values())
