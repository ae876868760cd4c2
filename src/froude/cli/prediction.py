"""A Workload held against a Trace: what `froude trace diff WORKLOAD TRACE` prints."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from froude.base.summary import counted
from froude.cli import inputs
from froude.cli.settings import Settings
from froude.mining.prediction import LeafOutcome, Prediction, predict
from froude.trace.files import read_trace

_MOST_MISSES = 12


def check(settings: Settings, workload: Path, trace: Path, pair: Path | None) -> Prediction:
    """Hold a workload against a recorded run and print how it fared.

    Args:
        settings: global flags.
        workload: the workload's YAML file.
        trace: a run that it was not mined from, at any scale.
        pair: another run of that very size, to measure the ceiling.
    """
    run = read_trace(trace)
    other = None if pair is None else read_trace(pair)
    opened = inputs.workload(settings, workload)
    with inputs.named(workload):
        prediction = predict(opened.workload, run, ceiling_pair=other)
    settings.emit(_document(prediction))
    settings.out(_text(prediction, ", ".join(f"{name}={value}" for name, value in run.meta.scale.items())))
    return prediction


def _text(prediction: Prediction, scale: str) -> str:
    lines = [
        f"At {scale}:",
        "",
        f"{'node type':<16}{'predicted':>9}{'seen':>7}{'exact':>7}{'calls in place':>17}",
    ]
    for nodes in prediction.sequences:
        place = f"{nodes.calls_matched} of {nodes.calls_real}"
        lines.append(
            f"{nodes.node_type:<16}{nodes.nodes_predicted:>9}{nodes.nodes_real:>7}{nodes.exact:>7}{place:>17}"
        )
        if nodes.first_difference:
            lines.append(f"  first difference: {nodes.first_difference}")
    if prediction.unmatched:
        lines.append(f"{prediction.unmatched} senders are of no type that the workload has")
    lines += ["", f"{'arguments of':<16}{'number':>9}{'predicted':>10}{'ceiling':>10}"]
    for row in prediction.rows:
        ceiling = "" if row.ceiling_share is None else f"{row.ceiling_share:.2%}"
        lines.append(f"{row.name:<16}{row.leaves:>9,}{row.share:>10.2%}{ceiling:>10}")
    lines.append(
        f"silently wrong   {prediction.silent_share:.2%} of the arguments and "
        f"{counted(prediction.silent_sequences, 'node')}: no question, finding or refusal said so"
    )
    if prediction.misses:
        lines += ["", "not predicted:"]
    for miss in prediction.misses[:_MOST_MISSES]:
        said = ", silently" if miss.silent else ""
        lines.append(f"{miss.count:>7,}  {miss.outcome.value:<11}{miss.method} {miss.path}{said}")
    hidden = len(prediction.misses) - _MOST_MISSES
    return "\n".join([*lines, *([f"         and {hidden} kinds more"] if hidden > 0 else [])])


def _document(prediction: Prediction) -> dict[str, Any]:
    return {
        "sequence_share": prediction.sequence_share,
        "call_share": prediction.call_share,
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
