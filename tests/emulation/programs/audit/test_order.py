"""Locks are passed on in the order in which they were asked for; `test_conflicts` holds them against the definition."""

from __future__ import annotations

from froude.emulation.programs.audit.order import (
    AGAINST,
    CHANGE,
    CHANGE_BELOW,
    LOOK,
    LOOK_BELOW,
    MODE_BITS,
    MODES,
    Order,
    Ordered,
)


def _add(order: Order, *locks: tuple[int, int]) -> Ordered:
    operation = Ordered()
    order.add(operation, [number << MODE_BITS | mode for number, mode in locks])
    return operation


def test_readers_do_not_wait_for_each_other() -> None:
    """Nor do changes below one folder; who looks at it waits for all of them, and who comes later for that one."""
    order = Order()
    reads = [_add(order, (1, LOOK)), _add(order, (1, LOOK_BELOW))]
    changes = [_add(order, (2, CHANGE_BELOW)), _add(order, (2, CHANGE_BELOW))]
    assert [each.missing for each in reads + changes] == [0, 0, 0, 0]
    looks, later = _add(order, (2, LOOK)), _add(order, (2, CHANGE_BELOW))
    assert order.done(changes[1]) == []
    assert order.done(changes[0]) == [looks]
    assert later.missing == 1
    assert order.done(looks) == [later]


def test_all_locks_are_needed() -> None:
    """An operation that waits for two may be made after both."""
    order = Order()
    first, second = _add(order, (1, CHANGE)), _add(order, (2, CHANGE))
    both = _add(order, (1, LOOK), (2, LOOK))
    assert both.missing == 2
    assert order.done(second) == []
    assert order.done(first) == [both]
    assert order.done(both) == []
    assert len(order) == 0


def test_what_goes_with_what() -> None:
    """Both ways, and for several modes at once what is against any of them."""
    for mode in MODES:
        for other in MODES:
            assert bool(AGAINST[mode] & other) == bool(AGAINST[other] & mode)
    assert AGAINST[LOOK | CHANGE_BELOW] == CHANGE_BELOW | CHANGE | LOOK
