"""Values by leaf path."""

from __future__ import annotations

from typing import Any

import pytest

from froude.emulation.programs.paths import count_at, value_at
from froude.hadoop.distribution import Hadoop
from froude.hadoop.leaves import leaves
from froude.workload.rules import Special
from tests.emulation.plans import CLIENT


@pytest.fixture
def response(hadoop: Hadoop) -> Any:
    """An answer to addBlock with two locations."""
    message: Any = hadoop.schema().method(CLIENT, "addBlock").response()
    message.block.offset, message.block.b.blockId = 5, 71
    for name in ("u0", "u1"):
        message.block.locs.add().id.datanodeUuid = name
    message.block.storageIDs.append("DS-0")
    message.block.blockToken.SetInParent()
    return message


def test_every_leaf_is_found_at_its_path(response: Any) -> None:
    """`value_at` and `leaves` mean the same by a path."""
    flat = leaves(response)
    assert flat["block.blockToken{}"] is None
    assert {path: value_at(response, path) for path in flat} == flat


def test_each_stands_for_an_element(response: Any) -> None:
    """The place of an effect's element is put in when it is known."""
    assert count_at(response, "block.locs") == 2
    assert value_at(response, "block.locs[{each}].id.datanodeUuid", 1) == "u1"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("block.locs[7].id.datanodeUuid", Special.ABSENT),
        ("block.b.poolId", Special.ABSENT),
        ("block.storageIDs[1]", Special.ABSENT),
        ("nothing", Special.UNRESOLVED),
        ("block", Special.UNRESOLVED),
    ],
)
def test_what_is_not_there_has_no_value(response: Any, path: str, expected: Special) -> None:
    """Fields and elements that are not set are absent, as in a recorded run, and get no default."""
    assert value_at(response, path) is expected


def test_counting_what_is_not_there() -> None:
    """No message, no elements."""
    from froude.hadoop.rpc.headers import RequestHeader

    assert count_at(RequestHeader(), "callerContext.nothing") == 0
