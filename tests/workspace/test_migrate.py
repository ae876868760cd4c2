"""Migrations."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import InputError
from froude.workspace.migrate import Migrations


def _rename(data: dict[str, Any]) -> dict[str, Any]:
    return {**{k: v for k, v in data.items() if k != "old"}, "new": data["old"]}


def _double(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "new": data["new"] * 2}


STEPS = Migrations("song", 3, {1: _rename, 2: _double})


def test_steps_are_taken_in_turn() -> None:
    """From any known version to the newest; the newest stays as it is."""
    assert STEPS.apply({"format": 1, "old": 2}, file="f") == {"format": 3, "new": 4}
    assert STEPS.apply({"format": 2, "new": 2}, file="f") == {"format": 3, "new": 4}
    assert STEPS.apply({"format": 3, "new": 2}, file="f") == {"format": 3, "new": 2}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "f:format: is not a song"),
        ({"format": "1"}, "is not a song"),
        ({"format": True}, "is not a song"),
        ({"format": 4}, "newer Froude"),
        ({"format": 0}, "too old"),
    ],
)
def test_versions_that_cannot_be_read(data: dict[str, Any], message: str) -> None:
    """None, a newer one, one too old."""
    with pytest.raises(InputError, match=message):
        STEPS.apply(data, file="f")


def test_a_hole_in_the_steps_is_a_mistake() -> None:
    """Found when the steps are listed, not when a user's file is read."""
    with pytest.raises(ValueError, match="no step from version 2"):
        Migrations("song", 4, {1: _rename, 3: _double})
