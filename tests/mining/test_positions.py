"""Arguments counted once a position, and intervals by call site."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.events import Recording
from froude.mining.positions import intervals, positions
from froude.mining.prediction import LeafOutcome
from froude.workload.types import Unknown, Workload
from froude.workload.walk import map_calls


def test_a_position_counts_once_however_many_calls_there_are(workload: Workload, held_out: Recording) -> None:
    """Far fewer than leaves, none twice, and nearly all found."""
    found = positions(workload, held_out)
    assert len({(p.service, p.template, p.path) for p in found}) == len(found)
    assert len(found) < sum(len(event.request) for event in held_out.events) / 5
    assert {p.outcome for p in found if not p.outcome.predicted} == {LeafOutcome.GENERATED}


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


def test_intervals_are_held_against_what_was_mined(workload: Workload, held_out: Recording) -> None:
    """Heartbeats come every second; a site at its own predicted interval lies within any share of it."""
    sites = intervals(workload, held_out)
    beats = [site for site in sites if site.periodic]
    assert beats
    assert all(site.within(0.1) for site in beats if site.predicted_s == pytest.approx(1.0, rel=0.1))
    assert all(replace(site, seen_s=site.predicted_s).within(0.0) for site in sites)
    assert not any(replace(site, seen_s=3 * site.predicted_s + 1).within(0.5) for site in sites)
