"""Random values get generators of their kind."""

from __future__ import annotations

from froude.mining.fit.random_values import by_name, gauge, of_digits
from froude.workload.types import Generated


def test_sizes_are_drawn_about_their_median() -> None:
    """Of a log-normal distribution; one value says nothing of others."""
    made = by_name("last.numBytes", [100, 400])
    assert made == Generated("size", {"median": 200, "spread": 0.6931})
    assert by_name("last.numBytes", [100]) is None
    assert by_name("other", [100, 400]) is None
    assert by_name("size", [100, "a"]) is None


def test_ports_are_known_by_name() -> None:
    """As long as they can be ports."""
    assert by_name("rpc_port", [40_000, 41_000]) == Generated("port")
    assert by_name("rpc_port", [40_000, 400_000]) is None


def test_gauges_lie_between_what_was_seen() -> None:
    """Numbers alone."""
    assert gauge("a.cpu", [0.5, 2]) == Generated("gauge", {"low": 0.5, "high": 2})
    assert gauge("a.cpu", ["x"]) is None
    assert gauge("a.name", [1, 2]) is None


def test_numbers_within_texts() -> None:
    """Times are times, others lie between what was seen, padded as they were."""
    assert of_digits(["1795219431524", "1795219336865"]) == Generated("epoch-ms")
    assert of_digits(["002", "010"]) == Generated("number", {"low": 2, "high": 10, "width": 3})
    assert of_digits(["34019", "5"]) == Generated("number", {"low": 5, "high": 34019})
    assert of_digits(["a", "1"]) is None
    assert of_digits(["1"]) is None
