"""One client's corner cases; its conversations are in `test_family`."""

from __future__ import annotations

from pathlib import Path

from froude.emulation.pacing import Pacing
from froude.emulation.programs.audit.lines import Line
from froude.hadoop.schema import Schema
from tests.emulation.programs.audit.test_family import Play, notes


def test_a_request_that_cannot_be_made_is_left_out(schema: Schema, tmp_path: Path) -> None:
    """A line that lacks what the call needs: a rename without its target."""
    play = Play(schema, tmp_path, [Line(0.0, 0, "rename", None, "/a", None)], pacing=Pacing.CLOSED)
    (note,) = notes(play.start())
    assert note.startswith("call left out: rename (")
