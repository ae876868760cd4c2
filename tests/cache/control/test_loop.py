"""The loop's thread, and agents behind REST."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest

from froude.base.errors import FroudeError, TargetError
from froude.cache.agents.client import AgentClient
from froude.cache.backends.order import Step
from froude.cache.control.loop import Loop, RestAgents
from froude.cache.control.rounds import Controller
from froude.cache.control.types import Outcome
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport
from froude.cache.monitor.view import Monitor
from testbed.cache_world import RandomPolicy, SimulatedAgents, SimulatedJournal, World
from tests.support.cache.agents.hypervisor import hypervisor


class Client(AgentClient):
    """An agent in this process, or one that is gone."""

    gone = False

    def hypervisor(self) -> HypervisorReport:
        """Its report."""
        if self.gone:
            raise TargetError("does not answer", file=self.url)
        return hypervisor().report()

    def apply(self, vm: str, number: int, limits: Limits) -> CachedVm:
        """A change."""
        return hypervisor().apply(vm, number, limits)


def _agents() -> RestAgents:
    there, gone = Client("http://a", "t"), Client("http://b", "t")
    gone.gone = True
    return RestAgents({"h1": there, "h2": gone})


def test_all_are_asked_and_errors_are_answers() -> None:
    """One that does not answer hides nobody."""
    agents = _agents()
    answers: Mapping[str, HypervisorReport | FroudeError] = agents.hypervisors()
    assert isinstance(answers["h1"], HypervisorReport)
    assert isinstance(answers["h2"], TargetError)
    assert agents.guests() == {}
    agents.close()


def test_an_agent_with_which_nobody_reckoned() -> None:
    """Whatever asking it raises: the others are heard."""
    agents = _agents()
    agents.of_hypervisors["h2"].hypervisor = lambda: {}["x"]  # type: ignore[method-assign,index] # as a fault would
    answers = agents.hypervisors()
    assert isinstance(answers["h1"], HypervisorReport)
    assert "h2: cannot be asked (KeyError('x'))" in str(answers["h2"])
    agents.close()


def test_changes_go_to_their_hypervisors() -> None:
    """Each with its number."""
    agents = _agents()
    step = Step("vm1", Limits(60), Limits(70))
    answer = agents.apply({"h1": (3, step)})["h1"]
    assert isinstance(answer, CachedVm)
    assert answer.limits.cache_bytes == 70
    agents.close()


def _loop(interval_s: float, **changes: object) -> tuple[Loop, World]:
    world = World(1, faults=False)
    monitor = Monitor(window_s=180, stale_s=150)
    controller = Controller(
        SimulatedAgents(world), SimulatedJournal(world), world.clock, monitor, RandomPolicy(world)
    )
    return Loop(controller, interval_s, **changes), world  # type: ignore[arg-type]


def test_rounds_by_themselves() -> None:
    """The first at once, and further ones, until the block ends."""
    loop, world = _loop(0.01)
    third = threading.Event()
    add = SimulatedJournal.add

    def count(journal: SimulatedJournal, record) -> None:  # type: ignore[no-untyped-def]
        add(journal, record)
        world.clock.sleep(60)
        if record.number >= 3:
            third.set()

    loop.controller.journal.add = lambda record: count(SimulatedJournal(world), record)  # type: ignore[method-assign]
    with loop:
        assert third.wait(30)
    ended = len(world.kept)
    assert [each.cause for each in world.kept[:2]] == ["start", "interval"]
    assert len(world.kept) == ended


def test_only_shown() -> None:
    """Where plans are not carried out, also a round that is asked for is dry."""
    loop, world = _loop(1000, apply=False)
    assert loop.round(cause="asked", dry=False).outcome is Outcome.DRY
    assert [each.outcome for each in world.kept] == [Outcome.DRY]
    shown = loop.controller.last
    assert shown is not None
    assert shown.decision.limits


def test_going_back_pauses() -> None:
    """Or the next round would undo it; a dry one does not."""
    loop, world = _loop(1000)
    first = loop.round(cause="asked", dry=False)
    world.clock.sleep(60)
    loop.round(cause="asked", dry=False)
    loop.restore(first.number, dry=True)
    assert not loop.paused
    loop.restore(first.number, dry=False)
    assert loop.paused
    with pytest.raises(KeyError):
        loop.restore(77, dry=False)


def test_a_round_that_fails_is_told() -> None:
    """And the loop goes on."""
    told: list[str] = []
    twice = threading.Event()

    def tell(text: str) -> None:
        told.append(text)
        if len(told) == 2:
            twice.set()

    loop, _ = _loop(0.01, failed=tell)

    def fails(record) -> None:  # type: ignore[no-untyped-def]
        raise TargetError("no space left", file="journal")

    loop.controller.journal.add = fails  # type: ignore[method-assign]
    with loop:
        assert twice.wait(30)
    assert told[0] == "journal: no space left"
    assert loop.failures >= 2


def test_what_is_not_as_it_should_be_is_told_once() -> None:
    """For as long as it lasts; and again when it comes again."""
    told: list[str] = []
    loop, world = _loop(1000, failed=told.append)
    for dead in (True, True, False, True):
        world.dead_until["h0"] = world.clock.now() + 30 if dead else -1.0
        loop._again()
        world.clock.sleep(60)
    assert told == ["h0 h0: does not answer"] * 2
