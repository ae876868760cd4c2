"""What a daemon does minute by minute, without a cluster."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.base.errors import GuardError
from froude.base.seeds import Seeds
from froude.harvest.live.choosing import LastRun, Request
from froude.harvest.live.controller import Controller, Wanted
from froude.harvest.live.history import History
from froude.harvest.live.usage import Usage
from froude.harvest.schedule.selection import Fit, JobType
from tests.support.harvest.datacenters import made
from tests.support.harvest.live.changes import applied
from tests.support.harvest.live.controller import CORE, DAY, NOW, OWN, cluster, daemon


def test_a_look_gives_classes_and_resources_and_a_second_one_has_nothing_to_do() -> None:
    """What was there first is kept over all of them."""
    one = daemon()
    first = one.poll(cluster("s0", "s1", "s2"), NOW)
    labels = first.changes.node_labels
    assert labels["s2:1"] == "constant-01"
    assert {labels["s0:1"], labels["s1:1"]} == {"periodic-01", "periodic-02"}
    assert first.changes.node_attributes["s2"] == "constant-01"
    assert first.changes.resources["s0:1"].vcores == 5
    assert "3 classes of 3 servers" in first.notes[0]
    state = applied(cluster("s0", "s1", "s2"), first.changes)
    again = one.poll(state, NOW + 60)
    assert not again.changes
    assert again.prior is first.prior
    spiked = replace(state, nodes=tuple(replace(node, cpu_share=0.6) for node in state.nodes))
    assert one.poll(spiked, NOW + 120).changes.resources["s1:1"].vcores == 0
    assert one.prior is not None
    assert one.prior.resources["s1:1"] == OWN


def test_jobs_are_placed_by_what_was_seen_last() -> None:
    """A long job on the class that stays as it is; the type is that of the last run."""
    one = daemon()
    assert one.choose(Request("q", 1, CORE)).fit is Fit.NONE
    one.poll(cluster("s0", "s1", "s2"), NOW)
    assert one.choose(Request("q", 1, CORE)).kind is JobType.MEDIUM
    one.ran("q", LastRun(1000.0, 1))
    found = one.choose(Request("q", 4, CORE))
    assert (found.kind, found.label) == (JobType.LONG, "constant-01")


def test_classes_are_made_anew_after_a_day_and_keep_their_names() -> None:
    """Also where averages change their order."""
    one = daemon(reclassify_s=DAY)
    one.poll(cluster("s0", "s1", "s2"), NOW)
    before = dict(one.known.classes.of_server)
    for hour in range(24):
        look = one.poll(cluster("s0", "s1", "s2"), NOW + hour * 3600, measured={"s0": Usage(0.9)})
        assert not any("classes of" in note for note in look.notes)
    look = one.poll(cluster("s0", "s1", "s2"), NOW + DAY, measured={})
    assert look.notes == ("3 classes of 3 servers; 0 changed theirs",)
    assert dict(one.known.classes.of_server) == before


def test_a_history_that_is_too_short_makes_no_classes_yet() -> None:
    """It is said once an hour; resources go on."""
    short = replace(made(np.full((1, 24), 0.2)), start_s=NOW - DAY)
    one = Controller(Wanted("h:1", resources=True), History(short, NOW - 1), Seeds(1))
    assert "no classes yet" in one.poll(cluster("s0"), NOW - 1).notes[0]
    look = one.poll(cluster("s0"), NOW)
    assert (look.notes, look.changes.resources["s0:1"].vcores) == ((), 5)


def test_a_resourcemanager_that_was_started_again_is_known_by_its_applications() -> None:
    """It recovers those of an earlier life; resources and labels, which it has forgotten, are given again."""
    one = daemon()
    first = one.poll(cluster("s0", "s1", "s2"), NOW)
    back = one.poll(cluster("s0", id_="8"), NOW + 60, earlier=frozenset({"5", "7"}))
    assert back.changes.resources["s0:1"] == first.changes.resources["s0:1"]
    assert back.notes == ("the ResourceManager was started again: 8, before 7",)
    assert one.prior is not None
    assert one.prior.id == "8"
    assert one.known.ids == ("7", "5", "8")
    with_old = one.poll(cluster("s0", id_="9"), NOW + 120, earlier=frozenset({"5", "9"}))
    assert with_old.notes == ("the ResourceManager was started again: 9, before 8",)
    assert one.known.ids == ("7", "5", "8", "9")


@pytest.mark.parametrize("earlier", [frozenset(), frozenset({"5"})])
def test_names_of_nodes_do_not_show_that_it_is_the_same_cluster(earlier: frozenset[str]) -> None:
    """A copy of it has the same: nothing is changed until somebody names it."""
    one = daemon()
    one.poll(cluster("s0", "s1", "s2"), NOW)
    with pytest.raises(GuardError, match=r"found 9; allowed: 7.*3 of its 3 nodes.*--target-is 9"):
        one.poll(cluster("s0", "s1", "s2", id_="9"), NOW + 60, earlier=earlier)
    assert one.known.ids == ("7",)
    one.accept("9")
    assert one.poll(cluster("s0", "s1", "s2", id_="9"), NOW + 120).changes
    assert one.prior is not None
    assert one.prior.id == "9"


def test_a_forecast_takes_no_containers_that_would_be_killed_soon() -> None:
    """Unless containers wait: then what is free now counts."""
    one = daemon(forecast=True)
    seven = NOW + 7 * 3600
    look = one.poll(cluster("s1"), seven, measured={"s1": Usage(0.2)})
    assert look.changes.resources["s1:1"].vcores == 1
    assert look.changes.spared == {"s1:1"}
    busy = daemon(forecast=True).poll(cluster("s1"), seven, measured={"s1": Usage(0.2)}, waiting=3)
    assert busy.changes.resources["s1:1"].vcores == 5


def test_thresholds_are_worked_out_of_how_jobs_ran_where_that_is_asked() -> None:
    """The paper's until there are enough."""
    one = daemon(thresholds=None)
    one.poll(cluster("s0", "s1", "s2"), NOW)
    assert one.view.thresholds.short_below_s == 173
    for number in range(12):
        one.ran(f"j{number}", LastRun(10.0 + number, 1))
    one.poll(cluster("s0", "s1", "s2"), NOW + 60)
    assert 10 <= one.view.thresholds.long_above_s <= 22
