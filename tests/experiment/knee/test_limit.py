"""What the cores of a target would allow, and what kept a load from more."""

from __future__ import annotations

import pytest

from froude.emulation.run.summary import MethodRow
from froude.experiment.knee.limit import cause_of, computed_limit, limit_text
from tests.support.experiment.knees import two_plays

SHARES = {"calls": 0.25, "compiler": 0.01, "collector": 0.04, "player": 0.6, "other work": 0.0, "idle": 0.1}
KEPT = (
    two_plays()
    .plays[0]
    .run.model_copy(
        update={
            "mode": "population",
            "computed_limit": 20_000.0,
            "target_cores": 2,
            "target_cpu_us": 100.0,
            "calls_per_s": 5000.0,
            "compiler_share": 0.01,
            "target_cpu_share": 0.5,
            "ramp_s": 5.0,
            "core_time": SHARES,
        }
    )
)


def row(method: str, answered: int, cpu_us: float | None) -> MethodRow:
    """A method's row, of which calls and CPU time matter."""
    found = KEPT.methods[0].model_copy(update={"method": method, "answered": answered, "cpu_us": cpu_us})
    return MethodRow.model_validate(found.model_dump())


def test_the_limit_is_by_the_play_with_the_least_cpu_time_of_a_call() -> None:
    """Whichever load was kept; with base, share and cause."""
    dear = KEPT.model_copy(update={"computed_limit": 3000.0, "target_cpu_us": 667.0})
    assert computed_limit([KEPT], [KEPT, dear]) == computed_limit([KEPT], [dear, KEPT])
    assert limit_text(computed_limit([KEPT], [dear, KEPT])) == (
        "Computed limit: 2 cores with nothing else on them would answer 20,000 calls/s of this mixture, at the 100 µs "
        "of CPU of a call without JIT compiler and garbage collector, as measured at 5,000 calls/s (clients=2); the "
        "load that was kept is 25% of that. What kept it from more: player (it used 60% of the time of these cores)."
    )


def test_the_mixture_of_the_load_that_was_kept_counts() -> None:
    """Each of its methods at the cost that it has in the base; all together where one has no cost."""
    base = KEPT.model_copy(update={"methods": [row("create", 10, 300.0), row("getFileInfo", 90, 50.0)]})
    kept = KEPT.model_copy(update={"methods": [row("create", 30, None), row("getFileInfo", 70, None)]})
    limit = computed_limit([kept], [base])
    assert limit is not None
    assert (limit.cpu_us, limit.calls_per_s) == pytest.approx((125.0, 2e6 / 125))
    assert "; most for create (300), getFileInfo (50), as measured" in limit_text(limit)
    other = KEPT.model_copy(update={"methods": [row("delete", 50, None)]})
    found = computed_limit([other], [base])
    assert found is not None
    assert found.cpu_us == 100.0


def test_another_number_of_cores_gives_an_upper_bound() -> None:
    """It is called that, and what it leaves out is stated."""
    text = limit_text(computed_limit([KEPT], [KEPT]), 32)
    assert text.endswith(
        "Upper bound on 32 cores: 320,000 calls/s, as if no lock, disk or network were in the way."
    )


def test_from_sixty_percent_on_no_cause_is_looked_for() -> None:
    """What is left is little."""
    limit = computed_limit([KEPT.model_copy(update={"calls_per_s": 12_000.0})], [KEPT])
    assert limit is not None
    assert limit.cause is None
    assert "What kept it" not in limit_text(limit)


@pytest.mark.parametrize(
    ("core_time", "waits", "player", "name", "share"),
    [
        ({**SHARES, "collector": 0.7}, {"lock": 0.9}, 0.9, "collector", 0.7),
        ({**SHARES, "compiler": 0.7}, {}, 0.1, "compiler", 0.7),
        ({**SHARES, "other work": 0.7}, {}, 0.1, "other work", 0.7),
        ({**SHARES, "idle": 0.7}, {"lock": 0.5, "queue": 0.2}, 0.9, "player", 0.9),
        ({**SHARES, "idle": 0.7}, {"lock": 0.5, "queue": 0.2}, 0.2, "lock", 0.5),
        ({**SHARES, "idle": 0.7}, {"lock": 0.1, "queue": 0.3}, None, "queue", 0.3),
        ({**SHARES, "idle": 0.7}, {"queue": 0.2, "edit log sync": 0.8}, 0.2, "edit log sync", 0.8),
        ({**SHARES, "idle": 0.7}, {"queue": 0.2, "scheduler": 0.8}, 0.2, "scheduler", 0.8),
        ({**SHARES, "idle": 0.7}, {"queue": 0.05}, 0.2, "unknown", 0.7),
    ],
)
def test_a_cause_is_named_with_its_own_share(
    core_time: dict[str, float], waits: dict[str, float], player: float | None, name: str, share: float
) -> None:
    """What used most of the cores' other time; where they were idle, what calls waited for most."""
    cause = cause_of(
        KEPT.model_copy(update={"core_time": core_time, "waits": waits, "player_cpu_share": player})
    )
    assert cause is not None
    assert (cause.name, cause.share) == (name, share)
    assert f"{share:.0%}" in cause.text


def test_no_cause_where_the_cores_were_not_seen() -> None:
    """What nobody measured is not named."""
    assert cause_of(KEPT.model_copy(update={"core_time": {}})) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"mode": "once"},
        {"ramp_s": None},
        {"compiler_share": 0.05},
        {"compiler_share": None},
        {"target_cpu_share": 0.39},
        {"target_cpu_share": None},
        {"computed_limit": None},
    ],
)
def test_no_limit_without_a_base(changed: dict[str, object]) -> None:
    """Of a play once, of one that was not steady or compiled, or of a target that hardly worked, there is none."""
    assert computed_limit([KEPT], [KEPT]) is not None
    assert computed_limit([], [KEPT]) is None
    assert computed_limit([KEPT], [KEPT.model_copy(update=changed)]) is None


def test_that_there_is_no_base_is_stated() -> None:
    """Of loads that were kept up, or where another machine's was asked for."""
    assert limit_text(None, obstacle="clients were played once") == ""
    assert limit_text(None).startswith("What the cores would allow is not known: no play was steady")
    assert limit_text(None, 32, obstacle="clients were played once") == (
        "What 32 cores would allow is not known: clients were played once."
    )


GRANTED = KEPT.model_copy(
    update={
        "containers_per_s": 500.0,
        "calls_per_s": 1000.0,
        "computed_limit": 4000.0,
        "steady_s": 10.0,
        "thread_time": {"scheduler": 0.1, "event dispatcher": 0.2, "asynchronous scheduler": 0.8},
        "methods": [
            row("allocate", 1000, 50.0),
            row("nodeHeartbeat", 4000, 10.0),
            row("submitApplication", 5, None),
        ],
    }
)
"""A play against a ResourceManager that used a quarter of two cores."""


def test_the_limit_of_a_resourcemanager_is_in_containers() -> None:
    """CPU time of a container by single threads and, of handlers, by method; heartbeats are always shown."""
    limit = computed_limit([GRANTED], [GRANTED])
    assert limit is not None
    assert (limit.calls_per_s, limit.containers_per_s, limit.thread_per_s) == (None, 2000.0, 2500.0)
    assert limit_text(limit) == (
        "Computed limit: 2 cores with nothing else on them would grant 2,000 containers/s of this load, at the 1,000 µs "
        "of CPU of a container without JIT compiler and garbage collector; most for asynchronous scheduler (1,600), "
        "event dispatcher (400), scheduler (200), allocate (10), nodeHeartbeat (8), as measured at 500 containers/s "
        "(clients=2); the load that was kept is 25% of that. What kept it from more: player (it used 60% of the time of "
        "these cores)."
    )
    assert computed_limit([GRANTED], [GRANTED.model_copy(update={"containers_per_s": 0.0})]) is None


def test_a_single_thread_is_no_faster_on_more_cores() -> None:
    """Nor is a whole core of it left to use, where it has one: then it is the cause."""
    text = limit_text(computed_limit([GRANTED], [GRANTED]), 32)
    assert text.endswith(
        "Upper bound on 32 cores: 2,500 containers/s, since its event dispatcher is one thread, which uses one core."
    )
    busy = GRANTED.model_copy(update={"thread_time": {"scheduler": 0.1, "event dispatcher": 0.9}})
    limit = computed_limit([GRANTED.model_copy(update={"containers_per_s": 200.0})], [busy])
    assert (
        "as measured at 500 containers/s (clients=2), but its event dispatcher, which is one thread, 556 containers/s; "
        "the load that was kept is 36% of that."
    ) in limit_text(limit)
    cause = cause_of(busy)
    assert cause is not None
    assert (cause.name, cause.text) == ("event dispatcher", "it is one thread, which used 90% of a core")
