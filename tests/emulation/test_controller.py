"""Start rules: fork, join, after, delay, spacing, in turn."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.events import Events
from froude.emulation.controller import Controller, Group
from froude.emulation.programs.events import NodeId
from froude.workload.types import Moment, StartRule


class Starts(list[tuple[NodeId, float]]):
    """The nodes that a controller has started and nobody took yet, with the time at which they were to begin."""

    def __init__(self, controller: Controller, now_s: float) -> None:
        """The play begins."""
        self.controller = controller
        controller.begin(now_s, lambda node, at_s, _: self.append((node, at_s)))

    def due(self, now_s: float) -> list[tuple[NodeId, float]]:
        """What begins until a time."""
        self.controller.starts.catch_up(now_s)
        nodes = list(self)
        self.clear()
        return nodes

    def plain(self, now_s: float) -> list[tuple[str, int, float]]:
        """The same as plain tuples."""
        return [(node.type, node.number, round(at_s, 6)) for node, at_s in self.due(now_s)]


def test_nodes_begin_one_spacing_apart() -> None:
    """Delay to the first, spacing between; a speed of two halves both."""
    controller = Controller([Group("a", 3, StartRule(delay_s=1.0, spacing_s=0.5))], speed=2)
    starts = Starts(controller, 10.0)
    assert starts.plain(10.4) == []
    assert controller.starts.next_s == 10.5
    assert starts.plain(11.1) == [("a", 0, 10.5), ("a", 1, 10.75), ("a", 2, 11.0)]
    assert controller.starts.next_s == math.inf


def test_join_waits_for_all_and_fork_for_the_first() -> None:
    """A join begins after the last of the awaited nodes, a fork after the first."""
    join = StartRule("a", Moment.FINISHED, every=True, delay_s=0.5)
    fork = StartRule("a", Moment.STARTED, every=False)
    controller = Controller([Group("a", 2, StartRule()), Group("join", 1, join), Group("fork", 1, fork)])
    starts = Starts(controller, 0.0)
    assert starts.plain(0.0) == [("a", 0, 0.0), ("a", 1, 0.0)]
    controller.reached(NodeId("a", 1), Moment.STARTED, 1.0)
    assert starts.plain(1.0) == [("fork", 0, 1.0)]
    controller.reached(NodeId("a", 0), Moment.FINISHED, 2.0)
    assert starts.plain(9.0) == []
    controller.reached(NodeId("a", 1), Moment.FINISHED, 3.0)
    assert starts.plain(9.0) == [("join", 0, 3.5)]


@pytest.mark.parametrize("rule", [StartRule("a", every=False, nth=2), StartRule("a", every=False, share=0.5)])
def test_some_are_waited_for(rule: StartRule) -> None:
    """The second of four, or half of them."""
    controller = Controller([Group("a", 4, StartRule()), Group("b", 1, rule)])
    starts = Starts(controller, 0.0)
    assert len(starts.plain(0.0)) == 4
    controller.reached(NodeId("a", 3), Moment.FINISHED, 1.0)
    assert starts.plain(1.0) == []
    controller.reached(NodeId("a", 0), Moment.FINISHED, 2.0)
    assert starts.plain(2.0) == [("b", 0, 2.0)]


def test_a_play_is_over_when_finite_nodes_have_finished() -> None:
    """Endless nodes do not keep a play alive, and alone never end it."""
    controller = Controller([Group("dn", 5, StartRule(), endless=True), Group("c", 1, StartRule())])
    Starts(controller, 0.0)
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
    Starts(controller, 0.0)
    controller.reached(NodeId("c", 0), Moment.STARTED, 0.5)
    assert controller.ramping
    controller.reached(NodeId("dn", 0), Moment.STARTED, 1.0)
    controller.reached(NodeId("dn", 0), Moment.FINISHED, 1.0)
    assert controller.ramping
    controller.reached(NodeId("dn", 1), Moment.FINISHED, 2.0)
    assert not controller.ramping
    assert not Controller([Group("c", 1, StartRule())]).ramping


@given(st.lists(st.floats(0.01, 9), min_size=1, max_size=8), st.booleans(), st.sampled_from([1.0, 4.0]))
def test_nodes_in_turn_are_never_two_at_work(lasts_s: list[float], scheduled: bool, speed: float) -> None:
    """Whatever each takes, each begins when the one before has ended and a pause is over, or was planned to be."""
    planned_s = {Moment.FINISHED: 2.0 / speed} if scheduled else {}
    group = Group("a", len(lasts_s), StartRule(delay_s=1.0, spacing_s=9.0, pause_s=0.5), planned_s=planned_s)
    controller = Controller([group], speed=speed)
    starts = Starts(controller, 0.0)
    ended_s, begun = -0.5 / speed + 1.0 / speed, []
    while not controller.done:
        now_s = max(ended_s, controller.starts.next_s)
        ((node, intended_s),) = starts.due(now_s)
        plan_s = (1.0 + 2.5 * node.number) / speed
        assert intended_s == pytest.approx(plan_s if scheduled else ended_s + 0.5 / speed)
        assert controller.starts.next_s == math.inf
        begun.append(node.number)
        ended_s = now_s + lasts_s[node.number]
        controller.reached(node, Moment.STARTED, ended_s)
        controller.reached(node, Moment.FINISHED, ended_s)
    assert begun == list(range(len(lasts_s)))


def test_what_waits_for_all_of_those_in_turn_is_planned_after_the_last() -> None:
    """As a schedule has it, however late the last ends."""
    turn = Group("a", 3, StartRule(pause_s=0.5), planned_s={Moment.FINISHED: 2.0})
    controller = Controller([turn, Group("join", 1, StartRule("a", delay_s=0.25))])
    starts = Starts(controller, 0.0)
    for number, now_s in enumerate((2.0, 4.5, 9.0)):
        assert starts.plain(now_s)[0][:2] == ("a", number)
        controller.reached(NodeId("a", number), Moment.FINISHED, now_s)
    assert starts.plain(9.0) == [("join", 0, 7.25)]


@given(st.integers(2, 40), st.floats(0, 1), st.floats(0, 1), st.floats(1.5, 9))
def test_nodes_beside_each_other_are_all_at_work_at_once(
    nodes: int, spacing_s: float, within_s: float, lasts_s: float
) -> None:
    """As many as there are, where each takes longer than all of them took to start when they were recorded."""
    rule = StartRule(spacing_s=spacing_s, within_s=within_s)
    controller = Controller([Group("a", nodes, StartRule(spacing_s=rule.apart_s(nodes)))])
    starts = Starts(controller, 0.0)
    ends, working, most = Events(), set[NodeId](), 0

    def end(node: NodeId) -> None:
        working.remove(node)
        controller.reached(node, Moment.FINISHED, ends.now)

    while not controller.done:
        now_s = min(ends.next_s, controller.starts.next_s)
        for node, _ in starts.due(now_s):
            working.add(node)
            ends.schedule(now_s + lasts_s, end, node)
        most = max(most, len(working))
        ends.run(now_s)
    assert most == nodes


@given(st.integers(1, 6), st.integers(0, 6), st.integers(-1, 1))
def test_nodes_in_turn_with_another_type_all_begin(firsts: int, seconds: int, offset: int) -> None:
    """Each after the node of that number there; one without such a node after the one before of its own type."""
    lead = Group("lead", firsts, StartRule(spacing_s=1.0))
    group = Group("next", seconds, StartRule(delay_s=0.25, pause_s=0.5, follows="lead", offset=offset))
    controller = Controller([lead, group])
    starts = Starts(controller, 0.0)
    now_s, ended_s, begun = 0.0, dict[NodeId, float](), dict[NodeId, float]()
    while not controller.done:
        now_s = max(now_s, controller.starts.next_s)
        for node, at_s in starts.due(now_s):
            assert node not in begun
            begun[node] = at_s
            now_s += 2.0
            ended_s[node] = now_s
            controller.reached(node, Moment.FINISHED, now_s)
    assert len(begun) == firsts + seconds
    for number in range(seconds):
        if 0 <= number + offset < firsts:
            waited = ended_s[NodeId("lead", number + offset)]
        elif number:
            waited = ended_s[NodeId("next", number - 1)]
        else:
            continue
        assert begun[NodeId("next", number)] == pytest.approx(waited + 0.5)


def test_nobody_can_be_in_turn_with_nodes_that_never_end() -> None:
    """An error before the play, not a play that hangs."""
    rule = StartRule(pause_s=0.5, follows="dn")
    with pytest.raises(InputError, match="in turn"):
        Controller([Group("a", 2, rule), Group("dn", 2, StartRule(), endless=True)])
    with pytest.raises(InputError, match="in turn"):
        Controller([Group("a", 2, rule)])


def client_group(count: int, **options: object) -> Group:
    """Clients under sustained load, that begin together."""
    return Group("client", count, StartRule(), sustained=True, **options)  # type: ignore[arg-type]


@given(st.integers(1, 5), st.lists(st.integers(0, 4), max_size=40))
def test_a_population_stays_as_large_as_planned(count: int, ends: list[int]) -> None:
    """Whoever ends is followed at once by one with the next number; the play does not end by itself."""
    controller = Controller([client_group(count)])
    starts, begun, at_work, now_s = Starts(controller, 0.0), 0, list[NodeId](), 0.0
    for place in [*ends, 0]:
        for node, at_s in starts.due(now_s):
            assert (node.number, at_s) == (begun, now_s)
            begun += 1
            at_work.append(node)
        assert len(at_work) == count
        assert not controller.done
        now_s += 1.0
        controller.reached(at_work.pop(place % count), Moment.FINISHED, now_s)


def test_a_client_is_a_node_of_each_type_of_its_chain() -> None:
    """The next client begins when the last node of one has ended, and `mv` waits for the `put` of its own number."""
    move = StartRule("put", every=False, pause_s=0.5, follows="put")
    groups = [
        Group("put", 2, StartRule(spacing_s=1.0), sustained=True),
        Group("mv", 2, move, sustained=True),
    ]
    controller = Controller(groups)
    starts = Starts(controller, 0.0)
    assert starts.plain(1.0) == [("put", 0, 0.0), ("put", 1, 1.0)]
    controller.reached(NodeId("put", 1), Moment.FINISHED, 3.0)
    assert starts.plain(9.0) == [("mv", 1, 3.5)]
    controller.reached(NodeId("mv", 1), Moment.FINISHED, 9.0)
    assert starts.plain(9.0) == [("put", 2, 9.0)]
    controller.reached(NodeId("put", 2), Moment.FINISHED, 10.0)
    assert starts.plain(11.0) == [("mv", 2, 10.5)]


def test_clients_arrive_whatever_those_before_do() -> None:
    """Each a drawn time after the one before, beyond the planned number too."""
    gaps = iter([0.5, 1.0, 0.25, 100.0])
    controller = Controller([client_group(1, gap_s=lambda: next(gaps))], speed=10)
    starts = Starts(controller, 1.0)
    assert starts.plain(9.0) == [
        ("client", 0, 1.0),
        ("client", 1, 1.5),
        ("client", 2, 2.5),
        ("client", 3, 2.75),
    ]
    controller.reached(NodeId("client", 0), Moment.FINISHED, 9.0)
    assert starts.plain(50.0) == []
