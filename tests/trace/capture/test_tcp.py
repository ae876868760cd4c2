"""From a packet to its TCP segment, and from segments to bytes in order."""

from __future__ import annotations

import itertools
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.trace.capture.tcp import ACK, Segment, Skipped, Stream, reverse, segment_in, source_of
from testbed.packet_bytes import CLIENT, SERVER, ethernet, flow, ipv4, ipv6, tcp

WRAP = 1 << 32
FIRST = st.sampled_from([0, 1, 12345, WRAP - 1, WRAP - 50, (WRAP >> 1) - 3])
TOLD = tcp(CLIENT, SERVER, 77, b"hrpc", ack=99)
SEGMENT = Segment(flow(CLIENT, SERVER), 77, 99, ACK, b"hrpc", 0)
FOUR = ipv4(CLIENT, SERVER, TOLD)
ENDS = ("2001:db8::7", 40_000), ("::1", 8020)
SIX = ipv6(*ENDS, tcp(*ENDS, 77, b"hrpc", ack=99))
SEGMENT6 = SEGMENT._replace(flow=flow(*ENDS))


def test_a_packet_by_its_bytes() -> None:
    """An Ethernet frame written down from the RFCs, padded as short frames are."""
    frame = bytes.fromhex(
        "000000000000 000000000000 0800"
        "45000029 00014000 4006 0000 7f000001 7f000002"
        "9c40 1f54 00000001 00000002 5018 0200 0000 0000 68 0000000000"
    )
    ends = ("127.0.0.1", 40_000), ("127.0.0.2", 8020)
    assert segment_in(1, frame) == Segment(flow(*ends), 1, 2, 0x18, b"h", 0)


@pytest.mark.parametrize(
    ("link", "head"),
    [
        (0, struct.pack("<I", 2)),
        (0, struct.pack(">I", 2)),
        (108, struct.pack(">I", 2)),
        (1, bytes(12) + b"\x08\x00"),
        (1, bytes(12) + b"\x81\x00\x00\x05\x08\x00"),
        (1, bytes(12) + b"\x88\xa8\x00\x05\x81\x00\x00\x06\x08\x00"),
        (12, b""),
        (14, b""),
        (101, b""),
        (228, b""),
        (113, b"\0\4\3\4\0\6" + bytes(8) + b"\x08\x00"),
        (113, b"\0\4\3\4\0\6" + bytes(8) + b"\x81\x00\x00\x05\x08\x00"),
        (276, b"\x08\x00\0\0\0\0\0\1\3\4\4\6" + bytes(8)),
        (276, b"\x81\x00\0\0\0\0\0\1\0\1\4\6" + bytes(8) + b"\x00\x05\x08\x00"),
    ],
)
def test_each_link_type(link: int, head: bytes) -> None:
    """Ethernet with VLAN tags, loopback of the BSDs, raw IP, Linux cooked of both versions."""
    assert segment_in(link, head + FOUR) == SEGMENT


@pytest.mark.parametrize(
    ("link", "head"),
    [
        (0, struct.pack("<I", 30)),
        (1, bytes(12) + b"\x86\xdd"),
        (101, b""),
        (229, b""),
        (113, bytes(14) + b"\x86\xdd"),
        (276, b"\x86\xdd" + bytes(18)),
    ],
)
def test_ipv6(link: int, head: bytes) -> None:
    """With any link layer."""
    assert segment_in(link, head + SIX) == SEGMENT6
    assert source_of(SEGMENT6.flow) == ("2001:db8::7", 40_000)


@pytest.mark.parametrize(
    ("first", "extensions"),
    [
        (0, b"\x06\x00" + bytes(6)),
        (60, b"\x2b\x01" + bytes(14) + b"\x06\x00" + bytes(6)),
        (51, b"\x06\x04" + bytes(22)),
    ],
)
def test_ipv6_extension_headers(first: int, extensions: bytes) -> None:
    """Options, routing and authentication stand before TCP."""
    whole = ipv6(*ENDS, tcp(*ENDS, 77, b"hrpc", ack=99), extensions=extensions, first=first)
    assert segment_in(101, whole) == SEGMENT6


def test_a_cut_packet_tells_how_much_it_lacks() -> None:
    """By the length that IP says."""
    whole = ethernet(ipv4(CLIENT, SERVER, tcp(CLIENT, SERVER, 77, bytes(100))))
    for kept in range(len(whole) + 1):
        found = segment_in(1, whole[:kept], len(whole) - kept)
        if kept < 14 + 20 + 14:  # up to the flags of TCP
            assert found is Skipped.CUT
        else:
            assert isinstance(found, Segment)
            assert len(found.payload) + found.cut_bytes == 100


def test_a_packet_that_the_card_cuts_up_later() -> None:
    """Its IP length is 0: the packet is as long as it is."""
    four = FOUR[:2] + b"\0\0" + FOUR[4:]
    six = SIX[:4] + b"\0\0" + SIX[6:]
    assert segment_in(101, four) == SEGMENT
    assert segment_in(101, six[:-1], 1) == SEGMENT6._replace(payload=b"hrp", cut_bytes=1)


@pytest.mark.parametrize(
    ("link", "data", "why"),
    [
        (101, ipv4(CLIENT, SERVER, TOLD, protocol=17), Skipped.NOT_TCP),
        (101, ipv4(CLIENT, SERVER, TOLD, fragment=0x2000), Skipped.FRAGMENT),
        (101, ipv4(CLIENT, SERVER, TOLD, fragment=100), Skipped.FRAGMENT),
        (101, ipv6(*ENDS, bytes(16), first=44), Skipped.FRAGMENT),
        (101, ipv6(*ENDS, bytes(16), first=17), Skipped.NOT_TCP),
        (101, b"\x00" * 60, Skipped.NOT_TCP),
        (101, b"\x42" + FOUR[1:], Skipped.DAMAGED),
        (101, FOUR[:32] + b"\x10" + FOUR[33:], Skipped.DAMAGED),
        (1, bytes(12) + b"\x08\x06" + bytes(28), Skipped.NOT_TCP),
        (0, struct.pack("<I", 7) + FOUR, Skipped.NOT_TCP),
        (105, FOUR, Skipped.LINK_TYPE),
        (1, b"", Skipped.CUT),
    ],
)
def test_what_holds_no_segment(link: int, data: bytes, why: Skipped) -> None:
    """Each with its reason."""
    assert segment_in(link, data) is why


def test_flows_of_both_directions() -> None:
    """Addresses and ports change places; an IPv4 address within an IPv6 one is one of IPv4."""
    assert reverse(flow(CLIENT, SERVER)) == flow(SERVER, CLIENT)
    assert reverse(flow(*ENDS)) == flow(ENDS[1], ENDS[0])
    mapped = flow(("::ffff:a00:7", 5), ("::1", 6))
    assert source_of(mapped) == ("10.0.0.7", 5)


@given(
    st.sampled_from([0, 1, 12, 101, 108, 113, 228, 229, 276, 9999]),
    st.binary(max_size=120),
    st.sampled_from([b"", FOUR, SIX]),
)
def test_any_bytes_give_a_segment_or_a_reason(link: int, data: bytes, tail: bytes) -> None:
    """And never an exception."""
    found = segment_in(link, data + tail)
    if isinstance(found, Segment):
        assert found.cut_bytes >= 0
        assert len(found.flow) in (12, 36)


def pieces(data: bytes, rng: random.Random) -> list[tuple[int, bytes]]:
    """The bytes in segments, some of which overlap others or come twice; place and payload."""
    cuts = sorted({0, len(data), *(rng.randrange(len(data) + 1) for _ in range(8))})
    made = [(low, data[low:high]) for low, high in itertools.pairwise(cuts)]
    for _ in range(rng.randrange(5)):
        low = rng.randrange(len(data) + 1)
        made.append((low, data[low : low + rng.randrange(40)]))
    return made


@given(st.binary(min_size=1, max_size=200), FIRST, st.randoms(use_true_random=False))
def test_split_shuffled_doubled_and_overlapping_segments_give_the_same_bytes(
    data: bytes, first: int, rng: random.Random
) -> None:
    """In whatever order they come, with sequence numbers that wrap around."""
    stream, segments = Stream(first), pieces(data, rng)
    rng.shuffle(segments)
    out = b"".join(stream.take((first + place) % WRAP, payload) for place, payload in segments)
    assert out == data
    assert (stream.held_bytes, stream.missing_bytes) == (0, 0)
    stream.take((first + len(data)) % WRAP, b"", fin=True)
    assert stream.ended


@given(st.binary(min_size=2, max_size=200), FIRST, st.randoms(use_true_random=False), st.data())
def test_a_missing_segment_ends_what_is_given_out(
    data: bytes, first: int, rng: random.Random, draw: st.DataObject
) -> None:
    """What comes before it is given out, what lies behind it is counted."""
    cuts = sorted({0, len(data), *(rng.randrange(len(data)) for _ in range(6))})
    segments = [(low, data[low:high]) for low, high in itertools.pairwise(cuts)]
    lost, _ = segments.pop(draw.draw(st.integers(0, len(segments) - 1)))
    rng.shuffle(segments)
    stream = Stream(first)
    out = b"".join(stream.take((first + place) % WRAP, payload) for place, payload in segments)
    stream.take((first + len(data)) % WRAP, b"", fin=True)
    assert out == data[:lost]
    assert stream.missing_bytes == len(data) - lost
    assert not stream.ended
    stream.clear()
    assert stream.held_bytes == 0


def test_more_than_four_gigabytes_pass() -> None:
    """Sequence numbers come round again and again."""
    stream, step = Stream(0), WRAP // 3
    stream_at = 0
    for _ in range(10):
        # a retransmission of what is long past, then the next byte
        assert stream.take((stream_at - 5) % WRAP, b"12345") == b""
        assert stream.take(stream_at % WRAP, b"x") == b"x"
        stream._next += step  # as though so many bytes had passed
        stream_at += 1 + step


def test_the_first_copy_counts() -> None:
    """What was given out is not taken back, and of copies behind a hole the longer is kept."""
    stream = Stream(0)
    assert stream.take(0, b"abc") == b"abc"
    assert stream.take(1, b"XYd") == b"d"
    assert stream.take(6, b"g") == b""
    assert stream.take(6, b"ghi") == b""
    assert stream.take(6, b"gh") == b""
    assert stream.take(4, b"ef") == b"efghi"


def test_a_probe_of_a_closed_window_brings_nothing() -> None:
    """A keep-alive repeats the byte before the next."""
    stream = Stream(10)
    assert stream.take(10, b"abc") == b"abc"
    assert stream.take(12, b"?") == b""
    assert stream.take(13, b"d") == b"d"


def test_the_first_end_counts() -> None:
    """A second FIN elsewhere changes nothing."""
    stream = Stream(0)
    stream.take(2, b"c", fin=True)
    stream.take(9, b"", fin=True)
    assert not stream.ended
    assert stream.take(0, b"ab") == b"abc"
    assert stream.ended
