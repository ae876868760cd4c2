"""What sizes are expected to bring."""

from __future__ import annotations

import pytest

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.expectation import expected, ratios
from froude.cache.solve.state import Application
from tests.support.cache.solve.curve_policies import runs
from tests.support.cache.solve.made import state, vm

CURVE = MissRatioCurve((0, 10), (1.0, 0.2), 1)


def test_reads_take_the_disk_or_the_ssd_weighed_by_importance() -> None:
    """Misses and writes add up; jobs take what their model says."""
    jobs = runs({"a": 100.0}, 10, 0.5, slowest=True)
    made = state(
        [
            vm("a", application="c", curve=CURVE, chunk_bytes=7, importance=3.0, writes_bytes_per_s=11),
            vm("b", curve=CURVE, writes_bytes_per_s=5),
        ],
        applications=(Application(name="c", runs=jobs),),
        miss_s=1.0,
        hit_s=0.1,
    )
    sizes = {"a": 10.0, "b": 0.0}
    assert ratios(made, sizes) == {"a": 0.2, "b": 1.0}
    found = expected(made, sizes)
    missed = (3 * 0.2 + 1.0) / 4
    assert found.latency_s == pytest.approx(missed + 0.1 * (1 - missed))
    assert found.misses_per_s == pytest.approx(120)
    assert found.written_bytes_per_s == pytest.approx(20 * 7 + 11)
    assert found.times_s == pytest.approx({"c": 20})


def test_without_reads_nothing_waits() -> None:
    """No read has a time, neither has one of a VM without a curve; a VM that has one is not judged by the other's."""
    assert expected(state([vm("a", reads_per_s=0.0)]), {"a": 5.0}).latency_s is None
    blind = vm("a", curve=MissRatioCurve.unknown())
    assert expected(state([blind]), {"a": 5.0}).misses_per_s is None
    known = vm("b", curve=CURVE)
    both, alone = (
        expected(state([blind, known]), {"a": 5.0, "b": 10.0}),
        expected(state([known]), {"b": 10.0}),
    )
    assert (both.latency_s, both.misses_per_s) == (alone.latency_s, alone.misses_per_s)
