"""A stream of ready-made calls: as many in flight as a window allows, or paced; for benchmarks and replays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from froude.emulation.programs.events import Event, Instruction, Reached, Send, Started, Timer, WakeAt
from froude.workload.types import Moment


class Ready(NamedTuple):
    """A call whose request is made already."""

    protocol: str
    method: str
    body: bytes
    at_s: float = 0.0
    """When it is to be sent, seconds from the stream's beginning; only a paced stream looks at it."""


class Stream:
    """Plays calls in their order; answers may come in any.

    Closed loop: a call is sent, and intended, when an answer makes room. Paced: a call is intended at its own
    time, sent then if the window has room, and otherwise late; lateness and latency tell.
    """

    __slots__ = ("_begun_s", "_calls", "_flying", "_next", "_paced", "_window")

    def __init__(self, calls: Iterator[Ready], *, window: int = 64, paced: bool = False) -> None:
        """Make ready.

        Args:
            calls: what to send, taken one by one.
            window: most calls in flight, at least 1.
            paced: whether to wait for each call's own time.
        """
        self._calls = calls
        self._window = window
        self._paced = paced
        self._flying = 0
        self._begun_s = 0.0
        self._next: Ready | None = None

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`.

        Args:
            event: what happened to it.
            now_s: seconds on the play's clock.
        """
        kind = type(event)
        if kind is Started:
            self._begun_s = now_s
            self._next = next(self._calls, None)
            return self._fill(now_s)
        if kind is Timer:
            return self._fill(now_s)
        self._flying -= 1
        call = self._next
        if call is None or self._paced:
            return self._fill(now_s)
        self._flying += 1
        self._next = next(self._calls, None)
        return (Send(call[0], call[1], call[2], 0, now_s),)

    def overdue(self, now_s: float) -> Iterator[tuple[str, float]]:
        """See `Program`; of a stream that is not paced nothing is.

        Args:
            now_s: seconds on the play's clock.
        """
        while self._paced and self._next is not None and self._begun_s + self._next.at_s <= now_s:
            yield self._next.method, self._begun_s + self._next.at_s
            self._next = next(self._calls, None)

    def _fill(self, now_s: float) -> Sequence[Instruction]:
        out: list[Instruction] = []
        while self._next is not None and self._flying < self._window:
            call = self._next
            due_s = self._begun_s + call.at_s if self._paced else now_s
            if due_s > now_s:
                out.append(WakeAt(due_s, 0))
                return out
            out.append(Send(call.protocol, call.method, call.body, 0, due_s))
            self._flying += 1
            self._next = next(self._calls, None)
        if self._next is None and self._flying == 0:
            out.append(Reached(Moment.FINISHED))
        return out
