"""A knee in words."""

from __future__ import annotations

import pytest

from froude.experiment.knee.words import broken_text, growth_text, median_rate, quick_start_text
from tests.support.experiment.knees import two_plays

KEPT, BROKE = (play.run for play in two_plays().plays)


@pytest.mark.parametrize(
    ("factor", "first", "last", "text"),
    [
        (4, 36.6, 41.6, "The load hardly grew: 37 to 42 calls/s while datanodes grew 4 times."),
        (1024, 37, 1403, "The load grew much less than what was raised: 37 to 1,403 calls/s"),
        (4, 100, 250, ""),
        (2, 100, 100, ""),
    ],
)
def test_calls_that_do_not_follow_what_is_raised_are_said(
    factor: float, first: float, last: float, text: str
) -> None:
    """More DataNodes of one script are more heartbeats: what makes more calls in a second is proposed."""
    said = growth_text(["datanodes"], factor, first, last, faster=False)
    assert said.startswith(text) if text else said == ""
    assert ("`--raise speed`" in said) is bool(text)
    assert "--raise" not in growth_text(["speed"], factor, first, last, faster=True)


def test_what_broke_is_counted() -> None:
    """Of the plays of a load, with who was the limit in the last of those that broke."""
    busy = BROKE.model_copy(update={"bottleneck": "machine"})
    assert broken_text([BROKE, busy, KEPT]) == (
        "p99 < 1 s broke (3 s) in 2 of 3 plays, and the machine was busy with other work"
    )
    failed = BROKE.model_copy(update={"failure": "reset"})
    assert broken_text([failed]) == "the NameNode failed in 1 of 1 play (reset)"
    assert broken_text([KEPT]) == "a limit broke"


def test_the_rate_of_a_load_is_the_median_of_its_plays() -> None:
    """Neither the best nor the last."""
    rates = [KEPT.model_copy(update={"calls_per_s": rate}) for rate in (1404.0, 1388.0, 1403.0)]
    assert median_rate(rates) == 1403


def test_only_flags_for_a_quick_start_are_named() -> None:
    """A small collector alone is a choice."""
    assert quick_start_text({}) == ""
    assert quick_start_text({"JVM flags": "-XX:+UseSerialGC"}) == ""
    said = quick_start_text({"JVM flags": "-Xmx9m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"})
    assert "(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)" in said
