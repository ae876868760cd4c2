"""The tape's end in the proxy: what waits, what is dropped and counted, what is held."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from froude.base.errors import FroudeError
from froude.trace.capture.link import RecorderLink
from froude.trace.capture.settings import CaptureSettings
from froude.trace.tape import Record, RecordKind, Splitter


class Socket:
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        self.data = b""
        self.limits: dict[str, int] = {}

    def set_write_buffer_limits(self, **limits: int) -> None:
        self.limits = limits

    def write(self, data: bytes) -> None:
        self.data += data

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def records(self) -> list[Record]:
        return list(Splitter().feed(self.data))


def link(use: Callable[[RecorderLink, Socket, list[Any]], None], **more: Any) -> None:
    """Use a link over such a socket; errors and holds go into the list."""

    async def main() -> None:
        seen: list[Any] = []
        tape = RecorderLink(CaptureSettings((), Path("/x"), **more), seen.append)
        tape.on_hold = seen.append
        sock = Socket()
        tape.connection_made(sock)  # type: ignore[arg-type]
        tape.ready.set_result(None)
        use(tape, sock, seen)

    asyncio.run(main())


def test_the_bound_is_the_one_that_was_asked_for() -> None:
    """In bytes that the socket has not taken."""

    def use(_link: RecorderLink, sock: Socket, _seen: list[Any]) -> None:
        assert sock.limits["high"] == 5_000_000
        assert 0 <= sock.limits["low"] < 5_000_000

    link(use, backlog_bytes=5_000_000)


def test_beyond_the_bound_a_connection_is_not_recorded_further() -> None:
    """What was missed is counted when it closes; connections that open later are recorded."""

    def use(tape: RecorderLink, sock: Socket, seen: list[Any]) -> None:
        tape.record(1, RecordKind.OPEN, b"{}")
        tape.pause_writing()
        tape.record(1, RecordKind.TO_SERVER, b"12345")
        tape.resume_writing()
        tape.record(1, RecordKind.TO_SERVER, b"678")
        tape.record(2, RecordKind.OPEN, b"{}")
        tape.record(2, RecordKind.TO_SERVER, b"kept")
        tape.record(1, RecordKind.CLOSE, b"")
        tape.say(RecordKind.FINISH)
        records = [record[1:] for record in sock.records()]
        assert records == [
            (1, RecordKind.OPEN, b"{}"),
            (2, RecordKind.OPEN, b"{}"),
            (2, RecordKind.TO_SERVER, b"kept"),
            (1, RecordKind.GAP, b"8"),
            (1, RecordKind.CLOSE, b""),
            (0, RecordKind.FINISH, b""),
        ]
        assert tape.dropped_bytes == 8
        assert seen == []

    link(use)


def test_lossless_holds_and_lets_go() -> None:
    """Nothing is dropped; whoever forwards is told to wait, and to go on."""

    def use(tape: RecorderLink, sock: Socket, seen: list[Any]) -> None:
        tape.pause_writing()
        tape.record(1, RecordKind.TO_SERVER, b"read already")
        tape.resume_writing()
        tape.say(RecordKind.FINISH)
        assert [record[3] for record in sock.records()] == [b"read already", b""]
        assert (seen, tape.dropped_bytes) == ([True, False], 0)

    link(use, lossless=True)


def test_nobody_waits_for_a_recorder_that_is_gone() -> None:
    """The hold ends before the error is told."""

    def use(tape: RecorderLink, _sock: Socket, seen: list[Any]) -> None:
        tape.pause_writing()
        tape.connection_lost(None)
        assert seen[:2] == [True, False]
        assert isinstance(seen[2], FroudeError)

    link(use, lossless=True)
