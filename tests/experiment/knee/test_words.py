"""A knee in words."""

from __future__ import annotations

from froude.emulation.run.summary import RunSummary
from froude.experiment.knee.words import (
    bounds_text,
    broken_text,
    compiling_text,
    full_text,
    masked_text,
    median_rate,
    once_text,
    others_first_text,
    others_text,
    placed_text,
    play_text,
    quick_start_text,
    rate_of,
    scheduling_text,
    slowest_of,
    unit_of,
)
from tests.support.experiment.knees import two_plays

KEPT, BROKE = (play.run for play in two_plays().plays)
GRANTING = KEPT.model_copy(
    update={
        "containers_per_s": 228.4,
        "allocation_p99_ms": 792.6,
        "applications_per_s": 22.25,
        "applications_running": 108.0,
        "node_heartbeats_per_s": 49.9,
        "scheduler_allocate_ms": 0.675,
        "scheduler_node_update_ms": 0.29,
        "scheduler_events_max": 1.0,
        "containers_pending_max": 202.0,
    }
)
"""A play on a ResourceManager."""


def at_rate(calls_per_s: float) -> RunSummary:
    """A play with that many calls a second."""
    return KEPT.model_copy(update={"calls_per_s": calls_per_s})


def test_a_resourcemanager_is_quoted_in_containers() -> None:
    """With how long they took to be granted; a play in which none was granted states that."""
    assert (unit_of(GRANTING), rate_of(GRANTING), slowest_of(GRANTING)) == (
        "containers/s",
        228.4,
        ("p99 of allocation", 792.6),
    )
    assert play_text(GRANTING, "kept").startswith("228 containers/s, p99 of allocation 793 ms, kept")
    none = GRANTING.model_copy(update={"containers_per_s": 0.0, "allocation_p99_ms": None})
    assert play_text(none, "broke").startswith("0 containers/s, no container granted, broke")
    assert bounds_text({"1 s": (GRANTING, "apps=9"), "10 s": (GRANTING, "apps=9")}) == (
        "Of the loads that were played, p99 of allocation stayed below 1 s and 10 s up to 228 containers/s (apps=9)."
    )


def test_a_full_cluster_is_not_the_resourcemanagers_limit() -> None:
    """Said where the NodeManagers' memory was nearly all allocated, with the way out."""
    full = GRANTING.model_copy(update={"memory_allocated_share": 0.99})
    assert full_text([GRANTING, full]).startswith(
        "Where limits broke, 99% of the NodeManagers' memory was allocated: "
    )
    assert (full_text([GRANTING]), full_text([])) == ("", "")


def test_the_scheduler_has_its_figures() -> None:
    """Those that were sampled, of the largest load that was kept; nothing where no ResourceManager was called."""
    assert scheduling_text([GRANTING]) == (
        "At the load that was kept, 50 node heartbeats/s came, 108 applications ran, 22.2 applications/s began, a "
        "placement took the scheduler 0.675 ms, a heartbeat took the scheduler 0.29 ms, at most 1 of its events waited "
        "and at most 202 containers waited."
    )
    assert (scheduling_text([]), scheduling_text([KEPT])) == ("", "")


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


def test_where_target_and_player_were_is_stated() -> None:
    """With processors and collector of the target's JVM; what is not known is stated."""
    flags = "-Xmx9m -XX:ActiveProcessorCount=2 -XX:+UseG1GC -XX:-Foo"
    assert placed_text({"pinned": "no, for want of cores", "JVM flags": flags}) == (
        "Pinned apart: no, for want of cores. Target: -XX:ActiveProcessorCount=2 -XX:+UseG1GC."
    )
    assert placed_text({}) == "Pinned apart: not known. Target: not known."


def test_a_play_has_a_line() -> None:
    """Its figures, and what it did not keep."""
    assert play_text(KEPT, "kept") == "2 calls/s, p99 500 ms, kept, limited by unknown"
    assert play_text(BROKE, "broke") == "2 calls/s, p99 3 s, broke (p99 < 1 s), limited by unknown"
    assert play_text(KEPT.model_copy(update={"p99_ms": None}), "kept").startswith(
        "2 calls/s, no call answered"
    )


def test_a_kept_play_on_a_busy_machine_has_a_way_out() -> None:
    """In its line, not only at the end; where nothing else was at work there is none."""
    way_out = "(other work used 1.2 of this machine's cores; stop that work, or search on another machine)"
    assert play_text(KEPT, "kept", 1.25).endswith(f", kept, limited by unknown {way_out}")
    machine = KEPT.model_copy(update={"bottleneck": "machine"})
    assert play_text(machine, "kept").endswith(
        "limited by machine (other work used this machine; stop that work, or search on another machine)"
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
    assert bounds_text({"10 ms": (at_rate(1234.5), "clients=3")}) == (
        "Of the loads that were played, p99 stayed below 10 ms up to 1,234 calls/s (clients=3)."
    )
    assert (others_text([]), others_text([0.2])) == ("", "")


def test_bounds_of_one_load_share_a_place() -> None:
    """The load is given once, with all bounds that it kept."""
    assert bounds_text(
        {
            "10 ms": (at_rate(90.0), "clients=1"),
            "100 ms": (at_rate(613.0), "clients=8"),
            "1 s": (at_rate(613.0), "clients=8"),
        }
    ) == (
        "Of the loads that were played, p99 stayed below 10 ms up to 90 calls/s (clients=1), "
        "below 100 ms and 1 s up to 613 calls/s (clients=8)."
    )


def test_other_work_is_named_where_it_was_seen() -> None:
    """Between plays only where there were several; and before the first one, with the way out."""
    assert others_text([0.2, 0.95]).startswith(
        "Other work used up to 0.9 of this machine's cores between the plays"
    )
    assert others_text([0.95]).startswith(
        "Other work used up to 0.9 of this machine's cores before or after the play:"
    )
    assert others_first_text(0.2, 2) == ""
    assert others_first_text(2.0, 2).startswith("Other work uses 2.0 of 2 cores: ")
    assert others_first_text(2.0, 2).endswith("stop that work, or search on another machine.")


def test_plays_that_are_once_have_their_reason() -> None:
    """And none where further clients keep the load up."""
    assert once_text("") == ""
    assert once_text("b waits for the end of a").endswith("for each play: b waits for the end of a.")


def test_a_jvm_that_compiles_is_named() -> None:
    """Of sustained loads, which were to be measured warm."""
    busy = {"mode": "population", "compiler_share": 0.16}
    assert compiling_text([KEPT]) == ""
    assert compiling_text([KEPT.model_copy(update={**busy, "mode": "once"})]) == ""
    assert compiling_text([KEPT, KEPT.model_copy(update=busy)]).startswith(
        "The JVM was still compiling there: up to 16%"
    )
    of_threads = KEPT.model_copy(update={**busy, "collector_share": 0.1})
    assert compiling_text([of_threads]).startswith("The JVM was still compiling there: 16%")
