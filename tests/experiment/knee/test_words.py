"""A knee in words."""

from __future__ import annotations

from froude.experiment.knee.words import (
    bounds_text,
    broken_text,
    compiling_text,
    masked_text,
    median_rate,
    others_text,
    play_text,
    quick_start_text,
    share_text,
)
from tests.support.experiment.knees import two_plays

KEPT, BROKE = (play.run for play in two_plays().plays)


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


def test_a_play_has_a_line() -> None:
    """Its figures, and what it did not keep."""
    assert play_text(KEPT, "kept") == "2 calls/s, p99 500 ms, kept, limited by unknown"
    assert play_text(BROKE, "broke") == "2 calls/s, p99 3 s, broke (p99 < 1 s), limited by unknown"
    assert play_text(KEPT.model_copy(update={"p99_ms": None}), "kept").startswith(
        "2 calls/s, no call answered"
    )


def test_who_hid_the_target_has_a_way_out() -> None:
    """The player by fewer nodes, other work by its end."""
    player = KEPT.model_copy(update={"bottleneck": "player"})
    assert masked_text(player, 1.0).startswith("the player was the limit; let more processes play")
    assert masked_text(KEPT, 1.25).startswith("other work used 1.2 of this machine's cores; stop that work")
    machine = KEPT.model_copy(update={"bottleneck": "machine"})
    assert masked_text(machine, 0.0).startswith("other work used this machine; ")
    assert masked_text(KEPT, 0.0).startswith("nothing was measured; play for longer")


def test_what_is_read_off_the_curve() -> None:
    """Nothing where p99 stayed below no bound, and where no other work was seen."""
    assert bounds_text({}) == ""
    assert bounds_text({"10 ms": (1234.5, "clients=3")}) == (
        "Of the loads that were played, p99 stayed below 10 ms up to 1,234 calls/s (clients=3)."
    )
    assert (others_text([]), others_text([0.2])) == ("", "")
    assert others_text([0.2, 0.95]).startswith("Other work used up to 0.9 of this machine's cores")


def test_the_share_of_what_the_cores_would_allow() -> None:
    """By the median of the plays; unknown where no CPU time of a call was seen."""
    assert share_text([KEPT]) == ""
    seen = {"computed_limit": 20_000.0, "target_cores": 2, "target_cpu_us": 100.0, "calls_per_s": 5000.0}
    text = "25% of the 20,000 calls/s that 2 cores would allow at 100 µs of CPU a call, without the compiler"
    assert share_text([KEPT.model_copy(update=seen)]).startswith(text)
    collected = KEPT.model_copy(update={**seen, "collector_share": 0.1})
    assert "at 100 µs of CPU a call (10% of it the garbage collector's), " in share_text([collected])


def test_a_jvm_that_compiles_is_named() -> None:
    """Of sustained loads, which were to be measured warm."""
    busy = {"mode": "population", "compiler_share": 0.16}
    assert compiling_text([KEPT]) == ""
    assert compiling_text([KEPT.model_copy(update={**busy, "mode": "once"})]) == ""
    assert compiling_text([KEPT, KEPT.model_copy(update=busy)]).startswith(
        "The JVM was still compiling there: 16%"
    )
