"""Block traces replayed through caches."""

from __future__ import annotations

from dataclasses import replace

from froude.base.seeds import Seeds
from froude.cache.simulate.replay import Replay, footprint_bytes, replay_all
from froude.cache.simulate.traces import BlockTrace, Request
from froude.cache.solve.policies import POLICIES
from tests.support.cache.simulate.replay import CHUNK, loops


def test_every_policy_replays_every_read() -> None:
    """No more misses than reads; the same seed gives the same."""
    trace = loops({"a": 30, "b": 80, "c": 500})
    how = Replay(space_bytes=100 * CHUNK, chunk_bytes=CHUNK, windows=5)
    names = [each.name for each in POLICIES]
    found = replay_all(trace, how, names, Seeds(1))
    assert [each.policy for each in found] == names
    for each in found:
        assert each.reads == {"a": 2000, "b": 2000, "c": 2000}
        assert all(0 < each.misses[name] <= 2000 for name in each.misses)
    assert found == replay_all(trace, how, names, Seeds(1))
    assert {each.policy: each for each in found}["none"].miss_ratio == 1


def test_the_exact_split_keeps_the_loops_that_fit() -> None:
    """Of three loops one never fits; equal parts and one cache for all hold the smallest only."""
    trace = loops({"a": 30, "b": 60, "c": 500})
    how = Replay(space_bytes=96 * CHUNK, chunk_bytes=CHUNK)
    by_policy = {each.policy: each for each in replay_all(trace, how, ["exact", "equal", "shared"], Seeds(1))}
    assert by_policy["shared"].misses == {"a": 30, "b": 2000, "c": 2000}
    assert by_policy["equal"].misses == {"a": 30, "b": 2000, "c": 2000}
    exact = by_policy["exact"]
    assert exact.misses["a"] < 300
    assert exact.misses["b"] < 600
    assert exact.plans >= 1
    assert exact.moved_bytes > 0


def test_one_cache_for_all_lends_what_others_leave() -> None:
    """A loop that is too large for its part fits beside a small one; each volume's part alone does not hold it."""
    trace = loops({"a": 5, "b": 80})
    how = Replay(space_bytes=96 * CHUNK, chunk_bytes=CHUNK)
    shared, equal = replay_all(trace, how, ["shared", "equal"], Seeds(1))
    assert shared.misses == {"a": 5, "b": 80}
    assert equal.misses == {"a": 5, "b": 2000}


def test_writes_bring_nothing_in_unless_they_are_cached() -> None:
    """Then whole chunks; what is cached is changed. Requests of several chunks count as many.

    Volumes that share a cache have chunks of their own.
    """
    requests = (
        Request(0.0, "a", CHUNK // 2, CHUNK * 3 // 2, False),  # the second chunk whole
        Request(1.0, "a", 0, 2 * CHUNK, True),
        Request(2.0, "a", 0, CHUNK, False),
        Request(3.0, "a", 0, 1, True),
        Request(4.0, "b", 0, 2 * CHUNK, True),
    )
    trace = BlockTrace(requests, ("a", "b"))
    how = Replay(space_bytes=8 * CHUNK, chunk_bytes=CHUNK)
    for cache_writes, misses in ((False, 2), (True, 1)):
        for each in replay_all(
            trace, replace(how, cache_writes=cache_writes), ["equal", "shared", "exact"], Seeds(1)
        ):
            assert each.reads == {"a": 3, "b": 2}
            assert each.misses == {"a": misses, "b": 2}


def test_a_write_makes_a_chunk_no_younger() -> None:
    """As in the cached disk, whether it caches writes or not: what was read last stays."""
    requests = (
        Request(0.0, "a", 0, CHUNK, True),
        Request(1.0, "a", CHUNK, CHUNK, True),
        Request(2.0, "a", 0, CHUNK, False),
        Request(3.0, "a", 2 * CHUNK, CHUNK, True),
        Request(4.0, "a", CHUNK, CHUNK, True),
    )
    how = Replay(space_bytes=2 * CHUNK, chunk_bytes=CHUNK)
    for cache_writes in (False, True):
        trace, how = BlockTrace(requests, ("a",)), replace(how, cache_writes=cache_writes)
        (found,) = replay_all(trace, how, ["equal"], Seeds(1))
        assert found.misses == {"a": 3}


def test_the_footprint_is_what_is_read_again() -> None:
    """Of the whole trace; what was only written before counts where writes are cached."""
    trace = loops({"a": 30, "b": 10**6})
    assert footprint_bytes(trace, CHUNK) == 30 * CHUNK
    written = BlockTrace(
        (Request(0.0, "a", 0, 2 * CHUNK - 1, False), Request(1.0, "a", 0, 2 * CHUNK, True)), ("a",)
    )
    assert footprint_bytes(written, CHUNK) == 0
    assert footprint_bytes(written, CHUNK, cache_writes=True) == CHUNK


def test_a_trace_of_one_moment_is_replayed_too() -> None:
    """Windows have some length; without reads no part of them misses."""
    trace = BlockTrace((Request(5.0, "a", 0, 1, False),) * 3, ("a",))
    (found,) = replay_all(trace, Replay(space_bytes=CHUNK), ["exact"], Seeds(1))
    assert found.miss_ratio is None
