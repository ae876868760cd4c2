"""A Trace in numbers."""

from __future__ import annotations

from froude.trace.summary import summarise
from froude.trace.types import Status, Trace
from testbed import wire
from tests.support.trace.making import META, echo, small_trace


def test_methods_senders_and_times() -> None:
    """Counts, errors, percentiles and sizes by method; senders by type."""
    bad = echo(9.0, "x", status=Status.ERROR, method="grow", duration_s=None)
    summary = summarise(Trace(META, wire.SCHEMA, [*small_trace().calls, bad]))
    assert (summary.calls, summary.duration_s) == (5, 9.0)
    assert [(m.method, m.calls, m.errors, m.p50_ms) for m in summary.methods] == [
        ("echo", 4, 0, 250.0),
        ("grow", 1, 1, None),
    ]
    assert [(s.type, s.senders, s.users) for s in summary.sender_types] == [("ToyProtocol", 1, ("alice",))]
    (failure,) = summary.failures
    assert (failure.method, failure.error, failure.count, failure.first_s) == ("grow", "error", 1, 9.0)
    assert summary.scale == {"datanodes": "3", "input": "10 GB"}


def test_an_empty_trace_has_numbers_too() -> None:
    """Zero calls are not an error."""
    assert summarise(Trace(META, wire.SCHEMA, [])).to_mapping()["calls"] == 0
