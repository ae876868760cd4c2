"""Where a job is told to run."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.harvest.live import choosing
from froude.harvest.live.choosing import (
    LastRun,
    Part,
    Request,
    choice_fields,
    choose,
    fitted_thresholds,
    remembered_run,
)
from froude.harvest.schedule.selection import ClassRoom, Container, Fit, JobType, Policy, Thresholds
from froude.harvest.telemetry.profiles import Pattern

POLICY = Policy(reserve_cpu=0.2, reserve_memory=0.0)
CORE = Container(1.0, 0.0)
SMALL = ClassRoom("constant-01", Pattern.CONSTANT, 2, 0.3, 0.4, 0.3, cores=10)
LARGE = ClassRoom("periodic-01", Pattern.PERIODIC, 4, 0.5, 0.8, 0.3, cores=10)
FULL = ClassRoom("unpredictable-01", Pattern.UNPREDICTABLE, 0, 0.2, 0.2, 1.0, cores=0)
ROOMS = [SMALL, LARGE, FULL]
"""For a short job: 10, 20 and 0 containers."""


def chosen(containers: float, last_run_s: float | None = 1.0, seed: int = 1) -> choosing.Choice:
    """For a job that ran so long, or never."""
    request = Request("q", containers, CORE, last_run_s)
    return choose(ROOMS, request, {}, policy=POLICY, thresholds=Thresholds(), rng=random.Random(seed))


def test_one_class_is_one_label() -> None:
    """Only the large one holds fifteen."""
    found = chosen(15)
    assert (found.kind, found.fit) == (JobType.SHORT, Fit.ONE)
    assert found.parts == (Part("periodic-01", pytest.approx(20), 15),)
    assert found.label == found.master_label == "periodic-01"
    assert found.attributes == "rm.yarn.io/harvest-class=periodic-01"


def test_several_classes_are_split_by_their_room_or_named_by_attributes() -> None:
    """The one label that a job may have is that of the roomier."""
    found = chosen(27)
    assert found.fit is Fit.SEVERAL
    assert {part.label: part.containers for part in found.parts} == {"constant-01": 9, "periodic-01": 18}
    assert found.label == "periodic-01"
    assert found.attributes.startswith("OR(rm.yarn.io/harvest-class=")


def test_a_job_that_no_class_holds_has_a_label_for_its_master_alone() -> None:
    """Without one it would never start where every node has a label; where there is no class there is none."""
    found = chosen(100)
    assert (found.fit, found.parts, found.label, found.lacks) == (Fit.NONE, (), "", "cores")
    request = Request("q", 15, Container(1.0, 1e6), 1.0)
    fat = choose(ROOMS, request, {}, policy=POLICY, thresholds=Thresholds(), rng=random.Random(1))
    assert (fat.fit, fat.lacks, chosen(15).lacks) == (Fit.NONE, "memory", "")
    request = Request("q", 100, Container(1.0, 1e6), 1.0)
    large = choose(ROOMS, request, {}, policy=POLICY, thresholds=Thresholds(), rng=random.Random(1))
    assert large.lacks == "cores and memory"
    assert found.master_label == "periodic-01"
    assert not found.attributes
    nowhere = choose([], Request("q", 1), {}, policy=POLICY, thresholds=Thresholds(), rng=random.Random(1))
    assert (nowhere.fit, nowhere.master_label, nowhere.lacks) == (Fit.NONE, "", "classes")


def test_where_nodes_carry_no_classes_nobody_asks_for_them() -> None:
    """A label that no node has is refused, and so are attributes; what was chosen is said all the same."""
    bare = replace(chosen(15), labels=False, tagged=False)
    assert (bare.label, bare.master_label, bare.attributes) == ("", "", "")
    assert [part["label"] for part in choice_fields(bare)["classes"]] == ["periodic-01"]


def test_the_last_run_of_a_job_tells_its_type() -> None:
    """What is said of it counts before what is remembered, a type before all; one that is not known is medium."""
    last = {"q": LastRun(1000.0, 5)}
    for request, kind in (
        (Request("q", 1), JobType.LONG),
        (Request("q", 1, last_run_s=1.0), JobType.SHORT),
        (Request("new", 1), JobType.MEDIUM),
        (Request("q", 1, kind=JobType.SHORT), JobType.SHORT),
    ):
        assert (
            choose(ROOMS, request, last, policy=POLICY, thresholds=Thresholds(), rng=random.Random(1)).kind
            is kind
        )


def test_the_job_that_ran_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many; one that runs again is new."""
    monkeypatch.setattr(choosing, "MOST_JOBS", 2)
    last: dict[str, LastRun] = {}
    for job in ("a", "b", "a", "c"):
        last = remembered_run(last, job, LastRun(1.0, 1))
    assert list(last) == ["a", "c"]


def test_thresholds_share_the_work_as_classes_share_the_room() -> None:
    """Half of the room is of constant classes, so half of the work is of long jobs; few jobs tell nothing."""
    even = [SMALL, ClassRoom("u", Pattern.UNPREDICTABLE, 2, 0.3, 0.4, 0.3, cores=10)]
    last = {f"j{n}": LastRun(float(n), 1.0) for n in range(1, 21)}
    found = fitted_thresholds(last, even, POLICY)
    assert found == Thresholds(14, 14)
    assert fitted_thresholds(dict(list(last.items())[:9]), even, POLICY) is None
    assert fitted_thresholds(last, [FULL], POLICY) is None


@given(st.floats(0.5, 40), st.integers(0, 99))
def test_parts_are_the_whole_job(containers: float, seed: int) -> None:
    """Whatever is drawn; and a class that holds none of it is not."""
    found = chosen(containers, seed=seed)
    if found.parts:
        assert sum(part.containers for part in found.parts) == round(containers)
        assert found.label in {part.label for part in found.parts}
        assert all(part.headroom > 0 for part in found.parts)
