"""Streams of ready-made calls."""

from __future__ import annotations

from froude.emulation.programs.events import Failed, Reached, Reply, Send, Started, Timer, WakeAt
from froude.emulation.programs.stream import Ready, Stream
from froude.workload.types import Moment


def calls(count: int, every_s: float = 0.0) -> list[Ready]:
    """Calls told apart by their bodies."""
    return [Ready("p", "m", bytes([n]), n * every_s) for n in range(count)]


def test_a_closed_loop_keeps_its_window_full() -> None:
    """As many in flight as the window, one more for each answer or error, and an end."""
    stream = Stream(iter(calls(3)), window=2)
    said = list(stream.handle(Started(0.0), 1.0))
    assert said == [Send("p", "m", b"\x00", 0, 1.0), Send("p", "m", b"\x01", 0, 1.0)]
    assert list(stream.handle(Failed(0, "X", ""), 2.0)) == [Send("p", "m", b"\x02", 0, 2.0)]
    assert list(stream.handle(Reply(0, b""), 3.0)) == []
    assert list(stream.handle(Reply(0, b""), 4.0)) == [Reached(Moment.FINISHED)]


def test_a_paced_stream_keeps_intended_times_when_it_is_late() -> None:
    """A call that finds the window full goes out late, dated when it was due."""
    stream = Stream(iter(calls(3, every_s=1.0)), window=1, paced=True)
    assert list(stream.handle(Started(0.0), 10.0)) == [Send("p", "m", b"\x00", 0, 10.0)]
    assert list(stream.handle(Reply(0, b""), 10.5)) == [WakeAt(11.0, 0)]
    assert list(stream.handle(Timer(0, 11.0), 11.0)) == [Send("p", "m", b"\x01", 0, 11.0)]
    assert list(stream.handle(Reply(0, b""), 14.0)) == [Send("p", "m", b"\x02", 0, 12.0)]


def test_an_empty_stream_ends_at_once() -> None:
    """Nothing to send is an end, not a hang."""
    assert list(Stream(iter([])).handle(Started(0.0), 0.0)) == [Reached(Moment.FINISHED)]


def test_what_is_overdue_of_a_paced_stream() -> None:
    """The calls that the window kept back, with their own times; a closed loop is never behind."""
    stream = Stream(iter(calls(5, every_s=1.0)), window=1, paced=True)
    stream.handle(Started(0.0), 10.0)
    assert list(stream.overdue(12.5)) == [("m", 11.0), ("m", 12.0)]
    closed = Stream(iter(calls(5)), window=1)
    closed.handle(Started(0.0), 10.0)
    assert list(closed.overdue(99.0)) == []
