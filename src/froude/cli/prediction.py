"""A Workload held against a Trace: what `froude trace diff WORKLOAD TRACE` prints."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from froude.base.summary import counted
from froude.cli import inputs
from froude.cli.interval_text import delays_text, sites_text
from froude.cli.settings import Settings
from froude.cli.tables import aligned
from froude.experiment.figures.prediction import share_text
from froude.mining.check.intervals import intervals
from froude.mining.check.matching import match
from froude.mining.check.prediction import LeafOutcome, Prediction, predict
from froude.mining.fit.starts import start_delays
from froude.mining.read.events import recording_of
from froude.trace.files import read_trace

_MOST_MISSES = 12


def check(settings: Settings, workload: Path, trace: Path, pair: Path | None) -> Prediction:
    """Hold a workload against a recorded run and print how it fared.

    Args:
        workload: the workload's YAML file.
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
    settings.out(_text(prediction, ", ".join(f"{name}={value}" for name, value in run.meta.scale.items())))
    settings.out(f"\n{sites_text(sites, pair_sites)}\n\n{delays_text(delays)}")
    return prediction


def _text(prediction: Prediction, scale: str) -> str:
    rows = [("node type", "predicted", "seen", "exact", "calls in place")]
    for nodes in prediction.sequences:
        predicted, seen, exact = map(str, (nodes.nodes_predicted, nodes.nodes_real, nodes.exact))
        place = f"{nodes.calls_matched} of {nodes.calls_real}"
        rows.append((nodes.node_type, predicted, seen, exact, place))
    if prediction.sequence_share is None:
        return f"At {scale}: nothing was predicted and no call was seen, so that nothing is compared."
    head, *table = aligned(rows).splitlines()
    lines = [f"At {scale}:", "", head]
    for nodes, line in zip(prediction.sequences, table, strict=True):
        lines.append(line)
        if nodes.first_difference:
            lines.append(f"  first difference: {nodes.first_difference}")
    if prediction.unmatched:
        lines.append(f"{prediction.unmatched} senders are of no type that the workload has")
    lines += ["", fit_text(prediction)]
    arguments = [("calls", "arguments", "predicted", "ceiling")]
    for row in prediction.rows:
        ceiling = "" if row.ceiling_share is None else f"{row.ceiling_share:.2%}"
        share = "" if row.share is None else f"{row.share:.2%}"
        arguments.append((row.name, f"{row.leaves:,}", share, ceiling))
    lines += ["", aligned(arguments)]
    lines.append(
        f"silently wrong: {prediction.silent_share or 0:.2%} of {prediction.judged:,} arguments, and "
        f"{counted(prediction.silent_sequences, 'node')}: no question and no refusal names the number or the step"
    )
    if prediction.misses:
        lines += ["", "not predicted:"]
    for miss in prediction.misses[:_MOST_MISSES]:
        said = ", silently" if miss.silent else ""
        lines.append(f"{miss.count:>7,}  {miss.outcome.value:<11}{miss.method} {miss.path}{said}")
    hidden = len(prediction.misses) - _MOST_MISSES
    return "\n".join([*lines, *([f"         and {hidden} kinds more"] if hidden > 0 else [])])


def fit_text(prediction: Prediction) -> str:
    """Fitness and precision in one line, with the node type that comes out worst."""
    seen, predicted = prediction.calls_seen, prediction.calls_predicted
    if not seen:
        return f"fitness and precision are not known: no call was made, {predicted:,} were predicted"
    line = (
        f"fitness {share_text(prediction.fitness)} ({prediction.calls_matched:,} of {seen:,} calls made were "
        f"predicted), precision {share_text(prediction.precision)} (of {predicted:,} predicted)"
    )
    worst = prediction.worst
    if worst is None:
        return line
    return (
        f"{line}; worst: {worst.node_type}, {worst.calls_matched:,} of {worst.calls_real:,} calls made, "
        f"{worst.calls_predicted:,} predicted"
    )


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
