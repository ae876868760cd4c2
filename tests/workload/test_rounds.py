"""Loops whose number depends on the rounds around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.workload.rounds import count_calls, is_uneven, iterations, made_in, rounds, unrolled
from froude.workload.scale import Count, Scale
from froude.workload.types import CallTemplate, NodeType, Repeat


def _call(name: str) -> CallTemplate:
    return CallTemplate(name, "P", name, {})


def _job(inner: str) -> NodeType:
    body = (_call("c"), Repeat("L2", Count.parse(inner), (_call("b"),)))
    return NodeType("client", Count(3.0), (_call("m"), Repeat("L1", Count.parse("files"), body)))


def test_every_third_round_has_a_call_more() -> None:
    """The calls of one node, in order."""
    made = [call.id for call, _ in unrolled(_job("(L1+1)//3 - L1//3").steps, Scale.of(files=7))]
    assert "".join(made) == "mcccbcccbc"


def test_a_loop_of_equal_rounds_is_one_group() -> None:
    """Only where something within counts by them are rounds looked at one by one."""
    segment = _job("2").steps[1]
    assert isinstance(segment, Repeat)
    assert not is_uneven(segment)
    assert [number for number, _ in rounds(segment, Scale.of(files=5000))] == [5000]


@given(files=st.integers(0, 3000), inner=st.sampled_from(["2", "L1%2", "(L1+2)//4 - L1//4", "files"]))
def test_calls_are_counted_as_they_are_made(files: int, inner: str) -> None:
    """Counting in groups gives what walking through gives, also beyond the rounds that are looked at."""
    node_type, numbers = _job(inner), dict.fromkeys("mcb", 0)
    if inner == "files":
        files %= 100

    def add(call: CallTemplate, times: int) -> None:
        numbers[call.id] += times

    count_calls(node_type.steps, Scale.of(files=files), add)
    made = [call.id for call, _ in unrolled(node_type.steps, Scale.of(files=files))]
    assert numbers == {name: made.count(name) for name in "mcb"}


def test_the_lowest_and_the_highest_number_of_rounds() -> None:
    """As the formulas give them, of all rounds around a loop; also where that one never runs."""
    job = _job("min(1, L1 - 2)")
    assert iterations(job, Scale.of(files=9)) == {"L1": (9.0, 9.0), "L2": (-2.0, 1.0)}
    assert iterations(job, Scale.of(files=0)) == {"L1": (0.0, 0.0), "L2": (-2.0, -2.0)}


@pytest.mark.parametrize(
    ("inner", "ends"),
    [
        ("min(1, L1 - 2)", {"L1": (3, 8)}),
        ("min(1, -L1 + 2)", {"L1": (0, 1)}),
        ("(L1+1)//4 - L1//4", {"L1": (3, 7)}),
        ("2", {}),
    ],
)
def test_in_which_rounds_a_call_is_made(inner: str, ends: dict[str, tuple[int, int]]) -> None:
    """From the first to the last of them; a call that is never made has no place."""
    made = made_in(_job(inner), Scale.of(files=9))
    assert (made["m"], made["b"]) == ({}, ends)
    assert "b" not in made_in(_job("min(1, L1 - 9)"), Scale.of(files=9))
