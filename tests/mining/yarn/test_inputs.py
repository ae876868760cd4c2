"""Where input lies, and asks that follow from it: real jobs, and made-up ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.yarn.inputs import Hosts, explained, on_each
from froude.workload.types import Generated, Workload

BLOCKS = [("a", "b"), ("b", "c"), ("b", "a")]


def test_blocks_are_counted_where_they_lie() -> None:
    """Each machine of a block once."""
    assert on_each([*BLOCKS, ("a", "a")]) == {"a": 3, "b": 3, "c": 1}


@pytest.mark.parametrize(
    ("asked", "how"),
    [
        ({"a": 2, "b": 3, "c": 1}, Hosts.ALL),
        ({"b": 3}, Hosts.ONE),
        ({"a": 1, "b": 1, "c": 1}, Hosts.ONE),
        ({"a": 3}, None),
        ({"b": 2}, None),
        ({"d": 3}, None),
    ],
)
def test_asks_follow_from_blocks(asked: dict[Any, int], how: Hosts | None) -> None:
    """All machines of each, or one of each; more on a machine than lie there, or fewer in all, follow from nothing."""
    assert explained(asked, BLOCKS) is how


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3, unique=True), min_size=1),
    st.randoms(),
)
def test_what_was_chosen_is_explained(blocks: list[list[str]], rng: Any) -> None:
    """Whichever machine of each block."""
    told = [tuple(hosts) for hosts in blocks]
    assert explained(dict(on_each(told)), told) is Hosts.ALL
    chosen = on_each((rng.choice(hosts),) for hosts in told)
    assert explained(dict(chosen), told) is not None


def test_asks_of_real_jobs(mined: Workload) -> None:
    """WordCount asks on all machines of a block, TeraSort on one that it chose; TeraGen has no input."""
    said = {}
    for node_type in mined.node_types:
        for periodic in node_type.periodic:
            rule = periodic.call.arguments.get("ask[node1-20].num_containers")
            if periodic.call.method == "allocate":
                said[node_type.name] = rule.parameters if isinstance(rule, Generated) else rule
    assert said == {
        "appmaster": None,
        "appmaster-2": {"input": "submit-2.c2", "hosts": "one"},
        "appmaster-3": {"input": "client.c16", "hosts": "all"},
    }
