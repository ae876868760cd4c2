"""Changing limits in an order in which an SSD is never promised twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.backends.order import Step, Transition
from froude.cache.monitor.limits import RESOURCES, Limits

_CAPACITY = 1000


def _steps(transition: Transition) -> list[Step]:
    steps = []
    while (step := transition.next()) is not None:
        transition.done(step.after)
        steps.append(step)
    return steps


def test_who_gives_goes_first() -> None:
    """A shrinks before B grows, though B comes first in the plan."""
    held = {"b": Limits(300), "a": Limits(700)}
    steps = _steps(Transition(Limits(_CAPACITY), held, {"b": Limits(600), "a": Limits(400)}))
    assert [(step.vm, step.after.cache_bytes) for step in steps] == [("a", 400), ("b", 600)]


def test_nothing_to_do() -> None:
    """What is so already is not asked for."""
    held = {"a": Limits(400, 10)}
    assert Transition(Limits(_CAPACITY), held, held).next() is None


def test_a_vm_that_gives_one_thing_and_gets_another() -> None:
    """Space is given before any is taken, requests likewise: two changes of each VM, downs first."""
    held = {"a": Limits(700, 100), "b": Limits(300, 900)}
    wanted = {"a": Limits(300, 900), "b": Limits(700, 100)}
    steps = _steps(Transition(Limits(1000, 1000), held, wanted))
    assert [step.after for step in steps] == [
        Limits(300, 100),
        Limits(300, 100),
        Limits(300, 900),
        Limits(700, 100),
    ]


def test_a_refused_shrink_is_not_given_away() -> None:
    """B gets only what is free when A keeps what it has."""
    transition = Transition(
        Limits(_CAPACITY), {"a": Limits(700), "b": Limits(200)}, {"a": Limits(100), "b": Limits(900)}
    )
    step = transition.next()
    assert step is not None
    transition.done(None)
    step = transition.next()
    assert step is not None
    assert (step.vm, step.after) == ("b", Limits(300))


def test_an_unknown_end_counts_as_the_larger() -> None:
    """After a growth of which nobody knows, its space is taken."""
    transition = Transition(
        Limits(_CAPACITY), {"a": Limits(0), "b": Limits(0)}, {"a": Limits(800), "b": Limits(800)}
    )
    transition.next()
    transition.done(None)
    assert transition.held["a"] == Limits(800)
    step = transition.next()
    assert step is not None
    assert step.after == Limits(200)


def test_a_vm_that_nobody_plans_for_keeps_its_share() -> None:
    """What is held without being wanted is not free."""
    transition = Transition(Limits(_CAPACITY), {"a": Limits(0), "other": Limits(600)}, {"a": Limits(1000)})
    (step,) = _steps(transition)
    assert step.after == Limits(400)


def test_a_vm_of_which_nobody_knows_what_it_has_is_left_alone() -> None:
    """No step is made for it."""
    assert Transition(Limits(_CAPACITY), {}, {"a": Limits(10)}).next() is None


def test_without_a_limit() -> None:
    """Caps that are taken away everywhere are not counted; from none to some is giving."""
    held = {"a": Limits(10), "b": Limits(10)}
    steps = _steps(Transition(Limits(20, 100), held, {"a": Limits(10, 50), "b": Limits(10, 50)}))
    assert [step.after for step in steps] == [Limits(10, 50), Limits(10, 50)]
    steps = _steps(Transition(Limits(20, 100), {"a": Limits(10, 50)}, {"a": Limits(10)}))
    assert [step.after for step in steps] == [Limits(10)]


def test_a_vm_without_a_cache_takes_no_space() -> None:
    """The others' is counted all the same: after a shrink that failed nobody gets what is not free."""
    held = {"a": Limits(300), "b": Limits(300), "plain": Limits(None, 5)}
    transition = Transition(Limits(640), held, {"a": Limits(100), "b": Limits(540), "plain": Limits(None, 5)})
    step = transition.next()
    assert step is not None
    assert step.vm == "a"
    transition.done(None)
    step = transition.next()
    assert step is not None
    assert step.after == Limits(340)
    transition.done(step.after)
    assert (transition.next(), transition.held["plain"]) == (None, Limits(None, 5))


def test_one_step_at_a_time() -> None:
    """The next one waits for the end of the one before."""
    transition = Transition(Limits(_CAPACITY), {"a": Limits(700)}, {"a": Limits(100)})
    with pytest.raises(ValueError, match="no change"):
        transition.done(None)
    transition.next()
    with pytest.raises(ValueError, match="under way"):
        transition.next()


_AMOUNT = st.integers(0, _CAPACITY)


@st.composite
def _changes(draw: st.DrawFn) -> tuple[dict[str, Limits], dict[str, Limits]]:
    """What VMs hold, perhaps more than there is, and a plan that fits."""
    vms = [f"vm{number}" for number in range(draw(st.integers(1, 5)))]
    held = {vm: Limits(draw(_AMOUNT), draw(st.none() | st.integers(1, _CAPACITY))) for vm in vms}
    space, rate = _CAPACITY, _CAPACITY - len(vms)
    wanted = {}
    for vm in draw(st.permutations(vms)):
        cache, iops = draw(st.integers(0, space)), draw(st.integers(0, rate))
        space, rate = space - cache, rate - iops
        wanted[vm] = Limits(cache, iops + 1)
    return held, wanted


@given(_changes(), st.data())
def test_never_promised_twice(
    changes: tuple[dict[str, Limits], dict[str, Limits]], data: st.DataObject
) -> None:
    """Whatever fails, half done or not, the sum in force stays below capacity, or falls where it was above."""
    held, wanted = changes
    in_force = {vm: _amounts(limits) for vm, limits in held.items()}
    transition = Transition(Limits(_CAPACITY, _CAPACITY), held, wanted)
    totals = _totals(in_force)
    while (step := transition.next()) is not None:
        before, asked = in_force[step.vm], _amounts(step.after)
        outcome = data.draw(st.sampled_from(("done", "refused", "half", "lost")))
        if outcome == "done":
            in_force[step.vm] = asked
        elif outcome == "half":
            in_force[step.vm] = [
                data.draw(st.integers(*sorted(pair))) for pair in zip(before, asked, strict=True)
            ]
        elif outcome == "lost":
            in_force[step.vm] = data.draw(st.sampled_from((before, asked)))
        known = data.draw(st.booleans()) and outcome != "lost"
        transition.done(_limits(in_force[step.vm]) if known else None)
        now = _totals(in_force)
        assert all(new <= max(_CAPACITY, old) for new, old in zip(now, totals, strict=True))
        totals = now


@given(_changes())
def test_all_is_reached_where_nothing_fails(changes: tuple[dict[str, Limits], dict[str, Limits]]) -> None:
    """In two steps a VM at most."""
    held, wanted = changes
    transition = Transition(Limits(_CAPACITY, _CAPACITY), held, wanted)
    assert len(_steps(transition)) <= 2 * len(held)
    assert transition.held == {vm: wanted[vm] for vm in held}


_NO_CAP = 10 * _CAPACITY


def _amounts(limits: Limits) -> list[int]:
    return [_NO_CAP if value is None else value for value in list(limits.plain().values())[:2]]


def _limits(amounts: list[int]) -> Limits:
    values = [None if value == _NO_CAP else value for value in amounts]
    return Limits(**dict(zip(RESOURCES, values, strict=False)))


def _totals(in_force: dict[str, list[int]]) -> list[int]:
    return [sum(amounts[index] for amounts in in_force.values()) for index in range(2)]
