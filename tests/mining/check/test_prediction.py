"""Predictions held against runs of a size that mining never saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from froude.mining.check.forecast import NodeDifference
from froude.mining.check.prediction import LeafOutcome, Prediction, Unexpected, predict_recording
from froude.mining.read.events import Recording
from froude.workload.generators import fits
from froude.workload.scale import Count
from froude.workload.types import (
    CallTemplate,
    Constant,
    Finding,
    Generated,
    NodeType,
    Question,
    Repeat,
    Step,
    Workload,
)
from froude.workload.walk import fold, map_calls
from testbed.synthetic import HELD_OUT, record
from tests.support.mining.events import calls, event


@pytest.fixture(scope="module")
def prediction(workload: Workload, held_out: Recording) -> Prediction:
    """What was predicted, beside what could be."""
    return predict_recording(workload, held_out, record(12, **HELD_OUT))


def test_every_sequence_comes_out(prediction: Prediction) -> None:
    """Node counts, sequences and effects."""
    assert prediction.sequence_share == prediction.fitness == prediction.precision == 1.0
    assert all(effects.seen == effects.expected and not effects.unexplained for effects in prediction.effects)


def test_the_denominator_is_every_leaf(prediction: Prediction, held_out: Recording) -> None:
    """Rows add up, and no leaf of a joined or split call is left out."""
    assert prediction.row("all").leaves == sum(len(event.request) for event in held_out.events)
    assert (
        prediction.row("all").leaves == prediction.row("logical").leaves + prediction.row("periodic").leaves
    )
    for row in prediction.rows:
        assert sum(row.outcomes.values()) == row.leaves


def test_only_random_values_are_missed(prediction: Prediction) -> None:
    """All that is missed comes from generators; the share does not exceed its ceiling."""
    assert {miss.outcome for miss in prediction.misses} == {LeafOutcome.GENERATED}
    for row in prediction.rows:
        assert row.ceiling is not None
        assert row.predicted <= row.ceiling
    assert prediction.row("logical").share > 0.99


def test_calls_that_were_not_predicted_count_as_misses(workload: Workload, held_out: Recording) -> None:
    """The calls of an unmatched sender are unexpected leaves, and spoil the sequences."""
    last = held_out.events[-1]
    unmatched = replace(
        last, order=last.order + 1, client="ff", method="setTimes", request={"src": "/x", "mtime": 1}
    )
    spoiled = replace(held_out, events=(*held_out.events, unmatched))
    prediction = predict_recording(workload, spoiled)
    assert prediction.row("logical").outcomes[LeafOutcome.UNEXPECTED] == 2
    assert prediction.calls_seen == prediction.calls_matched + 1 == prediction.calls_predicted + 1
    assert prediction.sequence_share < 1


def test_a_sender_of_a_kind_that_the_workload_lacks_is_silent(
    workload: Workload, held_out: Recording
) -> None:
    """Nothing stated that there might be one."""
    protocol = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
    last = held_out.events[-1]
    more = replace(last, order=last.order + 1, client="ff", protocol=protocol, method="registerNodeManager")
    prediction = predict_recording(workload, replace(held_out, events=(*held_out.events, more)))
    whole = predict_recording(workload, held_out)
    assert (prediction.unmatched, prediction.silent_sequences, prediction.silent) == (1, 1, ())
    assert prediction.calls_seen == whole.calls_seen + 1
    assert prediction.silent_share == len(more.request) / prediction.judged > 0
    exact = sum(each.exact for each in prediction.sequences)
    assert prediction.sequence_share == exact / (exact + 1)


@pytest.mark.parametrize("silent", [True, False])
def test_what_an_unexpected_call_caused_is_as_silent_as_itself(*, silent: bool) -> None:
    """Also where it follows no pattern, and what that caused in turn."""
    first, other, third, alone = (calls(event(n, "m", {"src": "/a"}))[0] for n in range(4))
    known = SimpleNamespace(call=lambda *_: not silent, node=lambda _: False)
    unexpected = Unexpected([NodeDifference("c", (("", first),), ())], known)
    unexpected.spread(
        SimpleNamespace(effects={}, causes_of_lost=[(third, other), (other, first), (alone, alone)])
    )
    assert unexpected.calls == dict.fromkeys(map(id, (first, other, third)), silent)
    assert unexpected.silent == {(n, "src"): silent for n in range(3)}


def _spoiled(workload: Workload, *questions: Question) -> Workload:
    """With a rule that is wrong: every folder is called as none is."""

    def spoil(call: CallTemplate) -> CallTemplate:
        return (
            replace(call, arguments={**call.arguments, "src": Constant("/nowhere")})
            if call.id == WRONG
            else call
        )

    node_types = tuple(map_calls(node, spoil) for node in workload.node_types)
    return replace(workload, node_types=node_types, questions=(*workload.questions, *questions))


WRONG = "client.c1"


def test_what_is_wrong_is_silent_unless_a_question_is_about_it(
    workload: Workload, held_out: Recording
) -> None:
    """One question about the very argument announces it; without one every wrong value counts."""
    assert predict_recording(workload, held_out).silent_share == 0.0
    silent = predict_recording(_spoiled(workload), held_out)
    wrong = silent.row("all").outcomes[LeafOutcome.WRONG]
    assert wrong
    assert silent.silent_share == wrong / silent.row("all").leaves
    assert {(miss.path, miss.silent) for miss in silent.misses if miss.outcome is LeafOutcome.WRONG} == {
        ("src", True)
    }
    asked = _spoiled(workload, Question("q", "what is src?", "client", WRONG, "src"))
    assert predict_recording(asked, held_out).silent_share == 0.0
    answered = _spoiled(workload, Question("q", "what is src?", "client", WRONG, "src", answered=True))
    assert predict_recording(answered, held_out).silent_share == silent.silent_share


def _with(workload: Workload, change: Callable[[NodeType], NodeType], *questions: Question) -> Workload:
    """The client changed, and asked about."""
    nodes = (change(node) if node.name == "client" else node for node in workload.node_types)
    return replace(workload, node_types=tuple(nodes), questions=questions)


def test_nodes_that_are_not_predicted_are_silent_unless_their_number_was_asked(
    workload: Workload, held_out: Recording
) -> None:
    """Three of four clients have no place: all of their leaves are unexpected."""
    assert predict_recording(workload, held_out).silent_sequences == 0
    one = partial(replace, count=Count(1.0))
    few = predict_recording(_with(workload, one), held_out)
    calls = next(each for each in few.sequences if each.node_type == "client")
    assert (few.silent_sequences, calls.calls_predicted * 4) == (3, calls.calls_real)
    assert calls.calls_matched == calls.calls_predicted
    assert few.fitness == few.calls_matched / few.calls_seen < 1.0 == few.precision
    assert few.worst is not None
    assert few.worst.node_type in {"client", "datanode"}
    (caused,) = few.effects
    (all_caused,) = predict_recording(workload, held_out).effects
    assert caused.calls_matched < all_caused.calls_matched == caused.calls_real
    assert few.silent_share == few.row("all").outcomes[LeafOutcome.UNEXPECTED] / few.row("all").leaves > 0
    asked = Question("client:number of client nodes", "?", "client")
    few = predict_recording(_with(workload, one, asked), held_out)
    assert (few.silent_sequences, few.silent_share) == (0, 0.0)
    about_another = replace(asked, id="client:iterations of L1 in client")
    assert predict_recording(_with(workload, one, about_another), held_out).silent_sequences == 3


@pytest.mark.parametrize("times", [1.0, 7.0])
def test_a_loop_that_runs_otherwise_is_wrong_for_all_leaves_of_its_calls(
    workload: Workload, held_out: Recording, times: float
) -> None:
    """Calls that were not predicted, or not made: announced by a question about that loop, and by no other."""
    exact = predict_recording(workload, held_out)

    def change(node: NodeType) -> NodeType:
        return replace(node, steps=tuple(fold(node.steps, lambda call: call, other)))

    def other(loop: Repeat, body: Sequence[Step]) -> Step:
        return replace(loop, steps=tuple(body), times=Count(times) if loop.id == "L2" else loop.times)

    spoiled = predict_recording(_with(workload, change), held_out)
    fewer = times < 2
    assert (spoiled.fitness < 1.0, spoiled.precision < 1.0) == (fewer, not fewer)
    assert spoiled.silent_sequences == 4
    unexpected = spoiled.row("all").outcomes.get(LeafOutcome.UNEXPECTED, 0)
    assert (unexpected > 0, spoiled.invented > 0) == (fewer, not fewer)
    wrong = unexpected + spoiled.silently_invented
    assert spoiled.silent_share == wrong / (spoiled.row("all").leaves + spoiled.invented)
    assert exact.row("all").predicted - spoiled.row("all").predicted <= unexpected
    asked = Question("client:iterations of L2 in client", "?", "client")
    assert predict_recording(_with(workload, change, asked), held_out).silent_share == 0.0
    elsewhere = replace(asked, id="client:number of client nodes")
    assert (
        predict_recording(_with(workload, change, elsewhere), held_out).silent_share == spoiled.silent_share
    )


def test_effects_that_are_predicted_and_not_made_are_wrong_for_all_their_leaves(
    workload: Workload, held_out: Recording
) -> None:
    """Of a second effect of the same causes; a refusal of its node type announces it."""

    def twice(node: NodeType) -> NodeType:
        effect = node.effects[-1]
        other = replace(effect, call=replace(effect.call, id="datanode.e9", method="another"))
        return replace(node, effects=(*node.effects, other))

    nodes = tuple(twice(node) if node.name == "datanode" else node for node in workload.node_types)
    spoiled = replace(workload, node_types=nodes, questions=())
    prediction = predict_recording(spoiled, held_out)
    (caused,) = prediction.effects
    missing = caused.missing["datanode.e9"]
    assert missing > 0
    assert caused.calls_predicted == caused.calls_real + missing
    arguments = len(nodes[[n.name for n in nodes].index("datanode")].effects[-2].call.arguments)
    assert prediction.silently_invented == prediction.invented == missing * arguments
    assert prediction.worst == caused
    refused = Finding("sends another call", fatal=True, node_type="datanode")
    assert predict_recording(replace(spoiled, findings=(refused,)), held_out).silently_invented == 0


def test_a_generated_value_of_another_form_is_wrong() -> None:
    """One of a choice that was not seen, a client's name where a UUID is generated; any number fits a gauge."""
    name = "DFSClient_NONMAPREDUCE_-4711_1"
    rule = Generated("dfs-client", {"task": "NONMAPREDUCE", "thread": 1})
    assert fits(rule, name)
    assert not fits(rule, name.replace("NON", ""))
    assert not fits(Generated("uuid", {}), name)
    choice = Generated("choice", {"1": "a", "2": "b"})
    assert (fits(choice, "b"), fits(choice, "c")) == (True, False)
    assert fits(Generated("gauge", {"low": 1, "high": 2}), 3)
