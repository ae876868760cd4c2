"""Start rules: fork, join, after, delay, spacing."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.emulation.controller import Controller, Group
from froude.emulation.programs.events import NodeId
from froude.workload.types import Moment, StartRule


def due(controller: Controller, now_s: float) -> list[tuple[str, int, float]]:
    """What begins, as plain tuples."""
    return [(node.type, node.number, round(at, 6)) for node, at in controller.due(now_s)]


def test_nodes_begin_one_spacing_apart() -> None:
    """Delay to the first, spacing between; a speed of two halves both."""
    controller = Controller([Group("a", 3, StartRule(delay_s=1.0, spacing_s=0.5))], speed=2)
    controller.begin(10.0)
    assert due(controller, 10.4) == []
    assert controller.next_s == 10.5
    assert due(controller, 11.1) == [("a", 0, 10.5), ("a", 1, 10.75), ("a", 2, 11.0)]
    assert controller.next_s is None


def test_join_waits_for_all_and_fork_for_the_first() -> None:
    """A join begins after the last of the awaited nodes, a fork after the first."""
    join = StartRule("a", Moment.FINISHED, every=True, delay_s=0.5)
    fork = StartRule("a", Moment.STARTED, every=False)
    controller = Controller([Group("a", 2, StartRule()), Group("join", 1, join), Group("fork", 1, fork)])
    controller.begin(0.0)
    assert due(controller, 0.0) == [("a", 0, 0.0), ("a", 1, 0.0)]
    controller.reached(NodeId("a", 1), Moment.STARTED, 1.0)
    assert due(controller, 1.0) == [("fork", 0, 1.0)]
    controller.reached(NodeId("a", 0), Moment.FINISHED, 2.0)
    assert due(controller, 9.0) == []
    controller.reached(NodeId("a", 1), Moment.FINISHED, 3.0)
    assert due(controller, 9.0) == [("join", 0, 3.5)]


def test_a_play_is_over_when_finite_nodes_have_finished() -> None:
    """Endless nodes do not keep a play alive, and alone never end it."""
    controller = Controller([Group("dn", 5, StartRule(), endless=True), Group("c", 1, StartRule())])
    controller.begin(0.0)
    assert controller.finite
    assert not controller.done
    controller.reached(NodeId("c", 0), Moment.FINISHED, 1.0)
    assert controller.done
    assert not Controller([Group("dn", 5, StartRule(), endless=True)]).finite


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([Group("a", 1, StartRule("x"))], "unknown node type"),
        ([Group("a", 1, StartRule("b")), Group("b", 1, StartRule("a"))], "wait for each other"),
        ([Group("a", 1, StartRule("d")), Group("d", 1, StartRule(), endless=True)], "never end"),
    ],
)
def test_impossible_rules_are_refused(groups: list[Group], message: str) -> None:
    """A rule that could never be met is an error before the play, not a play that hangs."""
    with pytest.raises(InputError, match=message):
        Controller(groups)


def test_a_ramp_lasts_until_every_endless_node_has_started() -> None:
    """One that ended before it could start counts as well; nodes that end by themselves are no ramp."""
    controller = Controller([Group("dn", 2, StartRule(), endless=True), Group("c", 1, StartRule())])
    controller.begin(0.0)
    controller.reached(NodeId("c", 0), Moment.STARTED, 0.5)
    assert controller.ramping
    controller.reached(NodeId("dn", 0), Moment.STARTED, 1.0)
    controller.reached(NodeId("dn", 0), Moment.FINISHED, 1.0)
    assert controller.ramping
    controller.reached(NodeId("dn", 1), Moment.FINISHED, 2.0)
    assert not controller.ramping
    assert not Controller([Group("c", 1, StartRule())]).ramping
