"""Predicted sequences beside those that the nodes of a run made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.check.forecast import (
    Announced,
    EffectCounts,
    NodeDifference,
    TypeSequences,
    effect_counts,
    sequences_of,
)
from froude.mining.check.matching import match, token_of
from froude.mining.read.events import Recording
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    STEPS,
    CallTemplate,
    Constant,
    Finding,
    Flow,
    Generated,
    NodeType,
    Question,
    Recorded,
    Repeat,
    Side,
    Template,
    Workload,
)
from froude.workload.walk import templates
from testbed.synthetic import record
from tests.support.mining.events import PROTOCOL, event

SCALES = (Scale.of(n=2), Scale.of(n=3))
HELD_OUT = {"datanodes": 5, "clients": 4, "dirs": 2, "files": 3, "blocks": 2}


@pytest.fixture(scope="module")
def run() -> Recording:
    """A larger run."""
    return record(11, **HELD_OUT)


def without(run: Recording, method: str) -> Recording:
    """The run without the last call of a method."""
    gone = next(event for event in reversed(run.events) if event.method == method)
    kept = [event for event in run.events if event is not gone]
    return replace(run, events=tuple(replace(event, order=at) for at, event in enumerate(kept)))


def sequences(workload: Workload, run: Recording) -> dict[str, TypeSequences]:
    """Of every type."""
    matched = match(workload, run)
    calls = (call for node in workload.node_types for call in templates(node))
    tokens = {call.id: token_of(call) for call in calls}
    return {node.name: sequences_of(node, matched, run.scale, tokens)[0] for node in workload.node_types}


def effects(workload: Workload, run: Recording) -> list[EffectCounts]:
    """Of the types that have some."""
    matched = match(workload, run)
    return [effect_counts(node, matched) for node in workload.node_types if node.effects]


def test_every_node_of_every_type_is_exact(workload: Workload, run: Recording) -> None:
    """As many as the workload has at that Scale, call for call."""
    for node in workload.node_types:
        counts = sequences(workload, run)[node.name]
        assert counts.nodes_predicted == counts.nodes_real == counts.exact == node.count.whole_at(run.scale)
        assert counts.calls_predicted == counts.calls_real == counts.calls_matched
        assert counts.first_difference is None


def test_a_missing_call_is_seen(workload: Workload, run: Recording) -> None:
    """The node that stopped early is not exact, and only its missing call is not matched."""
    counts = sequences(workload, without(run, "rename2"))["client"]
    assert counts.exact == counts.nodes_real - 1
    assert counts.calls_matched == counts.calls_real == counts.calls_predicted - 1
    assert counts.first_difference is not None
    assert counts.first_difference.endswith("where rename2 was predicted")


def test_a_call_in_another_round_is_the_same_call() -> None:
    """Two rounds of one and two looks where two and one were predicted: nothing is missing, though no place is right."""
    go, look = CallTemplate("client.c1", PROTOCOL, "go", {}), CallTemplate("client.c2", PROTOCOL, "look", {})
    inner = Repeat("L2", Count(2.0, {"L1": -1.0}), (look,))
    client = NodeType("client", Count(1.0), (Repeat("L1", Count(2.0), (go, inner)),))
    workload = Workload((client,), Recorded((Scale.of(n=1),), ()))
    methods = ("go", "look", "go", "look", "look")
    events = tuple(event(at, method, {"src": str(at)}, start_s=at**1.5) for at, method in enumerate(methods))
    matched = match(workload, Recording(events, Scale.of(n=1)))
    tokens = {call.id: token_of(call) for call in templates(client)}
    counts, (difference,) = sequences_of(client, matched, Scale.of(n=1), tokens)
    assert (counts.exact, counts.calls_matched, counts.calls_real, counts.calls_predicted) == (0, 5, 5, 5)
    assert (difference.made, difference.missing) == ((), ())
    assert not _announced().differs(difference)


@pytest.mark.parametrize(("looks", "exact"), [(("d", 2), 1), (("d", 1), 0), (("x", 2), 0)])
def test_a_loop_over_a_list_is_predicted_by_the_answer_of_the_run(looks: tuple[str, int], exact: int) -> None:
    """As many rounds as the run's own answer has elements, not as many as the plan assumes."""
    listed = Flow("client.c1", Side.RESPONSE, "l[{each}].path")
    names, look = (
        CallTemplate("client.c1", PROTOCOL, "list", {}),
        CallTemplate("client.c2", PROTOCOL, "look", {}),
    )
    loop = Repeat("L1", Count(5.0), (look,), each=listed)
    workload = Workload((NodeType("client", Count(1.0), (names, loop)),), Recorded((Scale.of(n=1),), ()))
    kind, times = looks
    answer = {f"l[{at}].path": f"{kind}{at}" for at in range(2 if kind == "d" else 3)}
    events = [event(0, "list", {}, answer), *(event(at + 1, "look", start_s=at + 1.5) for at in range(times))]
    found = sequences(workload, Recording(tuple(events), Scale.of(n=1)))["client"]
    assert (found.exact, found.calls_real) == (exact, 1 + times)


def test_effects_that_did_not_happen_are_counted(workload: Workload, run: Recording) -> None:
    """One block that a DataNode never reported is one effect fewer than its causes ask for."""
    (whole,) = effects(workload, run)
    assert whole.seen == whole.expected > 0
    assert whole.unexplained == 0
    (less,) = effects(workload, without(run, "blockReceivedAndDeleted"))
    assert less.expected == whole.expected
    assert less.seen < whole.seen


@pytest.mark.parametrize(("times", "exact"), [(1, 1), (3, 1), (4, 0)])
def test_a_drawn_number_is_any_that_may_be_drawn(times: int, exact: int) -> None:
    """And no other."""
    look = CallTemplate("client.c1", PROTOCOL, "look", {})
    drawn = Generated("gauge", {"low": 1, "high": 3})
    client = NodeType("client", Count(1.0), (Repeat("L1", Count(2.0), (look,), drawn),))
    workload = Workload((client,), Recorded((Scale.of(n=1),), ()))
    events = tuple(event(at, "look", {"src": str(at)}, start_s=at**1.5) for at in range(times))
    found = sequences(workload, Recording(events, Scale.of(n=1)))["client"]
    assert (found.exact, found.nodes_real) == (exact, 1)


def _announced(*questions: Question, findings: tuple[Finding, ...] = (), **scale: int) -> Announced:
    call, looked = CallTemplate("c.c1", "p.P", "m", {}), CallTemplate("c.c2", "p.P", "look", {})
    node = NodeType("c", Count(1), (call, Repeat("L1", Count(2.0), (Repeat("L2", Count(2.0), (looked,)),))))
    workload = Workload((node,), Recorded(SCALES, ()), questions, findings)
    return Announced(workload, Scale.of(**(scale or {"n": 5})))


def test_a_question_announces_its_argument_and_in_a_list_all_elements() -> None:
    """Of that call, and not how often it is made."""
    announced = _announced(Question("q", "?", "c", "c.c1", "list[1].id"))
    assert announced.argument("c.c1", "list[1].id")
    assert announced.argument("c.c1", "list[7].id")
    assert announced.argument("c.c1", "list[job.jar].id")
    assert not announced.argument("c.c1", "list[1].name")
    assert not announced.call("c", "c.c1")
    assert not announced.node("c")


def test_a_question_about_an_argument_announces_what_is_copied_from_it() -> None:
    """From request to request, however far; what an answer gave is not asked about."""
    said, answered = (Flow("c.c1", side, "src") for side in (Side.REQUEST, Side.RESPONSE))
    again = Template((Flow("c.c2", Side.REQUEST, "dst"), ".tmp"))
    first = CallTemplate("c.c1", "p.P", "m", {"src": Constant("/a")})
    other = CallTemplate("c.c2", "p.P", "m", {"src": answered, "dst": said})
    last = CallTemplate("c.c3", "p.P", "m", {"src": again})
    node = NodeType("c", Count(1), (last, other, first))
    asked = Question("q", "?", "c", "c.c1", "src")
    announced = Announced(Workload((node,), Recorded(SCALES, ()), (asked,)), Scale.of(n=5))
    places = [("c.c1", "src"), ("c.c2", "src"), ("c.c2", "dst"), ("c.c3", "src")]
    assert [announced.argument(*place) for place in places] == [True, False, True, True]


@pytest.mark.parametrize("loop", ["L1", "L2"])
def test_a_question_about_iterations_announces_the_calls_in_that_loop_alone(loop: str) -> None:
    """Not the calls around it, nor how many nodes there are; an answered one announces nothing."""
    question = Question(f"c:iterations of {loop} in c", "?", "c")
    announced = _announced(question)
    assert announced.call("c", "c.c2")
    assert not announced.call("c", "c.c1")
    assert not announced.node("c")
    assert not _announced(replace(question, answered=True)).call("c", "c.c2")
    both = NodeDifference("c", (), ("c.c2", "c.c1"))
    assert (announced.differs(replace(both, missing=("c.c2",))), announced.differs(both)) == (True, False)


@pytest.mark.parametrize(
    ("question", "announces"),
    [
        (Question("c:steps", "?", "c", path=STEPS), {"": True, "c.c1": True, "c.c2": True, "c.e1": False}),
        (
            Question("c:iterations of L1 in c", "?", "c"),
            {"": False, "c.c1": False, "c.c2": True, "c.e1": False},
        ),
        (Question("d:steps", "?", "d", path=STEPS), dict.fromkeys(("", "c.c1", "c.c2", "c.e1"), False)),
    ],
)
def test_a_question_about_steps_announces_calls_that_have_no_place_too(
    question: Question, announces: dict[str, bool]
) -> None:
    """And no effects, whose causes are what others do."""
    announced = _announced(question)
    assert {call: announced.call("c", call) for call in announces} == announces


def test_a_question_about_a_number_of_nodes_announces_whole_nodes() -> None:
    """And no call of those that there are."""
    announced = _announced(Question("c:number of c nodes", "?", "c"))
    assert announced.node("c")
    assert announced.differs(NodeDifference("c", (), ("c.c1",), node=True))
    assert not announced.call("c", "c.c2")


def test_a_remark_announces_nothing_and_a_refusal_all_of_its_type() -> None:
    """Elsewhere than recorded: there the plan is not refused."""
    note = _announced(findings=(Finding("some calls fit nowhere", fatal=False, node_type="c"),))
    assert (note.call("c", "c.c2"), note.node("c"), note.argument("c.c1", "src")) == (False, False, False)
    fatal = (Finding("fits no count", fatal=True, node_type="c"),)
    assert _announced(findings=fatal).argument("c.c1", "src")
    assert _announced(findings=fatal).call("c", "c.c1")
    assert not _announced(findings=fatal).node("d")
    assert not _announced(findings=fatal, n=2).argument("c.c1", "src")


def test_a_refusal_of_one_number_announces_the_calls_of_that_loop_alone() -> None:
    """Not what else its type does, nor what its arguments hold."""
    announced = _announced(
        findings=(Finding("iterations of L1 in c: 4, 6 fit no count", fatal=True, node_type="c"),)
    )
    assert announced.call("c", "c.c2")
    assert (announced.call("c", "c.c1"), announced.argument("c.c1", "src"), announced.node("c")) == (
        False,
    ) * 3
    nodes = _announced(findings=(Finding("number of c nodes: 4, 6 fit no count", fatal=True, node_type="c"),))
    assert (nodes.node("c"), nodes.call("c", "c.c2")) == (True, False)


def test_a_scale_that_cannot_be_planned_announces_all() -> None:
    """A variable that was never recorded."""
    announced = _announced(n=2, racks=1)
    assert announced.argument("c.c1", "src")
    assert announced.call("c", "c.c1")
    assert announced.node("c")
    assert announced.everything
