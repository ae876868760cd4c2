"""What a Trace's values answer themselves."""

from __future__ import annotations

from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.artifact import Lineage, State
from froude.messages.schema import UnknownMethodError
from froude.trace.types import Loss, Trace
from testbed import wire
from tests.support.trace.making import META, echo, small_trace

LOSSES = st.builds(Loss, *[st.integers(0, 10**9)] * 5)


@given(LOSSES, LOSSES, LOSSES)
def test_losses_add_up_part_by_part(one: Loss, two: Loss, three: Loss) -> None:
    """In any order, and nothing lost adds nothing."""
    assert astuple(one + two) == tuple(map(sum, zip(astuple(one), astuple(two), strict=True)))
    assert one + two == two + one
    assert (one + two) + three == one + (two + three)
    assert one + Loss() == one


def test_unanswered_calls_do_not_make_a_trace_incomplete() -> None:
    """They are the peers' doing; all else is the capture's."""
    assert Loss(unanswered_calls=9).total == 0
    assert Loss(1, 20, 300, 4000).total == 4021


def test_connections_that_cannot_be_read_are_said() -> None:
    """Their frames count as lost already."""
    assert Loss(undecodable_frames=9).unreadable is None
    lost = Loss(undecodable_frames=9, protected_connections=2)
    assert lost.total == 9
    assert (lost.unreadable or "").startswith("2 connections could not be read: SASL protects the payload")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (None, None),
        (State.COMPLETE, None),
        (State.INTERRUPTED, "its recording was interrupted: it holds what was seen until then"),
        (State.FAILED, "its recording failed: it holds what was seen until then"),
    ],
)
def test_a_recording_that_did_not_end_well_says_so(state: State | None, words: str | None) -> None:
    """A trace that was not read from a folder has nothing to say."""
    lineage = None if state is None else Lineage("trace", 2, "ab", state=state)
    assert replace(small_trace(), lineage=lineage).incomplete == words


def test_where_a_trace_comes_from_does_not_change_what_it_is() -> None:
    """Two traces of the same calls are equal."""
    assert replace(small_trace(), lineage=Lineage("trace", 2, "ab")) == small_trace()
    assert small_trace(3) != small_trace(4)


def test_messages_decode_with_the_traces_own_schema() -> None:
    """Each half by itself."""
    answer = wire.message("EchoProto", text="answer").SerializeToString()
    trace = Trace(META, wire.SCHEMA, [echo(0.0, "question", response=answer)])
    (call,) = trace.calls
    assert trace.request(call) == wire.message("EchoProto", text="question")
    assert trace.response(call) == wire.message("EchoProto", text="answer")


def test_what_does_not_decode_is_a_clear_error() -> None:
    """An absent half, damaged bytes, a method that the schema does not have."""
    trace = small_trace()
    with pytest.raises(InputError, match=r"found hadoop\.common\.EchoProto"):
        trace.request(echo(0.0, "x", request=None))
    with pytest.raises(InputError, match=r"hadoop\.common\.EchoProto: "):
        trace.response(echo(0.0, "x", response=b"\xff"))
    for ask in (trace.request, trace.response):
        with pytest.raises(UnknownMethodError, match="sing"):
            ask(echo(0.0, "x", method="sing"))


def test_methods_are_counted_most_frequent_first() -> None:
    """Those of one number by name."""
    methods = ["echo", "grow", "seal", "grow", "echo", "grant"]
    calls = [echo(float(n), "x", method=method) for n, method in enumerate(methods)]
    expected = [("echo", 2), ("grow", 2), ("grant", 1), ("seal", 1)]
    assert list(Trace(META, wire.SCHEMA, calls).by_method()) == expected
    assert list(Trace(META, wire.SCHEMA, []).by_method()) == []
