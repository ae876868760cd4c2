"""Think and service times."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.fit.timing import BELIEVED, fit_durations, timings
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Scale
from tests.support.mining.events import calls, event

SCALES = [Scale.of(nodes=n) for n in (2, 3, 4)]


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


def _seconds(middle_s: float, per_node_s: float, each: int, seed: int) -> list[tuple[int, float]]:
    """Within 5 %, and with a long tail: one of each run takes three times as long."""
    rng = random.Random(seed)
    seconds = []
    for run in range(3):
        late = rng.randrange(each)
        for place in range(each):
            share = (0.95 + 0.1 * (place + 0.5) / each) * (3 if place == late else 1)
            seconds.append((run, (middle_s + per_node_s * (run + 2)) * share))
    rng.shuffle(seconds)
    return seconds


@given(st.floats(0.01, 1), st.integers(0, 1000))
def test_what_does_not_grow_is_a_median(middle_s: float, seed: int) -> None:
    """A tail does not move it, nor make it grow by much."""
    middle, quantiles_s = fit_durations(_seconds(middle_s, 0.0, 6, seed), SCALES)
    assert middle.at(Scale.of(nodes=4)) == pytest.approx(middle_s, rel=0.08)
    assert quantiles_s[0] == pytest.approx(middle_s, rel=0.06)


@given(st.floats(0.05, 1), st.floats(0.3, 1), st.integers(0, 1000))
def test_what_grows_is_a_line(middle_s: float, share: float, seed: int) -> None:
    """Also at twice the largest size; its distribution grows with it."""
    per_node_s = share * middle_s
    middle, quantiles_s = fit_durations(_seconds(middle_s, per_node_s, 12, seed), SCALES)
    assert middle.at(Scale.of(nodes=8)) == pytest.approx(middle_s + 8 * per_node_s, rel=0.25)
    assert quantiles_s[3] == pytest.approx(middle.at(SCALES[-1]), abs=1e-5)
    assert len(quantiles_s) == 7


@given(st.integers(0, 1000), st.sampled_from([1, 3, 4]))
def test_a_few_durations_by_chance_are_no_line(seed: int, each: int) -> None:
    """Of 2 to 6 ms, whatever the size."""
    rng = random.Random(seed)
    drawn = [(run, rng.uniform(0.002, 0.006)) for run in range(3) for _ in range(each)]
    assert not fit_durations(drawn, SCALES).middle.slopes


@pytest.mark.parametrize(
    ("first_s", "per_run_s", "grows"), [(0.1, 0.02, True), (0.1, 0.01, False), (0.001, 0.0004, False)]
)
def test_a_small_growth_is_a_median(first_s: float, per_run_s: float, grows: bool) -> None:
    """Less than a quarter, or than a millisecond, over all sizes."""
    durations = [(run, first_s + per_run_s * run) for run in range(3) for _ in range(6)]
    assert bool(fit_durations(durations, SCALES).middle.slopes) is grows


def test_growth_is_not_believed_at_any_size() -> None:
    """Beyond four times the largest recorded size a duration stays as it is there."""
    middle, _ = fit_durations([(run, float(run + 2)) for run in range(3) for _ in range(4)], SCALES)
    assert middle.at(Scale.of(nodes=8)) == pytest.approx(8)
    assert middle.at(Scale.of(nodes=5000)) == pytest.approx(BELIEVED * 4)


def test_two_sizes_and_what_falls_are_no_line() -> None:
    """A line goes through any two; and a fall would end below zero."""
    assert not fit_durations(
        [(run, float(run)) for run in (0, 1) for _ in range(9)], SCALES[:2]
    ).middle.slopes
    assert not fit_durations([(run, 9.0 - run) for run in range(3) for _ in range(9)], SCALES).middle.slopes


@pytest.mark.parametrize(("number", "quantiles"), [(1, 0), (9, 0), (10, 5), (13, 5), (14, 7), (5000, 7)])
def test_as_many_quantiles_as_the_durations_bear_out(number: int, quantiles: int) -> None:
    """None of durations that are all alike."""
    spread = fit_durations([(0, 1.0 + each / number) for each in range(number)], SCALES)
    assert len(spread.quantiles_s) == quantiles
    assert fit_durations([(0, 1.0)] * number, SCALES).quantiles_s == ()
