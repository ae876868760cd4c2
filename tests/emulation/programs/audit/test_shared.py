"""What the clients of a log share in a play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from froude.emulation.pacing import Pacing
from froude.emulation.programs.audit.commands import Written
from froude.emulation.programs.audit.lines import Line
from froude.emulation.programs.audit.shared import SharedLog
from froude.emulation.programs.events import Note
from froude.messages.schema import Schema
from tests.support.emulation.programs.audit.family import Play


def test_what_was_due_counts_at_the_end(schema: Schema, tmp_path: Path) -> None:
    """What waits in a client's queue, and what was not even read."""
    lines = [Line(0.001 * number, 0, "getfileinfo", "/a") for number in range(5000)]
    play = Play(schema, tmp_path, lines, pacing=Pacing.SCHEDULED)
    play.start()
    assert sum(1 for _ in play.nodes[0].overdue(10.0 + 4.9995)) == 4999


def test_blocks_need_datanodes_that_are_emulated(schema: Schema, tmp_path: Path) -> None:
    """Without any it is counted that nobody will report the block."""
    play = Play(schema, tmp_path, [Line(0.0, 0, "getfileinfo", "/a")])
    del play.population.families["datanode"]
    shared = SharedLog("client", play.population, tmp_path / "lines.json")
    assert shared.written(Written(None, 7), 0) == [Note("block placed on a node that is not emulated")]


def test_leases_have_other_holders_in_each_play(schema: Schema, tmp_path: Path) -> None:
    """As of clients that were started again."""
    play = Play(schema, tmp_path, [Line(0.0, 0, "getfileinfo", "/a")])
    names = []
    for nonce in ("", "aa", "bb"):
        play.population.settings = replace(play.population.settings, nonce=nonce)
        names.append(SharedLog("client", play.population, tmp_path / "lines.json").who(0).name)
    assert names == ["froude_0", "froude_aa_0", "froude_bb_0"]
