"""What is done again and again."""

from __future__ import annotations

import threading

import pytest

from froude.cache.agents.beat import Beat


def _counted(limit: int) -> tuple[list[str], threading.Event, Beat]:
    calls: list[str] = []
    enough = threading.Event()

    def call() -> None:
        calls.append(threading.current_thread().name)
        if len(calls) >= limit:
            enough.set()

    return calls, enough, Beat("a-beat", 0.01, call)


def test_again_and_again_until_the_end() -> None:
    """By a thread of its own; after the block nothing is called any more."""
    calls, enough, beat = _counted(3)
    with beat:
        assert enough.wait(30)
    assert set(calls) == {"a-beat"}
    assert not any(thread.name == "a-beat" for thread in threading.enumerate())


def test_at_once() -> None:
    """The first call need not wait for its beat; without that, a long one calls nobody."""
    called = threading.Event()
    with Beat("a-beat", 1000, called.set, at_once=True):
        assert called.wait(30)
    never = threading.Event()
    with Beat("a-beat", 1000, never.set):
        pass
    assert not never.is_set()


def test_what_nobody_expected_does_not_end_it(capsys: pytest.CaptureFixture[str]) -> None:
    """It is told, and the next call comes."""
    calls: list[int] = []
    again = threading.Event()

    def call() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("made up")
        again.set()

    with Beat("a-beat", 0.01, call, at_once=True):
        assert again.wait(30)
    assert "a-beat: RuntimeError: made up" in capsys.readouterr().err
