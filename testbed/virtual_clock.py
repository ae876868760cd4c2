"""A clock that stands still until it is moved."""

from __future__ import annotations


class VirtualClock:
    """A clock that stands still until it is moved; the heart of every deterministic simulation."""

    __slots__ = ("_epoch_s", "_now_s")

    def __init__(self, start_s: float = 0.0, epoch_s: float = 1_700_000_000.0) -> None:
        """Start at `start_s`, with the wall clock `epoch_s` ahead of it.

        Args:
            start_s: what `now` gives at first, seconds.
            epoch_s: seconds since the epoch at which the virtual time is 0; by default a moment in November
                2023.
        """
        self._now_s = start_s
        self._epoch_s = epoch_s

    def now(self) -> float:
        """The virtual time in seconds."""
        return self._now_s

    def wall(self) -> float:
        """The virtual time as seconds since the epoch."""
        return self._epoch_s + self._now_s

    def sleep(self, seconds: float) -> None:
        """Move on by so much."""
        self.advance_to(self._now_s + seconds)

    def advance_to(self, time_s: float) -> None:
        """Move to `time_s`.

        Raises:
            ValueError: if that lies in the past.
        """
        if time_s < self._now_s:
            raise ValueError(f"the clock is at {self._now_s} and cannot go back to {time_s}")
        self._now_s = time_s
