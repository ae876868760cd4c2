"""Named generators: what they recognise they can make."""

from __future__ import annotations

import random

import pytest

from froude.workload.generators import CONTAINER_ASKS, GENERATORS, generate, recognise
from froude.workload.types import Generated, Scalar

SEEN: dict[str, list[Scalar]] = {
    "dfs-client": ["DFSClient_NONMAPREDUCE_-123_1", "DFSClient_NONMAPREDUCE_77_1"],
    "task-client": ["DFSClient_attempt_1795_0001_m_000000_0_-5_1"],
    "uuid": ["DS-0f8fad5b-d9cb-469f-a165-70867728950e", "DS-7c9e6679-7425-40de-944b-e07fc1f90ae7"],
    "epoch-ms": [1795271847991, 1795271849000],
    "int64": [6893681758197557346, 2982429610672605455],
    "bytes": [b"0123456789", b"9876543210"],
    "hex": ["8e2c8c71de05ba7c", "073122b818253f94"],
}


@pytest.mark.parametrize("name", SEEN)
def test_what_is_recognised_can_be_made(name: str) -> None:
    """Made values are recognised as the same kind, under the same parameters; one seed, one value."""
    rule = recognise(SEEN[name])
    assert rule is not None
    assert rule.generator == name
    text = generate(rule, random.Random(1), 1.7e9)
    assert text == generate(rule, random.Random(1), 1.7e9)
    if name not in {"int64", "hex"}:  # one alone is not taken for random
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


def test_sizes_ports_and_numbers_are_made_by_who_asks_for_them() -> None:
    """Sizes about their median, ports of those that are given out, numbers as they are written in a text."""
    sizes = [
        int(str(generate(Generated("size", {"median": 1000, "spread": 0.1}), random.Random(n), 0)))
        for n in range(50)
    ]
    assert 900 < sorted(sizes)[25] < 1100
    assert len(set(sizes)) > 10
    assert 1 << 15 <= int(str(generate(Generated("port"), random.Random(1), 0))) < 1 << 16
    assert generate(Generated("number", {"low": 7, "high": 7, "width": 3}), random.Random(1), 0) == "007"
    assert generate(Generated(CONTAINER_ASKS, {"value": 384}), random.Random(1), 0) == 384


def test_a_text_without_end_is_refused() -> None:
    """As many digits as a file could say."""
    with pytest.raises(ValueError, match="digits"):
        generate(Generated("hex", {"digits": 1 << 40}), random.Random(1), 0)
