"""Think and service times, and start rules."""

from __future__ import annotations

import pytest

from froude.mining.knowledge import Role
from froude.mining.senders import Sender
from froude.mining.structure import MinedType, Occurrence
from froude.mining.timing import start_rules, timings
from froude.workload.scale import Scale
from froude.workload.types import Moment
from tests.mining.events import calls, event


def _occurrences(run: int, gap_s: float) -> list[Occurrence]:
    sender = Sender(run, f"{run}", Role("client"), [])
    first, second = (
        event(0, "a", start_s=1.0, end_s=1.1),
        event(1, "b", start_s=1.1 + gap_s, end_s=1.2 + gap_s),
    )
    return [Occurrence(run, 0, sender, name, calls(one)[0]) for name, one in (("c1", first), ("c2", second))]


def test_a_think_time_that_grows_with_the_scale_is_a_line() -> None:
    """From the previous answer to the call, over four runs."""
    scales = [Scale.of(files=n) for n in (1, 2, 3, 4)]
    occurrences = [each for run in range(4) for each in _occurrences(run, 0.5 * (run + 1))]
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


def test_nodes_wait_for_the_latest_that_was_over() -> None:
    """The second stage joins on the first, with its delay and the spacing between its nodes."""

    def stage(name: str, begin: float) -> MinedType:
        senders = []
        for n in range(2):
            logical = calls(
                event(0, "a", start_s=begin + n * 0.1, end_s=begin + n * 0.1 + 1.0, client=f"{name}{n}")
            )
            senders.append(Sender(0, f"{name}{n}", Role("client"), logical, own=logical))
        return MinedType(name, Role("client"), senders, ())

    rules = start_rules([stage("one", 0.5), stage("two", 2.0), stage("three", 4.0)], 1)
    assert rules["one"].after is None
    assert rules["one"].delay_s == pytest.approx(0.5)
    assert (rules["three"].after, rules["three"].moment, rules["three"].every) == (
        "two",
        Moment.FINISHED,
        True,
    )
    assert rules["three"].delay_s == pytest.approx(0.9)
    assert rules["three"].spacing_s == pytest.approx(0.1)
