"""Arguments counted once a position."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.patternminer_positions import positions
from froude.mining.check.prediction import LeafOutcome
from froude.mining.read.events import Recording
from froude.workload.types import Unknown, Workload
from froude.workload.walk import map_calls


def test_a_position_counts_once_however_many_calls_there_are(workload: Workload, held_out: Recording) -> None:
    """Far fewer than leaves, none twice, and nearly all found."""
    found = positions(workload, held_out)
    assert len({(p.service, p.template, p.path) for p in found}) == len(found)
    assert len(found) < sum(len(event.request) for event in held_out.events) / 5
    assert {p.outcome for p in found if not p.outcome.predicted} == {LeafOutcome.GENERATED}
    assert all(p.by_rule.predicted for p in found if p.outcome.predicted)


def test_a_position_without_a_rule_is_not_found(workload: Workload, held_out: Recording) -> None:
    """One unknown argument, whatever the number of its calls."""
    clueless = replace(
        workload,
        node_types=tuple(
            map_calls(
                node,
                lambda call: replace(
                    call,
                    arguments={
                        path: Unknown(()) if path == "src" else rule for path, rule in call.arguments.items()
                    },
                ),
            )
            for node in workload.node_types
        ),
    )
    lost = [p for p in positions(clueless, held_out) if p.outcome is LeafOutcome.UNKNOWN]
    assert lost
    assert {p.path for p in lost} == {"src"}


def test_calls_of_nobody_are_positions_that_are_not_found(workload: Workload, held_out: Recording) -> None:
    """Those of a method that no template has."""
    strange = replace(held_out.events[-1], order=len(held_out.events), method="msync", client="stranger")
    found = positions(workload, replace(held_out, events=[*held_out.events, strange]))
    lost = [p for p in found if p.template == "msync"]
    assert lost
    assert {p.outcome for p in lost} == {LeafOutcome.UNEXPECTED}


def test_an_early_report_has_the_positions_of_the_report(workload: Workload, held_out: Recording) -> None:
    """That a block is on its way is told early or not at all, as time decides."""
    early = next(event for event in held_out.events if event.method == "blockReceivedAndDeleted")
    status = "blocks[0].blocks[0].status"
    request = {path: 1 if path == status else value for path, value in early.request.items()}
    request |= {"blocks[0].blocks[0].block.blockId": 7}
    passing = replace(early, order=len(held_out.events), call_id=99999, request=request)
    with_it = replace(held_out, events=[*held_out.events, passing])
    assert positions(workload, with_it) == positions(workload, held_out)
