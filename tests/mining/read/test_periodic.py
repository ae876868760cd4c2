"""Real time told from logical time."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from hypothesis import given
from hypothesis import strategies as st

from froude.mining.read.periodic import find_periodic
from froude.trace.lowered import LoweredInterval
from froude.workload.scale import Scale
from tests.support.mining.events import calls, event


def _names(*sequences: list, scales: list[Scale] | None = None) -> dict[str, float]:
    return {token[1]: period.every_s for token, period in find_periodic(sequences, scales or []).items()}


def test_a_regular_call_without_a_place_is_periodic() -> None:
    """A ping every second among other calls, wherever they happen to be."""
    events = [event(0, "ping", start_s=float(n)) for n in range(9)]
    events += [
        event(0, name, start_s=at)
        for name, at in (("a", 1.3), ("b", 1.6), ("a", 4.4), ("b", 6.5), ("c", 6.6))
    ]
    assert _names(calls(*_numbered(events))) == {"ping": 1.0}


def test_a_loop_with_a_pause_is_not() -> None:
    """As regular as a ping, but always between the same neighbours."""
    events = [
        event(0, name, start_s=n + at)
        for n in range(9)
        for name, at in (("open", 0.0), ("write", 0.5), ("close", 0.6))
    ]
    assert _names(calls(*_numbered(events))) == {}


def test_a_listed_call_is_periodic_however_short_the_run() -> None:
    """One renewLease shows no period and must not disturb the sequence."""
    assert list(_names(calls(event(0, "create"), event(1, "renewLease")))) == ["renewLease"]


def _numbered(events: list) -> list:
    return [
        replace(one, order=n, call_id=n) for n, one in enumerate(sorted(events, key=lambda one: one.start_s))
    ]


def test_what_happened_is_not_of_the_clock_however_regular_it_was() -> None:
    """Blocks that a steady client writes are reported as steadily as a heartbeat beats."""
    others = [(1.3, "a"), (1.6, "b"), (4.4, "a"), (6.5, "b"), (6.6, "c")]
    for name, periodic in (("blockReceivedAndDeleted", []), ("ping", ["ping"])):
        events = [(float(n), name) for n in range(9)]
        sequence = calls(*_numbered([event(0, name, start_s=at) for at, name in events + others]))
        assert list(_names(sequence)) == periodic


def _polls(number: int, every_s: float = 1.0) -> list:
    """So many calls one after another, and another call now and then."""
    events = [event(0, "poll", start_s=n * every_s) for n in range(number)]
    return calls(*_numbered([*events, event(0, "a", start_s=2.3), event(0, "b", start_s=number * every_s)]))


def test_as_many_as_the_scale_says_are_a_loop_with_a_pause() -> None:
    """Where the number follows from the Scale the clock does not say it; where it does not, or at two Scales, it may."""
    numbers = (8, 13, 9, 21)
    scales = [Scale.of(files=number - 2, datanodes=at % 3) for at, number in enumerate(numbers)]
    assert _names(*map(_polls, numbers), scales=scales) == {}
    assert _names(*map(_polls, numbers)) == {"poll": 1.0}
    assert _names(*map(_polls, (8, 13, 9, 22)), scales=scales) == {"poll": 1.0}
    assert _names(*map(_polls, numbers[:2]), scales=scales[:2]) == {"poll": 1.0}


def test_a_number_that_stays_is_a_loop_unless_all_were_there_as_long() -> None:
    """Ten polls in ten seconds may be either; ten polls in ten seconds, and in twenty, are ten polls."""
    scales = [Scale.of(files=number) for number in (1, 2, 3)]
    assert _names(_polls(10), _polls(10), _polls(10), scales=scales) == {"poll": 1.0}
    slower = [
        _polls(10),
        _polls(10),
        calls(
            *_numbered(
                [event(0, "poll", start_s=float(n)) for n in range(10)] + [event(0, "b", start_s=30.0)]
            )
        ),
    ]
    assert _names(*slower, scales=scales) == {}


def test_a_lowered_period_is_scaled_back() -> None:
    """A lease renewed every second for the recording, and every 30 s on the cluster: as soon as one run says so."""
    lowered = LoweredInterval("ping", 30, 1)
    events = [event(0, "ping", start_s=float(n)) for n in range(9)]
    events += [event(0, name, start_s=at) for name, at in (("a", 1.3), ("b", 4.6), ("c", 6.6))]
    fast = calls(*_numbered(events))
    slow = calls(*_numbered([replace(one, start_s=30 * one.start_s) for one in events]))
    periods = find_periodic([fast, slow], lowered=[{"ping": lowered}, {}])
    assert {token[1]: period.every_s for token, period in periods.items()} == {"ping": 30.0}


def _beats(answers_s: list[float], *, fixed_rate: bool) -> list:
    """Calls every second, or a second after each answer."""
    events, at_s = [], 0.0
    for answer_s in answers_s:
        events.append(event(0, "ping", start_s=at_s, end_s=at_s + answer_s))
        at_s += 1.0 + (0.0 if fixed_rate else answer_s)
    others = [event(0, name, start_s=at) for name, at in (("a", 1.3), ("b", 4.6), ("c", 6.7))]
    return calls(*_numbered([*events, *others]))


@given(st.lists(st.floats(0.0, 0.09), min_size=9, max_size=20))
def test_a_fixed_delay_is_told_from_a_fixed_rate(answers_s: list[float]) -> None:
    """By what varies less: the time from call to call, or from answer to call; where answers are alike nobody knows."""
    middle_s = median(answers_s[:-1])
    varied = median(abs(each - middle_s) for each in answers_s[:-1]) > 0.001
    for fixed_rate in (True, False):
        periods = find_periodic([_beats(answers_s, fixed_rate=fixed_rate)])
        pauses = [period.pause_s for token, period in periods.items() if token[1] == "ping"]
        if varied and pauses:
            assert pauses == ([None] if fixed_rate else [1.0])
