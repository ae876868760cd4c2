"""One client's corner cases; its conversations are in `test_family`."""

from __future__ import annotations

from pathlib import Path

from froude.emulation.pacing import Pacing
from froude.emulation.programs.audit.lines import Line
from froude.messages.schema import Schema
from tests.support.emulation.programs.audit.family import Play, notes


def test_a_request_that_cannot_be_made_is_left_out(schema: Schema, tmp_path: Path) -> None:
    """A line that lacks what the call needs: a rename without its target."""
    play = Play(schema, tmp_path, [Line(0.0, 0, "rename", "/a")], pacing=Pacing.CLOSED)
    (note,) = notes(play.start())
    assert note.startswith("line not replayed: rename (")


def test_numbers_that_are_none(schema: Schema, tmp_path: Path) -> None:
    """A directive's texts are whatever somebody wrote; so many lines in a row are no matter."""
    odd = Line(0.0, 0, "removeCacheDirective", "{id: ²}")
    huge = Line(0.0, 0, "addCacheDirective", "{path: /a, replication: " + "9" * 40 + "}")
    many = [odd, huge] * 2500
    said = Play(schema, tmp_path, many, pacing=Pacing.CLOSED).start()
    assert len(notes(said)) == len(many)
    assert all(note.startswith("line not replayed: ") for note in notes(said))
