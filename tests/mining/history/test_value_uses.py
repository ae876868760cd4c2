"""Calls of one template: what was found of them is found once."""

from __future__ import annotations

import pytest

from froude.mining.history import value_uses as takers
from froude.mining.history.value_uses import Takers
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from tests.support.mining.events import calls, event


def _made(number: int) -> list[Occurrence]:
    sender = Sender(0, "a", Role("client"), [])
    return [
        Occurrence(0, at % 2, sender, "c.c1", calls(event(at, "m"))[0], {"L1": at}) for at in range(number)
    ]


def test_what_is_known_is_found_once() -> None:
    """By its name."""
    made, asked = Takers(_made(3)), list[str]()

    def find() -> int:
        asked.append("found")
        return len(made)

    assert [made.known("length", find), made.known("length", find), made.known("other", find)] == [3, 3, 3]
    assert asked == ["found", "found"]
    assert Takers.of(made) is made
    assert Takers.of(list(made)) == made


def test_a_part_is_the_same_object_until_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """So what is known of it is kept with it."""
    made = Takers(_made(4))
    part = made.part([3, 1])
    assert part == [made[3], made[1]]
    assert made.part((3, 1)) is part
    monkeypatch.setattr(takers, "_KEPT", 1)
    assert made.part([0]) == [made[0]]
    assert made.part([3, 1]) == part


def test_indices_are_those_of_nodes_and_loops() -> None:
    """Of a loop that a call is not in it is the first iteration."""
    made = Takers(_made(3))
    assert made.indices("node") == [0, 1, 0]
    assert made.indices("L1") == [0, 1, 2]
    assert made.indices("L2") == [0, 0, 0]
