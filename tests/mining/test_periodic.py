"""Real time told from logical time."""

from __future__ import annotations

from froude.mining.periodic import find_periodic
from tests.mining.events import calls, event


def _names(*sequences: list) -> dict[str, float]:
    return {token[1]: period.every_s for token, period in find_periodic(sequences).items()}


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
    from dataclasses import replace

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
