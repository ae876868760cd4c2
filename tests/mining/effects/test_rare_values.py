"""Rare values of some runs: who sent them, and which answers held them before. All of it together: `test_causes`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.mining.effects.rare_values import NOBODY, SEVERAL, Said, is_distinctive, spread_out
from froude.mining.read.canonical import logical_calls
from froude.mining.read.events import Event
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from tests.support.mining.events import event

_ID = "an id of its own"


def _sender(client: str, *events: Event, run: int = 0) -> Sender:
    calls = logical_calls(events)
    return Sender(run, client, Role("client"), calls, own=calls)


def test_ids_are_distinctive_and_flags_are_not() -> None:
    """Meeting a flag twice is no news."""
    assert is_distinctive(1073741825)
    assert is_distinctive("DS-7fe862ce")
    assert not any(is_distinctive(value) for value in (True, 3, "", None, 0.5))


def test_a_value_has_a_user_if_one_alone_of_a_role_sends_it() -> None:
    """What two send tells nobody apart; and no fraction is any number's equal."""
    one = _sender("a", event(0, "m", {"x": _ID, "y": 70_000}), event(1, "m", {"x": _ID}))
    other = _sender("b", event(2, "m", {"x": _ID, "y": 80_000.0}, client="b"))
    asked = _sender("c", event(3, "n", {}, {"p": _ID, "q": 70_000, "r": 70_000.0, "s": 80_000}, client="c"))
    said = Said([one, other, asked])
    assert said.told.value.tolist() == [said.values.index(_ID), said.values.index(70_000)]
    assert [said.leaves[leaf] for leaf in said.told.leaf.tolist()] == ["p", "q"]
    assert said.users("client")[said.told.value].tolist() == [SEVERAL, 0]
    assert said.users("of nobody").tolist() == [NOBODY, NOBODY]
    assert said.sends(0, 70_000)
    assert not said.sends(1, 70_000)
    assert not said.sends(0, "never said")
    assert said.first_sent(0, said.values.index(_ID)) == 0
    assert said.first_sent(1, said.values.index(_ID)) == 2


def test_runs_have_their_own_values() -> None:
    """What one of them says is nothing that another knows; the order of calls is that of their runs."""
    first = _sender("a", event(0, "m", {"x": _ID}, {"y": _ID}))
    second = _sender("b", event(0, "n", {"x": _ID}, client="b"), run=1)
    said = Said([second, first])
    assert [call.token[1] for call in said.calls] == ["m", "n"]
    assert said.values == [_ID, _ID]
    assert said.own_of(0).tolist() == [1]
    assert not len(said.traced(np.array([1])).row)


@pytest.mark.parametrize("number", [1, 64, 65, 200])
def test_answers_that_are_too_far_back_are_not_looked_at(number: int) -> None:
    """At most 64 with one value before the call."""
    told = [event(at, "other" if at else "first", {}, {"y": _ID}) for at in range(number)]
    taking = _sender("b", event(number, "n", {"x": _ID}, client="b"))
    said = Said([_sender("a", *told), taking])
    found = {said.calls[at].token[1] for at in said.traced(np.array([number])).cause.tolist()}
    assert found == ({"other"} if number > 1 else set()) | ({"first"} if number <= 64 else set())


def test_of_a_beat_what_stands_in_a_list_counts() -> None:
    """An answer to the sender itself causes nothing, unless it is a command that a beat got."""
    beats = [
        event(at, "beat", {}, {"pool": _ID} if at == 1 else {"commands[0].block": _ID}) for at in range(2)
    ]
    node = _sender("a", *beats, event(2, "report", {"x": _ID}))
    assert not len(Said([node]).traced(np.array([2])).row)
    node.periodic = node.calls[:2]
    hits = Said([node]).traced(np.array([2]))
    assert (hits.row.tolist(), hits.cause.tolist()) == ([0], [0])


def test_answers_that_came_too_late_cause_nothing() -> None:
    """A call may seem to be sent a little before: two connections, one clock."""
    for late_s, causes in ((0.0005, 1), (0.01, 0)):
        told = replace(event(0, "m", {}, {"y": _ID}), end_s=0.1 + late_s)
        said = Said([_sender("a", told), _sender("b", event(1, "n", {"x": _ID}, client="b"))])
        assert len(said.traced(np.array([1])).row) == causes


def test_nothing_is_said_by_nobody() -> None:
    """No senders, or none that says anything rare."""
    assert not Said([]).calls
    said = Said([_sender("a", event(0, "m", {"x": 1}, {"y": 2}))])
    assert not len(said.traced(np.array([0])).row)
    assert said.of_kinds(lambda token: token[1] == "m") == [0]


def test_counts_are_spread_out() -> None:
    """From nought for each."""
    assert spread_out(np.array([2, 0, 3])).tolist() == [0, 1, 0, 1, 2]
    assert spread_out(np.array([], np.int64)).tolist() == []
