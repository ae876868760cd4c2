"""The bookkeeping of slots."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.cache.disk.space import Space
from froude.cache.disk.table import Geometry, Restored, Table

_GEOMETRY = Geometry(64 * 4096, 4096)


def space(capacity: int) -> Space:
    """An empty cache."""
    return Space(Table(bytearray(_GEOMETRY.table_bytes), _GEOMETRY, 1), capacity)


def fill(one: Space, *chunks: int) -> list[int]:
    """Cache chunks; gives their slots."""
    slots = one.reserve(len(chunks))
    for chunk, slot in zip(chunks, slots, strict=True):
        one.insert(chunk, slot)
    return slots


def test_the_least_recently_used_goes_first() -> None:
    """Its slot is used again, and its record is void."""
    one = space(3)
    assert fill(one, 10, 11, 12) == [0, 1, 2]
    one.chunks.move_to_end(10)
    assert fill(one, 13) == [1]
    assert (list(one.chunks), one.evictions, one.taken) == ([12, 10, 13], 1, 3)
    assert {(r.chunk, r.slot) for r in one.table.restore(range(3))} == {(12, 2), (10, 0), (13, 1)}


def test_no_more_than_the_capacity_is_reserved() -> None:
    """What is reserved and not filled counts too."""
    one = space(3)
    first = one.reserve(2)
    assert len(one.reserve(5)) == 1
    assert one.reserve(1) == []
    one.give_back(first[0])
    assert one.reserve(2) == [first[0]]
    assert space(0).reserve(1) == []


def test_a_range_is_cut_into_runs() -> None:
    """Neighbours in neighbouring slots, or not cached; hidden ones are not read."""
    one = space(8)
    fill(one, 1, 2, 3)
    fill(one, 9)
    fill(one, 4)
    assert list(one.runs(0, 6)) == [(0, 0, None), (1, 3, 0), (4, 4, 4), (5, 6, None)]
    one.hide(2)
    assert list(one.runs(1, 3)) == [(1, 1, 0), (2, 2, None), (3, 3, 2)]
    assert one.show(2, 1)
    assert list(one.runs(1, 3)) == [(1, 3, 0)]
    assert one.within(0, 3) == [1, 2, 3]
    assert one.within(0, 60) == [1, 2, 3, 9, 4]


def test_a_hidden_slot_is_given_to_nobody() -> None:
    """Also when its chunk goes meanwhile: only when the write to it has ended."""
    one = space(2)
    fill(one, 1, 2)
    slot = one.hide(1)
    one.drop(1)
    assert one.slot_of(1) is None
    assert one.reserve(2) == [1]  # chunk 2 went, and no more
    assert not one.show(1, slot)
    assert one.reserve(1) == [slot]


def test_a_shrink_goes_on_in_steps() -> None:
    """Spare slots first, then chunks; reserved ones when they are given back."""
    one = space(6)
    fill(one, 1, 2, 3, 4)
    reserved = one.reserve(2)
    one.give_back(reserved.pop())
    one.capacity = 1
    assert one.excess == 5
    assert one.vacate(2) == [0, 5]
    one.punched([0, 5])
    assert one.vacate(9) == [1, 2, 3]
    one.punched([1, 2, 3])
    assert (one.excess, one.taken, len(one.chunks)) == (0, 1, 0)
    one.capacity = 0
    assert one.vacate(9) == []
    one.give_back(reserved.pop())
    assert one.vacate(9) == [4]


def test_holes_are_filled_from_the_lowest() -> None:
    """So that the file stays short."""
    one = space(6)
    fill(one, 1, 2, 3, 4)
    one.punched([3, 1])
    assert one.reserve(3) == [1, 3, 4]


def test_what_was_found_is_taken_over() -> None:
    """In the order of its making; a chunk that is said to be in two places is in none."""
    one = space(5)
    one.restore([Restored(5, 7, 1), Restored(2, 8, 4), Restored(3, 9, 0), Restored(9, 9, 3)])
    assert list(one.chunks.items()) == [(8, 4), (7, 1)]
    assert one.taken == 2
    assert one.unused == ([0, 2, 3], 5)
    assert one.reserve(3) == [0, 2, 3]


@given(
    st.lists(st.tuples(st.sampled_from(["fill", "drop", "size", "shrink"]), st.integers(0, 20)), max_size=60)
)
def test_no_slot_is_lost_or_given_twice(steps: list[tuple[str, int]]) -> None:
    """Whatever happens: what is taken is what is cached, spare or about to be punched."""
    one = space(5)
    for what, number in steps:
        if what == "fill" and number not in one.chunks:
            for slot in one.reserve(1):
                one.insert(number, slot)
        elif what == "drop":
            one.drop(number)
        elif what == "size":
            one.capacity = number
        elif what == "shrink":
            one.punched(one.vacate(number))
        slots = list(one.chunks.values())
        assert len(set(slots)) == len(slots) <= one.taken
    free = max(0, one.capacity - one.taken)
    assert len(set(one.reserve(99))) == (one.taken if one.taken <= one.capacity else 0) or free >= 0
