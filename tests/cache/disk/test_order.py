"""Writes that share a block take turns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.cache.disk.order import Order, Turn


def test_neighbours_go_side_by_side() -> None:
    """And those that share a block, even if no byte of it, one after the other."""
    order, begun = Order(), list[Turn]()
    order.enter(0, 4096, begun.append)
    order.enter(4096, 8192, begun.append)
    order.enter(4000, 4100, begun.append)
    order.enter(100, 200, begun.append)
    assert len(begun) == 2
    assert order.writing(0, 1)
    assert not order.writing(8192, 9000)
    order.leave(begun[0])
    assert len(begun) == 2  # the third waits for the second; the fourth for the third
    order.leave(begun[1])
    assert [(turn.start, turn.end) for turn in begun[2:]] == [(0, 8192)]
    order.leave(begun[2])
    order.leave(begun[3])
    assert order.idle


def test_one_that_ends_as_it_begins_lets_others_on() -> None:
    """As work does that is done at once."""
    order, begun, ended = Order(), list[Turn](), list[int]()

    def at_once(turn: Turn) -> None:
        ended.append(turn.start)
        order.leave(turn)

    order.enter(0, 1, begun.append)
    order.enter(0, 1, at_once)
    order.enter(0, 1, at_once)
    order.leave(begun[0])
    assert ended == [0, 0]
    assert order.idle


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=12), st.randoms())
def test_each_gets_its_turn_in_the_order_of_coming(ranges: list[tuple[int, int]], chance: object) -> None:
    """Never two that overlap at a time."""
    order, active, begun = Order(), list[tuple[int, Turn]](), list[int]()

    def go(number: int) -> None:
        def begin(turn: Turn) -> None:
            assert not any(other.overlaps(turn.start, turn.end) for _, other in active)
            active.append((number, turn))
            begun.append(number)

        first, count = ranges[number]
        order.enter(first * 4096, (first + count) * 4096, begin)

    for number in range(len(ranges)):
        go(number)
    while active:
        at = chance.randrange(len(active))  # type: ignore[attr-defined]
        order.leave(active.pop(at)[1])
    assert sorted(begun) == list(range(len(ranges)))
    for a in range(len(ranges)):
        for b in range(a + 1, len(ranges)):
            (i, m), (j, n) = ranges[a], ranges[b]
            if i < j + n and j < i + m:
                assert begun.index(a) < begun.index(b)
