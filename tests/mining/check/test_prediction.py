"""Predictions held against runs of a size that mining never saw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.check.prediction import LeafOutcome, Prediction, predict_recording
from froude.mining.read.events import Recording
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, Constant, Question, Workload
from froude.workload.walk import map_calls
from testbed.synthetic import HELD_OUT, record


@pytest.fixture(scope="module")
def prediction(workload: Workload, held_out: Recording) -> Prediction:
    """What was predicted, beside what could be."""
    return predict_recording(workload, held_out, record(12, **HELD_OUT))


def test_every_sequence_comes_out(prediction: Prediction) -> None:
    """Node counts, sequences and effects."""
    assert prediction.sequence_share == prediction.call_share == 1.0
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
    assert prediction.sequence_share < 1


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


def test_nodes_that_behave_otherwise_are_silent_unless_their_numbers_were_asked(
    workload: Workload, held_out: Recording
) -> None:
    """A number of nodes that does not come out, with nothing said of it, and with a question."""
    nodes = tuple(
        replace(node, count=Count(1.0)) if node.name == "client" else node for node in workload.node_types
    )
    few = replace(workload, node_types=nodes)
    assert predict_recording(workload, held_out).silent_sequences == 0
    assert predict_recording(few, held_out).silent_sequences == 3
    asked = replace(few, questions=(Question("q", "how many clients?", "client"),))
    assert predict_recording(asked, held_out).silent_sequences == 0
