"""A log as it is read ahead and dealt out."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.emulation.programs.audit.conflicts import in_order
from froude.emulation.programs.audit.lines import BLOCK, REMOVAL, Client, Line, write_lines
from froude.emulation.programs.audit.replay import Replay
from froude.emulation.settings import LogClientSettings, Mode, Pacing


def _replay(folder: Path, lines: list[Line], speed: float = 1.0, mode: Mode = Mode.ONCE) -> Replay:
    write_lines(folder / "lines.json", [Client("a"), Client("b")], in_order(lines))
    replay = Replay(folder / "lines.json", LogClientSettings(), Pacing.SCHEDULED, speed, mode)
    replay.begin(100.0)
    return replay


def test_it_is_read_as_room_is_made(tmp_path: Path) -> None:
    """However long the log is, some thousands of operations are kept."""
    lines = [Line(number, number % 2, "getfileinfo", f"/{number}") for number in range(10_000)]
    replay = _replay(tmp_path, lines, speed=4.0)
    assert sum(map(len, replay.queues)) == 4096
    first = replay.queues[0][0]
    assert replay.done(first, 100.0) == []
    assert sum(map(len, replay.queues)) == 4096 - 1 + 256
    assert replay.queues[0][0].due_s == 100.5


def test_no_more_than_two_blocks_are_under_way(tmp_path: Path) -> None:
    """An operation that does not end holds up what lies two blocks behind it, and only that."""
    lines = [Line(0.0, 1, "getfileinfo", f"/{number}") for number in range(3 * BLOCK)]
    lines[5] = Line(0.0, 0, "getfileinfo", "/slow")
    replay = _replay(tmp_path, lines)
    made = 0
    while replay.queues[1]:
        replay.done(replay.queues[1][0], 101.0)
        made += 1
    assert made == 2 * BLOCK - 1
    assert replay.done(replay.queues[0][0], 102.0) == [1]
    assert replay.queues[1]


def test_who_may_go_on(tmp_path: Path) -> None:
    """Clients whose next operation had to wait for one that is done; not those that have another before it."""
    lines = [
        Line(0.0, 0, "delete", "/d"),
        Line(0.0, 1, "getfileinfo", "/d/x"),
        Line(0.0, 1, "getfileinfo", "/d/y"),
    ]
    replay = _replay(tmp_path, lines)
    waiting = replay.queues[1]
    assert [not operation.missing for operation in waiting] == [False, False]
    assert replay.done(replay.queues[0][0], 101.0) == [1]
    assert [not operation.missing for operation in waiting] == [True, True]


def test_a_folder_that_is_made_by_the_way_is_made_by_the_first(tmp_path: Path) -> None:
    """Both make `/new` if it is missing; afterwards they do not wait for each other."""
    lines = [
        Line(0.0, 0, "mkdirs", "/new/a"),
        Line(0.0, 1, "create", "/new/b/c"),
        Line(0.0, 1, "create", "/new/b/d"),
        Line(0.0, 0, "create", "/new/b/e"),
    ]
    replay = _replay(tmp_path, lines)
    first, second = replay.queues
    assert [not operation.missing for operation in second] == [False, False]
    assert replay.done(first[0], 101.0) == [1]
    assert [not operation.missing for operation in (*second, *first)] == [True, False, False]
    assert sorted(replay.done(second[0], 101.0)) == [0, 1]
    assert [not operation.missing for operation in (*second, *first)] == [True, True]


def test_a_path_is_the_same_with_a_slash_behind_it(tmp_path: Path) -> None:
    """As clients may write folders."""
    lines = [Line(0.0, 0, "delete", "/a/"), Line(0.0, 1, "open", "/a/b")]
    assert _replay(tmp_path, lines).queues[1][0].missing


LOG = [
    Line(0.0, 0, "mkdirs", "/a", copied=["/a~\0", None]),
    Line(1.0, 1, "delete", "/i", copied=[]),
    Line(2.0, 0, "delete", options=REMOVAL, copied=["/a~\1", None]),
    Line(3.0, 0, "open", "/f"),
]


@pytest.mark.parametrize(
    ("mode", "late_s"), [(Mode.ARRIVALS, 0.0), (Mode.POPULATION, 0.0), (Mode.POPULATION, 50.0)]
)
def test_a_log_begins_again_when_it_is_over(tmp_path: Path, mode: Mode, late_s: float) -> None:
    """Over copies of its paths, at its own times; a population's round waits where those before it are late."""
    replay = _replay(tmp_path, LOG, speed=2.0, mode=mode)
    made: list[tuple[str | None, float]] = []
    while replay.round < 9:
        operation = min((queue[0] for queue in replay.queues if queue), key=lambda each: each.due_s)
        made.append((operation.line.src, operation.due_s - 100.0))
        replay.done(operation, operation.due_s + late_s)
    assert {path for path, _ in made} >= {"/a", "/i", "/f", "/a~2", "/a~3", "/a~4"}
    read = [due_s for path, due_s in made if path == "/f"]
    assert read[:2] == [1.5, 3.5]
    assert (read[:5] == [1.5, 3.5, 5.5, 7.5, 9.5]) is not bool(late_s)
    assert read[4] >= late_s
    assert len(replay._left_of) < 5


def test_a_log_of_which_nothing_can_be_done_again_ends(tmp_path: Path) -> None:
    """It would be read for good otherwise."""
    replay = _replay(tmp_path, LOG[1:2], mode=Mode.ARRIVALS)
    assert replay.done(replay.queues[1][0], 101.0) == []
    assert not any(replay.queues)
