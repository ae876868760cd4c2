"""What is done again and again."""

from __future__ import annotations

import threading

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
