"""Think and service times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.fit.timing import timings
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Scale
from tests.support.mining.events import calls, event


def _occurrences(run: int, gap_s: float) -> list[Occurrence]:
    sender = Sender(run, f"{run}", Role("client"), [])
    first, second = (
        event(0, "a", start_s=1.0, end_s=1.1),
        event(1, "b", start_s=1.1 + gap_s, end_s=1.2 + gap_s),
    )
    return [Occurrence(run, 0, sender, name, calls(one)[0]) for name, one in (("c1", first), ("c2", second))]


def test_a_think_time_that_grows_with_the_scale_is_a_line() -> None:
    """From the previous answer to the call, over four runs of three nodes each."""
    scales = [Scale.of(files=n) for n in (1, 2, 3, 4)]
    occurrences = [each for run in range(4) for _ in range(3) for each in _occurrences(run, 0.5 * (run + 1))]
    growing = timings(occurrences, scales)["c2"]
    assert growing.think.at(Scale.of(files=10)) == pytest.approx(5.0, abs=0.01)
    steady = timings([each for run in range(4) for each in _occurrences(run, 0.25)], scales)["c2"]
    assert steady.think.at(scales[0]) == pytest.approx(0.25)


def test_service_time_is_from_a_call_to_its_answer() -> None:
    """Also of a sender's first call, before which nobody thought."""
    scales = [Scale.of(files=n) for n in (1, 2)]
    first = timings([each for run in range(2) for each in _occurrences(run, 0.25)], scales)["c1"]
    assert first.service is not None
    assert first.service.at(scales[0]) == pytest.approx(0.1)
    assert first.think.at(scales[0]) == 0


@given(st.floats(0.1, 5), st.floats(0, 9))
def test_a_call_that_waited_for_another_node_thought_from_there(gap_s: float, into: float) -> None:
    """Where that came after its own answer; what was there before held it up by nothing."""
    scale = Scale.of(files=1)
    first, second = _occurrences(0, gap_s)
    until_s = 1.1 + gap_s * (into - 1) / 8
    think = timings([first, second], [scale], {id(second): until_s})
    expected = gap_s - max(0.0, until_s - 1.1)
    assert think["c2"].think.at(scale) == pytest.approx(max(0.0, expected), abs=1e-3)
    assert timings([first, second], [scale])["c2"].think.at(scale) == pytest.approx(gap_s, abs=1e-3)
    assert think["c1"] == timings([first, second], [scale])["c1"]
