"""Algorithm 1, line by line."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.harvest.schedule.selection import (
    ClassRoom,
    Container,
    Fit,
    JobType,
    Policy,
    Thresholds,
    headroom,
    select,
    thresholds_of,
)
from froude.harvest.telemetry.profiles import Pattern

PLAIN = Policy(cores=10, memory_mb=10_000, reserve_cpu=0.3, reserve_memory=0.0)
CORE = Container(1.0, 0.0)


def room(
    pattern: Pattern = Pattern.CONSTANT, servers: int = 10, current: float = 0.2, **other: float
) -> ClassRoom:
    """A class; average 0.3 and peak 0.5 unless said otherwise."""
    return ClassRoom("c", pattern, servers, other.get("average", 0.3), other.get("peak", 0.5), current)


@pytest.mark.parametrize(
    ("last_s", "kind"),
    [(None, "medium"), (172.9, "short"), (173, "medium"), (433, "medium"), (433.1, "long"), (0, "short")],
)
def test_the_type_is_that_of_the_last_run(last_s: float | None, kind: str) -> None:
    """A job that never ran is medium; thresholds of the paper's testbed."""
    assert Thresholds().type_of(last_s) is JobType(kind)


def test_headroom_by_type() -> None:
    """Less current, or average, or peak, whichever is the larger; less the reserve; in containers."""
    one = room(servers=10)
    assert headroom(JobType.SHORT, one, PLAIN, CORE) == pytest.approx(50)
    assert headroom(JobType.MEDIUM, one, PLAIN, CORE) == pytest.approx(40)
    assert headroom(JobType.LONG, one, PLAIN, CORE) == pytest.approx(20)
    busy = room(current=0.9)
    assert [headroom(kind, busy, PLAIN, CORE) for kind in JobType] == [0, 0, 0]


def test_a_class_may_have_servers_of_its_own_size() -> None:
    """They count in place of the policy's."""
    large = ClassRoom("c", Pattern.CONSTANT, 10, 0.3, 0.5, 0.2, cores=20, memory_mb=20_000)
    assert headroom(JobType.SHORT, large, PLAIN, CORE) == pytest.approx(100)
    assert headroom(JobType.SHORT, large, PLAIN, Container(0.1, 5000)) == pytest.approx(40)


def test_memory_may_be_the_scarcer() -> None:
    """Containers of half a server's memory: two on each of ten servers, one where half is used."""
    assert headroom(JobType.SHORT, room(), PLAIN, Container(1, 5000)) == pytest.approx(20)
    used = ClassRoom("c", Pattern.CONSTANT, 10, 0.3, 0.5, 0.2, memory=0.5)
    assert headroom(JobType.SHORT, used, PLAIN, Container(1, 5000)) == pytest.approx(10)


def test_the_reserve_of_memory_is_kept_beside_what_is_used() -> None:
    """A quarter each: half a server is left."""
    policy = Policy(cores=10, memory_mb=10_000, reserve_cpu=0.3, reserve_memory=0.25)
    used = ClassRoom("c", Pattern.CONSTANT, 10, 0.3, 0.5, 0.2, memory=0.25)
    assert headroom(JobType.SHORT, used, policy, Container(1, 5000)) == pytest.approx(10)


@pytest.mark.parametrize(
    ("kind", "order"),
    [
        (JobType.LONG, (Pattern.CONSTANT, Pattern.PERIODIC, Pattern.UNPREDICTABLE)),
        (JobType.MEDIUM, (Pattern.PERIODIC, Pattern.CONSTANT, Pattern.UNPREDICTABLE)),
        (JobType.SHORT, (Pattern.UNPREDICTABLE, Pattern.PERIODIC, Pattern.CONSTANT)),
    ],
)
def test_one_class_is_drawn_by_weighted_headroom(kind: JobType, order: tuple[Pattern, ...]) -> None:
    """Of equal classes the preferred pattern three times as often as the last, twice as often as ... the next."""
    rooms = [room(pattern) for pattern in order]
    rng = random.Random(7)
    drawn = Counter(select(rooms, kind, 5, PLAIN, rng, container=CORE).classes[0] for _ in range(6000))
    for number, weight in enumerate((3, 2, 1)):
        assert drawn[number] == pytest.approx(1000 * weight, abs=150)


def test_headroom_counts_as_much_as_weight() -> None:
    """A class of four times the servers is drawn four times as often."""
    rooms = [room(servers=10), room(servers=40)]
    rng = random.Random(7)
    drawn = Counter(
        select(rooms, JobType.SHORT, 5, PLAIN, rng, container=CORE).classes[0] for _ in range(5000)
    )
    assert drawn[1] == pytest.approx(4000, abs=200)


def test_several_where_none_fits_and_none_where_all_do_not() -> None:
    """Three classes of 50 containers: 120 need all three, 151 have no place."""
    rooms = [room(), room(), room()]
    rng = random.Random(1)
    three = select(rooms, JobType.SHORT, 120, PLAIN, rng, container=CORE)
    assert (three.fit, sorted(three.classes)) == (Fit.SEVERAL, [0, 1, 2])
    assert len(select(rooms, JobType.SHORT, 90, PLAIN, rng, container=CORE).classes) == 2
    assert select(rooms, JobType.SHORT, 151, PLAIN, rng, container=CORE).fit is Fit.NONE
    assert select([], JobType.SHORT, 1, PLAIN, rng).fit is Fit.NONE


_ROOMS = st.builds(
    ClassRoom,
    st.just("c"),
    st.sampled_from(Pattern),
    st.integers(0, 100),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
)


@given(st.lists(_ROOMS, max_size=8), st.sampled_from(JobType), st.floats(0, 2000), st.integers(0, 2**32))
def test_what_is_chosen_has_room(rooms: list[ClassRoom], kind: JobType, request: float, seed: int) -> None:
    """One class holds all; several do together, and would not without the last; none only if all cannot."""
    found = select(rooms, kind, request, Policy(), random.Random(seed))
    free = [headroom(kind, each, Policy()) for each in rooms]
    held = sum(free[n] for n in found.classes)
    assert len(set(found.classes)) == len(found.classes)
    if found.fit is Fit.NONE:
        assert sum(free) < request or sum(free) == 0
    else:
        assert held >= request
        assert (found.fit is Fit.ONE) == (len(found.classes) == 1)
        assert found.fit is Fit.ONE or held - free[found.classes[-1]] < request


def test_thresholds_share_the_work_as_patterns_share_the_capacity() -> None:
    """Ten jobs of equal work: two parts of ten are unpredictable capacity, three constant."""
    durations = [10.0 * n for n in range(10, 0, -1)]
    shares = {Pattern.UNPREDICTABLE: 0.2, Pattern.PERIODIC: 0.5, Pattern.CONSTANT: 0.3}
    assert thresholds_of(durations, [1.0] * 10, shares) == Thresholds(20.0, 70.0)
    with pytest.raises(ValueError, match="no work"):
        thresholds_of([], [], shares)
    with pytest.raises(ValueError, match="no longer"):
        Thresholds(5, 4)


@pytest.mark.parametrize(("servers", "current", "cores"), [(10, 0.15, 12), (20, 0.25, 12), (30, 0.05, 12)])
def test_a_job_that_fits_exactly_fits(servers: int, current: float, cores: int) -> None:
    """Headroom is a difference of shares, which binary numbers do not hold: 61.99999999999999 of 62 is room enough."""
    rooms = [room(servers=servers, current=current, average=0.0, peak=0.0)]
    exact = Policy(cores=cores, memory_mb=1, reserve_cpu=1 / 3, reserve_memory=0.0)
    request = round(headroom(JobType.SHORT, rooms[0], exact, CORE))
    assert request == pytest.approx(headroom(JobType.SHORT, rooms[0], exact, CORE))
    assert select(rooms, JobType.SHORT, request, exact, random.Random(1), container=CORE).fit is Fit.ONE
