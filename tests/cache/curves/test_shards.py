"""Curves measured while a cache works: exact where all is sampled, close where little is."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from froude.cache.curves import MissRatioCurve, Shards

READ, WRITE, TRIM = 0, 1, 2


def lru_misses(operations: list[tuple[int, int]], size: int) -> int:
    """Reads that an LRU cache of `size` chunks misses: the definition, played."""
    cache: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for kind, chunk in operations:
        if kind == TRIM:
            cache.pop(chunk, None)
            continue
        misses += kind == READ and chunk not in cache
        cache[chunk] = None
        cache.move_to_end(chunk)
        if len(cache) > size:
            cache.popitem(last=False)
    return misses


def play(shards: Shards, operations: list[tuple[int, int]]) -> Shards:
    """Every operation by its call."""
    calls = {READ: shards.access, WRITE: shards.touch, TRIM: shards.drop}
    for kind, chunk in operations:
        calls[kind](chunk)
    return shards


def zipf(reads: int, chunks: int, seed: int, exponent: float = 0.9) -> list[int]:
    """Reads of chunks whose popularity follows a power law, scattered over the disk."""
    rng = np.random.default_rng(seed)
    weight = 1 / np.arange(1, chunks + 1) ** exponent
    ranks = rng.choice(chunks, reads, p=weight / weight.sum())
    return [int(chunk) for chunk in rng.permutation(chunks)[ranks]]


@given(st.lists(st.tuples(st.sampled_from([READ, READ, WRITE, TRIM]), st.integers(0, 12)), max_size=120))
def test_unsampled_it_is_lru_at_every_size(operations: list[tuple[int, int]]) -> None:
    """Reads, writes and trims in any order: Mattson's distances, holes included, are what a cache of each size does."""
    shards = play(Shards(), operations)
    reads = sum(kind == READ for kind, _ in operations)
    assert shards.accesses == reads
    curve = shards.curve(1, points=1000)
    for size in range(1, 15):
        assert curve.at(size) * reads == pytest.approx(lru_misses(operations, size) if reads else 0)


def errors(curve: MissRatioCurve, exact: MissRatioCurve, largest: int) -> float:
    """Mean absolute error over the sizes."""
    return float(
        np.mean([abs(curve.at(size) - exact.at(size)) for size in range(0, largest, largest // 200)])
    )


@pytest.mark.parametrize(("rate", "most"), [(0.5, 0.02), (0.1, 0.04)])
def test_a_fixed_rate_comes_close(rate: float, most: float) -> None:
    """On a power law over 10,000 chunks, with whatever hash."""
    reads = [(READ, chunk) for chunk in zipf(60_000, 10_000, seed=3)]
    exact = play(Shards(samples=None, bins=None), reads).curve(1)
    for seed in range(3):
        sampled = play(Shards(rate, samples=None, seed=seed), reads)
        assert errors(sampled.curve(1, cautious=0), exact, 10_000) < most


def test_a_bounded_sample_lowers_its_rate_and_stays_close() -> None:
    """Twenty times as many chunks as samples; the accesses of before count as if sampled at the rate of now."""
    reads = [(READ, chunk) for chunk in zipf(60_000, 10_000, seed=5)]
    exact = play(Shards(samples=None), reads).curve(1)
    bounded = play(Shards(samples=512), reads)
    assert bounded.rate < 0.11
    assert len(bounded._stamps) <= 512
    assert errors(bounded.curve(1, cautious=0), exact, 10_000) < 0.05


def test_a_cautious_curve_does_not_end_before_the_cliff() -> None:
    """A loop over 1,000 chunks, sampled at a tenth: what the curve shows as enough is enough, with nearly every hash."""
    reads = [(READ, chunk) for _ in range(3) for chunk in range(1000)]
    found = [play(Shards(0.1, samples=None, seed=seed), reads) for seed in range(40)]
    enough = [each.curve(1).working_set_bytes() for each in found]
    likeliest = [each.curve(1, cautious=0).working_set_bytes() for each in found]
    assert sum(size >= 1000 for size in enough) >= 36
    assert 10 <= sum(size >= 1000 for size in likeliest) <= 30
    assert max(enough) < 1600


def test_a_scan_beyond_the_horizon_does_not_lower_the_rate() -> None:
    """Memory is bounded by what is of interest, and the loop that comes after is measured exactly."""
    shards = Shards(samples=512, horizon=500)
    for chunk in range(20_000):
        shards.access(chunk)
    assert shards.rate == 1
    shards.decay(0)
    for _ in range(5):
        for chunk in range(300):
            shards.access(chunk)
    curve = shards.curve(4096)
    assert curve.at(299 * 4096) == 1
    assert curve.at(300 * 4096) == pytest.approx(0.2)


def test_trims_neither_outgrow_the_bound_nor_the_horizon() -> None:
    """A hole is part of the stack."""
    for shards in (Shards(samples=64), Shards(samples=64, horizon=50)):
        for chunk in range(5000):
            shards.touch(chunk)
            shards.drop(chunk - (chunk % 7))
        assert len(shards._stamps) <= 64
        assert sorted([*shards._seen.values(), *shards._holes]) == shards._stamps


def test_a_horizon_of_less_than_one_sampled_chunk_keeps_one() -> None:
    """So that a chunk that is read again and again is seen to hit, however few are sampled."""
    shards = Shards(0.05, samples=None, horizon=5)
    chunk = next(chunk for chunk in range(10_000) if shards._hash(chunk) < shards._threshold)
    for _ in range(3):
        shards.access(chunk)
    assert len(shards._stamps) == 1
    assert sum(shards._counts.values()) == pytest.approx(2 / 0.05)


@given(st.lists(st.integers(0, 15), min_size=1, max_size=100), st.integers(1, 16))
@example([1, 2, 3, 1, 4, 1], 2)  # what was read again is not the oldest
def test_within_the_horizon_all_is_exact(chunks: list[int], horizon: int) -> None:
    """At every size up to it; a chunk more is kept, and not a second one."""
    reads = [(READ, chunk) for chunk in chunks]
    shards = play(Shards(samples=None, bins=None, horizon=horizon), reads)
    curve = shards.curve(1, points=1000)
    for size in range(1, horizon + 1):
        assert curve.at(size) * len(chunks) == pytest.approx(lru_misses(reads, size))
    assert len(shards._stamps) == min(len(set(chunks)), horizon + 1)


OPERATIONS = st.lists(
    st.tuples(st.sampled_from([READ, WRITE, WRITE, TRIM]), st.integers(0, 40)), max_size=120
)


@given(OPERATIONS, st.integers(1, 40) | st.none(), st.integers(16, 24) | st.none())
def test_the_stack_is_what_is_known_of_chunks_and_holes(
    operations: list[tuple[int, int]], horizon: int | None, samples: int | None
) -> None:
    """After every operation: oldest first, and no more of them than asked for."""
    shards = Shards(samples=samples, horizon=horizon)
    for each in operations:
        play(shards, [each])
        assert sorted([*shards._seen.values(), *shards._holes]) == shards._stamps
        assert list(shards._seen.values()) == sorted(shards._seen.values())
        assert len(shards._stamps) <= min(samples or 99, horizon * shards.rate + 1 if horizon else 99)


@given(OPERATIONS, st.integers(1, 40))
def test_trimmed_chunks_leave_the_horizon_exact(operations: list[tuple[int, int]], horizon: int) -> None:
    """At every size up to it."""
    shards = play(Shards(samples=None, horizon=horizon), operations)
    reads = sum(kind == READ for kind, _ in operations)
    curve = shards.curve(1, points=1000)
    for size in range(1, horizon + 1):
        assert curve.at(size) * reads == pytest.approx(lru_misses(operations, size) if reads else 0)


def test_what_is_sampled_by_default() -> None:
    """4096 chunks at most, and as many distances that are told apart."""
    shards = Shards()
    for chunk in range(4096):
        shards.touch(chunk)
    assert shards.rate == 1
    shards.touch(4096)
    assert shards.rate == 15 / 16
    exact = Shards(samples=None)
    for chunk in (*range(4097), *range(1, 4097)):
        exact.access(chunk)
    assert (exact._width, exact._counts) == (1, {4096: 4096})
    exact.access(0)
    assert (exact._width, exact._counts) == (2, {2048: 4096, 2049: 1})


@pytest.mark.parametrize(("rate", "samples", "horizon"), [(1, 16, 1), (2**-60, None, None)])
def test_the_least_that_can_be_sampled(rate: float, samples: int | None, horizon: int | None) -> None:
    """Sixteen chunks, or a horizon of one."""
    assert Shards(rate, samples=samples, horizon=horizon).rate == rate


@pytest.mark.parametrize(
    ("seed", "sampled"),
    [
        (0, [8, 11, 16, 22, 23, 24, 29, 31, 32, 33, 34, 42, 46, 54, 58, 59]),
        (1, [2, 6, 7, 11, 32, 36, 45, 47, 51, 59]),
        (2**70, [8, 11, 16, 22, 23, 24, 29, 31, 32, 33, 34, 42, 46, 54, 58, 59]),
    ],
)
def test_which_chunks_are_sampled(seed: int, sampled: list[int]) -> None:
    """By the seed alone: on every machine the same, of reads as of writes."""
    for kind in (READ, WRITE):
        shards = play(Shards(0.25, seed=seed), [(kind, chunk) for chunk in range(60)])
        assert list(shards._seen) == sampled


def test_what_is_sampled_is_below_the_threshold() -> None:
    """And not at it."""
    shards = Shards(samples=None)
    shards._threshold = shards._hash(7)
    play(shards, [(READ, 7), (WRITE, 7)])
    assert not shards._seen
    shards._threshold += 1
    play(shards, [(READ, 7), (WRITE, 7)])
    assert list(shards._seen) == [7]


@given(st.integers(16, 20), st.integers(0, 1000))
def test_the_rate_falls_by_sixteenths(samples: int, seed: int) -> None:
    """As far as it must, and what is then above it is forgotten."""
    shards = Shards(samples=samples, seed=seed)
    threshold, kept = shards._threshold, list[int]()
    for chunk in range(100):
        shards.access(chunk)
        kept += [chunk] if shards._hash(chunk) < threshold else []
        while len(kept) > samples:
            threshold -= threshold // 16
            kept = [each for each in kept if shards._hash(each) < threshold]
        assert (shards._threshold, list(shards._seen)) == (threshold, kept)


def test_a_cautious_size_is_larger_by_deviations_of_the_sampling() -> None:
    """Of a distance of five chunks at a quarter each: the square root of 5 times 3."""
    shards = Shards(0.25)
    sampled = [chunk for chunk in range(60) if shards._hash(chunk) < shards._threshold][:2]
    others = [chunk for chunk in range(60) if shards._hash(chunk) >= shards._threshold][:6]
    for chunk in [*sampled, *others] * 3:
        shards.access(chunk)
    for cautious, chunks in ((0, 5), (1, 9), (2, 13), (3, 17)):
        curve = shards.curve(10, cautious=cautious)
        assert curve.sizes_bytes == (0, 10 * chunks)
        assert curve.miss_ratio == (1.0, pytest.approx(1 - 16 / 24))
    assert shards.curve(1) == shards.curve(1, cautious=2)


@given(st.lists(st.integers(0, 60), max_size=150), st.integers(1, 9))
def test_a_bin_is_as_wide_as_it_must_be(chunks: list[int], bins: int) -> None:
    """A power of two, and each distance is in the one that it does not exceed."""
    exact, coarse = (play(Shards(bins=each), [(READ, chunk) for chunk in chunks]) for each in (None, bins))
    deepest = max(exact._counts, default=0)
    width = next(2**n for n in range(10) if deepest <= 2**n * bins)
    counts = Counter[int]()
    for distance, count in exact._counts.items():
        counts[-(-distance // width)] += int(count)
    assert (coarse._width, coarse._counts) == (width, counts)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60))
def test_decay_keeps_the_shape(chunks: list[int]) -> None:
    """Half the reads count, and what comes then counts whole."""
    shards = play(Shards(), [(READ, chunk) for chunk in chunks])
    before = shards.curve(1)
    shards.decay(0.5)
    assert shards.curve(1) == before.decayed(0.5)
    later = play(Shards(), [(READ, chunk) for chunk in chunks * 2])
    play(shards, [(READ, chunk) for chunk in chunks])
    for size in range(15):
        misses = lru_misses([(READ, each) for each in chunks * 2], size) if size else 2 * len(chunks)
        first = lru_misses([(READ, each) for each in chunks], size) if size else len(chunks)
        assert shards.curve(1).at(size) * shards.accesses == pytest.approx(misses - first / 2)
        assert later.curve(1).at(size) * later.accesses == pytest.approx(misses)


def test_a_window_begins_with_a_warm_stack() -> None:
    """What was counted is gone; what is in the cache is not."""
    shards = Shards()
    for chunk in (1, 2):
        shards.access(chunk)
    shards.decay(0)
    assert shards.curve(1) == MissRatioCurve.unknown()
    shards.access(1)
    assert shards.curve(1).at(2) == 0
    shards.decay(0.5)
    assert shards.accesses == 0.5


def test_distances_beyond_the_bins_fold_and_never_promise_too_much() -> None:
    """A coarser curve is at or above the exact one, within two bins."""
    reads = [(READ, chunk) for chunk in zipf(20_000, 2_000, seed=9, exponent=0.5)]
    exact = play(Shards(samples=None, bins=None), reads).curve(1, points=4000)
    coarse = play(Shards(samples=None, bins=64), reads)
    assert len(coarse._counts) <= 64
    for size in range(0, 2_000, 50):
        assert exact.at(size) - 1e-9 <= coarse.curve(1).at(size) + 0.005
        assert coarse.curve(1).at(size + 64) <= exact.at(size) + 0.005


def patterns() -> Iterator[tuple[str, list[int]]]:
    """Chunk numbers as disks have them: in a row, strided, and in far extents."""
    yield "in a row", list(range(40_000))
    yield "strided", [number << 12 for number in range(40_000)]
    yield "extents", [(number // 64 << 30) + number % 64 for number in range(40_000)]


@pytest.mark.parametrize(
    ("name", "chunks"), list(patterns()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_hash_samples_regular_numbers_evenly(name: str, chunks: list[int]) -> None:
    """The part sampled is the rate, within five standard deviations, in all and in each quarter."""
    shards = Shards(0.05, samples=None)
    for quarter in range(4):
        part = chunks[quarter::4]
        sampled = sum(shards._hash(chunk) < shards._threshold for chunk in part)
        assert abs(sampled - 0.05 * len(part)) < 5 * (0.05 * 0.95 * len(part)) ** 0.5


@pytest.mark.parametrize("wrong", [{"rate": 0}, {"rate": 1.1}, {"samples": 15}, {"horizon": 0}])
def test_what_cannot_be_sampled_is_refused(wrong: dict[str, float]) -> None:
    """At once."""
    with pytest.raises(ValueError, match="a rate above 0"):
        Shards(**wrong)  # type: ignore[arg-type]
