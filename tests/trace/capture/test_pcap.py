"""A packet capture into a Trace."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError, MissingError
from froude.base.units import Quantity
from froude.documents.artifact import Origin, State
from froude.hadoop.rpc import headers
from froude.hadoop.rpc.frames import frame
from froude.hadoop.rpc.target import Target
from froude.trace.assembly import assemble
from froude.trace.capture.flows import FlowCounts
from froude.trace.capture.pcap import (
    PacketCounts,
    PcapResult,
    PcapSettings,
    capture_pcap,
    of_calls,
    remarks,
    what_was_seen,
)
from froude.trace.capture.tcp import Segment, Skipped
from froude.trace.columns import to_table
from froude.trace.files import read_trace
from froude.trace.redact import Redactor
from froude.trace.types import Status, Trace
from testbed import wire
from testbed.packet_bytes import CLIENT, SERVER, Talk, file_of, shuffled
from tests.support.trace.capture.pcap import talk_of

NOTHING: dict[str, Any] = {"cut": "", "dropped": 0, "untimed": 0}
START_S = 1_700_000_000.0


def made(folder: Path, data: bytes | Sequence[Segment], **how: Any) -> tuple[PcapResult, Trace]:
    """The Trace of a capture."""
    path = folder / "x.pcap"
    path.write_bytes(data if isinstance(data, bytes) else file_of(data))
    result = capture_pcap(PcapSettings(path, folder / "t", **how), wire.SCHEMA, Origin("test", ("0" * 64,)))
    return result, read_trace(folder / "t")


@pytest.mark.parametrize("zipped", [False, True])
def test_the_same_calls_as_from_the_bytes_themselves(tmp_path: Path, zipped: bool) -> None:
    """With their time, sender and target; nothing is left beside the Trace."""
    data = file_of(talk_of().close().segments)
    facts = {
        "scale": {"datanodes": Quantity(3)},
        "source_id": "S",
        "release": "3.4.2",
        "notes": {"why": "test"},
    }
    result, trace = made(tmp_path, gzip.compress(data) if zipped else data, **facts)
    rows, _ = assemble(iter(wire.conversation()), wire.SCHEMA, Redactor(wire.SCHEMA, bytes(32)))
    kept = ("client_id", "call_id", "user", "protocol", "method", "request", "response", "status")
    assert [[getattr(call, part) for part in kept] for call in trace.calls] == [
        [row[4], row[5], row[7], row[10], row[11], row[12], row[13], Status(row[14])] for row in rows
    ]
    assert [call.start_s for call in trace.calls] == pytest.approx([0.004, 0.006, 0.008])
    assert [call.duration_s for call in trace.calls] == pytest.approx([0.001] * 3)
    assert {(call.peer, call.target) for call in trace.calls} == {("10.0.0.7", Target("", "10.0.0.5:8020"))}
    meta = trace.meta
    assert (meta.started_at_s, meta.source_id, meta.release, meta.loss.total) == (START_S, "S", "3.4.2", 0)
    assert (meta.notes, meta.scale) == ({"why": "test"}, {"datanodes": Quantity(3)})
    assert (result.capture.calls, result.capture.connections, result.remarks) == (3, 1, ())
    assert trace.lineage is not None
    assert (trace.lineage.state, trace.lineage.inputs) == (State.COMPLETE, ("0" * 64,))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t", "x.pcap"]


@given(st.randoms(use_true_random=False))
@settings(max_examples=5)
def test_packets_twice_and_out_of_order_make_no_call_twice(rng: random.Random) -> None:
    """As a capture of all interfaces shows them."""
    talk = talk_of(6)
    opening, middle = talk.segments[:3], talk.segments[3:]
    with tempfile.TemporaryDirectory() as folder:
        _, trace = made(Path(folder), [each for each in opening for _ in "12"] + shuffled(middle, rng, 2))
    assert [call.call_id for call in sorted(trace.calls, key=lambda call: call.call_id)] == list(range(6))
    assert {call.status for call in trace.calls} == {Status.SUCCESS}


@pytest.mark.parametrize("lost", [1, 3])
def test_calls_whose_answers_were_lost_are_not_unanswered(tmp_path: Path, lost: int) -> None:
    """The client has acknowledged them: they are left out, counted and said."""
    talk = talk_of(6).acknowledge()
    answers = [each for each in talk.segments if each.payload and each.flow == talk.segments[1].flow]
    result, trace = made(tmp_path, [each for each in talk.segments if each not in answers[-lost:]])
    assert [call.status for call in trace.calls] == [Status.SUCCESS] * (6 - lost)
    assert trace.meta.loss.dropped_bytes == sum(len(each.payload) for each in answers[-lost:])
    assert trace.meta.loss.unanswered_calls == 0
    assert any(f"{lost} call" in said and "left out" in said for said in result.remarks)


def test_who_the_namenode_is_told_by_an_answer(tmp_path: Path) -> None:
    """Every call to it has its id then, also those from before."""
    told = wire.message("VersionResponseProto")
    told.info.storageInfo.clusterID, told.info.softwareVersion = "CID-7", "3.4.2"
    talk = (
        talk_of(1)
        .send(wire.request(9, "versionRequest", b""))
        .answer(wire.response(9, told.SerializeToString()))
    )
    targets = {SERVER: Target("namenode", "10.0.0.5:8020")}
    _, trace = made(tmp_path, talk.segments, targets=targets)
    assert (trace.meta.source_id, trace.meta.release) == ("CID-7", "3.4.2")


def test_a_name_that_was_given_is_the_id(tmp_path: Path) -> None:
    """Where no answer tells it."""
    targets = {SERVER: Target("namenode", "10.0.0.5:8020")}
    _, trace = made(tmp_path, talk_of().segments, targets=targets, source_id="CID-9")
    assert {call.target for call in trace.calls} == {Target("namenode", "10.0.0.5:8020", "CID-9")}


def test_secrets_are_gone(tmp_path: Path) -> None:
    """A token in an answer is replaced before anything is written."""
    grant = wire.message("GrantProto", owner="ann")
    grant.token.identifier, grant.token.password = b"who-she-is" * 3, b"what-she-knows" * 3
    talk = talk_of(0).send(wire.request(1, "grant", b"")).answer(wire.response(1, grant.SerializeToString()))
    _, trace = made(tmp_path, talk.segments)
    assert trace.response(trace.calls[0]).owner == "ann"  # type: ignore[attr-defined]
    for path in (tmp_path / "t").iterdir():
        assert b"what-she-knows" not in path.read_bytes()


def test_a_capture_that_was_cut_says_so(tmp_path: Path) -> None:
    """What is whole is kept, and the Trace says that it was interrupted."""
    result, trace = made(tmp_path, file_of(talk_of().segments)[:-10])
    assert [call.status for call in trace.calls] == [Status.SUCCESS, Status.SUCCESS, Status.UNANSWERED]
    assert trace.incomplete is not None
    assert (
        result.remarks
        == (trace.meta.notes["remark 1"],)
        == ("the file ends within a packet, after 9 packets",)
    )


def test_lost_packets_are_counted(tmp_path: Path) -> None:
    """The connection is read up to there, no call is wrong."""
    talk = talk_of(5).close()
    del talk.segments[8]  # the third request
    result, trace = made(tmp_path, talk.segments)
    assert [(call.call_id, call.status) for call in trace.calls] == [(0, Status.SUCCESS), (1, Status.SUCCESS)]
    assert trace.meta.loss.dropped_bytes > 0
    assert trace.meta.loss.undecodable_frames == 3  # answers to what was not seen
    assert [call.duration_s for call in trace.calls] == pytest.approx([0.001] * 2)
    assert "1 connection read only up to a packet that the capture lacks" in result.remarks


def test_bytes_that_began_before_count_as_lost(tmp_path: Path) -> None:
    """A Trace without them is not whole."""
    old = Talk(("10.0.0.9", 5)).send(bytes(400)).segments
    result, trace = made(tmp_path, [*old, *talk_of().segments])
    assert (len(trace.calls), trace.meta.loss.dropped_bytes) == (3, 400)
    assert "(400 bytes)" in result.remarks[0]


def test_protected_payload_is_said(tmp_path: Path) -> None:
    """Once a connection; its frames are counted."""
    header = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=-33, clientId=b"", retryCount=-1)
    sealed = frame(
        header.SerializeToString(),
        headers.SaslMessage(version=0, state=5, token=b"x" * 40).SerializeToString(),
    )
    talk = Talk().open().send(wire.PREAMBLE[:-1] + b"\xdf" + sealed + sealed)
    _, trace = made(tmp_path, talk.segments)
    assert (len(trace.calls), trace.meta.loss.undecodable_frames) == (0, 2)
    assert (trace.meta.loss.unreadable or "").startswith("1 connection could not be read: SASL protects")


def test_both_sides_of_a_proxy_are_noticed(tmp_path: Path) -> None:
    """And one of them can be chosen."""
    onward = talk_of(client=("10.0.0.6", 7), server=("10.0.0.5", 8020)).segments
    before = talk_of(client=CLIENT, server=("10.0.0.6", 18020)).segments
    both = [each for pair in zip(before, onward, strict=True) for each in pair]
    result, _ = made(tmp_path, both)
    assert "10.0.0.6:18020 and 10.0.0.5:8020" in result.remarks[0]
    (tmp_path / "one").mkdir()
    result, _ = made(tmp_path / "one", both, targets={("10.0.0.5", 8020): Target("", "10.0.0.5:8020")})
    assert result.capture.calls == 3
    assert result.remarks == ("connections of Hadoop RPC to other servers left out: 10.0.0.6:18020 (1)",)


@pytest.mark.parametrize(
    ("segments", "targets", "said"),
    [
        ([], {}, "found 0 packets, 0 TCP connections with payload"),
        (Talk().open().send(b"GET / HTTP").segments, {}, "4 packets, 1 TCP connections"),
        (talk_of().segments, {("10.0.0.9", 1): Target()}, r"Hadoop RPC to 10\.0\.0\.5:8020 \(1\)"),
    ],
)
def test_a_capture_without_such_a_connection(
    segments: list[Segment], targets: dict[tuple[str, int], Target], said: str, tmp_path: Path
) -> None:
    """One clear error that tells what was seen instead, and nothing made."""
    with pytest.raises(InputError, match=said):
        made(tmp_path, segments, targets=targets)
    assert [path.name for path in tmp_path.iterdir()] == ["x.pcap"]


def test_a_snapshot_length_that_leaves_only_heads(tmp_path: Path) -> None:
    """The error says how to capture whole packets."""
    with pytest.raises(InputError, match=r"segments cut short.*tcpdump -s 0"):
        made(tmp_path, file_of(talk_of().segments, snapshot=66))


def test_a_place_that_is_taken_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Refused before anything is read."""
    (tmp_path / "t").mkdir()
    with pytest.raises(InputError, match="/t: "):
        made(tmp_path, talk_of().segments)
    with pytest.raises(InputError, match="none: "):
        capture_pcap(PcapSettings(tmp_path / "none", tmp_path / "u"), wire.SCHEMA)


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a Trace nor an unfinished one."""

    def full(*_: object) -> None:
        raise MissingError("cannot be written (No space left on device)")

    monkeypatch.setattr("froude.trace.partial.PartialWriter.append", full)
    with pytest.raises(MissingError, match="No space"):
        made(tmp_path, talk_of().segments)
    assert [path.name for path in tmp_path.iterdir()] == ["x.pcap"]


def test_rows_are_written_and_progress_told_while_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the file, few rows wait in memory."""
    monkeypatch.setattr("froude.trace.capture.pcap._FLUSH_ROWS", 10)
    monkeypatch.setattr("froude.trace.capture.pcap._EVERY_PACKETS", 16)
    result, trace = made(tmp_path, talk_of(100).segments)
    assert result.capture.calls == len(trace.calls) == 100


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), min_size=1, max_size=12))
@settings(max_examples=25)
def test_damage_anywhere_is_a_trace_or_one_clear_error(changes: list[tuple[int, int]]) -> None:
    """Whatever the bytes: what was kept can be read, or nothing is there."""
    data = bytearray(file_of(talk_of(4).close().segments))
    for place, value in changes:
        data[place % len(data)] = value
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            _, trace = made(folder, bytes(data))
        except InputError:
            assert [path.name for path in folder.iterdir()] == ["x.pcap"]
            return
        assert all(call.start_s >= 0 for call in trace.calls)
        json.dumps(trace.meta.notes)


def test_of_a_whole_capture_nothing_is_said() -> None:
    """Packets of other protocols are no loss."""
    packets = PacketCounts(9, Counter({Skipped.NOT_TCP: 4}))
    assert remarks(packets, FlowCounts(read=1, others=5), **NOTHING) == []


@pytest.mark.parametrize(
    ("flows", "other", "said"),
    [
        (
            {"cut_segments": 2},
            {},
            "2 packets of what was read cut short. Capture whole packets: tcpdump -s 0",
        ),
        (
            {"midway": 3, "midway_bytes": 7},
            {},
            "3 connections began before the capture, not readable (7 bytes): ",
        ),
        ({"with_holes": 1}, {}, "1 connection read only up to a packet that the capture lacks"),
        ({"unheard": 1}, {}, "1 connection of which the capture holds nothing that the server sent"),
        ({"late": 2, "late_bytes": 9}, {}, "2 packets came after the end of their connections"),
        ({}, {"unknown": 1}, "1 call left out: whether they were answered is not in the capture"),
        ({"one_sided": 1}, {}, "nothing that a server sent is in the capture"),
        ({}, {"dropped": 4}, "the capture itself missed 4 packets; a larger buffer helps: tcpdump -B 65536"),
        ({}, {"untimed": 2}, "2 packets left out: their blocks have no time"),
        ({}, {"cut": "the file is damaged"}, "the file is damaged"),
        (
            {"left_out": {(f"10.0.0.{n}", 1): n for n in range(7)}},
            {},
            (
                "to other servers left out: 10.0.0.6:1 (6), 10.0.0.5:1 (5), 10.0.0.4:1 (4), 10.0.0.3:1 (3), "
                "10.0.0.2:1 (2) and 2 more"
            ),
        ),
    ],
)
def test_each_kind_of_loss_has_its_remark(flows: dict[str, Any], other: dict[str, Any], said: str) -> None:
    """With its number, and what to do about it."""
    found = remarks(PacketCounts(9), FlowCounts(**{"read": 1, **flows}), **{**NOTHING, **other})
    assert len(found) == 1
    assert said in found[0]


def test_packets_that_could_not_be_used() -> None:
    """By the reason, link types by their numbers."""
    skipped = Counter({Skipped.FRAGMENT: 1, Skipped.LINK_TYPE: 2})
    packets = PacketCounts(9, skipped, {105, 127}, cut=3)
    assert remarks(packets, FlowCounts(read=1), **NOTHING) == [
        "1 packet left out: fragments of IP packets",
        "2 packets left out: link layers that Froude does not read (LINKTYPE 105, 127)",
    ]
    assert what_was_seen(packets, FlowCounts(others=4), 5) == (
        "9 packets, 4 TCP connections with payload, 1 packets fragments of IP packets, "
        "2 packets link layers that Froude does not read (LINKTYPE 105, 127), 3 segments cut short, "
        "5 packets without a time"
    )


def test_calls_that_are_there_twice() -> None:
    """On two connections; a call that was tried again there is none of them."""
    one, other = wire.conversation(1, calls=2), wire.conversation(2, calls=2)
    redactor = Redactor(wire.SCHEMA, bytes(32))
    assert of_calls(to_table(assemble(iter(one), wire.SCHEMA, redactor)[0])) == []
    rows, _ = assemble(iter([*one, *other]), wire.SCHEMA, redactor)
    assert ["2 calls there twice" in said for said in of_calls(to_table(rows))] == [True]
    again = [(*row[:6], row[2] - 1, *row[7:]) for row in rows]
    assert of_calls(to_table(again)) == []
