"""Which connections are read, and what of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.rpc.target import Target
from froude.trace.capture import flows as module
from froude.trace.capture.flows import Flows
from froude.trace.capture.tcp import ACK, RST, SYN, Segment
from froude.trace.tape import Record, RecordKind
from testbed.packet_bytes import CLIENT, SERVER, Talk, flow, shuffled

HELLO, ANSWER = b"hrpc\x09\x00\x00" + bytes(range(100)), bytes(range(200, 250))
OTHER = ("10.0.0.8", 41_000)


def follow(segments: Iterable[Segment], **how: object) -> tuple[list[Record], Flows]:
    """All segments, a second apart, to the end of the capture."""
    records: list[Record] = []
    flows = Flows(records.append, **how)  # type: ignore[arg-type]
    at = 0.0
    for at, segment in enumerate(segments):
        flows.take(float(at), segment)
    flows.finish(float(at))
    return records, flows


def kinds(records: Iterable[Record]) -> list[str]:
    """What records say, by name."""
    return [RecordKind(kind).name for _, _, kind, _ in records]


def passed(records: Iterable[Record], kind: RecordKind, number: int = 1) -> bytes:
    """The payload of one connection's records of a kind."""
    return b"".join(payload for _, its, k, payload in records if (its, k) == (number, kind))


def test_a_connection_from_its_beginning_to_its_end() -> None:
    """It is opened with its first bytes, each piece passes when its packet did, and it is closed."""
    talk = Talk().open().send(HELLO).answer(ANSWER).close()
    records, flows = follow(talk.segments)
    assert kinds(records) == ["OPEN", "TO_SERVER", "TO_CLIENT", "CLOSE"]
    assert [record[0] for record in records] == [3.0, 3.0, 4.0, 6.0]
    facts = json.loads(records[0][3])
    assert (facts["peer"], facts["at"], facts["port"]) == (list(CLIENT), *SERVER)
    assert Target(*facts["target"]) == Target("", "10.0.0.5:8020", "")
    assert flows.servers == {"10.0.0.5:8020"}
    assert (flows.counts.read, flows.counts.others, flows.counts.one_sided) == (1, 0, 0)


@given(st.binary(max_size=3000), st.binary(max_size=3000), st.randoms(use_true_random=False))
def test_order_and_copies_of_packets_do_not_matter(to: bytes, back: bytes, rng: random.Random) -> None:
    """What both sides sent comes out, each packet seen once or twice, some out of order."""
    talk = Talk().open()
    opening = talk.segments[:]
    talk.segments.clear()
    talk.send(HELLO + to, 50).answer(ANSWER + back, 70)
    middle = shuffled(talk.segments, rng)
    talk.segments.clear()
    segments = [*opening, *middle, *talk.close().segments]
    records, flows = follow([each for each in segments for _ in range(rng.choice((1, 2)))])
    assert passed(records, RecordKind.TO_SERVER) == HELLO + to
    assert passed(records, RecordKind.TO_CLIENT) == ANSWER + back
    assert kinds(records).count("CLOSE") == kinds(records).count("OPEN") == flows.counts.read == 1
    assert "GAP" not in kinds(records)
    assert flows._held_bytes == 0


@pytest.mark.parametrize("lacking", [{0}, {1}, {2}, {0, 1}, {0, 1, 2}])
def test_a_handshake_that_is_not_all_there(lacking: set[int]) -> None:
    """The first bytes tell where both directions begin."""
    talk = Talk().open().send(HELLO, 40).answer(ANSWER)
    records, flows = follow([each for at, each in enumerate(talk.segments) if at not in lacking])
    assert passed(records, RecordKind.TO_SERVER) == HELLO
    assert passed(records, RecordKind.TO_CLIENT) == ANSWER
    assert flows.counts.midway == 0


def test_an_answer_that_is_captured_before_its_question() -> None:
    """It waits for the client's first bytes."""
    talk = Talk().open().send(HELLO).answer(ANSWER)
    talk.segments[3:] = reversed(talk.segments[3:])
    records, _ = follow(talk.segments)
    assert kinds(records) == ["OPEN", "TO_SERVER", "TO_CLIENT"]
    talk = Talk().open().send(HELLO).send(b"question").answer(ANSWER).answer(b"more")
    talk.segments[4], talk.segments[5] = talk.segments[5], talk.segments[4]
    records, _ = follow(talk.segments)
    assert [(record[0], record[3]) for record in records[2:]] == [(5, b"question"), (5, ANSWER), (6, b"more")]


def test_answers_to_what_was_never_seen() -> None:
    """They wait until it is sure that it does not come, and pass as of when they did."""
    talk = Talk().open().send(HELLO).send(b"lost").answer(ANSWER).answer(b"more")
    del talk.segments[4]
    records, _ = follow(talk.segments)
    assert [(record[0], record[3]) for record in records[2:]] == [(4, ANSWER), (5, b"more"), (5, b"4")]
    records, _ = follow(talk.answer(bytes(9)).segments, held_bytes=100)
    assert kinds(records) == ["OPEN", "TO_SERVER", "TO_CLIENT", "GAP", "GAP"]


def test_answers_behind_the_clients_end() -> None:
    """A connection that the client has closed for its part gets the rest of its answers."""
    talk = Talk().open().send(HELLO).answer(ANSWER).finish().answer(b"rest")
    records, _ = follow(talk.segments)
    assert [record[3] for record in records[2:]] == [ANSWER, b"rest"]
    assert records[-1][0] == 6


def test_a_lost_packet_ends_what_is_read() -> None:
    """What came before it is kept; the rest is counted, in each direction."""
    talk = Talk().open().send(HELLO, 20).answer(ANSWER).close()
    lost = talk.segments.pop(5)
    records, flows = follow(talk.segments)
    assert passed(records, RecordKind.TO_SERVER) == HELLO[:40]
    assert passed(records, RecordKind.TO_CLIENT) == ANSWER
    assert passed(records, RecordKind.GAP) == str(len(HELLO) - 40).encode()
    assert lost.payload == HELLO[40:60]
    assert flows.counts.with_holes == 1


def test_a_hole_that_too_much_lies_behind_stays() -> None:
    """Memory is bounded for a connection and for all; later bytes are counted."""
    talk = Talk().open().send(HELLO).answer(ANSWER)
    talk.send(bytes(10_000), 1000)
    del talk.segments[5]
    talk.answer(bytes(77)).reset()
    for limits in ({"held_bytes": 5000}, {"held_in_all_bytes": 5000}):
        records, flows = follow(talk.segments, **limits)
        assert kinds(records) == ["OPEN", "TO_SERVER", "TO_CLIENT", "GAP", "GAP", "CLOSE"]
        assert sum(int(record[3]) for record in records if record[2] == RecordKind.GAP) == 10_000 + 77
        assert records[-1][3] == b"reset"
        assert flows._held_bytes == 0


def test_bytes_that_were_cut_off_are_a_hole() -> None:
    """A snapshot length loses the end of every packet; a later whole copy fills it."""
    talk = Talk().open().send(HELLO, 60)
    whole = talk.segments[3]
    talk.segments[3] = whole._replace(payload=whole.payload[:10], cut_bytes=50)
    records, flows = follow(talk.segments)
    assert passed(records, RecordKind.TO_SERVER) == HELLO[:10]
    assert passed(records, RecordKind.GAP) == str(len(HELLO) - 10).encode()
    records, _ = follow([*talk.segments, whole])
    assert passed(records, RecordKind.TO_SERVER) == HELLO
    assert flows.counts.cut_segments == 0  # it was the packet that opened the connection


def test_a_lost_answer_is_known_by_the_clients_acknowledgement() -> None:
    """Also the last one, and in segments without bytes; copies and the FIN are no loss."""
    talk = Talk().open().send(HELLO).answer(b"one").answer(ANSWER).acknowledge().close()
    lost = [each for each in talk.segments if each.payload != ANSWER]
    records, flows = follow(lost)
    assert (passed(records, RecordKind.TO_CLIENT), passed(records, RecordKind.GAP)) == (b"one", b"50")
    assert flows.counts.with_holes == 1
    del lost[-2]  # the server's FIN
    assert passed(follow(lost)[0], RecordKind.GAP) == b"51"
    early = talk.segments[:]
    early[5], early[6] = early[6], early[5]
    for whole in (early, talk.segments, talk.segments[:-2] + talk.segments[-1:]):
        assert passed(follow(whole)[0], RecordKind.GAP) == b""


def test_what_a_client_acknowledges_of_a_server_that_is_not_captured() -> None:
    """The requests are kept, all of them; what is missing is counted."""
    talk = Talk().open().send(HELLO).answer(ANSWER).send(b"question").answer(ANSWER).acknowledge()
    one_side = [each for each in talk.segments if each.flow == flow(CLIENT, SERVER)]
    records, flows = follow(one_side)
    assert passed(records, RecordKind.TO_SERVER) == HELLO + b"question"
    assert passed(records, RecordKind.GAP) == str(2 * len(ANSWER)).encode()
    assert (flows.counts.unheard, flows.counts.with_holes) == (1, 0)


def test_much_that_the_client_acknowledged_is_not_waited_for() -> None:
    """Memory stays bounded: later requests are counted."""
    talk = Talk().open().send(HELLO).answer(ANSWER).answer(bytes(3000)).send(b"x").send(b"later")
    lost = [each for each in talk.segments if len(each.payload) < 1000]
    records, _ = follow(lost, held_bytes=1000)
    gaps = [record[3] for record in records if record[2] == RecordKind.GAP]
    assert gaps == [b"3000", b"6"]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("off", [-1, 1, 10**6])
@pytest.mark.parametrize("flags", [RST, SYN, SYN | ACK])
def test_packets_that_do_not_fit_end_no_connection(side: int, off: int, flags: int) -> None:
    """An RST or a SYN of another sequence number, from either side, before what both go on to send."""
    talk = Talk().open().send(HELLO).answer(ANSWER)
    at = len(talk.segments)
    talk.send(b"question").answer(b"answer").close()
    likeness = talk.segments[at + side]
    stray = likeness._replace(flags=flags, payload=b"", sequence=(likeness.sequence + off) % 2**32)
    records, flows = follow([*talk.segments[:at], stray, *talk.segments[at:]])
    assert passed(records, RecordKind.TO_SERVER) == HELLO + b"question"
    assert passed(records, RecordKind.TO_CLIENT) == ANSWER + b"answer"
    assert kinds(records).count("CLOSE") == kinds(records).count("OPEN") == 1
    assert "GAP" not in kinds(records)
    assert flows.counts.late == 0


def test_an_answer_that_is_captured_behind_the_reset() -> None:
    """It is read for a while; what comes much later is counted, and copies are not."""
    talk = Talk().open().send(HELLO).answer(ANSWER).reset()
    talk.segments[4], talk.segments[5] = talk.segments[5], talk.segments[4]
    records, _ = follow(talk.segments)
    assert kinds(records) == ["OPEN", "TO_SERVER", "TO_CLIENT", "CLOSE"]
    talk.answer(b"late")
    copies = [talk.segments[3]] * 10
    records, flows = follow([*talk.segments[:-1], *copies, talk.segments[-1]])
    assert passed(records, RecordKind.TO_CLIENT) == ANSWER
    assert (flows.counts.late, flows.counts.late_bytes) == (1, 4)


def test_who_goes_on_sending_was_not_reset() -> None:
    """An RST that fits by chance."""
    talk = Talk().open().send(HELLO).reset().send(b"question", side=0).answer(ANSWER).close()
    records, _ = follow(talk.segments)
    assert passed(records, RecordKind.TO_SERVER) == HELLO + b"question"
    assert records[-1][3] == b""


def test_other_protocols_are_counted_and_left_out() -> None:
    """Also a server that speaks first, one that says too little, and one that says nothing."""
    talks = [
        Talk(("10.0.0.9", 1)).open().send(b"GET / HTTP/1.1\r\n").answer(b"HTTP/1.1 200").close(),
        Talk(("10.0.0.9", 2)).open().answer(b"SSH-2.0" * 10_000).send(b"SSH-2.0"),
        Talk(("10.0.0.9", 3)).open().send(b"hr").close(),
        Talk(("10.0.0.9", 4)).open().reset(),
        Talk(("10.0.0.9", 5)).open(),
    ]
    records, flows = follow([each for talk in talks for each in talk.segments])
    assert (records, flows.counts.read, flows.counts.others) == ([], 0, 5)


def test_servers_that_were_not_asked_for() -> None:
    """They are named with their number of connections."""
    talks = [
        Talk(client, server).open().send(HELLO)
        for client in (CLIENT, OTHER)
        for server in (SERVER, ("10.0.0.6", 9))
    ]
    target = Target("namenode", "10.0.0.5:8020", "")
    records, flows = follow([each for talk in talks for each in talk.segments], targets={SERVER: target})
    assert flows.counts.left_out == {("10.0.0.6", 9): 2}
    assert [json.loads(record[3])["target"][0] for record in records if record[2] == RecordKind.OPEN] == [
        "namenode"
    ] * 2


def test_connections_that_began_before_the_capture() -> None:
    """Those with a server of Hadoop RPC are told from others; none is read from its middle."""
    old = Talk(OTHER).send(bytes(100), 30).answer(bytes(50)).close()
    web = Talk(OTHER, ("10.0.0.6", 80)).send(bytes(10))
    talk = Talk().open().send(HELLO)
    records, flows = follow([*old.segments, *web.segments, *talk.segments])
    assert passed(records, RecordKind.TO_SERVER) == HELLO
    counts = flows.counts
    assert (counts.read, counts.midway, counts.midway_bytes, counts.others) == (1, 1, 150, 1)


def test_a_connection_whose_first_bytes_are_missing() -> None:
    """Its SYN was captured, its preamble was not: the same as one that began before."""
    torn = Talk(OTHER).open().send(HELLO, 20).answer(ANSWER)
    del torn.segments[3]
    talk = Talk().open().send(HELLO)
    _, flows = follow([*torn.segments, *talk.segments])
    assert (flows.counts.read, flows.counts.midway) == (1, 1)


@pytest.mark.parametrize("ended", ["closed", "reset", "open"])
@pytest.mark.parametrize("with_syn", [True, False])
def test_ports_that_are_used_again(ended: str, with_syn: bool) -> None:
    """A SYN of another number, or a preamble after the end, is a new connection; late copies are none."""
    first = Talk().open().send(HELLO).answer(ANSWER)
    if ended != "open":
        first = first.close() if ended == "closed" else first.reset()
    elif not with_syn:
        return  # cannot be told from a hole
    second = Talk(next=[5_000_000, 9_000_000]).open().send(HELLO[:20]).answer(ANSWER[:5])
    late = first.segments[3:5] if ended != "open" else []
    again = second.segments if with_syn else second.segments[2:]
    records, flows = follow([*first.segments, *late, *again])
    assert flows.counts.read == 2
    assert passed(records, RecordKind.TO_SERVER, 2) == HELLO[:20]
    assert passed(records, RecordKind.TO_CLIENT, 2) == ANSWER[:5]
    assert kinds(records).count("CLOSE") == 1


def test_a_syn_that_is_sent_again_changes_nothing() -> None:
    """Nor does an answer to it."""
    talk = Talk().open()
    segments = [talk.segments[0], talk.segments[0], talk.segments[1], *talk.segments]
    segments += Talk().open().send(HELLO).answer(ANSWER).segments[3:]
    records, flows = follow(segments)
    assert (flows.counts.read, passed(records, RecordKind.TO_CLIENT)) == (1, ANSWER)


def test_data_in_the_first_packet() -> None:
    """TCP Fast Open puts it behind the SYN."""
    its = flow(CLIENT, SERVER)
    segments = [
        Segment(its, 9, 0, SYN, HELLO[:50], 0),
        Segment(flow(SERVER, CLIENT), 70, 60, SYN | ACK, b"", 0),
        Segment(its, 60, 71, ACK, HELLO[50:], 0),
    ]
    records, _ = follow(segments)
    assert passed(records, RecordKind.TO_SERVER) == HELLO


def test_only_what_clients_send() -> None:
    """A capture of one direction says so."""
    talk = Talk().open().send(HELLO)
    _, flows = follow([each for each in talk.segments if each.flow == flow(CLIENT, SERVER)])
    assert (flows.counts.read, flows.counts.one_sided) == (1, 1)


def test_flows_that_are_over_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded by the connections that are read; scans of ports do not fill it."""
    monkeypatch.setattr(module, "MOST_FLOWS", 50)
    talk = Talk().open().send(HELLO)
    scan = [Segment(flow(("10.0.0.9", port), SERVER), 1, 0, SYN, b"", 0) for port in range(1, 1000)]
    lost = [Segment(flow(("10.0.0.9", port), OTHER), 1, 0, ACK, b"?", 0) for port in range(1, 1000)]
    resets = [each._replace(flags=RST) for each in scan[:500]]
    records: list[Record] = []
    flows = Flows(records.append)
    for segment in [*talk.segments, *scan[:500], *resets, *scan[500:], *lost]:
        flows.take(0.0, segment)
    assert len(flows._connections) <= 200
    assert len(flows._midway) == 50
    flows.finish(0.0)
    assert flows.counts.read == 1
    assert flows.counts.others == 999 + 50


def test_counts_are_values() -> None:
    """They can be compared and copied."""
    _, flows = follow(Talk().open().send(HELLO).segments)
    assert replace(flows.counts) == flows.counts


@given(
    st.lists(
        st.builds(
            Segment,
            st.sampled_from([flow(CLIENT, SERVER), flow(SERVER, CLIENT), flow(OTHER, SERVER)]),
            st.integers(0, 40) | st.integers(2**32 - 20, 2**32 - 1),
            st.integers(0, 40),
            st.integers(0, 31),
            st.sampled_from([b"", b"hrpc\x09\0\0", b"hr", b"pc", b"x" * 30]),
            st.integers(0, 3),
        ),
        max_size=60,
    )
)
def test_any_segments_give_records_that_belong_together(segments: list[Segment]) -> None:
    """Each connection is opened once before anything else of it, and nothing comes after its end."""
    records, flows = follow(segments, held_bytes=200, held_in_all_bytes=400)
    open_ones: set[int] = set()
    for _, number, kind, _ in records:
        if kind == RecordKind.OPEN:
            assert number == len(open_ones) + 1 or number not in open_ones
            open_ones.add(number)
        else:
            assert number in open_ones
        if kind == RecordKind.CLOSE:
            open_ones.discard(number)
    assert kinds(records).count("OPEN") == flows.counts.read
    assert flows._held_bytes >= 0
