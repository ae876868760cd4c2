"""What several tests of the miner look at: a made-up job, mined from three small runs, and a larger run of it."""

from __future__ import annotations

import pytest

from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Recording
from froude.workload.types import Workload
from testbed.synthetic import HELD_OUT, record


@pytest.fixture(scope="session")
def workload() -> Workload:
    """Mined from three small runs."""
    return mine_recordings(
        [
            record(datanodes=2, clients=1, dirs=1, files=2, blocks=2),
            record(datanodes=3, clients=3, dirs=2, files=3, blocks=1),
            record(datanodes=4, clients=2, dirs=3, files=1, blocks=3),
        ]
    )


@pytest.fixture(scope="session")
def held_out() -> Recording:
    """A larger run."""
    return record(11, **HELD_OUT)
