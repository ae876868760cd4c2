"""Events in one line, for tests of single steps."""

from __future__ import annotations

from froude.mining.read.canonical import Logical, logical_calls
from froude.mining.read.events import Event

PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"


def event(
    order: int, method: str, request: dict | None = None, response: dict | None = None, **other: object
) -> Event:
    """An event, a tenth of a second after the one before, answered at once."""
    facts: dict = {"client": "a", "call_id": order, "protocol": PROTOCOL, "start_s": order / 10, **other}
    facts.setdefault("end_s", facts["start_s"] + 0.001)
    fixed = {"connection": 1, "peer": "127.0.0.1", "user": "root", "caller_context": None}
    return Event(
        order=order, method=method, request=request or {}, response=response or {}, **(fixed | facts)
    )


def calls(*events: Event) -> list[Logical]:
    """Events as logical calls."""
    return logical_calls(events)
