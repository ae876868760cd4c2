"""Payloads of many calls: what each call's messages say, and the same between processes."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from froude.base.errors import InputError
from froude.messages.leaves import leaves
from froude.messages.schema import UnknownMethodError
from froude.trace.columns import calls_to_table
from froude.trace.payloads import Part, decode, decode_packed, unpack
from froude.trace.types import Trace
from testbed import wire
from testbed.recorded import recorded


def _part(trace: Trace) -> Part:
    return Part(trace.schema, calls_to_table(trace.calls))


def test_every_message_of_a_real_trace_is_decoded() -> None:
    """As by itself; calls that the schema does not know have none, nor have those that failed an answer."""
    trace = recorded("k2c")
    decoded = decode(_part(trace))
    for call, request, response in zip(trace.calls, *decoded, strict=True):
        try:
            expected = leaves(trace.request(call), canonical=True)
        except UnknownMethodError:
            assert request is response is None
            continue
        assert request is not None
        assert list(request.items()) == list(expected.items())
        if call.response is None:
            assert response is None
        else:
            assert response is not None
            assert list(response.items()) == list(leaves(trace.response(call)).items())


def test_what_was_packed_is_the_same() -> None:
    """In columns, and back."""
    part = _part(recorded("k2c"))
    assert unpack(decode_packed(part)) == decode(part)
    empty = Part(part.schema, part.table.slice(0, 0))
    assert unpack(decode_packed(empty)) == decode(empty) == ([], [])


def _echoes(*bodies: bytes | None) -> Part:
    number = len(bodies)
    columns = {"protocol": [wire.PROTOCOL] * number, "method": ["echo"] * number, "response": [b""] * number}
    return Part(wire.SCHEMA, pa.table({**columns, "request": pa.array(bodies, pa.binary())}))


def test_what_does_not_decode_or_is_absent_is_said() -> None:
    """With the message that it should have been."""
    sound = wire.message("EchoProto", text="x").SerializeToString()
    with pytest.raises(InputError, match=r"hadoop\.common\.EchoProto: "):
        decode(_echoes(sound, b"\xff\xff"))
    with pytest.raises(InputError, match="has no payload"):
        decode(_echoes(sound, None))


def test_a_trace_that_was_read_is_decoded_from_its_table() -> None:
    """Without a call being made of any row."""
    trace = recorded("k2c")
    assert decode(_part(replace(trace, calls=tuple(trace.calls)))) == decode(_part(trace))
