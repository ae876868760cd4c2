"""Periods that were lowered for a recording, so that a short run shows calls that are otherwise made once an hour.

Who records notes the configured and the recorded period of the calls' method in the Trace's `meta.notes`, one note a
method: `interval.renewLease: configured 30 s, recorded 2 s`. Mining scales what it finds back to the configured period.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from froude.base.errors import InputError

_PREFIX = "interval."
_TEXT = re.compile(r"^configured (?P<configured>[0-9.e+-]+) s, recorded (?P<recorded>[0-9.e+-]+) s$")


@dataclass(frozen=True, slots=True)
class LoweredInterval:
    """The period of one method's calls: as a cluster has it, and as the recorded one had it."""

    method: str
    """Such as `renewLease`."""
    configured_s: float
    """Seconds, above zero: what the cluster that is asked about has."""
    recorded_s: float
    """Seconds, above zero."""

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            ValueError: no method, or a period that is not above zero.
        """
        periods_s = (self.configured_s, self.recorded_s)
        if not self.method or not all(math.isfinite(s) and s > 0 for s in periods_s):
            raise ValueError(f"a method and two periods above zero are needed, got {self}")

    @property
    def note(self) -> tuple[str, str]:
        """Name and text of the note that says it."""
        return (
            f"{_PREFIX}{self.method}",
            f"configured {self.configured_s:g} s, recorded {self.recorded_s:g} s",
        )

    def rescaled(self, gap_s: float) -> float:
        """What the time between two calls would have been with the configured period.

        The difference of the periods is added, not their ratio taken: what a call is late does not grow with its
        period. A gap over calls that failed to come spans several periods.

        Args:
            gap_s: as recorded, seconds.
        """
        periods = max(1, round(gap_s / self.recorded_s))
        return gap_s + periods * (self.configured_s - self.recorded_s)


def lowered_intervals(notes: Mapping[str, str]) -> dict[str, LoweredInterval]:
    """The lowered periods of a Trace, by method.

    Args:
        notes: of its meta; other notes are passed over.

    Raises:
        InputError: a note of that name says no two periods.
    """
    lowered = {}
    for name, text in notes.items():
        method = name.removeprefix(_PREFIX)
        if method == name:
            continue
        found = _TEXT.match(text)
        try:
            lowered[method] = LoweredInterval(
                method, *(float(part) for part in (found.groups() if found else ()))
            )
        except (TypeError, ValueError):
            raise InputError(
                "is no lowered period",
                place=f"notes: {name}",
                found=text,
                allowed="configured N s, recorded N s",
            ) from None
    return lowered
