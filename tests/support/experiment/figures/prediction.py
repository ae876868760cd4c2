"""A prediction with leaves missed and sequences that differ."""

from __future__ import annotations

from froude.mining.check.forecast import TypeSequences
from froude.mining.check.prediction import LeafOutcome, Miss, Prediction, PredictionRow

PREDICTION = Prediction(
    sequences=(TypeSequences("client", 5, 5, 4, 100, 99, 98, "call 7: delete"),),
    effects=(),
    rows=(
        PredictionRow(
            "logical", 1000, {LeafOutcome.EQUAL: 900, LeafOutcome.FLOW: 90, LeafOutcome.WRONG: 10}, 995
        ),
        PredictionRow("periodic", 0, {}, None),
        PredictionRow(
            "all", 1000, {LeafOutcome.EQUAL: 900, LeafOutcome.FLOW: 90, LeafOutcome.WRONG: 10}, None
        ),
    ),
    misses=(Miss("create", "src", LeafOutcome.WRONG, 10, (("/a", "/b"),)),),
)
