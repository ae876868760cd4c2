"""How far the clock of another machine is from this one's, with a bound on the error.

This machine asks and notes when the answer came; the other one read its clock in between. So its offset is the middle
of asking and hearing less its time, wrong by at most half of the round trip, however the network delays either way.
The shortest round trip says most. Clocks drift apart, so that only the last answers count for what holds now.

Source: Cristian 1989, "Probabilistic clock synchronization".
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from froude.emulation.sharing import Pong

_LAST = 16
"""Answers that count: as many seconds of a play, in which clocks drift apart by some hundred microseconds at most."""


class Offset(NamedTuple):
    """What must be added to another clock's time."""

    error_s: float
    """The most by which `offset_s` can be wrong."""
    offset_s: float


class OffsetOf:
    """The offset of one other machine, by its answers."""

    def __init__(self) -> None:
        """Nothing is known."""
        self._heard: deque[Offset] = deque(maxlen=_LAST)
        self.used = Offset(0.0, 0.0)
        """The one that the other machine was given, by which it shows this machine's time."""

    def hear(self, pong: Pong, now_s: float) -> None:
        """Take an answer.

        Args:
            now_s: on this machine's clock.
        """
        assert pong.sent_s <= now_s
        half_s = (now_s - pong.sent_s) / 2
        self._heard.append(Offset(half_s, pong.sent_s + half_s - pong.time_s))

    @property
    def answers(self) -> int:
        """How many of them have come, up to those that count."""
        return len(self._heard)

    @property
    def now(self) -> Offset:
        """By the answer with the shortest round trip of the last ones.

        Raises:
            ValueError: none has come.
        """
        return min(self._heard)

    @property
    def error_s(self) -> float:
        """The most by which times that the other machine shows differ from this machine's now."""
        return abs(self.now.offset_s - self.used.offset_s) + self.now.error_s
