"""The answer of a search: its sentences and figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.experiment.knee import answer
from froude.experiment.knee.answer import Status
from froude.experiment.knee.limit import Cause, ComputedLimit
from froude.experiment.knee.search import Outcome
from tests.support.experiment.knees import two_plays


def test_a_load_that_broke_in_some_plays_only_says_so() -> None:
    """One of two plays at the upper side kept every limit: the machine was busy in the other."""
    two = two_plays()
    broke = two.plays[1]
    busy = replace(broke, outcome=Outcome.UNCLEAR, run=broke.run.model_copy(update={"bottleneck": "machine"}))
    held = [result.model_copy(update={"held": True}) for result in broke.run.limits]
    kept = replace(broke, outcome=Outcome.KEPT, run=broke.run.model_copy(update={"limits": held}))
    result = replace(two, plays=(two.plays[0], busy, kept), status=Status.AT_LEAST)
    assert result.answer == (
        "At least 2 calls/s (clients=2): at clients=4, p99 < 1 s broke (3 s) in 1 of 2 plays, "
        "and the machine was busy with other work."
    )
    assert result.confidence == "limits kept in 1 of 1 play at clients=2, and in 1 of 2 plays at clients=4"


def test_an_answer_of_a_slow_jvm_says_so() -> None:
    """Flags for a quick start keep it from full speed."""
    flags = "-Xmx953m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto"
    *_, remark = replace(two_plays(), environment={"JVM flags": flags}).remarks
    assert "(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)" in remark
    assert (
        replace(two_plays(), environment={"JVM flags": "-Xmx4096m -XX:+UseSerialGC"}).remarks
        == two_plays().remarks
    )


@pytest.mark.parametrize("status", [Status.BELOW, Status.MASKED])
def test_a_compiler_at_work_is_named_where_no_load_was_kept(status: Status) -> None:
    """Of the smallest load, whose limit may have broken for that alone."""
    two = two_plays()
    cold = two.plays[1].run.model_copy(update={"mode": "population", "compiler_share": 0.5})
    result = replace(two, plays=(replace(two.plays[1], run=cold),), status=status, low=None)
    assert any(text.startswith("The JVM was still compiling there: up to 50%") for text in result.remarks)


def test_a_cause_needs_a_load_that_was_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the search ended before a limit broke, nothing kept the load from more; but a player without CPU did."""
    limit = ComputedLimit(100.0, 2, 10.0, {}, "base", 0.3, Cause("player", 0.9, "it used 90%"))
    monkeypatch.setattr(answer, "computed_limit", lambda *_: limit)
    broken = two_plays()
    assert broken.computed_limit == limit
    ended = replace(broken, plays=broken.plays[:1], status=Status.OPEN, high=None)
    assert ended.computed_limit == replace(limit, cause=None)
    full = replace(broken.plays[0], run=broken.plays[0].run.model_copy(update={"player_cpu_share": 0.9}))
    assert replace(ended, plays=(full,)).computed_limit == limit


def test_loads_that_do_not_show_the_target_are_not_fitted() -> None:
    """The ceiling of a player is not the target's contention."""
    kept = two_plays().plays[0]
    plays = tuple(
        replace(
            kept,
            level=float(level),
            run=kept.run.model_copy(
                update={"scale": {"clients": str(level)}, "calls_per_s": 100.0 * min(level, 16)}
            ),
        )
        for level in (1, 2, 4, 8, 16, 32)
    )
    whole = replace(two_plays(), plays=plays)
    assert whole.scalability is not None
    assert whole.scalability.kappa > 1e-4
    masked = replace(whole, plays=(*plays[:-1], replace(plays[-1], outcome=Outcome.UNCLEAR)))
    assert masked.scalability is not None
    assert masked.scalability.kappa == pytest.approx(0.0, abs=1e-9)
