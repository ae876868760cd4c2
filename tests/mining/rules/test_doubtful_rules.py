"""Rules that stand although they may be wrong."""

from __future__ import annotations

import pytest

from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.doubtful_rules import below_ten, growing, replaced, short_texts
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Scale
from froude.workload.types import Cases, Constant, Template
from tests.support.mining.events import calls, event

SCALES = [Scale.of(n=2), Scale.of(n=3)]


def _sent(run: int, length: int) -> Occurrence:
    request = {"src": "/", **{f"list[{at}].id": at for at in range(length)}}
    return Occurrence(run, 0, Sender(run, "a", Role("client"), []), "c", calls(event(run, "m", request))[0])


def test_lists_that_grow_with_the_scale_are_found_by_their_last_element() -> None:
    """One that is as long at every Scale, or grows within one alone, is none."""
    assert growing([_sent(0, 2), _sent(1, 3)], SCALES) == ["list[2].id"]
    assert growing([_sent(0, 3), _sent(1, 3)], SCALES) == []
    assert growing([_sent(0, 2), _sent(0, 3), _sent(1, 3)], SCALES) == []


def test_a_part_is_replaced_wherever_it_stands() -> None:
    """In texts and cases; what is equal but another part stays."""
    old, twin, new = Constant(1), Constant(1), Constant(2)
    rule = Cases("L1", Template(("a", old)), twin, old)
    assert replaced(rule, old, new) == Cases("L1", Template(("a", new)), Constant(1), new)


@pytest.mark.parametrize(
    ("rounds", "length", "short", "few"),
    [
        (5, 21, True, True),
        (12, 21, True, False),
        (1, 21, True, False),
        (5, 5000, False, True),
        (5, 0, False, True),
    ],
)
def test_short_texts_are_doubtful_while_numbers_have_one_digit(
    rounds: int, length: int, *, short: bool, few: bool
) -> None:
    """Not once two digits were seen, nor outside of loops, nor of files that are long or empty."""
    sender = Sender(0, "a", Role("client"), [])
    occurrences = [
        Occurrence(0, 0, sender, "c", calls(event(n, "complete", {"last.numBytes": length}))[0], {"L1": n})
        for n in range(rounds)
    ]
    assert short_texts(occurrences) == (["last.numBytes"] if short else [])
    assert below_ten(occurrences, [Scale.of(files=50)]) is few
    assert below_ten(occurrences, [Scale.of(files=2), Scale.of(files=3)])
