"""A Workload held against a Trace: what `froude trace diff WORKLOAD TRACE` prints."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from froude.cli import inputs
from froude.cli.page_text import page_text
from froude.cli.settings import Settings
from froude.experiment.figures.prediction import prediction_report
from froude.mining.check.intervals import intervals
from froude.mining.check.matching import match
from froude.mining.check.prediction import LeafOutcome, Prediction, predict
from froude.mining.fit.starts import start_delays
from froude.mining.read.events import recording_of
from froude.trace.files import read_trace


def check(settings: Settings, workload: Path, trace: Path, pair: Path | None) -> Prediction:
    """Hold a workload against a recorded run and print how it fared.

    Args:
        trace: a run that it was not mined from, at any scale.
        pair: another run of that very size, to measure the ceiling.
    """
    run = read_trace(trace)
    other = None if pair is None else read_trace(pair)
    opened = inputs.workload(settings, workload)
    with inputs.named(workload):
        prediction = predict(opened.workload, run, ceiling_pair=other)
    matched = recording_of(run)
    sites = intervals(opened.workload, matched)
    pair_sites = () if other is None else intervals(opened.workload, recording_of(other))
    delays = start_delays(opened.workload, match(opened.workload, matched).types)
    timed = {"intervals": [asdict(site) for site in sites], "starts": [delay._asdict() for delay in delays]}
    settings.emit(_document(prediction) | timed)
    scale = ", ".join(f"{name}={value}" for name, value in run.meta.scale.items())
    settings.out(page_text(prediction_report(prediction, scale, sites, pair_sites, delays)))
    return prediction


def _document(prediction: Prediction) -> dict[str, Any]:
    return {
        "sequence_share": prediction.sequence_share,
        "fitness": prediction.fitness,
        "precision": prediction.precision,
        "silent_share": prediction.silent_share,
        "silent_sequences": prediction.silent_sequences,
        "unmatched senders": prediction.unmatched,
        "sequences": [asdict(nodes) for nodes in prediction.sequences],
        "effects": [asdict(counts) for counts in prediction.effects],
        "arguments": [
            {
                "calls": row.name,
                "leaves": row.leaves,
                "share": row.share,
                "ceiling": row.ceiling_share,
                **{outcome.value: row.outcomes.get(outcome, 0) for outcome in LeafOutcome},
            }
            for row in prediction.rows
        ],
        "misses": [
            {
                "method": m.method,
                "path": m.path,
                "outcome": m.outcome.value,
                "count": m.count,
                "silent": m.silent,
            }
            for m in prediction.misses
        ],
    }
