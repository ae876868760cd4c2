"""Target and player on cores of their own."""

from __future__ import annotations

import os
from contextlib import suppress

import pytest

from froude.experiment.knee.pinning import apart, pinned, pinning_text, usable


def cores(*threads: tuple[int, ...]) -> list[frozenset[int]]:
    """Physical cores by the processors of each."""
    return [frozenset(each) for each in threads]


@pytest.mark.parametrize(
    ("found", "target", "player"),
    [
        (cores((0,), (1,), (2,), (3,)), {0, 1}, {2, 3}),
        (cores((0, 4), (1, 5), (2, 6), (3, 7)), {0, 4, 1, 5}, {2, 6, 3, 7}),
        (cores((0, 2), (1, 3)), {0, 2}, {1, 3}),
        (cores((0,), (1,), (2,), (3,), (4,)), {0, 1}, {2, 3, 4}),
    ],
)
def test_no_physical_core_is_shared(found: list[frozenset[int]], target: set[int], player: set[int]) -> None:
    """Half of the cores each, with all threads of each; an odd one is the player's."""
    assert apart(found) == (target, player)


@pytest.mark.parametrize(
    "found", [cores((0,)), cores((0,), (1,)), cores((0,), (1,), (2,)), cores((0, 1, 2, 3))]
)
def test_too_few_are_shared(found: list[frozenset[int]]) -> None:
    """With fewer than four processors, or one physical core, nothing is pinned, and that is what is shown."""
    assert apart(found) is None
    text = "no, this needs 4 processors or more on two cores or more; target and player share all of them"
    assert pinning_text(apart(found)) == text


def test_where_each_is_has_words() -> None:
    """By the numbers that Linux gives processors."""
    assert pinning_text((frozenset({4, 0}), frozenset({1}))) == "target on processors 0, 4; player on 1"


def test_what_is_started_meanwhile_is_pinned() -> None:
    """And afterwards this process has what it had."""
    before = os.sched_getaffinity(0)
    assert frozenset().union(*usable()) == before
    with pinned(frozenset({min(before)})):
        assert os.sched_getaffinity(0) == {min(before)}
        with pinned(frozenset({max(before)})):
            assert os.sched_getaffinity(0) == {max(before)}
        with pinned(None):
            assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before


def test_processors_come_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ended the work, and on a machine with any number of processors."""
    processors = {0, 1, 2, 3}

    def pin(thread: int, wanted: frozenset[int]) -> None:
        assert thread == 0
        processors.clear()
        processors.update(wanted)

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(processors))
    monkeypatch.setattr(os, "sched_setaffinity", pin)
    with pinned(frozenset({2})):
        assert processors == {2}
    assert processors == {0, 1, 2, 3}
    with suppress(KeyError), pinned(frozenset({1, 3})):
        assert processors == {1, 3}
        raise KeyError
    assert processors == {0, 1, 2, 3}
