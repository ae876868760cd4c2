"""When periodic calls are due."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.beats import Beats
from froude.workload.types import CallTemplate, Periodic


def periodic(
    name: str, every_s: float = 30.0, jitter_s: float = 0.0, opens: str = "", closes: str = ""
) -> Periodic:
    """A call that is made every so often."""
    call = CallTemplate(name, "p", "m", {})
    return Periodic(call, every_s, jitter_s, tuple(opens.split()), tuple(closes.split()))


def test_calls_that_nothing_opens_begin_with_the_node() -> None:
    """And go on while it has steps left."""
    beats = Beats([periodic("beat"), periodic("lease", opens="create", closes="complete")])
    assert beats.from_start() == [0]
    assert beats.next_s(0, 5.0, random.Random(1)) == 35.0
    assert not beats.is_over(0, at_work=True)
    assert beats.is_over(0, at_work=False)


def test_a_call_begins_with_what_opens_and_ends_with_what_closes() -> None:
    """Whether the node is at work or not; a second opening plans no second beat."""
    beats = Beats([periodic("lease", opens="create append", closes="complete")])
    assert beats.reached("mkdirs") == []
    assert beats.is_over(0, at_work=True)
    assert beats.reached("create") == [0]
    beats.next_s(0, 0.0, random.Random(1))
    assert beats.reached("append") == []
    beats.reached("complete")
    assert not beats.is_over(0, at_work=False)
    beats.reached("complete")
    assert beats.is_over(0, at_work=True)
    assert beats.reached("create") == [0]


@given(st.lists(st.sampled_from(["create", "complete"]), max_size=12))
def test_something_is_open_as_often_as_it_was_opened_more_than_closed(called: Sequence[str]) -> None:
    """What was closed without being open counts for nothing."""
    beats, opened = Beats([periodic("lease", opens="create", closes="complete")]), 0
    for call in called:
        beats.reached(call)
        opened = opened + 1 if call == "create" else max(0, opened - 1)
    assert beats.is_over(0, at_work=True) is (opened == 0)


@given(st.floats(0.001, 60), st.floats(0, 60), st.integers(0, 99))
def test_a_beat_is_later_than_the_one_before(every_s: float, jitter_s: float, seed: int) -> None:
    """By its period, give or take its jitter."""
    beats = Beats([periodic("beat", every_s, jitter_s)])
    after_s = beats.next_s(0, 100.0, random.Random(seed)) - 100.0
    assert after_s > 0
    assert after_s == pytest.approx(every_s, abs=jitter_s + 0.002)


def test_beats_are_counted_each_in_a_loop_of_its_own() -> None:
    """A beat that was not made does not count."""
    beats = Beats([periodic("client.p1"), periodic("client.p2")])
    beats.sent(0)
    beats.sent(0)
    assert beats.place(0).loops == {"client.p1": 2}
    assert beats.place(1).loops == {"client.p2": 0}
