"""The work and the traffic of copies: whole, replicated, in fragments, cached."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.model.copies import (
    PLAIN,
    Redundancy,
    Role,
    alone,
    behind_cache,
    bus_accesses,
    bus_bytes,
    cache,
    client_bytes,
    host_bytes,
    work,
)
from froude.provision.model.service import Access
from froude.provision.types import Dataset, Io, Op
from tests.support.provision.small import DATA, DISK, READ, SERVE, STORE, WRITE

PHASE = (Access(SERVE, READ, 10.0), Access(SERVE, WRITE, 10.0))
REPLICATED = replace(DATA, replication=3)
FRAGMENTED = replace(DATA, erasure=(2, 1))


def _flows(role: Role) -> tuple[float, float, float]:
    return bus_bytes(role, PHASE), host_bytes(role, "in", PHASE), host_bytes(role, "out", PHASE)


@pytest.mark.parametrize("data", [DATA, REPLICATED, FRAGMENTED])
def test_each_piece_read_or_written_is_an_access(data: Dataset) -> None:
    """On a bus they are as many as its devices have; a cache has its fills too."""
    both = replace(data, hit_ratio=0.75)
    for role in (alone(data), behind_cache(both), cache(both)):
        (load,) = work(DISK, both, role, [PHASE])
        assert bus_accesses(role, PHASE) == pytest.approx(load.reads + load.writes)


def test_one_copy() -> None:
    """10 reads of 0.11 s and 10 writes of 0.22 s keep 3.3 busy; 100 bytes a second each way."""
    (load,) = work(DISK, DATA, alone(DATA), [PHASE])
    assert (load.busy, load.reads, load.writes) == pytest.approx((3.3, 10, 10))
    assert load.squares == pytest.approx(10 * 0.11**2 + 10 * 0.22**2)
    assert _flows(alone(DATA)) == pytest.approx((200, 100, 100))


def test_three_replicas() -> None:
    """Three writes for one, reads as before: 1.1 + 6.6. 300 bytes come in, and 200 pass on to the next."""
    role = alone(REPLICATED)
    (load,) = work(DISK, REPLICATED, role, [PHASE])
    assert (load.busy, load.reads, load.writes) == pytest.approx((7.7, 10, 30))
    assert role.stored == 1800
    assert _flows(role) == pytest.approx((100 + 300, 300, 100 + 200))
    assert client_bytes(role.redundancy, "both", PHASE[1]) == pytest.approx(100)


def test_two_fragments_and_parity() -> None:
    """A read is 2 of 5 bytes (0.06 s), a write 3 (0.12 s): 1.2 + 3.6 busy. The task sends 1.5 times each byte."""
    role = alone(FRAGMENTED)
    (load,) = work(DISK, FRAGMENTED, role, [PHASE])
    assert (load.busy, load.reads, load.writes) == pytest.approx((4.8, 20, 30))
    assert role.stored == 900
    assert _flows(role) == pytest.approx((100 + 150, 150, 100))
    assert client_bytes(role.redundancy, "out", PHASE[1]) == pytest.approx(150)
    assert client_bytes(role.redundancy, "in", PHASE[0]) == pytest.approx(100)


def test_one_fragment_and_parity_is_not_a_replica() -> None:
    """Two pieces either way, but the writer sends both."""
    replicas, fragments = (
        Redundancy.of(replace(DATA, replication=2)),
        Redundancy.of(replace(DATA, erasure=(1, 1))),
    )
    assert (replicas.growth, fragments.growth) == (2, 2)
    assert (replicas.sent, replicas.passed_on) == (1, 1)
    assert (fragments.sent, fragments.passed_on) == (2, 0)


def test_a_cached_pair() -> None:
    """At 80 % hits of 10 reads: 2 from the persistent copy with its replicas, 8 and 2 fills on the plain cache."""
    data = replace(REPLICATED, hit_ratio=0.8, cache_size=60.0)
    kept, cached = behind_cache(data), cache(data)
    (behind,) = work(DISK, data, kept, [PHASE])
    (before,) = work(DISK, data, cached, [PHASE])
    assert behind.busy == pytest.approx(2 * 0.11 + 30 * 0.22)
    assert before.busy == pytest.approx(8 * 0.11 + (10 + 2) * 0.22)
    assert (before.reads, before.writes) == pytest.approx((8, 12))
    assert (kept.stored, cached.stored, cached.redundancy) == (1800, 60, PLAIN)
    assert _flows(kept) == pytest.approx((20 + 300, 300, 20 + 200))
    assert _flows(cached) == pytest.approx((80 + 100 + 20, 100 + 20, 80))


def test_amplification_multiplies_accesses_but_not_fills() -> None:
    """Each read asks the device twice; a miss is written into the cache once."""
    data = replace(DATA, hit_ratio=0.5)
    phase = [Access(SERVE, Io(Op.READ, "data", 1, 10.0, amplification=2), 10.0)]
    (load,) = work(DISK, data, cache(data), [phase])
    assert (load.reads, load.writes) == pytest.approx((10, 5))


def test_a_service_keeps_its_own_redundancy() -> None:
    """Neither size nor accesses grow."""
    assert alone(REPLICATED).on(STORE) == alone(DATA)
    assert alone(REPLICATED).on(DISK) == alone(REPLICATED)


@given(st.integers(1, 9), st.integers(1, 9))
def test_more_replicas_never_work_less(fewer: int, more: int) -> None:
    """Work, bytes stored and bytes moved grow with replication; one replica is none."""
    fewer, more = sorted((fewer, more))
    small, large = (alone(replace(DATA, replication=count)) for count in (fewer, more))
    assert work(DISK, DATA, small, [PHASE])[0].busy <= work(DISK, DATA, large, [PHASE])[0].busy
    assert small.stored <= large.stored
    assert all(a <= b for a, b in zip(_flows(small), _flows(large), strict=True))
    assert alone(replace(DATA, replication=1)) == alone(DATA)
