"""Rare values of a run: who sent them, and which answers held them before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.rows import shape_of
from froude.mining.canonical import Token, logical_calls
from froude.mining.events import Event
from froude.mining.knowledge import Role
from froude.mining.said import Said, indexed, is_distinctive
from froude.mining.senders import Sender
from tests.mining.events import event

_ID = "an id of its own"


def _sender(client: str, *events: Event) -> Sender:
    calls = logical_calls(events)
    return Sender(0, client, Role("client"), calls, own=calls)


def test_ids_are_distinctive_and_flags_are_not() -> None:
    """Meeting a flag twice is no news."""
    assert is_distinctive(1073741825)
    assert is_distinctive("DS-7fe862ce")
    assert not any(is_distinctive(value) for value in (True, 3, "", None, 0.5))


def test_an_answer_names_who_alone_of_its_role_sends_a_value() -> None:
    """What two send tells nobody apart; and no fraction is any number's equal."""
    one = _sender("a", event(0, "m", {"x": _ID, "y": 70_000}), event(1, "m", {"x": _ID}))
    other = _sender("b", event(2, "m", {"x": _ID}, client="b"))
    asked = _sender("c", event(3, "n", {}, {"p": _ID, "q": 70_000, "r": 70_000.0}, client="c"))
    said = Said([one, other, asked])
    assert said.names(asked.calls[0], one) == [(1, 70_000)]
    assert said.names(asked.calls[0], other) == []
    assert said.sent[id(one)] == {_ID: (0, "x"), 70_000: (0, "y")}


def test_what_an_answer_held_first_was_learned() -> None:
    """What was sent before any answer held it was not; latest first, and then the rarest."""
    first = _sender(
        "a",
        event(0, "m", {"x": "known before"}, {"y": _ID, "z": "known before", "a": "a common id"}),
        event(1, "m", {}, {"y": "a later id", "a": "a common id"}),
    )
    then = _sender("b", event(2, "n", {"x": _ID, "y": "a later id", "z": "a common id"}, client="b"))
    said = Said([first, then])
    learned = said.learned(then)
    assert sorted(learned, key=learned.__getitem__) == ["a later id", _ID, "a common id"]
    assert not said.learned(first)


@pytest.mark.parametrize("number", [1, 8, 9, 64, 65, 200])
def test_answers_come_latest_first_and_not_too_far_back(number: int) -> None:
    """At most 64 answers before the call are looked at."""
    asking = _sender("a", *(event(at, "m", {}, {"y": _ID}) for at in range(number)))
    taking = _sender("b", event(number, "n", {"x": _ID}, client="b"))
    said = Said([asking, taking])
    found = [answer.event.order for answer in said.latest(_ID, taking.calls[0], set())]
    assert found == list(range(number))[::-1][:64]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=90), st.data())
def test_kinds_that_are_known_are_passed_over(kinds: list[str], data: st.DataObject) -> None:
    """However many answers there are, each kind's latest is found, and no more of a kind than is asked for."""
    asking = _sender("a", *(event(at, kind, {}, {"y": _ID}) for at, kind in enumerate(kinds)))
    taking = _sender("b", event(data.draw(st.integers(0, len(kinds))), "n", {"x": _ID}, client="b"))
    said = Said([asking, taking])
    order = taking.calls[0].order
    wanted = data.draw(st.integers(1, 3))
    seen: set[Token] = set()
    taken: list[int] = []
    for answer in said.latest(_ID, taking.calls[0], seen):
        taken.append(answer.event.order)
        if sum(kinds[at] == answer.token[1] for at in taken) == wanted:
            seen.add(answer.token)
    expected = []
    for at in range(order - 1, max(-1, order - 65), -1):
        if sum(kinds[other] == kinds[at] for other in expected) < wanted:
            expected.append(at)
    assert taken == expected


def test_leaves_in_lists_are_known_by_their_numbers() -> None:
    """Of every list around them."""
    shape = shape_of(("a", "b[3]", "c[1].d[2].e"))
    assert indexed(shape) == ((1, (3,)), (2, (1, 2)))
