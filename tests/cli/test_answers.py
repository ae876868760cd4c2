"""How the solving and simulating commands end; their own tests see what is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.answers import claim, how
from froude.cli.outputs import Output
from froude.cli.settings import Settings


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    """Neither as JSON nor as a page."""
    state = tmp_path / "state.yaml"
    state.write_text("x")
    with pytest.raises(InputError, match="is an input of this command"):
        claim(Settings(), [state], state, "cache-plan", None)
    claim(Settings(), [state], tmp_path / "plan.json", "cache-plan", tmp_path / "plan.html")


def test_every_place_is_claimed(tmp_path: Path) -> None:
    """Results, page, the page's figures and others; what is no file is no input."""
    out, page = tmp_path / "a.json", tmp_path / "a.html"
    claim(Settings(), ["photoshare-calibrated", None], out, "sweep", page)
    claim(Settings(), ["photoshare-calibrated"], None, "sweep")
    for place in (out, page, tmp_path / "a.figures.json"):
        with pytest.raises(InputError, match=re.escape(f"{place.name}: ")):
            claim(Settings(), [], out, "sweep", page, [Output(place, "provision")])
    out.write_text("froude: provision/1\n")
    with pytest.raises(InputError, match=r"a\.json: "):
        claim(Settings(), [str(out)], out, "sweep")


def test_the_seed_is_the_users() -> None:
    """By the global flag."""
    asked = how(Settings(seed=7, workers=2, quiet=True))
    assert (asked["seed"], asked["workers"]) == (7, 2)
