"""Service times: the paper's 41.4 MB/s and what follows from rate and gap."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.model.service import operation_seconds, record_seconds
from froude.provision.types import Io, Op, Profile, StorageUnit
from tests.support.provision.clusters import photoshare

DISK_15K = photoshare().catalog.unit("15KDisk")
DISK_7K = photoshare().catalog.unit("7.2KDisk")


def test_throughput_of_the_paper() -> None:
    """200 KB from a 15K disk: 41.4 MB/s; 1000 a second keep 4.83 disks busy, so 5."""
    assert (200e3 / record_seconds(DISK_15K, Op.READ, 200e3)) == pytest.approx(41.38e6, rel=1e-3)
    busy = 1000 * record_seconds(DISK_15K, Op.READ, 200e3)
    assert busy == pytest.approx(4.833, abs=1e-3)
    assert math.ceil(busy) == 5


def test_rate_and_iops_alone_mislead() -> None:
    """The smaller of IOPS and rate predicts 25 MB/s at 200 KB where rate and gap give 19.6 MB/s."""
    assert min(125 * 200e3, 90e6) == 25e6
    assert (200e3 / record_seconds(DISK_7K, Op.READ, 200e3)) == pytest.approx(19.57e6, rel=1e-3)
    assert (4e3 / record_seconds(DISK_7K, Op.READ, 4e3)) == pytest.approx(125 * 4e3, rel=0.01)
    assert (10e6 / record_seconds(DISK_7K, Op.READ, 10e6)) == pytest.approx(90e6, rel=0.07)


def test_a_profile_replaces_what_it_gives() -> None:
    """Only the numbers of the profile change, and only for datasets that name it."""
    unit = StorageUnit("u", 1, "b", 1e6, 0.01, 1e6, 0.02, False, 1, profiles=(Profile("log", gap_w=0.0),))
    assert record_seconds(unit, Op.WRITE, 1e6) == pytest.approx(1.02)
    assert record_seconds(unit, Op.WRITE, 1e6, "log") == pytest.approx(1.0)
    assert record_seconds(unit, Op.READ, 1e6, "log") == pytest.approx(1.01)


def test_parallel_records_spread_over_units() -> None:
    """One record's time at least, all of them over the units otherwise; a sequence adds up."""
    parallel = Io(Op.READ, "d", 10, 4e3, probability=0.5, parallel=True)
    assert operation_seconds(parallel, 0.1, 4) == pytest.approx(0.5 * 0.25)
    assert operation_seconds(parallel, 0.1, 40) == pytest.approx(0.5 * 0.1)
    assert operation_seconds(Io(Op.READ, "d", 10, 4e3), 0.1, 4) == pytest.approx(1.0)
    assert operation_seconds(Io(Op.READ, "d", 0, 4e3, parallel=True), 0.1, 4) == 0


def test_a_sequence_waits_for_each_record_and_parallel_records_once() -> None:
    """10 records of 0.1 s with a wait of 0.02 s: 1.2 s in a row; side by side on 4 units 0.25 + 0.02 s."""
    read = Io(Op.READ, "d", 10, 4e3)
    assert operation_seconds(read, 0.1, 4, wait_s=0.02) == pytest.approx(1.2)
    assert operation_seconds(replace(read, parallel=True), 0.1, 4, wait_s=0.02) == pytest.approx(0.27)
    assert operation_seconds(read, 0.1, 4, share=0.0, wait_s=0.02) == 0


def test_a_service_takes_all_at_once() -> None:
    """Any rate of requests: parallel records take as long as one."""
    assert operation_seconds(Io(Op.READ, "d", 1e6, 4e3, parallel=True), 0.1, math.inf) == pytest.approx(0.1)


@given(st.floats(1, 1e9), st.floats(1, 1e9))
def test_larger_records_move_more_bytes(small: float, large: float) -> None:
    """Throughput grows with the record and never exceeds the rate."""
    low, high = sorted((small, large))
    assert (low / record_seconds(DISK_15K, Op.READ, low)) <= (
        high / record_seconds(DISK_15K, Op.READ, high)
    ) * (1 + 1e-12)
    assert (high / record_seconds(DISK_15K, Op.READ, high)) <= DISK_15K.rate_r
