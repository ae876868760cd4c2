"""When a VM should move to another hypervisor."""

from __future__ import annotations

from froude.cache.solve.advice import advise
from froude.cache.solve.state import Hypervisor, State, Vm
from tests.support.cache.solve.made import vm


def placed(vms: list[Vm], iops: dict[str, float | None]) -> State:
    """On SSDs with those IOPS."""
    ssds = tuple(Hypervisor(name=name, space_bytes=1, iops=each) for name, each in iops.items())
    return State(hypervisors=ssds, vms=tuple(vms))


def test_the_least_vm_whose_move_is_enough_goes_where_most_is_to_spare() -> None:
    """A master only if no other will do."""
    vms = [
        vm("a", iops=900),
        vm("b", iops=400),
        vm("m", iops=350, master=True),
        vm("c", iops=100, hypervisor="h2"),
    ]
    made = placed(vms, {"h1": 1400, "h2": 1000, "h3": 700})
    (advice,) = advise(made)
    assert (advice.hypervisor, advice.vm, advice.to) == ("h1", "b", "h2")
    assert advice.text == (
        "its VMs want 1,650/s operations of the 1,400/s that its SSD serves; move b, which wants 400/s, to h2"
    )


def test_where_no_single_move_is_enough_the_largest_that_fits_is_a_beginning() -> None:
    """Or it is said that none fits."""
    vms = [vm("a", iops=900), vm("b", iops=800)]
    (advice,) = advise(placed(vms, {"h1": 500, "h2": 850}))
    assert (advice.vm, advice.to) == ("b", "h2")
    (advice,) = advise(placed(vms, {"h1": 500, "h2": 100}))
    assert (advice.vm, advice.to) == (None, None)
    assert advice.text.endswith("no other SSD has room for one of them")
    (advice,) = advise(placed(vms, {"h1": 500}))
    assert advice.vm is None


def test_each_place_is_given_away_once() -> None:
    """The second overloaded hypervisor does not move into what the first has filled."""
    vms = [
        vm("a", iops=300),
        vm("b", iops=300),
        vm("c", iops=250, hypervisor="h2"),
        vm("d", iops=250, hypervisor="h2"),
    ]
    found = advise(placed(vms, {"h1": 300, "h2": 300, "h3": 400}))
    assert [(each.vm, each.to) for each in found] == [("a", "h3"), (None, None)]


def test_nothing_is_said_of_ssds_that_serve_enough_or_are_not_known() -> None:
    """Silence is the good case."""
    assert advise(placed([vm("a", iops=5)], {"h1": 5})) == []
    assert advise(placed([vm("a", iops=5)], {"h1": None})) == []
