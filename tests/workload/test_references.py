"""Names that refer to what is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.workload.extrapolate import extrapolate
from froude.workload.references import endless_turn, uncounted
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    NodeType,
    Recorded,
    Repeat,
    Rule,
    Side,
    StartRule,
    Template,
    Workload,
)


def _workload(rule: Rule, start: StartRule | None = None) -> Workload:
    """A client that makes one call in a loop L1, with this argument."""
    call = CallTemplate("client.c1", "p", "create", {"src": rule})
    node_type = NodeType("client", Count(1), (Repeat("L1", Count(2), (call,)),))
    return Workload((node_type if start is None else replace(node_type, start=start),), Recorded((), ()))


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        (Template(("/in/", Counter(0, {"L9": 1}))), "L9"),
        (Counter(0, {"files*L9": 1}), "L9"),
        (Counter(0, {"(L9+3)%4": 1}), "L9"),
        (Cycle(("a", "b"), Counter(0, {"L9": 1})), "L9"),
        (Cases("L9", Constant(1), None, Constant(2)), "L9"),
        (Flow("client.c1", Side.RESPONSE, "a[{each}].b", element=Counter(0, {"L9": 1})), "L9"),
    ],
)
def test_what_is_not_there_is_found(rule: Rule, found: str) -> None:
    """Else a play would go on with 0 for it, and be called good."""
    assert list(uncounted(_workload(rule))) == [("client", found)]
    assert not extrapolate(_workload(rule), Scale.of(files=2)).playable


@pytest.mark.parametrize(
    "rule",
    [
        Counter(1, {"L1": 1, "node": 2, "client.L1": 1}),
        Counter(1, {"files*node": 1, "(2*L1)%folders": 1}),
        Cases("node", Constant(1), None, Constant(2)),
    ],
)
def test_what_is_there_is_no_fault(rule: Rule) -> None:
    """Loops, nodes, and loops of other types, as effects have them."""
    assert list(uncounted(_workload(rule))) == []


@given(st.lists(st.integers(-1, 1), min_size=1, max_size=5))
def test_a_circle_stands_still_unless_it_goes_back(offsets: list[int]) -> None:
    """Around the circle each waits for one of a round before, or for itself, or for a later one."""
    names = [f"t{number}" for number in range(len(offsets))]
    starts = {
        name: StartRule(pause_s=1.0, follows=names[(at + 1) % len(names)], offset=offsets[at])
        for at, name in enumerate(names)
    }
    assert bool(endless_turn(starts)) is (sum(offsets) >= 0)
    assert endless_turn({"a": StartRule(pause_s=1.0, follows="b"), "b": StartRule(pause_s=1.0)}) == []


def test_nodes_that_wait_for_themselves_are_found_in_a_workload() -> None:
    """A play of them would never begin."""
    plan = extrapolate(_workload(Constant(1), StartRule(pause_s=1.0, follows="client")), Scale.of())
    assert not plan.playable
    assert "wait for each other's ends" in plan.refusals[0].what
