"""A log grown to four times its clients beside one that was made with so many: how far off is what a NameNode sees?

    python -m benchmarks.bench_growth

The workload is made up (`testbed.growing_log`), so the truth is known: 20 clients are logged, grown to 80, and held
against 80 that were drawn apart. Nothing of it is a time, so any machine gives the same figures.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.results import Row, over_inputs
from froude.experiment.replay.growth import plan_growth
from froude.hadoop.audit.lines import AuditLine
from testbed.audit_lines import START_S
from testbed.growing_log import LASTS_S, lines, log_of

CLIENTS, FACTOR = 20, 4


def figures(log: Sequence[AuditLine]) -> Mapping[str, float]:
    """What is compared of a log.

    Args:
        log: its lines, in any order.
    """
    times_s = np.clip(np.array([line.time_s for line in log]) - START_S, 0, LASTS_S - 0.001)
    tenths = np.bincount((times_s * 10).astype(int))
    paths = [path for line in log for path in (line.src, line.dst) if path]
    return {
        "lines": len(log),
        "distinct paths": len(set(paths)),
        "mean depth of paths": mean(path.count("/") for path in paths),
        "share of refused calls": sum(not line.allowed for line in log) / len(log),
        "most lines in a second": int(np.bincount(times_s.astype(int)).max()),
        "variance by mean of lines in 0.1 s": float(tenths.var() / tenths.mean()),
    }


def distance(one: Sequence[AuditLine], other: Sequence[AuditLine]) -> float:
    """Total variation between the mixes of commands, 0 to 1.

    Args:
        one: a log.
        other: another one.
    """
    shares = [Counter(line.command for line in log) for log in (one, other)]
    return (
        sum(abs(shares[0][name] / len(one) - shares[1][name] / len(other)) for name in shares[0] | shares[1])
        / 2
    )


def rows() -> list[Row]:
    """One row a measure."""
    return over_inputs(off, "made-up workloads")


def off(seed: int) -> list[Row]:
    """How far a grown log is off the truth.

    Args:
        seed: of the clients that are logged; those that are drawn apart have one of their own.
    """
    truth = lines(CLIENTS * FACTOR, seed + 100)
    with tempfile.TemporaryDirectory() as temporary:
        log = log_of(lines(CLIENTS, seed), Path(temporary))
        grown = list(plan_growth(log, FACTOR, None, seed).lines())
    expected = figures(truth)
    said = f"{CLIENTS} clients grown to {CLIENTS * FACTOR}, beside {CLIENTS * FACTOR} drawn apart"
    mix = Row("mix of commands, off the truth", distance(grown, truth), "total variation", conditions=said)
    return [
        *(
            Row(f"{name}, off the truth", (value / expected[name] - 1) * 100, "%", conditions=said)
            for name, value in figures(grown).items()
        ),
        mix,
    ]


if __name__ == "__main__":
    for row in rows():
        print(row.measure, row.value, row.range, row.unit)
