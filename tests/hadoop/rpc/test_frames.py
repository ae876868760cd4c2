"""Frames are cut out of a stream however it comes, and none is believed before its length is."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.frames import (
    FRAME_LIMIT_BYTES,
    HANDSHAKE_LIMIT_BYTES,
    FrameReader,
    delimited,
    frame,
)
from froude.messages.wire import varint
from tests.support.hadoop.rpc.exchange import cuts


def read(reader: FrameReader, pieces: list[bytes]) -> list[bytes]:
    """Every frame of the pieces."""
    frames = []
    for piece in pieces:
        reader.feed(piece)
        while (payload := reader.next_frame()) is not None:
            frames.append(payload)
    return frames


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "8001"),
        (16383, "ff7f"),
        (16384, "808001"),
        ((1 << 64) - 1, "ff" * 9 + "01"),
    ],
)
def test_varints(value: int, raw: str) -> None:
    """The base-128 form at the borders of its lengths."""
    assert varint(value) == bytes.fromhex(raw)


def test_frames_in_every_cut() -> None:
    """Frames come out the same whole, byte by byte and in halves, with the start of the next left over."""
    frames = [b"", b"a", b"x" * 300]
    data = b"".join(len(f).to_bytes(4, "big") + f for f in frames) + b"\0\0\0\x05tail"
    for pieces in cuts(data):
        reader = FrameReader()
        assert read(reader, pieces) == frames
        assert reader.pending == 8


def test_a_frame_is_its_parts_behind_their_lengths() -> None:
    """Each part has a varint length, the frame one of four bytes."""
    assert frame(b"ab", b"") == b"\0\0\0\x04\x02ab\0"
    assert delimited(b"x" * 200)[:2] == b"\xc8\x01"


def test_a_length_over_the_limit_is_refused_before_memory_is_spent() -> None:
    """The fourth byte is enough to refuse, and a promise of 127 MB costs nothing."""
    reader = FrameReader(limit_bytes=100)
    reader.feed(b"\0\0\0\x65")
    with pytest.raises(RemoteProtocolError, match=r"101 bytes.*allowed: at most 100 bytes"):
        reader.next_frame()
    full = FrameReader(limit_bytes=100)
    full.feed(b"\0\0\0\x64" + bytes(100))
    assert full.next_frame() == bytes(100)
    tracemalloc.start()
    promising = FrameReader()
    promising.feed((127 << 20).to_bytes(4, "big"))
    assert promising.next_frame() is None
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("start", "text"),
    [
        (b"HTTP/1.1 400", "speaks HTTP and not Hadoop RPC; found b'HTTP'"),
        (b"\x15\x03\x03\0\x02\x02", r"speaks TLS and not Hadoop RPC; found b'\\x15\\x03\\x03\\x00'"),
        (b"\xff\xff\xff\xff\0", r"impossible frame; found 4294967295 bytes \(b'\\xff\\xff\\xff\\xff'\)"),
    ],
)
@pytest.mark.parametrize("before", [b"", b"\0\0\0\x01!"])
def test_other_protocols_are_named(start: bytes, text: str, before: bytes) -> None:
    """An answer by HTTP or TLS says so, also behind a frame."""
    reader = FrameReader()
    reader.feed(before + start)
    assert not before or reader.next_frame() == b"!"
    with pytest.raises(RemoteProtocolError, match=text):
        reader.next_frame()


@given(st.lists(st.binary(max_size=9), max_size=5), st.data())
def test_frames_as_they_were_fed(payloads: list[bytes], data: st.DataObject) -> None:
    """Whatever the pieces, of whatever kind of buffer: the same frames, and what is not read yet is pending."""
    stream = b"".join(len(each).to_bytes(4, "big") + each for each in payloads)
    reader, found, at = FrameReader(limit_bytes=9), list[bytes](), 0
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream) - at))
        reader.feed(stream[at : at + size])
        at += size
        if data.draw(st.booleans()):
            while (payload := reader.next_frame()) is not None:
                found.append(payload)
        assert reader.pending == at - sum(4 + len(each) for each in found)
    while (payload := reader.next_frame()) is not None:
        found.append(payload)
    assert (found, reader.pending) == (payloads, 0)


def test_the_limits_are_hadoops() -> None:
    """128 MiB of a request or an answer, and 64 KiB before authentication; one byte more is refused."""
    assert (FRAME_LIMIT_BYTES, HANDSHAKE_LIMIT_BYTES) == (134_217_728, 65_536)
    reader = FrameReader()
    reader.feed(FRAME_LIMIT_BYTES.to_bytes(4, "big"))
    assert reader.next_frame() is None
    reader = FrameReader()
    reader.feed((FRAME_LIMIT_BYTES + 1).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError, match="134217729 bytes"):
        reader.next_frame()


@given(st.binary(max_size=9), st.integers(0, 9))
def test_take_gives_bytes_once_they_are_there(data: bytes, size: int) -> None:
    """Exactly as many, or none."""
    reader = FrameReader()
    reader.feed(data)
    assert reader.take(size) == (data[:size] if size <= len(data) else None)
    assert reader.pending == len(data) - (size if size <= len(data) else 0)


def test_take_leaves_the_rest() -> None:
    """Raw bytes may be taken before frames, across pieces."""
    reader = FrameReader()
    reader.feed(b"hr")
    assert reader.take(4) is None
    reader.feed(b"pc\0\0\0\x01!")
    assert (reader.take(4), reader.next_frame(), reader.pending) == (b"hrpc", b"!", 0)


def test_a_piece_that_is_one_frame_is_known_unread() -> None:
    """Nothing waits, the length fits the piece, and it is within the limit."""
    reader = FrameReader(limit_bytes=5)
    assert reader.is_frame(b"\0\0\0\x05ready")
    assert reader.is_frame(b"\0\0\0\x01!")
    assert not any(
        map(reader.is_frame, (b"", b"\0\0\0", b"\0\0\0\0", b"\0\0\0\x04ready", b"\0\0\0\x06longer"))
    )
    reader.feed(b"\0")
    assert not reader.is_frame(b"\0\0\0\x05ready")
