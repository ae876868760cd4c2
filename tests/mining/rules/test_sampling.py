"""Templates of many calls: a rule found at some of them is the rule of all."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Recording
from froude.mining.rules import sampling
from froude.mining.rules.sampling import sample, spread
from froude.mining.shape.structure import Occurrence
from froude.workload.yaml_file import dump_workload
from testbed.synthetic import record


@given(st.integers(0, 500), st.integers(4, 60))
def test_a_spread_has_both_ends_and_no_more_than_asked(length: int, most: int) -> None:
    """Any length, any number."""
    chosen = spread(range(length), most)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(length, most)
    assert not length or {chosen[0], chosen[-1]} == {0, length - 1}


def test_of_every_run_some_nodes_and_of_these_some_rounds_are_looked_at() -> None:
    """Few calls, of all runs, of first and last nodes."""
    calls = [SimpleNamespace(run=run, node=node) for run in range(3) for node in range(40) for _ in range(90)]
    chosen = sample(cast("list[Occurrence]", calls))
    nodes = {(calls[at].run, calls[at].node) for at in chosen}
    assert len(chosen) < sampling.FEW
    assert {run for run, _ in nodes} == {0, 1, 2}
    assert {0, 39} <= {node for _, node in nodes}


def runs() -> list[Recording]:
    """Three small runs of the made-up job."""
    return [
        record(datanodes=2, clients=1, dirs=1, files=2, blocks=2),
        record(datanodes=3, clients=3, dirs=2, files=3, blocks=1),
        record(datanodes=4, clients=2, dirs=3, files=1, blocks=3),
    ]


def test_the_workload_is_the_one_that_all_calls_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every template of the made-up job, looked at by a few calls of each."""
    whole = dump_workload(mine_recordings(runs()))
    monkeypatch.setattr(sampling, "FEW", 4)
    monkeypatch.setattr(sampling, "_NODES", 4)
    monkeypatch.setattr(sampling, "_ROUNDS", 4)
    monkeypatch.setattr(sampling, "_MORE_ROUNDS", 4)
    assert dump_workload(mine_recordings(runs())) == whole


def test_one_call_that_contradicts_is_found_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is none of the first ones, and the workload is not the one without it."""
    changed = runs()
    at, event = [(place, event) for place, event in enumerate(changed[2].events) if event.method == "create"][
        3
    ]
    path = next(path for path, value in event.request.items() if isinstance(value, int) and value)
    odd = replace(event, request={**event.request, path: 54_321})
    changed[2] = replace(changed[2], events=(*changed[2].events[:at], odd, *changed[2].events[at + 1 :]))
    whole = dump_workload(mine_recordings(changed))
    assert whole != dump_workload(mine_recordings(runs()))
    monkeypatch.setattr(sampling, "FEW", 4)
    monkeypatch.setattr(sampling, "_NODES", 4)
    monkeypatch.setattr(sampling, "_ROUNDS", 4)
    monkeypatch.setattr(sampling, "_MORE_ROUNDS", 4)
    assert dump_workload(mine_recordings(changed)) == whole
