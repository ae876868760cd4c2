"""What is told of an experiment at a moment."""

from __future__ import annotations

import pytest

from froude.emulation.engine import Status
from froude.emulation.run.bottleneck import Load
from froude.experiment.play.live import Live, Phase
from froude.hadoop.metrics.jmx import Sampler
from testbed.virtual_clock import VirtualClock


@pytest.mark.parametrize(
    ("ramping", "waits_for", "phase"),
    [(True, "", Phase.RAMP), (False, "", Phase.PLAYING), (False, "The reported blocks", Phase.WAITING)],
)
def test_phases_of_a_play(ramping: bool, waits_for: str, phase: Phase) -> None:
    """From its start to its end; the next one begins anew."""
    live, status = Live(), Status(Load(1.0, 0.1, 1, 1, 0), ramping, 0.0, 0.0, "", 0)
    assert live.phase is Phase.STARTING
    sampler = Sampler(dict, VirtualClock())
    with live.play(sampler):
        live.tell(status, waits_for)
        assert (live.phase, live.status, live.sampler, live.plays) == (phase, status, sampler, 1)
    assert live.phase is Phase.ENDED
    with live.play(None):
        assert (live.phase, live.status, live.sampler, live.plays) == (Phase.STARTING, None, None, 2)
