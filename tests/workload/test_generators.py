"""Named generators: what they recognise they can make."""

from __future__ import annotations

import random

import pytest

from froude.workload.generators import GENERATORS, generate, recognise
from froude.workload.types import Generated, Scalar

SEEN: dict[str, list[Scalar]] = {
    "dfs-client": ["DFSClient_NONMAPREDUCE_-123_1", "DFSClient_NONMAPREDUCE_77_1"],
    "task-client": ["DFSClient_attempt_1795_0001_m_000000_0_-5_1"],
    "uuid": ["DS-0f8fad5b-d9cb-469f-a165-70867728950e", "DS-7c9e6679-7425-40de-944b-e07fc1f90ae7"],
    "epoch-ms": [1795271847991, 1795271849000],
    "int64": [6893681758197557346, 2982429610672605455],
    "bytes": [b"0123456789", b"9876543210"],
}


@pytest.mark.parametrize("name", SEEN)
def test_what_is_recognised_can_be_made(name: str) -> None:
    """Made values are recognised as the same kind, under the same parameters; one seed, one value."""
    rule = recognise(SEEN[name])
    assert rule is not None
    assert rule.generator == name
    text = generate(rule, random.Random(1), 1.7e9)
    assert text == generate(rule, random.Random(1), 1.7e9)
    if name != "int64":  # one number alone is not taken for random
        assert recognise([text]) == rule


def test_ordinary_values_are_not_recognised() -> None:
    """Words and small numbers are no random values."""
    assert recognise(["/a", "/b"]) is None
    assert recognise([1, 2]) is None


def test_gauges_stay_in_their_range() -> None:
    """A gauge lies between what was seen."""
    rule = Generated("gauge", {"low": 5, "high": 9})
    assert all(5 <= int(str(generate(rule, random.Random(n), 0.0))) <= 9 for n in range(20))
    assert "gauge" in GENERATORS


def test_a_quota_is_no_random_number() -> None:
    """The largest number says that it is not set; beside it, and beside small ones, nothing is random."""
    unset = (1 << 63) - 1
    assert recognise([unset, 5298982602539399741]) is None
    assert recognise([1_000_000, 5298982602539399741]) is None
    assert recognise([-5298982602539399741, 1298982602539399741]) == Generated("int64", {})
