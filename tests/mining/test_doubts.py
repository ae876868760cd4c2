"""Rules that stand although they may be wrong."""

from __future__ import annotations

from froude.mining.doubts import growing, replaced
from froude.mining.knowledge import Role
from froude.mining.senders import Sender
from froude.mining.structure import Occurrence
from froude.workload.scale import Scale
from froude.workload.types import Cases, Constant, Template
from tests.mining.events import calls, event

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
