"""Intervals and start rules."""

from __future__ import annotations

import pytest

from froude.mining.knowledge import Role
from froude.mining.senders import Sender
from froude.mining.structure import Occurrence, TypeFound
from froude.mining.timing import intervals, start_rules
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


def test_an_interval_that_grows_with_the_scale_is_a_line() -> None:
    """From the previous answer to the call, over four runs."""
    scales = [Scale.of(files=n) for n in (1, 2, 3, 4)]
    made = [one for run in range(4) for one in _occurrences(run, 0.5 * (run + 1))]
    found = intervals(made, scales)["c2"]
    assert found.seconds.at(Scale.of(files=10)) == pytest.approx(5.0, abs=0.01)
    steady = [one for run in range(4) for one in _occurrences(run, 0.25)]
    assert intervals(steady, scales)["c2"].seconds.at(scales[0]) == pytest.approx(0.25)


def test_nodes_wait_for_the_latest_that_was_over() -> None:
    """The second stage joins on the first, with its delay and the spacing between its nodes."""

    def stage(name: str, begin: float) -> TypeFound:
        senders = []
        for n in range(2):
            made = calls(
                event(0, "a", start_s=begin + n * 0.1, end_s=begin + n * 0.1 + 1.0, client=f"{name}{n}")
            )
            senders.append(Sender(0, f"{name}{n}", Role("client"), made, own=made))
        return TypeFound(name, Role("client"), senders, ())

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
