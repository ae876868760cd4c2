"""A cluster is what stands in its groups, whatever its document says of it."""

from __future__ import annotations

from dataclasses import replace

from froude.provision.check.as_built import as_built, choice_of, says_shares
from froude.provision.types.plan import Group, Held, LocalHeld, Running
from tests.support.provision.clusters import CHOICES, PHOTOS, paper_plan, photoshare, small, small_plan


def test_the_units_that_stand_there_are_the_choice() -> None:
    """Stale choices and core types are not believed."""
    stale = replace(
        paper_plan(), choices={**CHOICES, "thumbs": ("15KDisk", "DRAM")}, cpus={"upload": "quick"}
    )
    assert as_built(photoshare(), stale) == paper_plan()


def test_what_stands_nowhere_is_as_the_document_says() -> None:
    """A service has no units in servers; what is missing is missed on what it should be on."""
    problem = small()
    plan = small_plan(problem)
    workers = plan.groups[1:]
    assert choice_of(problem, workers, "d", ("store",)) == ("store",)
    assert choice_of(problem, workers, "d", ("disk", "dram")) == ("disk", "dram")
    assert choice_of(problem, workers, "d") == ()
    cache = Group("box", 1, held=(Held("d", "ssd", 1, 1.0, cache=True),))
    assert choice_of(problem, (cache,), "d", ("store",)) == ("store", "ssd")
    assert choice_of(problem, plan.groups, "d", ("store",)) == ("disk",)


def test_several_types_are_all_named() -> None:
    """What no plan may have is seen by whoever asks."""
    other = replace(PHOTOS, held=(Held("photos", "SSD", 1, 0.2),))
    assert choice_of(photoshare(), (PHOTOS, other), "photos") == ("15KDisk", "SSD")


def test_contents_that_stand_twice_are_one() -> None:
    """Their units, instances and shares are added."""
    group = Group(
        "box", 1,
        (Held("d", "disk", 1, 0.25), Held("d", "disk", 3, 0.75)),
        (LocalHeld("e", "ssd", 1), LocalHeld("e", "ssd", 1)),
        (Running("t", 2, 0.5), Running("t", 1, 0.25)),
    )  # fmt: skip
    merged = as_built(small(), replace(small_plan(small()), groups=(group,))).groups[0]
    assert merged.held == (Held("d", "disk", 4, 1.0),)
    assert merged.local == (LocalHeld("e", "ssd", 2),)
    assert merged.running == (Running("t", 3, 0.75),)


def test_shares() -> None:
    """A cluster of the user's own need not say any."""
    plan = small_plan(small())
    assert says_shares(plan)
    bare = replace(
        plan, groups=(Group("box", 1, (Held("d", "disk", 1, 0.0),), running=(Running("t", 1, 0.0),)),)
    )
    assert not says_shares(bare)
