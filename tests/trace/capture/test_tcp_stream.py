"""One direction of TCP, put in order."""

from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from froude.trace.capture.tcp_stream import Stream

WRAP = 1 << 32
FIRST = st.sampled_from([0, 1, 12345, WRAP - 1, WRAP - 50, (WRAP >> 1) - 3])


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
