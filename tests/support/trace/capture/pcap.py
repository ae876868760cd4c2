"""A conversation as packets of a capture."""

from __future__ import annotations

from typing import Any

from froude.trace.tape import RecordKind
from testbed import wire
from testbed.packet_bytes import Talk


def talk_of(calls: int = 3, **ends: Any) -> Talk:
    """A connection that echoes, each record of `wire.conversation` in a segment of its own."""
    talk = Talk(**ends).open()
    for _, _, kind, payload in wire.conversation(calls=calls):
        if kind in (RecordKind.TO_SERVER, RecordKind.TO_CLIENT):
            talk.send(payload, side=int(kind == RecordKind.TO_CLIENT))
    return talk
