"""Operations in conflict keep the log's order, and nothing waits for ever."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.audit.order import Order

_PATHS = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3).map(lambda names: "/" + "/".join(names))
_OPERATIONS = st.lists(st.tuples(st.lists(_PATHS, max_size=2), st.booleans()), max_size=40)
Operation = tuple[list[str], bool]


def _above(path: str, other: str) -> bool:
    return path == other or other.startswith(path.rstrip("/") + "/")


def _conflict(one: Operation, other: Operation) -> bool:
    """As the definition has it, path by path."""
    pairs = ((path, another) for path in one[0] for another in other[0])
    return (one[1] or other[1]) and any(_above(a, b) or _above(b, a) for a, b in pairs)


@given(_OPERATIONS, st.randoms(use_true_random=False))
def test_conflicts_keep_their_order(operations: list[Operation], rng: random.Random) -> None:
    """Whatever is done first of what may be made: no operation is allowed before an earlier one in conflict is done."""
    order, allowed, done, added = Order(), list[int](), set[int](), 0
    while added < len(operations) or allowed:
        if added < len(operations) and (not allowed or rng.random() < 0.7):
            paths, changes = operations[added]
            fresh = [added] if order.add(added, paths, changes=changes) else []
            added += 1
        else:
            number = allowed.pop(rng.randrange(len(allowed)))
            fresh = order.done(number)
            done.add(number)
        for number in fresh:
            earlier = (before for before in range(number) if before not in done)
            assert not any(_conflict(operations[before], operations[number]) for before in earlier)
        allowed += fresh
        still = [number for number in range(added) if number not in done]
        assert bool(still) == bool(allowed)  # the oldest one never waits
    assert len(done) == len(operations)
    assert len(order) == 0


def test_readers_do_not_wait_for_each_other() -> None:
    """Nor do changes of different paths, nor a reader for a change beside it."""
    order = Order()
    assert order.add(0, ["/a/b"], changes=False)
    assert order.add(1, ["/a"], changes=False)
    assert order.add(2, ["/c/d"], changes=True)
    assert order.add(3, ["/c/e"], changes=True)
    assert order.add(4, [], changes=True)
    assert not order.add(5, ["/c"], changes=False)
    assert order.done(2) == []
    assert order.done(3) == [5]


def test_a_rename_holds_both_of_its_paths() -> None:
    """What lies below either waits."""
    order = Order()
    assert order.add(0, ["/a/x", "/b/y"], changes=True)
    assert not order.add(1, ["/a/x/1"], changes=False)
    assert not order.add(2, ["/b/y/1"], changes=False)
    assert sorted(order.done(0)) == [1, 2]
