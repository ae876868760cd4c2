"""Utilisation series of machines, and the core-seconds that they add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.harvest.telemetry.samples import Samples

Interval = tuple[float, float]
"""From and to, seconds since the epoch."""
_MOST = 1.0001
"""Share of a machine, with what rounding of percent may add."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """CPU utilisation over time, by machine."""

    series: Mapping[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]
    """Per machine: times in seconds since the epoch, ascending, and shares from 0 to 1, both of shape (n,)."""

    @classmethod
    def of(cls, samples: Samples, path: str) -> Telemetry:
        """The series of samples that have a value; of two samples of one time the later counts.

        Raises:
            InputError: no sample has a value, or one is not a share of a machine.
        """
        series = {}
        for number, own in samples.by_server():
            times, shares = samples.time_s[own], samples.share[own]
            times, shares = times[np.isfinite(shares)], shares[np.isfinite(shares)]
            last = len(times) - 1 - np.unique(times[::-1], return_index=True)[1]
            if len(last):
                series[samples.servers[number]] = times[last], shares[last]
        if not series:
            raise InputError("holds no value of utilisation", file=path)
        low = min(float(shares.min()) for _, shares in series.values())
        high = max(float(shares.max()) for _, shares in series.values())
        if low < 0 or high > _MOST:
            found, allowed = f"{low:.4g} to {high:.4g} of a machine", "0 to 1"
            raise InputError("is not a utilisation", file=path, found=found, allowed=allowed)
        return cls(series)

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
