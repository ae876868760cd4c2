"""A prediction held against the real run: sequences, arguments beside their ceiling, and the misses."""

from __future__ import annotations

from collections.abc import Sequence

from froude.base.summary import counted, share_text
from froude.mining.check.forecast import TypeSequences
from froude.mining.check.intervals import Site, slower, validated
from froude.mining.check.prediction import LeafOutcome, Prediction
from froude.mining.fit.starts import Delay
from froude.render import Block, Column, Report, Section, Table, TableOf, Value, ValueKind
from froude.trace.intervals import FEWEST, WITHIN, Statistic

_MOST_MISSES = 30
_ROWS = {"logical": "the job's own calls", "periodic": "periodic calls", "all": "all calls"}
"""Kinds of calls, in words."""


def prediction_report(
    prediction: Prediction, scale: str, sites: Sequence[Site], other: Sequence[Site], delays: Sequence[Delay]
) -> Report:
    """A workload held against a Trace, with its intervals and starts.

    Args:
        other: of another run of its size; none where there is none, so that all sites count.
    """
    section = prediction_section(prediction, scale)
    if prediction.sequence_share is None:
        lede = f"At {scale}: nothing was predicted and no call was seen, so that nothing is compared."
        return Report(scale, lede=lede)
    silent = f"{prediction.silent_share or 0:.2%} of {prediction.judged:,} arguments".replace("%", " %")
    parts = [
        section.intro,
        f"{prediction.unmatched} senders are of no type that the workload has." * bool(prediction.unmatched),
        f"{_fit(prediction)}.",
        f"Silently wrong: {silent}, and {counted(prediction.silent_sequences, 'node')}; nothing asks or refuses there.",
    ]
    times = Section("Intervals and starts", (_intervals(sites, other), _starts(delays)))
    return Report(scale, lede=" ".join(filter(None, parts)), sections=(section, times))


def _fit(prediction: Prediction) -> str:
    """Fitness and precision, with the node type that comes out worst."""
    seen, predicted = prediction.calls_seen, prediction.calls_predicted
    if not seen:
        return f"Fitness and precision are not known: no call was made, {predicted:,} were predicted"
    text = (
        f"Fitness {share_text(prediction.fitness)} ({prediction.calls_matched:,} of {seen:,} calls made were "
        f"predicted), precision {share_text(prediction.precision)} (of {predicted:,} predicted)"
    )
    worst = prediction.worst
    if worst is None:
        return text
    return (
        f"{text}; worst: {worst.node_type}, {worst.calls_matched:,} of {worst.calls_real:,} calls made, "
        f"{worst.calls_predicted:,} predicted"
    )


def _intervals(sites: Sequence[Site], other: Sequence[Site]) -> Table:
    """How many call sites came out as predicted, by service."""
    rows: list[tuple[Value, ...]] = []
    for service in sorted({site.service for site in sites}):
        own, theirs = ([site for site in run if site.service == service] for run in (sites, other or sites))
        for statistic in Statistic:
            found = validated(own, theirs, statistic)
            whole = len(found.agreement.agreeing)
            compared = (found.agreement.compared,) if other else ()
            rows.append((service, str(statistic), found.within, whole, *compared, slower(own)))
    columns = (
        Column("Service"),
        Column("Statistic"),
        Column("As predicted", ValueKind.NUMBER),
        Column("Of call sites", ValueKind.NUMBER),
        *((Column("In both runs", ValueKind.NUMBER),) if other else ()),
        Column("Steps took, times", ValueKind.NUMBER),
    )
    note = (
        f"Within {WITHIN:.0%} of the interval predicted, of call sites with {FEWEST} or more intervals"
        + " where the two runs agree" * bool(other)
        + ". Steps: how many times as long as predicted, in the middle; a dash where none is long enough to compare."
    )
    return Table(columns, rows, "Intervals", note)


def _starts(delays: Sequence[Delay]) -> Table:
    return (
        TableOf[Delay]()
        .words("Node type", lambda delay: delay.node_type)
        .words("After", lambda delay: delay.after or "the beginning")
        .words("Predicted, s", lambda delay: f"{delay.predicted_s:.1f}")
        .words("Seen, s", lambda delay: "before it" if delay.seen_s is None else f"{delay.seen_s:.1f}")
        .of(delays, "Starts", note="Seconds after what is waited for.")
    )


def prediction_section(prediction: Prediction, scale: str) -> Section:
    """What was predicted of a size never seen, and what the run then did."""
    blocks: list[Block] = [_sequences(prediction), _arguments(prediction)]
    if prediction.effects:
        blocks.append(_effects(prediction))
    if prediction.misses:
        blocks.append(_misses(prediction))
    logical = prediction.row("logical")
    intro = (
        f"At {scale}, a size that mining never saw, {share_text(prediction.sequence_share)} of the nodes made "
        f"exactly the calls predicted, and {share_text(logical.share)} of the arguments of the job's own calls (all "
        "but periodic ones) had the value predicted."
    )
    return Section("Prediction against the real run", tuple(blocks), intro)


def _sequences(prediction: Prediction) -> Table:
    return (
        TableOf[TypeSequences]()
        .words("Node type", lambda match: match.node_type)
        .number("Nodes predicted", lambda match: match.nodes_predicted)
        .number("Nodes seen", lambda match: match.nodes_real)
        .number("Exact sequences", lambda match: match.exact)
        .number("Calls predicted", lambda match: match.calls_predicted)
        .number("Calls made", lambda match: match.calls_real)
        .number("In place", lambda match: match.calls_matched)
        .code("First difference", lambda match: match.first_difference)
        .of(
            prediction.sequences,
            "Call sequences",
            note="The job's own calls; periodic ones, such as heartbeats, are made by the clock.",
        )
    )


def _arguments(prediction: Prediction) -> Table:
    measured = any(row.ceiling is not None for row in prediction.rows)
    columns = [Column("Calls"), Column("Arguments", ValueKind.NUMBER), Column("Predicted", ValueKind.SHARE)]
    columns += [Column("Ceiling", ValueKind.SHARE)] if measured else []
    columns += [Column(outcome.value.capitalize(), ValueKind.NUMBER) for outcome in LeafOutcome]
    rows: list[tuple[Value, ...]] = [
        (
            _ROWS.get(row.name, row.name),
            row.leaves,
            row.share,
            *([row.ceiling_share] if measured else []),
            *(row.outcomes.get(outcome, 0) for outcome in LeafOutcome),
        )
        for row in prediction.rows
    ]
    note = (
        "Every value in every request of the real run counts. *Equal*: the pattern gave the value. *Flow*, *echo*: an "
        "earlier answer or request of that run gave it, by the mined rule. The rest are misses."
    )
    if measured:
        note += " The *ceiling* is what two real runs of one size share, measured where there are two."
    return Table(tuple(columns), rows, "Argument values", note)


def _effects(prediction: Prediction) -> Table:
    rows: list[tuple[Value, ...]] = [
        (e.node_type, e.expected, e.seen, e.optional, e.unexplained) for e in prediction.effects
    ]
    columns = (
        Column("Node type"),
        *(
            Column(title, ValueKind.NUMBER)
            for title in ("Predicted", "Of them seen", "At times", "Unexplained")
        ),
    )
    note = (
        "How many, in whatever order: each belongs to the call that caused it. *At times*: calls that are made or not "
        "as times fall, and were. *Unexplained*: nothing that was predicted causes them."
    )
    return Table(columns, rows, "Calls caused by other nodes' calls", note)


def _misses(prediction: Prediction) -> Table:
    rows: list[tuple[Value, ...]] = []
    for miss in prediction.misses[:_MOST_MISSES]:
        seen = "; ".join(
            f"{actual!r} for {predicted}" if predicted else repr(actual)
            for actual, predicted in miss.examples[:2]
        )
        why = f"{miss.outcome.value}{', silently' * miss.silent}"
        rows.append((miss.method, miss.path, why, miss.count, seen))
    columns = (
        Column("Method", ValueKind.CODE),
        Column("Argument", ValueKind.CODE),
        Column("Why"),
        Column("Count", ValueKind.NUMBER),
        Column("Seen for predicted", ValueKind.CODE),
    )
    hidden = len(prediction.misses) - len(rows)
    return Table(
        columns,
        rows,
        "What it could not predict",
        f"{hidden} rarer kinds are not shown." if hidden > 0 else "",
    )
