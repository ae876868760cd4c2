"""Migrations."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import InputError
from froude.documents.migrate import Migrations, same
from froude.documents.plain import Fields
from froude.documents.reading import Section, parse_document
from froude.documents.unstamped import Unstamped

NOT_A_SONG = "is not a song"
NEWER = "newer Froude"


def _rename(data: Fields) -> None:
    data["new"] = data.pop("old")
    data.pop("format", None)


def _double(data: Fields) -> None:
    data["new"] *= 2


STEPS = Migrations("song", 3, {1: _rename, 2: _double}, unstamped=Unstamped("song", "format", None, "format"))


@pytest.mark.parametrize(
    ("data", "version"),
    [
        ({"format": 1, "old": 2}, 1),
        ({"froude": "song/1", "old": 2}, 1),
        ({"froude": "song/2", "new": 2}, 2),
        ({"froude": "song/3", "new": 4}, 3),
    ],
)
def test_steps_are_taken_in_turn(data: dict[str, Any], version: int) -> None:
    """From any known version, stamped or not, to the newest; the newest stays as it is."""
    root = Section(Fields(data), "f")
    assert STEPS.apply(root) == version
    assert root.fields == {"froude": "song/3", "new": 4}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, f"f: froude: {NOT_A_SONG}; found nothing; allowed: froude: song/1 or"),
        ({"format": "1"}, NOT_A_SONG),
        ({"format": True}, NOT_A_SONG),
        ({"format": 0}, NOT_A_SONG),
        ({"froude": 3}, NOT_A_SONG),
        ({"froude": "poem/1"}, f"{NOT_A_SONG}; found poem/1"),
        ({"froude": "song/0"}, NOT_A_SONG),
        ({"froude": "song/4"}, f"{NEWER}.*Read it with"),
        ({"format": 4}, NEWER),
    ],
)
def test_versions_that_cannot_be_read(data: dict[str, Any], message: str) -> None:
    """None, another kind, a newer one."""
    with pytest.raises(InputError, match=message):
        STEPS.apply(Section(Fields(data), "f"))


def test_a_version_from_before_the_first_step_is_too_old() -> None:
    """Forms that nobody has any more need no step."""
    with pytest.raises(InputError, match="too old to be read"):
        Migrations("song", 3, {2: same}).apply(Section(Fields({"froude": "song/1"}), "f"))


def test_errors_keep_their_lines() -> None:
    """A step changes the mapping in place."""
    root = parse_document(b"froude: song/1\nold: 3\nmore: x\n", "f")
    STEPS.apply(root)
    assert root.error("more", "x").place == "3"


def test_a_hole_in_the_steps_is_a_mistake() -> None:
    """Found when the steps are listed, not when a user's file is read."""
    with pytest.raises(ValueError, match="no step from version 2"):
        Migrations("song", 4, {1: _rename, 3: _double})
