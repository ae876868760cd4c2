"""Dirty telemetry made clean, with a count of everything that was changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from froude.base.summary import counted
from froude.harvest.telemetry.datacenter import Floats, Ints, Shares

_WEEK_DAYS, _HOURS = 7, 24
_SELDOM, _NEARLY_ALL, _FEWEST = 0.2, 0.9, 3
"""Share of its slots in which a tenant that is seldom at 0 is; share of such tenants that are at 0 in an outage, and the
fewest that show one."""
_MANY, _HOUR_S, _FEWEST_SLOTS = 0.5, 3600.0, 6
"""Likewise of tenants that keep one value, how long, and in how many slots at least."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was found wrong in samples, by kind."""

    samples: int = 0
    duplicates: int = 0
    """Second and later samples of one server at one time; the last one counts."""
    missing: int = 0
    """Samples without a value; left out."""
    negative: int = 0
    """Taken for 0."""
    above: int = 0
    """Above 100 %; taken for 100 %."""
    invalid: int = 0
    """Values by which a published trace marks an invalid one; their samples have no value."""
    gaps: int = 0
    """Slots without any sample of a server, in its first to its last."""
    apart_s: float = 0.0
    """Median time between two samples of a server, of some servers; 0 where none has two."""
    shorter: tuple[str, ...] = ()
    """Servers whose samples begin later, or end earlier, than those of others."""
    at_zero: str = ""
    """When nearly all tenants are at 0 that seldom are, in words; empty where they never are."""
    unchanged: str = ""
    """Likewise, when many tenants keep one value."""

    def __add__(self, other: Cleaned) -> Cleaned:
        counts = [
            name for name in self.__slots__ if name not in {"apart_s", "shorter", "at_zero", "unchanged"}
        ]  # are of all
        return Cleaned(*(getattr(self, name) + getattr(other, name) for name in counts))

    def text(self) -> str:
        """In words; what was not found is left out."""
        said = [
            (self.duplicates, counted(self.duplicates, "duplicate")),
            (self.missing, f"{self.missing:,} without a value"),
            (self.invalid, f"{self.invalid:,} marked as invalid"),
            (self.negative, f"{self.negative:,} below 0 taken for 0"),
            (self.above, f"{self.above:,} above 100 % taken for 100 %"),
            (self.gaps, counted(self.gaps, "slot") + " without a sample"),
        ]
        if self.shorter:
            each = f"{counted(len(self.shorter), 'server')} without samples at the begin or end"
            said.append((1, f"{each}, such as {self.shorter[0]}"))
        if self.at_zero:
            said.append((1, f"nearly all tenants at 0 in {self.at_zero}: an outage of the monitoring?"))
        if self.unchanged:
            said.append(
                (1, f"many tenants keep one value in {self.unchanged}: the last ones before an outage?")
            )
        parts = ", ".join(text for number, text in said if number)
        return f"{counted(self.samples, 'sample')}: {parts or 'nothing to clean'}"


def on_slots(
    time_s: Floats, share: Floats, *, start_s: float, slot_s: float, slots: int
) -> tuple[Shares, Cleaned]:
    """One server's samples as a mean a slot.

    Args:
        time_s: shape (n,), in any order.
        share: shape (n,): 0 to 1 where right; NaN where there is none.
        start_s: when the first slot begins.
        slots: how many; samples outside are left out.

    Returns:
        Shape (slots,), NaN where nothing was measured; and what was cleaned. n log n.
    """
    order = np.argsort(time_s, kind="stable")
    time_s, share = time_s[order], share[order]
    inside = (time_s >= start_s) & (time_s < start_s + slots * slot_s)
    time_s, share = time_s[inside], share[inside]
    last = np.append(time_s[1:] != time_s[:-1], True)[: len(time_s)]
    there = np.isfinite(share)
    kept = last & there
    value = share[kept]
    slot = ((time_s[kept] - start_s) // slot_s).astype(np.int64)
    count = np.bincount(slot, minlength=slots)
    total = np.bincount(slot, weights=np.clip(value, 0.0, 1.0), minlength=slots)
    with np.errstate(invalid="ignore"):
        series = (total / count).astype(np.float32)
    spanned = int(slot[-1] - slot[0] + 1) if len(slot) else 0
    return series, Cleaned(
        samples=len(time_s),
        duplicates=int((~last).sum()),
        missing=int((last & ~there).sum()),
        negative=int((value < 0).sum()),
        above=int((value > 1).sum()),
        gaps=spanned - int((count > 0).sum()),
    )


def slots_at_zero(series: Shares) -> Ints:
    """Slots in which nearly all tenants are at 0 that seldom are, ascending: of an outage whose values are written as 0.

    Args:
        series: shape (tenants, slots).
    """
    zero = series == 0
    rows = np.flatnonzero((zero.mean(axis=1) < _SELDOM) & ~np.isnan(series).all(axis=1))
    if len(rows) < _FEWEST:
        return np.zeros(0, np.int32)
    return np.flatnonzero(zero[rows].mean(axis=0) >= _NEARLY_ALL).astype(np.int32)


def slots_unchanged(series: Shares, slot_s: float) -> Ints:
    """Slots of hours in which many tenants keep a value that seldom do, ascending: of an outage filled with last values.

    Args:
        series: shape (tenants, slots).
    """
    seen = np.flatnonzero(~np.isnan(series).all(axis=0))
    if len(seen) <= _FEWEST_SLOTS:
        return np.zeros(0, np.int32)
    own = series[:, seen] if len(seen) < series.shape[1] else series
    kept = (own[:, 1:] == own[:, :-1]) & (own[:, 1:] != 0)
    rows = np.flatnonzero((kept.mean(axis=1) < _SELDOM) & ~np.isnan(series).all(axis=1))
    if len(rows) < _FEWEST:
        return np.zeros(0, np.int32)
    many = kept[rows].mean(axis=0) >= _MANY
    ends = np.flatnonzero(np.diff(np.concatenate([[False], many, [False]]).astype(np.int8))).reshape(-1, 2)
    runs = [seen[begin + 1 : end + 1] for begin, end in ends.tolist() if end - begin >= _FEWEST_SLOTS]
    long = [run for run in runs if (run[-1] - run[0] + 1) * slot_s >= _HOUR_S]
    return np.concatenate([np.zeros(0, np.int64), *long]).astype(np.int32)


def filled(series: Shares, per_day: int) -> Shares:
    """Series in which each gap has the tenant's own usual values at those times.

    The usual value is the mean of the same slot of the weekday, from two weeks on; else of the day; else of the same
    hour of the day. What was never measured at that hour stays NaN.

    Args:
        series: shape (tenants, slots).
        per_day: slots of a day, which the first slot begins.

    Returns:
        A copy, or `series` itself where nothing is missing.
    """
    gone = np.isnan(series)
    if not gone.any():
        return series
    slot = np.arange(series.shape[1])
    week, of_day = _WEEK_DAYS * per_day, slot % per_day
    phases = [slot % week] if len(slot) >= 2 * week else []
    phases += [of_day, of_day * _HOURS // per_day]
    out = series.copy()
    for row in np.flatnonzero(gone.any(axis=1)).tolist():
        known = ~gone[row]
        for phase in phases:
            empty = np.isnan(out[row])
            with np.errstate(invalid="ignore"):
                usual = np.bincount(phase[known], series[row, known], week) / np.bincount(
                    phase[known], minlength=week
                )
            out[row, empty] = usual[phase[empty]]
    return out
