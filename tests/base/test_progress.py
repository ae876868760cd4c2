"""Silent progress takes everything and shows nothing."""

from collections.abc import Callable

import pytest

from froude.base.progress import Silent, Within, counting


def test_silent(capsys: pytest.CaptureFixture[str]) -> None:
    """The default of the Python API writes nothing."""
    with Silent().task("work", total=3) as task:
        task.advance()
        task.say("x")
    assert capsys.readouterr() == ("", "")


def test_results_count_as_units() -> None:
    """Each with its figures beside the count, where there are words for them."""

    class Shown:
        def __init__(self) -> None:
            self.calls: list[object] = []

        def advance(self, by: float = 1) -> None:
            self.calls.append(by)

        def say(self, text: str) -> None:
            self.calls.append(text)

        result = say

    task = Shown()
    figures: Callable[[int], None] = counting(task, lambda result: f"{result} ms")
    figures(3)
    counting(task)(4)
    assert task.calls == ["3 ms", 1, 1]


def test_inner_tasks_speak_beside_the_outer_one() -> None:
    """Their shares are not the outer one's."""

    class Outer:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def advance(self, by: float = 1) -> None:
            raise AssertionError(by)

        def say(self, text: str) -> None:
            self.texts.append(text)

        result = say

    outer = Outer()
    with Within(outer).task("play", total=3) as task:
        task.advance(2)
        task.say("9 calls/s")
        task.result("3 s")
    assert outer.texts == ["9 calls/s", "3 s"]
