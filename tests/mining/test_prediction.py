"""Predictions held against runs of a size that mining never saw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.events import Recording
from froude.mining.pipeline import mine_recordings
from froude.mining.prediction import LeafOutcome, Prediction, predict_recording
from froude.workload.types import Workload
from tests.mining.synthetic import record

HELD_OUT = {"datanodes": 5, "clients": 4, "dirs": 4, "files": 4, "blocks": 4}


@pytest.fixture(scope="module")
def workload() -> Workload:
    """Mined from three small runs."""
    return mine_recordings(
        [
            record(datanodes=2, clients=1, dirs=1, files=2, blocks=2),
            record(datanodes=3, clients=3, dirs=2, files=3, blocks=1),
            record(datanodes=4, clients=2, dirs=3, files=1, blocks=3),
        ]
    )


@pytest.fixture(scope="module")
def held_out() -> Recording:
    """A larger run."""
    return record(11, **HELD_OUT)


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
