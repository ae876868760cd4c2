"""Records to calls."""

from __future__ import annotations

import pytest

from froude.hadoop.rpc.codec import encode_sasl
from froude.hadoop.rpc.headers import SaslState
from froude.trace.assembly import CallAssembly, assemble, to_call, to_row
from froude.trace.redact import Redactor
from froude.trace.tape import Record, RecordKind
from froude.trace.types import Call, Status
from testbed import wire
from tests.support.hadoop.rpc.codec import response


def run(records: list[Record]) -> tuple[list[Call], CallAssembly]:
    """The calls of some records."""
    rows, assembly = assemble(iter(records), wire.SCHEMA, Redactor(wire.SCHEMA, b"k" * 32))
    return [to_call(row) for row in rows], assembly


def test_calls_have_times_users_and_bytes() -> None:
    """A call begins with its request's last byte and ends with its answer's."""
    calls, assembly = run(wire.conversation(calls=2))
    assert [(c.start_s, c.duration_s, c.call_id) for c in calls] == [(1.0, 0.25, 0), (2.0, 0.25, 1)]
    assert {(c.peer, c.user, c.protocol, c.method, c.client_id) for c in calls} == {
        ("127.0.0.12", "alice", wire.PROTOCOL, "echo", wire.CLIENT)
    }
    assert calls[0].request == wire.message("EchoProto", text="/file-0").SerializeToString()
    assert assembly.loss.total == 0
    assert assembly.connections == 1


def test_a_row_is_its_call() -> None:
    """Rows and calls hold the same."""
    calls, _ = run(wire.conversation(calls=1))
    assert to_call(to_row(calls[0])) == calls[0]


def test_answers_out_of_order_find_their_calls() -> None:
    """Answers are matched by call id."""
    a, b = (wire.message("EchoProto", text=t).SerializeToString() for t in "ab")
    records = wire.conversation(calls=0)[:-1]
    records.append((1.0, 1, RecordKind.TO_SERVER, wire.request(0, "echo", a) + wire.request(1, "echo", b)))
    records.append((2.0, 1, RecordKind.TO_CLIENT, wire.response(1, b) + wire.response(0, a)))
    calls, _ = run(records)
    assert [(c.request, c.response) for c in calls] == [(a, a), (b, b)]


@pytest.mark.parametrize(("status", "expected"), [(1, Status.ERROR), (2, Status.FATAL)])
def test_errors_keep_class_and_first_line(status: int, expected: Status) -> None:
    """An error's stack trace is not kept."""
    records = wire.conversation(calls=0)[:-1]
    records.append((1.0, 1, RecordKind.TO_SERVER, wire.request(0, "echo", b"")))
    records.append((1.5, 1, RecordKind.TO_CLIENT, wire.failure(0, status=status)))
    (call,), _ = run(records)
    assert (call.status, call.error, call.error_message) == (expected, "java.io.IOException", "no")
    assert call.response is None


def test_a_call_without_answer_is_kept_and_counted() -> None:
    """What was asked is a fact even if the answer never came."""
    records = wire.conversation(calls=0)[:-1]
    records.append((1.0, 1, RecordKind.TO_SERVER, wire.request(0, "echo", b"")))
    for ending in ([], [(2.0, 1, int(RecordKind.CLOSE), b"reset")]):
        (call,), assembly = run([*records, *ending])
        assert (call.status, call.duration_s) == (Status.UNANSWERED, None)
        assert assembly.loss.unanswered_calls == 1


def test_a_torn_connection_is_counted_and_named() -> None:
    """A connection that ends in mid-frame is a loss with an example."""
    records = wire.conversation(calls=1)[:-1]
    records += [
        (3.0, 1, RecordKind.TO_SERVER, wire.request(7, "echo", b"")[:9]),
        (4.0, 1, RecordKind.CLOSE, b"reset"),
    ]
    calls, assembly = run(records)
    assert len(calls) == 1
    assert assembly.loss.torn_connections == 1
    assert assembly.examples == ["connection 1 (127.0.0.12) at 4.000 s: ended in the middle of a frame"]


def test_garbage_is_counted_and_the_rest_read_on() -> None:
    """A foreign connection is one loss; others are not disturbed."""
    foreign: list[Record] = [wire.opened(9), (0.5, 9, RecordKind.TO_SERVER, b"GET / HTTP/1.1\r\n\r\n" * 3)]
    calls, assembly = run([*foreign, *wire.conversation(calls=2)])
    assert len(calls) == 2
    assert assembly.loss.undecodable_frames == 1


def test_protected_connections_are_counted_and_named_once() -> None:
    """Whatever the number of their frames; the others are read."""
    payload = response(-33, 0, encode_sasl(SaslState.WRAP, b"sealed", (), challenge=False))
    sealed = len(payload).to_bytes(4, "big") + payload
    records = [wire.opened(7), *((1.0, 7, RecordKind.TO_CLIENT, sealed) for _ in range(3))]
    calls, assembly = run([*records, *wire.conversation()])
    assert (assembly.loss.protected_connections, assembly.loss.undecodable_frames) == (1, 3)
    assert len(calls) == 3
    assert len(assembly.examples) == 1
    assert "QOP integrity or privacy" in assembly.examples[0]


def test_a_body_that_does_not_decode_is_dropped_and_counted() -> None:
    """A secret might hide in bytes that cannot be read, so they are not kept."""
    records = wire.conversation(calls=0)[:-1]
    records.append((1.0, 1, RecordKind.TO_SERVER, wire.request(0, "grow", b"\xff\xff\xff")))
    (call,), assembly = run(records)
    assert call.request is None
    assert assembly.loss.undecodable_frames == 1


def test_a_body_that_is_not_whole_is_dropped_and_counted() -> None:
    """What cannot be encoded again without its secret is left out, and the reason stands in words."""
    records = wire.conversation(calls=0)[:-1]
    seal = wire.message("SealProto", password="hunter2").SerializePartialToString()
    records.append((1.0, 1, RecordKind.TO_SERVER, wire.request(0, "seal", seal)))
    records.append((1.5, 1, RecordKind.TO_CLIENT, wire.response(0, seal)))
    (call,), assembly = run(records)
    assert (call.request, call.response, call.status) == (None, None, Status.SUCCESS)
    assert assembly.loss.undecodable_frames == 2
    assert "request of seal: hadoop.common.SealProto: a message is not whole" in assembly.examples[0]


@pytest.mark.parametrize("payload", [b"", b"-5", b"x", b"9" * 5000])
def test_a_gap_of_a_damaged_size_is_still_a_gap(payload: bytes) -> None:
    """Its connection is blind from there on; how much is missing is not known."""
    calls, assembly = run([*wire.conversation(calls=1)[:3], (1.5, 1, RecordKind.GAP, payload)])
    assert [call.status for call in calls] == [Status.UNANSWERED]
    assert assembly.loss.dropped_bytes == 0
    assert assembly.examples[0].endswith("an unknown number of bytes not recorded")


def test_after_a_gap_the_connection_is_blind() -> None:
    """Bytes that the recorder missed make the rest of their connection unreadable; they are counted."""
    head, *rest = [r for r in wire.conversation(calls=2) if r[2] != RecordKind.CLOSE]
    calls, assembly = run([head, rest[0], rest[1], rest[2], (1.5, 1, RecordKind.GAP, b"1000"), rest[3]])
    assert len(calls) == 1
    assert assembly.loss.dropped_bytes == 1000 + len(rest[3][3])


def test_the_cluster_tells_who_it_is() -> None:
    """The answer to versionRequest names source and release."""
    answer = wire.message("VersionResponseProto")
    answer.info.storageInfo.clusterID, answer.info.softwareVersion = "CID-7", "3.5.0"
    records = wire.conversation(calls=0)[:-1]
    records.append((1.0, 1, RecordKind.TO_SERVER, wire.request(0, "versionRequest", b"")))
    records.append((1.1, 1, RecordKind.TO_CLIENT, wire.response(0, answer.SerializeToString())))
    _, assembly = run(records)
    assert (assembly.source_id, assembly.release) == ("CID-7", "3.5.0")
    assert assembly.ids == {("", ""): "CID-7"}  # by service and address, of which the toy tells neither
