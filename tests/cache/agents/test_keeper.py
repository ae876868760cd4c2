"""The lock on the SSD's door."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from froude.base.errors import GuardError, InputError, TargetError
from froude.cache.agents.keeper import Keeper
from froude.cache.monitor.limits import Limits


@dataclass
class _Vm:
    limits: Limits
    down: bool = False

    def apply(self, limits: Limits) -> None:
        self.limits = limits

    def read_back(self) -> Limits:
        if self.down:
            raise TargetError("down")
        return self.limits


def _keeper() -> tuple[Keeper, _Vm, _Vm]:
    a, b = _Vm(Limits(60, 60)), _Vm(Limits(30, 30))
    return Keeper(Limits(100, 100), {"a": a, "b": b}), a, b


def test_a_change_is_read_back() -> None:
    """And its number is the last one then."""
    keeper, a, _ = _keeper()
    assert keeper.apply("a", 5, Limits(70, 60)) == a.limits == Limits(70, 60)
    assert keeper.last_number == 5


def test_never_more_than_the_ssd_has() -> None:
    """Growing into what the other has is refused, for space and for requests; shrinking never."""
    keeper, a, _ = _keeper()
    for wanted in (Limits(71, 60), Limits(60, 71)):
        with pytest.raises(GuardError, match="has not that much left"):
            keeper.apply("a", 5, wanted)
    assert (a.limits, keeper.last_number) == (Limits(60, 60), 0)
    keeper.apply("a", 6, Limits(10, 10))


def test_shrinking_one_while_another_grows() -> None:
    """An SSD that was over-committed by hand can be brought back."""
    keeper, a, b = _keeper()
    b.limits = Limits(90, 30)
    assert keeper.apply("a", 1, Limits(20, 60)) == Limits(20, 60)
    assert a.limits == Limits(20, 60)


@pytest.mark.parametrize("number", [4, 5])
def test_a_late_change(number: int) -> None:
    """What comes after a later one, or twice, is refused."""
    keeper, a, _ = _keeper()
    keeper.apply("b", 5, Limits(10, 10))
    with pytest.raises(GuardError, match="is late"):
        keeper.apply("a", number, Limits(1, 1))
    assert a.limits == Limits(60, 60)


def test_a_vm_whose_share_nobody_knows() -> None:
    """It may have anything, so that others cannot grow."""
    keeper, _, b = _keeper()
    b.down = True
    with pytest.raises(GuardError):
        keeper.apply("a", 1, Limits(61, 60))
    keeper.apply("a", 2, Limits(59, 60))
    with pytest.raises(TargetError):
        keeper.apply("b", 3, Limits(1, 1))


def test_a_vm_without_a_cache() -> None:
    """It takes no space, and lets nobody else take too much."""
    keeper, _, b = _keeper()
    b.limits = Limits(None, 30)
    with pytest.raises(GuardError, match="101 for a, 0 for the others"):
        keeper.apply("a", 1, Limits(101, 60))
    assert keeper.apply("a", 1, Limits(100, 60)) == Limits(100, 60)


def test_without_a_cap() -> None:
    """A cap that is lifted is nobody's share; an SSD whose requests are not counted has enough of them."""
    keeper, a, _ = _keeper()
    keeper.apply("a", 1, Limits(60))
    assert a.limits == Limits(60)
    assert Keeper(Limits(100), {"a": a}).apply("a", 1, Limits(60, 10**9)) == Limits(60, 10**9)


def test_no_such_vm() -> None:
    """The error names those that there are."""
    keeper, _, _ = _keeper()
    with pytest.raises(InputError, match="a, b"):
        keeper.apply("c", 1, Limits(1))
