"""What the clients of a log share in a play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from froude.emulation.notes import ROUND_BEGUN
from froude.emulation.programs.audit.commands import Written
from froude.emulation.programs.audit.lines import Line
from froude.emulation.programs.audit.shared import SharedLog
from froude.emulation.programs.events import Note
from froude.emulation.settings import Mode, Pacing, Turnover
from froude.messages.schema import Schema
from tests.support.emulation.programs.audit.family import Play, notes


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


def test_a_round_counts_with_its_first_call(schema: Schema, tmp_path: Path) -> None:
    """Not when it is read ahead; one that began with a client of another player counts with the next call here."""
    lines = [Line(0.001 * number, number % 2, "getfileinfo", f"/{number}") for number in range(3)]
    play = Play(schema, tmp_path, lines, pacing=Pacing.CLOSED, turnover=Turnover(Mode.POPULATION))
    shared = play.population.families["client"].shared  # type: ignore[attr-defined]
    out, counts = play.start(), list[int]()
    for _ in range(6):
        assert shared.replay.round > shared.replay.reached
        counts.append(notes(out).count(ROUND_BEGUN))
        while shared.replay.queues[1]:
            shared.replay.done(shared.replay.queues[1][0], play.now_s)
        out = play.answer(0, out, "getFileInfo")
    assert counts == [0, 1, 0, 1, 0, 1]


def test_one_player_counts_rounds(schema: Schema, tmp_path: Path) -> None:
    """The first one, since all of them read the log."""
    play = Play(
        schema,
        tmp_path,
        [Line(0.0, 0, "getfileinfo", "/a")],
        pacing=Pacing.CLOSED,
        turnover=Turnover(Mode.POPULATION),
    )
    out = play.start()
    for number, count in ((0, 1), (1, 0)):
        play.population.share.number = number
        out = play.answer(0, out, "getFileInfo")
        assert notes(out).count(ROUND_BEGUN) == count
