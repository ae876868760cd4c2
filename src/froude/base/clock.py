"""Time as an argument: the real clock for runs; tests and simulations have one of their own."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Where time comes from; everything outside the named shells is given one."""

    def now(self) -> float:
        """Seconds on a clock that never goes back; its zero is arbitrary."""
        ...

    def wall(self) -> float:
        """Seconds since the epoch, for names and stamps, never for differences."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        ...


class RealClock:
    """The machine's monotonic and wall clocks."""

    __slots__ = ()

    def now(self) -> float:
        """Seconds of `time.perf_counter`."""
        return time.perf_counter()

    def wall(self) -> float:
        """Seconds of `time.time`."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """`time.sleep`."""
        time.sleep(seconds)


class ShiftedClock(RealClock):
    """The time of another machine, as far as its clock's offset is known."""

    __slots__ = ("_offset_s",)

    def __init__(self, offset_s: float) -> None:
        """Show that machine's time.

        Args:
            offset_s: what is added to this machine's `now`.
        """
        self._offset_s = offset_s

    def now(self) -> float:
        """Seconds of the other machine's `time.perf_counter`."""
        return time.perf_counter() + self._offset_s
