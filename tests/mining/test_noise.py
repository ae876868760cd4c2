"""What a busy machine does to a recording leaves no trace in what is mined from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Recording, recording_of
from froude.workload.types import Recorded, Workload
from froude.workload.yaml_file import dump_workload
from testbed.noise import busy, without_intervals
from testbed.recorded import recorded
from testbed.synthetic import record


def _pattern(recordings: list[Recording]) -> str:
    mined: Workload = without_intervals(mine_recordings(recordings))
    return dump_workload(replace(mined, recorded=Recorded((), ())))


@pytest.mark.parametrize("seed", range(3))
def test_a_busy_machine_records_the_same_job(seed: int) -> None:
    """Calls late, a beat more, reports of nothing, a `complete` too early: all but intervals is equal."""
    runs = [
        record(datanodes=2, clients=1, dirs=1, files=2, blocks=2),
        record(datanodes=3, clients=3, dirs=2, files=3, blocks=1),
        record(datanodes=4, clients=2, dirs=3, files=1, blocks=3),
    ]
    noisy = [busy(run, 10 * seed + number) for number, run in enumerate(runs)]
    assert all(len(after.events) > len(before.events) for before, after in zip(runs, noisy, strict=True))
    assert _pattern(noisy) == _pattern(runs)


@pytest.mark.long
def test_so_it_does_of_a_real_job() -> None:
    """Captures of MapReduce, with the same noise put into them."""
    runs = [recording_of(recorded(name)) for name in ("k2c", "k3")]
    assert _pattern([busy(run, number) for number, run in enumerate(runs)]) == _pattern(runs)
