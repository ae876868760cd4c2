"""Fixtures of the emulation tests."""

from __future__ import annotations

import pytest

from froude.emulation.run.bottleneck import Load
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally


@pytest.fixture
def run() -> Run:
    """A short play of two methods."""
    tally = Tally()
    for method, latencies in (("create", [0.001, 0.010]), ("delete", [0.002])):
        series = tally.of(method)
        series.sent = series.answered = len(latencies)
        series.intended += latencies
        series.actual += [each / 2 for each in latencies]
    tally.of("delete").errors["java.io.IOException"] += 1
    tally.late += [0.0, 0.004]
    tally.notes["command ignored: finalize"] += 2
    tally.close_interval(1.0)
    return Run(
        tally, "127.0.0.1:8020", "CID-1", 1.7e9, 2.0, nodes={"client": 1}, load=[Load(1.0, 0.2, 1, 1, 0)]
    )
