"""Calls in order, and which of them are meant. That the same is meant as at a single call: `test_bulk`."""

from __future__ import annotations

import pytest

from froude.mining.history import chronology
from froude.mining.history.chronology import Chronology
from froude.mining.history.value_uses import Takers
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.types import Flow, Side, Which
from tests.support.mining.events import calls, event

_SENDER = Sender(0, "a", Role("client"), [])


def _call(order: int, start_s: float, end_s: float | None, loops: dict[str, int], run: int = 0) -> Occurrence:
    made = event(order, "m", start_s=start_s, end_s=end_s or start_s, answered=end_s is not None)
    return Occurrence(run, 0, _SENDER, "c.c1", calls(made)[0], loops)


def test_calls_are_in_order_of_run_and_moment() -> None:
    """Of equal times the trace's order counts; answers that never came are later than everything."""
    later = _call(0, 0.0, 1.0, {}, run=1)
    second, first, third = _call(2, 1.0, None, {}), _call(1, 1.0, 2.0, {}), _call(3, 2.0, 2.5, {})
    known = Chronology([later, second, third, first])
    assert known.occurrences == [first, second, third, later]
    assert [each.number for each in known.occurrences] == [0, 1, 2, 3]
    assert (
        known.sent[0]
        < known.sent[1]
        < known.answered[0]
        < known.sent[2]
        < known.answered[2]
        < known.answered[1]
    )
    assert list(known.of_template("c.c1")) == [0, 1, 2, 3]
    assert not len(known.of_template("c.c2"))
    assert not Chronology([]).occurrences


@pytest.mark.parametrize("largest", [1 << 62, 1])
def test_places_are_told_apart_however_many_there_are(monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    """Also where the numbers of all loops together are too large for one."""
    monkeypatch.setattr(chronology, "_LARGEST_KEY", largest)
    made = [
        _call(2 * a + b, 2 * a + b, 2 * a + b + 0.5, {"L1": a, "L2": b << 40})
        for a in range(3)
        for b in range(2)
    ]
    known = Chronology(made)
    same, previous = (Flow("c.c1", Side.RESPONSE, "x", which) for which in (Which.LAST, Which.PREVIOUS))
    assert known.meant(same, Takers(made)).tolist() == [-1, 0, 1, 2, 3, 4]
    assert known.meant(previous, Takers(made)).tolist() == [-1] * 6
    outer = [_call(6, 6.0, 6.5, {"L1": a}) for a in range(4)]
    several = Chronology([*made, *outer])
    assert several.meant(Flow("c.c1", Side.RESPONSE, "x", Which.SAME), Takers(outer[:1]))[0] >= 0
    assert several.meant(Flow("c.c1", Side.REQUEST, "x", Which.FIRST), Takers(outer))[0] == 0
