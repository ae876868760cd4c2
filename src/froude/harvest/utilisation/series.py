"""Utilisation series of machines, and the core-seconds that they add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]
"""From and to, seconds since the epoch."""


class Scale(Enum):
    """What a table's utilisation counts in."""

    PERCENT = "percent"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Telemetry:
    """CPU utilisation over time, by machine."""

    series: Mapping[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]
    """Per machine: times in seconds since the epoch, ascending, and shares from 0 to 1, both of shape (n,)."""

    @property
    def machines(self) -> int:
        """How many there are."""
        return len(self.series)

    def overall(self) -> tuple[float, float, float]:
        """Mean share of all samples, and the times of the first and the last."""
        shares = np.concatenate([shares for _, shares in self.series.values()])
        times = [times for times, _ in self.series.values()]
        return float(shares.mean()), min(float(t[0]) for t in times), max(float(t[-1]) for t in times)

    def core_seconds(self, cores: float, windows: Sequence[Interval]) -> tuple[float, float]:
        """The CPU time spent within windows.

        Each sample holds until the next one, the last for the usual step of its series.

        Args:
            windows: the times asked about; none overlaps another.

        Returns:
            Core-seconds, and machine-seconds of the windows that samples cover. Linear in the samples, times
            the number of windows.

        Source: ours.
        """
        spent = covered = 0.0
        for times, shares in self.series.values():
            step = float(np.median(np.diff(times))) if len(times) > 1 else 60.0
            ends = np.append(np.minimum(times[1:], times[:-1] + 3 * step), times[-1] + step)
            for start_s, end_s in windows:
                held = np.clip(np.minimum(ends, end_s) - np.maximum(times, start_s), 0.0, None)
                spent += float(held @ shares) * cores
                covered += float(held.sum())
        return spent, covered
