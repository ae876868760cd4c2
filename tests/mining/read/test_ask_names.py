"""Leaves of asks are named by priority and kind of place."""

from __future__ import annotations

import pytest

from froude.mining.read.ask_names import elements, is_asked, kind_of, named, representative

TWO = {
    "ask[0].priority.priority": 20,
    "ask[0].resource_name": "*",
    "ask[0].num_containers": 3,
    "ask[1].priority.priority": 20,
    "ask[1].resource_name": "127.0.0.11",
    "ask[1].num_containers": 1,
    "ask[2].priority.priority": 20,
    "ask[2].resource_name": "127.0.0.12",
    "progress": 0.5,
}


def test_asks_are_named_by_what_they_ask_for() -> None:
    """Nodes count within their priority; other leaves, and other calls, keep their names."""
    names = named("allocate", TWO)
    assert names["ask[0].num_containers"] == "ask[any-20].num_containers"
    assert names["ask[1].resource_name"] == "ask[node1-20].resource_name"
    assert names["ask[2].priority.priority"] == "ask[node2-20].priority.priority"
    assert "progress" not in names
    assert named("nodeHeartbeat", TWO) == {}


@pytest.mark.parametrize(
    ("place", "kind"), [("*", "any"), ("/rack", "rack"), ("host", "node"), (None, "node")]
)
def test_kinds_of_places(place: str | None, kind: str) -> None:
    """Anywhere, a rack, or a machine."""
    assert kind_of(place) == kind


def test_one_rule_stands_for_all_nodes() -> None:
    """Only the number of a node is left out."""
    assert representative("ask[node7-20].num_containers") == "ask[node1-20].num_containers"
    assert representative("ask[any-20].num_containers") == "ask[any-20].num_containers"
    assert representative("src") == "src"


def test_asks_and_what_is_given_back_are_leaves_of_their_own() -> None:
    """Of `allocate` only."""
    assert is_asked("allocate", "ask[any-20].num_containers")
    assert is_asked("allocate", "release[0].id")
    assert not is_asked("allocate", "progress")
    assert not is_asked("create", "ask[0].x")
    assert [prefix for prefix, _ in elements("ask", TWO)] == ["ask[0]", "ask[1]", "ask[2]"]
