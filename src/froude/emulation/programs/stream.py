"""A stream of ready-made calls, as many in flight as a window allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from froude.emulation.programs.events import Event, Instruction, Reached, Send, Started
from froude.workload.types import Moment


class Ready(NamedTuple):
    """A call whose request is made already."""

    protocol: str
    method: str
    body: bytes


class Stream:
    """Sends calls in their order, each when an answer makes room; answers may come in any order."""

    __slots__ = ("_calls", "_flying", "_next", "_window")

    def __init__(self, calls: Iterator[Ready], *, window: int) -> None:
        """Make ready.

        Args:
            window: most calls in flight, at least 1.
        """
        self._calls = calls
        self._window = window
        self._flying = 0
        self._next: Ready | None = None

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        if type(event) is Started:
            self._next = next(self._calls, None)
            return self._fill(now_s)
        self._flying -= 1
        call = self._next
        if call is None:
            return self._fill(now_s)
        self._flying += 1
        self._next = next(self._calls, None)
        return (Send(call[0], call[1], call[2], 0, now_s),)

    def overdue(self, now_s: float) -> Sequence[tuple[str, float]]:  # noqa: ARG002 - see `Program`
        """Nothing: each call is due when there is room for it."""
        return ()

    def _fill(self, now_s: float) -> Sequence[Instruction]:
        out: list[Instruction] = []
        while self._next is not None and self._flying < self._window:
            call = self._next
            out.append(Send(call.protocol, call.method, call.body, 0, now_s))
            self._flying += 1
            self._next = next(self._calls, None)
        if self._next is None and self._flying == 0:
            out.append(Reached(Moment.FINISHED))
        return out
