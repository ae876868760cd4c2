"""Progress on the terminal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest

from froude.cli.progress import LineProgress, RichProgress

Out = pytest.CaptureFixture[str]


def lines(capsys: Out) -> list[str]:
    """What stands on stderr in the end, each line with single spaces; stdout stays free for results."""
    out, err = capsys.readouterr()
    assert out == ""
    return [" ".join(line.split()) for line in err.splitlines() if line.strip()]


def test_a_task_has_a_line(capsys: Out) -> None:
    """Its label, and the words said last."""
    with RichProgress().task("mine the pattern") as task:
        task.say("first")
        task.say("second")
    (line,) = lines(capsys)
    assert "mine the pattern second" in line
    assert "first" not in line


def test_nested_tasks_stand_below_each_other(capsys: Out) -> None:
    """Nothing is drawn twice when the inner one ends."""
    progress = RichProgress()
    with progress.task("outer"):
        with progress.task("inner", total=3) as task:
            task.advance(2)
        with progress.task("next"):
            pass
    assert [line.split()[0] for line in lines(capsys)] == ["outer", "inner", "next"]


@pytest.mark.parametrize("total", [None, 8.0])
def test_what_ended_well_is_complete(total: float | None) -> None:
    """Also what counted too little, or not at all; what an error ended stays where it was."""
    progress = RichProgress()
    with progress.task("good", total=total) as task:
        task.advance(0.5)

    def failing() -> None:
        with progress.task("bad", total=total) as task:
            task.advance(0.5)
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    good, bad = progress._bars.tasks
    assert good.finished
    assert (bad.finished, bad.completed) == (False, 0.5)
    assert bad.stop_time is not None
    assert progress._open == 0


def test_names_are_no_markup(capsys: Out) -> None:
    """A file's name may hold brackets."""
    with RichProgress().task("read a[/b]") as task:
        task.say("[red].csv")
    assert "read a[/b] [red].csv" in lines(capsys)[0]


class _Timer:
    """A timer that rings where a test says so."""

    def __init__(
        self, made: list[_Timer], seconds: float, function: Callable[..., None], words: tuple[Any]
    ) -> None:
        made.append(self)
        self.seconds, self.function, self.words = seconds, function, words
        self.cancelled = self.daemon = False

    def start(self) -> None:
        """Nothing rings by itself."""

    def cancel(self) -> None:
        """It will not ring any more."""
        self.cancelled = True


@pytest.mark.parametrize(("seconds", "said"), [(0.9, []), (1.0, ["mine ...", "mine: done in 1.0 s"])])
def test_off_a_terminal_a_step_has_a_line_at_both_ends(seconds: float, said: list[str]) -> None:
    """Unless it is over at once."""
    written: list[str] = []
    made: list[_Timer] = []
    now = [10.0]
    progress = LineProgress(written.append, lambda: now[0], cast("Any", partial(_Timer, made)))
    with progress.task("mine"):
        now[0] += seconds
        if seconds >= made[0].seconds:
            made[0].function(*made[0].words)
    assert written == said
    assert made[-1].cancelled


def test_a_long_step_says_now_and_then_where_it_is() -> None:
    """Every four seconds: its share where that is known, and the words said last."""
    written: list[str] = []
    now = [0.0]
    progress = LineProgress(written.append, lambda: now[0], cast("Any", partial(_Timer, [])))
    with progress.task("play", total=36) as task:
        for _ in range(12):
            now[0] += 3
            task.advance(3)
            task.say("load, 9 calls/s")
    assert written == [
        "play: 17%, load, 9 calls/s (6 s)",
        "play: 33%, load, 9 calls/s (12 s)",
        "play: 50%, load, 9 calls/s (18 s)",
        "play: 67%, load, 9 calls/s (24 s)",
        "play: 83%, load, 9 calls/s (30 s)",
        "play: 100%, load, 9 calls/s (36 s)",
        "play: done in 36.0 s",
    ]


def test_a_silent_step_says_that_it_is_at_work() -> None:
    """By timers, one after another; of nested steps the innermost says it, and none once its step is over."""
    written: list[str] = []
    made: list[_Timer] = []
    now = [0.0]
    progress = LineProgress(written.append, lambda: now[0], cast("Any", partial(_Timer, made)))

    def wait(seconds: int) -> None:
        """Until the timers that wait have rung, each second."""
        for _ in range(seconds):
            waiting, made[:] = list(made), []
            now[0] += 1
            for timer in waiting:
                timer.function(*timer.words)

    with progress.task("knee"):
        wait(1)
        with progress.task("play") as task:
            task.say("9 nodes")
            wait(9)
        ended = made[-1]
        wait(2)
    ended.function(*ended.words)
    assert written == [
        "knee ...",
        "play ...",
        "play: 9 nodes (5 s)",
        "play: 9 nodes (9 s)",
        "play: done in 9.0 s",
        "knee: at work (11 s)",
        "knee: done in 12.0 s",
    ]


def test_a_step_without_news_is_shown_every_four_seconds() -> None:
    """With its seconds: a log that is watched shows that the step goes on."""
    written: list[str] = []
    now = [0.0]
    progress = LineProgress(written.append, lambda: now[0], cast("Any", partial(_Timer, [])))
    with progress.task("simulate", total=4) as task:
        for second in range(1, 18):
            now[0] = float(second)
            task.advance(second == 14)
    assert written == [
        "simulate: 0% (4 s)",
        "simulate: 0% (8 s)",
        "simulate: 0% (12 s)",
        "simulate: 25% (16 s)",
        "simulate: done in 17.0 s",
    ]


def test_a_step_that_fails_is_not_done() -> None:
    """Its error says the rest."""
    written: list[str] = []
    made: list[_Timer] = []
    progress = LineProgress(written.append, timer=cast("Any", partial(_Timer, made)))

    def failing() -> None:
        with progress.task("play"):
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert (written, made[0].cancelled) == ([], True)


def test_a_result_stays(capsys: Out) -> None:
    """On a terminal above what changes in place; elsewhere as a line at once."""
    with RichProgress().task("play 1") as drawn:
        drawn.result("300 calls/s [kept]")
        drawn.say("over")
    written: list[str] = []
    with LineProgress(written.append).task("play 1") as step:
        step.result("300 calls/s [kept]")
    assert written == ["300 calls/s [kept]"]
    assert lines(capsys)[0] == "300 calls/s [kept]"
