"""Samples become series: counters rates, means where something happened, repeated readings nothing."""

from __future__ import annotations

import pytest

from froude.emulation.run.bottleneck import Measured
from froude.emulation.run.readings import Readings


def readings(**names: list[float | None]) -> Readings:
    """A sample a second; names have `__` for the dot, None is a number that was not read."""
    length = len(next(iter(names.values())))
    columns = {name.replace("__", "."): values for name, values in names.items()}
    return Readings(
        [
            Measured(
                float(t),
                {name: value for name, values in columns.items() if (value := values[t]) is not None},
            )
            for t in range(length)
        ]
    )


def test_counters_become_rates() -> None:
    """At the end of each interval; where the daemon was restarted there is a gap, no negative rate."""
    series = readings(NameNodeActivity__SyncsNumOps=[0, 10, 30, 5, 6])
    assert series.rate("NameNodeActivity.SyncsNumOps") == [(1, 10), (2, 20), (4, 1)]
    assert series.rate("NameNodeActivity.SyncsNumOps", 0.5) == [(1, 5), (2, 10), (4, 0.5)]


def test_readings_that_repeat_the_one_before_are_left_out() -> None:
    """A cache of three seconds gives one rate for the three, no zeros and no peak."""
    series = readings(
        RpcActivity__RpcQueueTimeNumOps=[0, 0, 0, 30, 30, 30, 60],
        FSNamesystemState__FilesTotal=[1, 1, 1, 1, 1, 1, 2],
    )
    assert series.rate("RpcActivity.RpcQueueTimeNumOps") == [(3, 10), (6, 10)]
    assert series.stale == 4
    assert len(series.gauge("FSNamesystemState.FilesTotal")) == 7, "that bean is never cached"


def test_a_mean_counts_only_where_something_happened() -> None:
    """Hadoop keeps the last mean while nothing happens."""
    series = readings(
        NameNodeActivity__SyncsNumOps=[0, 4, 4, 6],
        NameNodeActivity__SyncsAvgTime=[0, 2.5, 2.5, 1.0],
        NameNodeActivity__AddBlockOps=[0, 1, 2, 3],
    )
    assert series.average("NameNodeActivity.Syncs", 1e-3) == [(1, 0.0025), (3, 0.001)]
    busy = dict(series.busy("NameNodeActivity.Syncs", 1e-3))
    assert busy == pytest.approx({1: 0.01, 2: 0.0, 3: 0.002})


def test_the_mean_of_all_operations_is_by_their_number() -> None:
    """Five slow ones in one second count as five, not as much as a hundred in the next."""
    series = readings(
        NameNodeActivity__SyncsNumOps=[0, 5, 5, 105],
        NameNodeActivity__SyncsAvgTime=[0, 20.0, 20.0, 1.0],
        NameNodeActivity__AddBlockOps=[0, 1, 2, 3],
    )
    assert series.mean("NameNodeActivity.Syncs", 1e-3) == pytest.approx(0.2 / 105)
    assert series.mean("NameNodeActivity.TransactionsSync") is None


def test_what_each_event_took() -> None:
    """Two pauses of 30 ms in all are 15 ms each; without a pause there is no length."""
    series = readings(
        JvmMetrics__GcTimeMillis=[0, 30, 30], JvmMetrics__GcCount=[0, 2, 2], JvmMetrics__x=[1, 2, 3]
    )
    assert series.each("JvmMetrics.GcTimeMillis", "JvmMetrics.GcCount", 1e-3) == [(1, 0.015)]


def test_what_was_never_read_is_empty() -> None:
    """Also where nothing was sampled at all."""
    assert Readings(()).stale == 0
    assert Readings(()).names == ()
    series = readings(JvmMetrics__GcCount=[None, 1])
    assert series.gauge("JvmMetrics.GcCount") == [(1, 1)]
    assert series.gauge("RpcActivity.CallQueueLength") == []
    assert series.names == ("JvmMetrics.GcCount",)
