"""Streams of a copy, by hand: replicas, fragments, pairs, and how long accesses wait."""

from __future__ import annotations

import pytest

from froude.provision.check.device_load import NEVER, Layout, Stream, busy, layout, seconds, streams, wait
from froude.provision.types import Dataset, Io, Op, Persistence, Profile, StorageUnit

DISK = StorageUnit("disk", 1e12, "SAS", 100e6, 0.008, 50e6, 0.004, False, 200)
SSD = StorageUnit("ssd", 1e11, "SAS", 200e6, 0.001, 100e6, 0.001, False, 400)
STORE = StorageUnit("store", 1e15, "", 1e8, 0.02, 1e8, 0.02, False, 0, service=True)
READ, WRITE = Io(Op.READ, "d", 1, 1e6, amplification=2), Io(Op.WRITE, "d", 1, 1e6)
ASKED = ((READ, 10.0), (WRITE, 5.0))


def _data(replication: int = 1, erasure: tuple[int, int] | None = None, hit_ratio: float = 1.0) -> Dataset:
    return Dataset(
        "d",
        1e10,
        Persistence.REQUIRED,
        remote=True,
        hit_ratio=hit_ratio,
        replication=replication,
        erasure=erasure,
    )


def test_replicas() -> None:
    """A read is one access of each amplification; a write is one for every replica."""
    asked_streams = streams(_data(3), (DISK,), 0, ASKED)
    assert [(stream.op, stream.rate, stream.size) for stream in asked_streams] == [
        (Op.READ, 20, 1e6),
        (Op.WRITE, 15, 1e6),
    ]
    assert [stream.seconds for stream in asked_streams] == pytest.approx([0.018, 0.024])
    assert busy(asked_streams) == pytest.approx(20 * 0.018 + 15 * 0.024)


def test_fragments() -> None:
    """Four data and two parity: a read takes four quarters, a write makes six."""
    asked_streams = streams(_data(erasure=(4, 2)), (DISK,), 0, ASKED)
    assert [(stream.rate, stream.size) for stream in asked_streams] == [(80, 250e3), (30, 250e3)]
    assert [stream.seconds for stream in asked_streams] == pytest.approx([0.0105, 0.009])


def test_a_pair() -> None:
    """The cache has hits, all writes once and plain fills; the persistent copy what is missed, and its replicas."""
    kept = streams(_data(2, hit_ratio=0.75), (DISK, SSD), 0, ASKED)
    cache = streams(_data(2, hit_ratio=0.75), (DISK, SSD), 1, ASKED)
    assert [(stream.op, stream.rate) for stream in kept] == [(Op.READ, 5), (Op.WRITE, 10)]
    assert [(stream.op, stream.rate) for stream in cache] == [(Op.READ, 15), (Op.WRITE, 2.5), (Op.WRITE, 5)]


def test_layouts() -> None:
    """On servers as the dataset says; caches and services are one copy of whole records."""
    assert layout(_data(erasure=(4, 2)), DISK, cache=False) == Layout(6, 4, 0.25, 1.5, 6)
    assert layout(_data(3), DISK, cache=False).forwarded == 2
    assert layout(_data(3), DISK, cache=True) == layout(_data(3), STORE, cache=False) == Layout()


def test_profiles() -> None:
    """A storage system's numbers replace the bare device's one by one."""
    unit = StorageUnit("x", 1, "b", 1e6, 1, 1e6, 1, False, 0, profiles=(Profile("p", gap_r=0.5),))
    assert seconds(unit, Op.READ, 1e6, "p") == 1.5
    assert seconds(unit, Op.WRITE, 1e6, "p") == seconds(unit, Op.READ, 1e6, None) == 2


def test_waits() -> None:
    """M/G/1: with equal service times half of what M/M/1 has; for ever at full load; shorter at more units."""
    asked_streams = [Stream(Op.READ, 50.0, 0.01, 1e3)]
    assert wait(asked_streams, 1) == pytest.approx(0.5 * 0.01 / (2 * 0.5))
    assert wait(asked_streams, 2) == pytest.approx(0.25 * 0.01 / (2 * 0.75))
    assert wait(asked_streams, 0.5) == NEVER
    assert wait([], 1) == 0
