"""Comparison of behaviour."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.trace.diff import diff, leaves, sender_type
from froude.trace.types import Fidelity, Trace, TraceMeta
from testbed import wire
from tests.support.trace.making import META, echo, small_trace

OTHER = b"o" * 16


def trace_of(*calls: object) -> Trace:
    """A Trace of these calls."""
    return Trace(META, wire.SCHEMA, calls)  # type: ignore[arg-type]


def test_a_trace_is_like_itself() -> None:
    """Same sequences, all arguments equal."""
    result = diff(small_trace(), small_trace())
    assert result.same
    (sender,) = result.senders
    assert (sender.type, sender.left_senders, sender.aligned, sender.leaves) == ("ToyProtocol", 1, 4, 4)
    assert sender.methods[0].left_interval_s == 1.0


def test_arguments_that_differ_are_counted_with_an_example() -> None:
    """By method and path."""
    result = diff(trace_of(echo(0, "a"), echo(1, "b")), trace_of(echo(0, "a"), echo(1, "c")))
    assert result.same_sequences
    assert not result.same
    (difference,) = result.senders[0].arguments
    assert (
        difference.method,
        difference.path,
        difference.differing,
        difference.compared,
        difference.example,
    ) == (
        "echo",
        "text",
        1,
        2,
        ("b", "c"),
    )


def test_sequences_are_aligned_around_an_insertion() -> None:
    """One call more does not make all later ones differ."""
    left = trace_of(echo(0, "a"), echo(1, "b", method="turn"), echo(2, "c"))
    right = trace_of(echo(0, "a"), echo(1, "x", method="grow"), echo(2, "b", method="turn"), echo(3, "c"))
    (sender,) = diff(left, right, arguments=False).senders
    assert sender.aligned == 3
    assert [(p.at, p.left, p.right) for p in sender.sequences] == [(1, (), ("grow",))]
    assert {m.method: (m.left, m.right) for m in sender.methods}["grow"] == (0, 1)


def test_senders_are_grouped_by_what_they_call_themselves() -> None:
    """Caller contexts that differ in numbers only are one type."""
    calls = [
        echo(0, "a", caller_context="mr_attempt_17_m_0"),
        echo(1, "a", client=OTHER, caller_context="mr_attempt_17_m_1"),
        echo(2, "a", client=b"z" * 16),
    ]
    result = diff(trace_of(*calls), trace_of(*calls[:2]))
    assert [(s.type, s.left_senders, s.right_senders) for s in result.senders] == [
        ("mr_attempt_#_m_#", 2, 2),
        ("ToyProtocol", 1, 0),
    ]
    assert sender_type(calls[:1]) == "mr_attempt_#_m_#"


def test_leaves_have_paths() -> None:
    """Lists by index, messages by name."""
    body = wire.message("GrantProto", owner="x", more=[wire.message("TokenProto", kind="K")])
    assert dict(leaves(body)) == {"owner": "x", "more[0].kind": "K"}


def test_a_trace_that_cannot_tell_says_so() -> None:
    """No payload, no comparison of arguments; no sender, no comparison at all."""
    blind = Trace(TraceMeta({}, 0.0, "x", fidelity=Fidelity(payload=False)), wire.SCHEMA, [])
    with pytest.raises(InputError, match="payload"):
        diff(blind, small_trace())
    assert diff(blind, blind, arguments=False).same_sequences is None  # there is no sender


def test_intervals_are_compared_by_call_site_and_starts_are_shown() -> None:
    """A method after a method is a site; what comes twice as late on one side does not agree with the other."""
    calls = [echo(n, "a", method="echo" if n % 2 else "turn") for n in range(20)]
    late = [replace(call, start_s=3 + 2 * call.start_s) for call in calls]
    same, other = diff(trace_of(*calls), trace_of(*calls)), diff(trace_of(*calls), trace_of(*late))
    assert [len(sites.agreeing) for sites in same.intervals] == [2, 2]
    assert [(sites.compared, sites.agreeing) for sites in other.intervals] == [(2, ())] * 2
    (sender,) = other.senders
    assert sender.left_starts_s == (calls[0].start_s,) * 2
    assert sender.right_starts_s == (late[0].start_s,) * 2
