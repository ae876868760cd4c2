"""The adapter from Traces."""

from __future__ import annotations

import pytest

from froude.messages.rows import Row
from froude.mining.read import events
from froude.mining.read.events import Event, recording_of, recordings_of
from froude.trace.types import Call, Fidelity, Status, Trace, TraceMeta
from froude.workload.scale import Scale
from testbed import wire
from testbed.recorded import recorded
from tests.support.mining.events import event


def _call(method: str, client: bytes, **other: object) -> Call:
    body = wire.message("EchoProto", text="x", count=2).SerializeToString()
    facts: dict = {
        "start_s": 1.0,
        "duration_s": 0.5,
        "connection": 4,
        "peer": "127.0.0.1",
        "client_id": client,
        "call_id": 9,
        "retry": 0,
        "user": "root",
        "real_user": None,
        "caller_context": None,
        "protocol": wire.PROTOCOL,
        "method": method,
        "request": body,
        "response": body,
        "status": Status.SUCCESS,
    }
    return Call(**(facts | other))


def _trace(*calls: Call) -> Trace:
    return Trace(TraceMeta(Scale.of(files=2), 0.0, "cid", fidelity=Fidelity()), wire.SCHEMA, calls)


def test_calls_become_events_and_unknown_methods_are_counted() -> None:
    """Leaves instead of messages; the sender by clientId, else by connection; nothing dropped in silence."""
    lost = _call("echo", b"", duration_s=None, response=None, status=Status.UNANSWERED)
    failed = _call("echo", b"", response=None, status=Status.ERROR, error="java.io.IOException")
    recording = recording_of(_trace(_call("echo", b"\x01\x02"), _call("other", b""), lost, failed))
    first, second, third = recording.events
    assert dict(first.request) == {"text": "x", "count": 2}
    assert (first.end_s, first.client, second.client, second.order) == (1.5, "0102", "connection-4", 1)
    assert (first.answered, second.answered, third.answered) == (True, False, True)
    assert (second.end_s, second.response, third.error) == (1.0, None, "java.io.IOException")
    assert recording.unknown == {"other": 1}
    assert (recording.source_id, recording.scale) == ("cid", Scale.of(files=2))


@pytest.mark.parametrize(("part", "workers"), [(1 << 17, 1), (500, 1), (500, 2)])
def test_traces_are_decoded_in_parts(monkeypatch: pytest.MonkeyPatch, part: int, workers: int) -> None:
    """Of any size, here or side by side: the events are those of the whole."""
    traces = [recorded("k2c"), _trace(), recorded("k2a")]
    whole = [recording_of(trace) for trace in traces]
    monkeypatch.setattr(events, "_PART", part)
    found = recordings_of(traces, workers)
    assert [list(recording.events) for recording in found] == [list(recording.events) for recording in whole]
    assert [recording.unknown for recording in found] == [recording.unknown for recording in whole]


def test_leaves_may_be_any_mapping() -> None:
    """They are kept as a row."""
    made = event(0, "m", {"a": 1}, {"b": 2})
    assert isinstance(made, Event)
    assert isinstance(made.request, Row)
    assert isinstance(made.response, Row)
    assert (made.request, made.response) == ({"a": 1}, {"b": 2})
