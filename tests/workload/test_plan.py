"""How many calls a plan makes, how fast, and whether it may be played."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.workload.plan import Plan, Refusal, expected_s, one_at_a_time, pace
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Moment,
    NodeType,
    Periodic,
    Recorded,
    Repeat,
    StartRule,
    Step,
    Timing,
    Workload,
)

SCALE = Scale.of(n=4)
NO_TIME = Count(0)


def call(think: Count = NO_TIME, service: Count | None = None) -> CallTemplate:
    """A call with these times."""
    return CallTemplate("c", "p", "create", {}, Timing(think, service=service))


def node(*steps: Step, name: str = "client", every_s: tuple[float, ...] = ()) -> NodeType:
    """A node type of these steps and periods."""
    beats = tuple(Periodic(call(), period_s) for period_s in every_s)
    return NodeType(name, Count(1), steps, beats)


def planned(*node_types: NodeType, refusals: tuple[Refusal, ...] = (), **counts: int) -> Plan:
    """A plan of so many nodes of each type."""
    return Plan(Workload(node_types, Recorded((), ())), SCALE, counts, refusals)


def test_a_service_time_that_was_not_recorded_is_none() -> None:
    """Only the think time counts then."""
    assert pace(node(call(Count(2))), SCALE) == (1, 2)


def test_pace_counts_calls_and_seconds_through_loops() -> None:
    """One call of 3 s, then four times (two of 1 s, and twice one of 0.5 s)."""
    inner = Repeat("L2", Count(2), (call(Count(0.25), Count(0.25)),))
    outer = Repeat("L1", Count(0, {"n": 1}), (call(Count(1)), call(service=Count(1)), inner))
    assert pace(node(call(Count(1), Count(2)), outer), SCALE) == (1 + 4 * (2 + 2), 3 + 4 * (2 + 1))


CALLS = st.builds(call, st.integers(0, 9).map(Count), st.none() | st.integers(0, 9).map(Count))
STEPS = st.recursive(
    CALLS,
    lambda steps: st.builds(Repeat, st.just("L"), st.integers(0, 3).map(Count), st.tuples(steps, steps)),
)


@given(STEPS, STEPS, st.integers(0, 5))
def test_pace_is_additive_and_loops_multiply_it(first: Step, second: Step, times: int) -> None:
    """Whatever the steps are."""
    (calls, seconds), (more, longer) = pace(node(first), SCALE), pace(node(second), SCALE)
    assert pace(node(first, second), SCALE) == (calls + more, seconds + longer)
    assert pace(node(Repeat("L0", Count(times), (first,))), SCALE) == (times * calls, times * seconds)


@pytest.mark.parametrize(("fatal", "playable"), [((), True), ((False, False), True), ((False, True), False)])
def test_one_fatal_refusal_is_enough(fatal: tuple[bool, ...], playable: bool) -> None:
    """Others are warnings."""
    refusals = tuple(Refusal("what", fatal=each) for each in fatal)
    assert planned(refusals=refusals).playable is playable


def test_a_refusal_is_fatal_unless_it_says_otherwise() -> None:
    """What nobody thought about stops a play."""
    assert not planned(refusals=(Refusal("what"),)).playable


def test_how_long_a_play_takes() -> None:
    """The ramp, then one type after the other; DataNodes alone never end."""
    datanodes = replace(node(name="datanode"), program="datanode")
    first = node(Repeat("L1", Count(10), (call(Count(0.2), Count(0.1)),)))
    after = replace(first, name="after", start=StartRule("client", delay_s=1.0, spacing_s=0.5))
    plan = planned(datanodes, first, after, datanode=200, client=3, after=5)
    assert expected_s(plan, ramp_per_s=100) == pytest.approx(2.0 + 3.0 + (1.0 + 0.5 * 4 + 3.0))
    assert expected_s(plan, ramp_per_s=100, speed=2) == pytest.approx(2.0 + 1.5 + 3.0)
    assert expected_s(planned(datanodes, datanode=3)) is None
    assert expected_s(planned(first, client=1)) == pytest.approx(3.0)
    circle = replace(first, start=StartRule("client"))
    assert expected_s(planned(circle, client=1)) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("moment", "every", "begins_s"),
    [
        (Moment.STARTED, False, 0.0),
        (Moment.STARTED, True, 2 * (3.0 + 1.0)),
        (Moment.FINISHED, False, 3.0),
        (Moment.FINISHED, True, 3 * 3.0 + 2 * 1.0),
    ],
)
def test_what_waits_for_a_moment_begins_then(moment: Moment, begins_s: float, *, every: bool) -> None:
    """Not when all has ended that it waited for: of a chain of processes each would be counted again and again."""
    first = replace(node(call(Count(3))), start=StartRule(pause_s=1.0))
    chain = [
        replace(first, name=f"shell-{at}", start=StartRule(after, moment, every, delay_s=5.0, pause_s=1.0))
        for at, after in enumerate(("client", "shell-0", "shell-1"))
    ]
    plan = planned(first, *chain, **dict.fromkeys(("client", "shell-0", "shell-1", "shell-2"), 3))
    assert expected_s(plan) == pytest.approx(3 * (begins_s + 5.0) + 11.0)


def test_what_waits_for_daemons_begins_when_all_are_there() -> None:
    """Or with the first of them."""
    daemons = replace(node(name="datanode"), program="datanode")
    for every, begins_s in ((True, 2.0), (False, 0.0)):
        rule = StartRule("datanode", Moment.STARTED, every, delay_s=1.0)
        client = replace(node(call(Count(3))), start=rule)
        plan = planned(daemons, client, datanode=200, client=1)
        assert expected_s(plan, ramp_per_s=100) == pytest.approx(begins_s + 4.0)


def test_nodes_in_turn_take_as_long_as_all_of_them_together() -> None:
    """And the pauses between them; one of them is at work at a time."""
    files = Repeat("L1", Count(1, {"node": 1}), (call(Count(0.5)),))
    shell = replace(node(files), start=StartRule(pause_s=2.0))
    plan = planned(shell, client=4)
    assert expected_s(plan) == pytest.approx((1 + 2 + 3 + 4) * 0.5 + 3 * 2.0)
    assert expected_s(plan, speed=2) == pytest.approx((5.0 + 6.0) / 2)


def test_nodes_beside_each_other_take_no_longer_for_being_more() -> None:
    """Until there are more than begin in that time."""
    beside = replace(node(call(Count(3))), start=StartRule(spacing_s=0.5, within_s=1.0))
    assert [expected_s(planned(beside, client=n)) for n in (2, 3, 500)] == pytest.approx([3.5, 4.0, 4.0])
    assert expected_s(planned(beside, client=501), ramp_per_s=100) == pytest.approx(8.0)
    assert expected_s(planned(beside, client=501), ramp_per_s=100, speed=2) == pytest.approx(6.5)


def test_commands_of_a_script_take_as_long_as_all_of_them() -> None:
    """One of them is at work at a time, whichever type it is of."""
    put = replace(node(call(Count(2)), name="put"), start=StartRule(pause_s=0.5, follows="mv", offset=-1))
    mv = replace(node(call(Count(1)), name="mv"), start=StartRule(pause_s=0.5, follows="put"))
    plan = planned(put, mv, put=4, mv=4)
    assert all(one_at_a_time(each, plan.workload) for each in (put, mv))
    assert expected_s(plan) == pytest.approx(4 * (2 + 1) + 3 * 0.5 + 3 * 0.5)


def test_scripts_side_by_side_take_no_longer_for_being_more() -> None:
    """Each has its commands in turn; the scripts are at work together."""
    put = replace(node(call(Count(2)), name="put"), start=StartRule(spacing_s=0.5, within_s=1.0))
    mv = replace(node(call(Count(1)), name="mv"), start=StartRule(pause_s=0.5, follows="put"))
    plan = planned(put, mv, put=100, mv=100)
    assert not any(one_at_a_time(each, plan.workload) for each in (put, mv))
    assert expected_s(plan) == pytest.approx(1.0 + 2 + 0.5 + 1)


def test_what_waits_for_the_first_command_of_scripts_does_not_wait_for_the_others() -> None:
    """It begins when one of them has ended, whatever else the scripts still do."""
    put = replace(node(call(Count(2)), name="put"), start=StartRule(spacing_s=0.5, within_s=1.0))
    mv = replace(node(call(Count(1)), name="mv"), start=StartRule(pause_s=0.5, follows="put"))
    look = replace(node(call(Count(10)), name="look"), start=StartRule("put", Moment.FINISHED, every=False))
    assert expected_s(planned(put, mv, look, put=3, mv=3, look=1)) == pytest.approx(2.0 + 10.0)
    look = replace(look, start=StartRule("put", Moment.FINISHED, every=True))
    assert expected_s(planned(put, mv, look, put=3, mv=3, look=1)) == pytest.approx(1.0 + 2 + 1.5 + 10)
