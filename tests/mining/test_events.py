"""The adapter from Traces."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.struct_pb2 import Value

from froude.hadoop.schema import UnknownMethodError
from froude.mining.events import events_of
from froude.trace.types import Call, Status


@dataclass
class _Trace:
    """A trace whose only method takes and gives a `google.protobuf.Value`."""

    calls: list[Call]

    def request(self, call: Call) -> Value:
        if call.method != "ask":
            raise UnknownMethodError("the schema has no such method", found=call.method)
        return Value.FromString(call.request or b"")

    response = request


def _call(method: str, client: bytes) -> Call:
    request = Value(number_value=2.5).SerializeToString()
    return Call(
        start_s=1.0,
        duration_s=0.5,
        connection=4,
        peer="127.0.0.1",
        client_id=client,
        call_id=9,
        retry=0,
        user="root",
        real_user=None,
        caller_context=None,
        protocol="p",
        method=method,
        request=request,
        response=request,
        status=Status.SUCCESS,
    )


def test_calls_become_events_and_unknown_methods_are_counted() -> None:
    """Leaves instead of messages; the sender by clientId, else by connection; nothing dropped in silence."""
    unknown: dict[str, int] = {}
    trace = _Trace([_call("ask", b"\x01\x02"), _call("other", b""), _call("ask", b"")])
    first, second = events_of(trace, unknown)  # type: ignore[arg-type]
    assert dict(first.request) == {"number_value": 2.5}
    assert (first.end_s, first.client, second.client, second.order) == (1.5, "0102", "connection-4", 1)
    assert unknown == {"other": 1}
