"""How the solving and simulating commands end; their own tests see what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.answers import claim, how
from froude.cli.settings import Settings


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    """Neither as JSON nor as a page."""
    state = tmp_path / "state.yaml"
    state.write_text("x")
    with pytest.raises(InputError, match="is an input of this command"):
        claim(Settings(), [state], state, "cache-plan", None)
    claim(Settings(), [state], tmp_path / "plan.json", "cache-plan", tmp_path / "plan.html")


def test_the_seed_is_the_users() -> None:
    """By the global flag."""
    asked = how(Settings(seed=7, workers=2, quiet=True))
    assert (asked["seed"], asked["workers"]) == (7, 2)
