"""When periodic calls are due."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.seeds import Seeds
from froude.emulation.programs.beats import Beats, on_grid
from froude.emulation.programs.events import Failed, Note, Started, Timer, WakeAt
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.hadoop.release.distribution import Hadoop
from froude.workload.plan import Plan
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, Constant, Counter, NodeType, Periodic, Template, Which
from testbed.plans import call_template, plan
from tests.support.emulation.programs.scripted import SETTINGS, Stage, adding, alone, sent


def periodic(
    name: str, every_s: float = 30.0, jitter_s: float = 0.0, opens: str = "", closes: str = ""
) -> Periodic:
    """A call that is made every so often."""
    call = CallTemplate(name, "p", "m", {})
    return Periodic(call, every_s, jitter_s, tuple(opens.split()), tuple(closes.split()))


@given(st.floats(0, 1e6))
def test_heartbeats_of_one_moment_fall_together(time_s: float) -> None:
    """Soon after they are due, and never before."""
    assert time_s - 1e-6 <= on_grid(time_s) <= time_s + 0.02 + 1e-6
    assert on_grid(round(time_s) + 0.001) == on_grid(round(time_s) + 0.019)


def test_calls_that_nothing_opens_begin_with_the_node() -> None:
    """And go on while it has steps left."""
    beats = Beats([periodic("beat"), periodic("lease", opens="create", closes="complete")])
    assert beats.from_start() == [0]
    assert beats.next_s(0, 5.0, random.Random(1)) == 35.0
    assert not beats.is_over(0, at_work=True)
    assert beats.is_over(0, at_work=False)


def test_a_call_begins_with_what_opens_and_ends_with_what_closes() -> None:
    """Whether the node is at work or not; a second opening plans no second beat."""
    beats = Beats([periodic("lease", opens="create append", closes="complete")])
    assert beats.reached("mkdirs") == []
    assert beats.is_over(0, at_work=True)
    assert beats.reached("create") == [0]
    beats.next_s(0, 0.0, random.Random(1))
    assert beats.reached("append") == []
    beats.reached("complete")
    assert not beats.is_over(0, at_work=False)
    beats.reached("complete")
    assert beats.is_over(0, at_work=True)
    assert beats.reached("create") == [0]


@given(st.lists(st.sampled_from(["create", "complete"]), max_size=12))
def test_something_is_open_as_often_as_it_was_opened_more_than_closed(called: Sequence[str]) -> None:
    """What was closed without being open counts for nothing."""
    beats, opened = Beats([periodic("lease", opens="create", closes="complete")]), 0
    for call in called:
        beats.reached(call)
        opened = opened + 1 if call == "create" else max(0, opened - 1)
    assert beats.is_over(0, at_work=True) is (opened == 0)


@given(st.floats(0.001, 60), st.floats(0, 60), st.integers(0, 99))
def test_a_beat_is_later_than_the_one_before(every_s: float, jitter_s: float, seed: int) -> None:
    """By its period, give or take its jitter."""
    beats = Beats([periodic("beat", every_s, jitter_s)])
    after_s = beats.next_s(0, 100.0, random.Random(seed)) - 100.0
    assert after_s > 0
    assert after_s == pytest.approx(every_s, abs=jitter_s + 0.002)


def test_beats_are_counted_each_in_a_loop_of_its_own() -> None:
    """A beat that was not made does not count."""
    beats = Beats([periodic("client.p1"), periodic("client.p2")])
    beats.sent(0)
    beats.sent(0)
    assert beats.place(0).loops == {"client.p1": 2}
    assert beats.place(1).loops == {"client.p2": 0}


# --- of a play -------------------------------------------------------------------------------------------------


@pytest.fixture
def population(hadoop: Hadoop) -> Population:
    """Clients that write to DataNodes."""
    return populate(plan(datanodes=2, clients=2, files=1), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS)


def test_the_lease_is_renewed_only_while_a_file_is_open(population: Population) -> None:
    """RenewLease begins with create, goes on while complete is refused, and stops once it is granted."""
    stage = Stage(population)
    said = stage.created()
    token = next(e.token for e in said if isinstance(e, WakeAt) and e.time_s > 20)
    assert sent(stage.tell(Timer(token, 30.0))).method == "renewLease"
    said = stage.ring(said)
    for number in (71, 72):
        said = stage.ring(stage.answer(said, stage.block(number)))
    refused = stage.answer(said, lambda response: setattr(response, "result", False))
    assert sent(stage.tell(Timer(token, 60.0))).method == "renewLease"
    stage.answer(stage.ring(refused, token=1), lambda response: setattr(response, "result", True))
    assert stage.tell(Timer(token, 90.0)) == []


def test_periodic_calls_count_their_own_beats(hadoop: Hadoop) -> None:
    """A periodic call's rules see its number, and the answer of the beat before."""
    planned = plan(datanodes=0, clients=1)
    src = Template(("/beat", Counter(0, {"client.beat": 1})))
    beat = Periodic(call_template("beat", "getFileInfo", {"src": src}), 1.0)
    client = NodeType(
        "client", Count(1), (call_template("a", "getFileInfo", {"src": Constant("/a")}),), periodic=(beat,)
    )
    workload = replace(planned.workload, node_types=(client,))
    population = populate(
        Plan(workload, planned.scale, {"client": 1}), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS
    )
    stage = Stage(population)
    stage.tell(Started(0.0))
    paths = [stage.request(stage.tell(Timer(1 << 20, float(n)))).src for n in range(1, 4)]
    assert paths == ["/beat0", "/beat1", "/beat2"]


def test_a_periodic_call_that_fell_behind_makes_up_for_one_beat_only(hadoop: Hadoop) -> None:
    """Ten beats late, the next one is due at once, and the one after that a period later: no burst."""
    planned = plan(datanodes=0, clients=1)
    beat = Periodic(call_template("beat", "getFileInfo", {"src": Constant("/a")}), 1.0)
    client = NodeType(
        "client", Count(1), (call_template("a", "getFileInfo", {"src": Constant("/a")}),), periodic=(beat,)
    )
    workload = replace(planned.workload, node_types=(client,))
    population = populate(
        Plan(workload, planned.scale, {"client": 1}), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS
    )
    stage = Stage(population)
    stage.tell(Started(0.0))
    stage.now_s = 11.0
    said = stage.tell(Timer(1 << 20, 1.0))
    assert [e.time_s for e in said if isinstance(e, WakeAt)] == [11.0]
    stage.now_s = 5.2
    said = stage.tell(Timer(1 << 20, 5.0))
    assert [e.time_s for e in said if isinstance(e, WakeAt)] == [6.0]


def test_answers_of_periodic_calls_stand_at_their_own_beats(hadoop: Hadoop) -> None:
    """Also where one overtakes another; an error is an answer without values."""
    beat = Periodic(adding("beat", "client.beat", Which.PREVIOUS), 1.0)
    stage = alone(hadoop, NodeType("client", Count(1), (adding("a"),), (beat,)))
    stage.tell(Started(0.0))
    first, second = (stage.tell(Timer(1 << 20, at_s)) for at_s in (1.0, 2.0))
    stage.answer(second, stage.block(71))
    stage.answer(first, stage.block(70))
    third = stage.tell(Timer(1 << 20, 3.0))
    assert stage.request(third).fileId == 71
    stage.tell(Failed(sent(third).token, "java.io.IOException", "no"))
    fourth = stage.tell(Timer(1 << 20, 4.0))
    assert stage.request(fourth).fileId == 0
    assert [each for each in fourth if isinstance(each, Note)] == []


def test_a_fixed_delay_counts_from_the_answer(hadoop: Hadoop) -> None:
    """However long it takes, and also where it is an error; before it no next beat is due."""
    beat = Periodic(adding("beat", "client.beat", Which.PREVIOUS), 1.0, pause_s=0.9)
    stage = alone(hadoop, NodeType("client", Count(1), (adding("a"),), (beat,)))
    first = next(e for e in stage.tell(Started(0.0)) if isinstance(e, WakeAt) and e.token == 1 << 20)
    assert first.time_s == pytest.approx(0.9)
    said = stage.tell(Timer(1 << 20, 0.9))
    assert not [e for e in said if isinstance(e, WakeAt)]
    stage.now_s = 5.0
    assert [e.time_s for e in stage.answer(said, stage.block(70)) if isinstance(e, WakeAt)] == [5.9]
    said = stage.tell(Timer(1 << 20, 5.9))
    stage.now_s = 7.0
    failed = stage.tell(Failed(sent(said).token, "java.io.IOException", "no"))
    assert [e.time_s for e in failed if isinstance(e, WakeAt)] == pytest.approx([7.9])
