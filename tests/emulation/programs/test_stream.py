"""Streams of ready-made calls."""

from __future__ import annotations

from froude.emulation.programs.events import Failed, Reached, Reply, Send, Started
from froude.emulation.programs.stream import Ready, Stream
from froude.workload.types import Moment


def calls(count: int) -> list[Ready]:
    """Calls told apart by their bodies."""
    return [Ready("p", "m", bytes([n])) for n in range(count)]


def test_a_closed_loop_keeps_its_window_full() -> None:
    """As many in flight as the window, one more for each answer or error, and an end."""
    stream = Stream(iter(calls(3)), window=2)
    said = list(stream.handle(Started(0.0), 1.0))
    assert said == [Send("p", "m", b"\x00", 0, 1.0), Send("p", "m", b"\x01", 0, 1.0)]
    assert list(stream.handle(Failed(0, "X", ""), 2.0)) == [Send("p", "m", b"\x02", 0, 2.0)]
    assert list(stream.handle(Reply(0, b""), 3.0)) == []
    assert list(stream.handle(Reply(0, b""), 4.0)) == [Reached(Moment.FINISHED)]


def test_an_empty_stream_ends_at_once() -> None:
    """Nothing to send is an end, not a hang."""
    assert list(Stream(iter([]), window=1).handle(Started(0.0), 0.0)) == [Reached(Moment.FINISHED)]


def test_a_closed_loop_is_never_behind() -> None:
    """A call is due when the window has room for it."""
    stream = Stream(iter(calls(5)), window=1)
    stream.handle(Started(0.0), 10.0)
    assert list(stream.overdue(99.0)) == []
