"""Progress on the terminal."""

from __future__ import annotations

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


def test_in_a_log_each_step_has_a_line(capsys: Out) -> None:
    """A count that goes up is no new step, and what an error ended is not called done."""
    progress = LineProgress()
    with progress.task("play", total=3) as task:
        task.advance()
        task.say("1 of 2 nodes")
        task.say("2 of 2 nodes")
        task.say("clients at work")

    def failing() -> None:
        with progress.task("bad"):
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    *first, done, bad = lines(capsys)
    assert first == ["play", "play: 1 of 2 nodes", "play: clients at work"]
    assert done.startswith("play: done in 0.")
    assert bad == "bad"
