"""Small Traces for tests."""

from __future__ import annotations

from froude.base.units import Quantity
from froude.trace.types import Call, Status, Trace, TraceMeta
from testbed import wire

META = TraceMeta(
    {"datanodes": Quantity(3), "input": Quantity(10**10, "B")}, 1_700_000_000.5, "CID-1", "3.5.0"
)


def echo(
    start_s: float, text: str, *, client: bytes = wire.CLIENT, method: str = "echo", **parts: object
) -> Call:
    """One echo call."""
    body = wire.message("EchoProto", text=text).SerializeToString()
    facts: dict[str, object] = {
        "start_s": start_s,
        "duration_s": 0.25,
        "connection": 1,
        "peer": "127.0.0.12",
        "client_id": client,
        "call_id": int(start_s),
        "retry": 0,
        "user": "alice",
        "real_user": None,
        "caller_context": None,
        "protocol": wire.PROTOCOL,
        "method": method,
        "request": body,
        "response": body,
        "status": Status.SUCCESS,
    }
    return Call(**{**facts, **parts})  # type: ignore[arg-type]


def small_trace(calls: int = 4) -> Trace:
    """Echoes, one a second."""
    return Trace(META, wire.SCHEMA, [echo(float(n), f"/f{n}") for n in range(calls)])
