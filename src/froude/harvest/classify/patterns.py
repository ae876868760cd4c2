"""Periodic, constant or unpredictable: the pattern of each tenant, from the spectrum of its utilisation.

The paper (section 3.2) takes the Fourier transform and gives no rule; ours is stated with the thresholds below, and
the scores it decides by are kept beside each pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.fft import rfft

from froude.base.errors import InputError
from froude.harvest.telemetry.clean import filled
from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints, Shares
from froude.harvest.telemetry.profiles import PATTERNS, Pattern

DAY_S = 86400.0
_ROWS = 256
"""Tenants transformed at once: the spectrum of all of them is never held."""
_HARMONICS = 4
_SIDE = 1
"""Bins beside a harmonic that count to it, as a day's course changes over weeks; from a week of history on."""
_WEEK_DAYS = 7
_BY_CHANCE = {2: 0.72, 3: 0.45}
"""By days of history: the share of energy in daily harmonics that one random walk in a hundred has."""
FEWEST_DAYS = 2
_NEARLY_ALL = 0.9
"""Share of the measured tenants that lack a slot from which on its day is left out for all: the monitoring was down."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When a tenant counts as constant, and when as periodic."""

    constant_below: float = 0.03
    """Standard deviation of the slow part, in shares of a server."""
    periodic_from: float = 0.35
    """Share of the energy of all variation that lies in the day and its first harmonics; of 2 or 3 days more is
    asked for, as much as one random walk in a hundred has by chance."""
    slow_per_day: float = 512 / 31
    """Frequencies up to this, in cycles a day, are the slow part: the first 512 bins of a month."""
    fill_h: float = 3.0
    """Gaps up to so many hours are filled on a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """What the tenants of a datacenter are like."""

    pattern: Ints
    """Shape (tenants,): number in PATTERNS; -1 where too much is missing to tell."""
    slow_std: Floats
    """Shape (tenants,): standard deviation of the slow part; NaN where not told."""
    daily_share: Floats
    """Shape (tenants,): share of the energy in daily harmonics; NaN where not told."""
    filled_slots: int = 0
    """Slots that were missing and filled on a line."""
    days_left_out: tuple[int, ...] = ()
    """Days, from 0, with a gap that nearly all tenants have and that is too long to fill: left out for every tenant."""

    def of(self, pattern: Pattern) -> Ints:
        """Tenants of a pattern, ascending."""
        return np.flatnonzero(self.pattern == PATTERNS.index(pattern)).astype(np.int32)

    @property
    def unknown(self) -> int:
        """How many tenants have too many gaps to tell."""
        return int((self.pattern < 0).sum())


def find_patterns(datacenter: Datacenter, rule: Rule | None = None) -> Patterns:
    """The pattern of every tenant; slots log slots a tenant.

    Args:
        datacenter: with at least two whole days of utilisation.

    Raises:
        InputError: less than two days.
    """
    rule = rule or Rule()
    per_day = DAY_S / datacenter.slot_s
    days = int(datacenter.slots // per_day)
    if days < FEWEST_DAYS:
        found = f"{datacenter.slots * datacenter.slot_s / DAY_S:.1f} days"
        raise InputError(
            "is too short to see a day come again", place=datacenter.name, found=found, allowed="2 days"
        )
    count = len(datacenter.tenants)
    slow_std, daily = np.full(count, np.nan), np.full(count, np.nan)
    filled_slots = 0
    left_out = _common_gaps(datacenter, days, rule)
    clear = clear_slots(datacenter, left_out, days)
    days -= len(left_out)
    for first, (every, number) in _filled_rows(datacenter, rule):
        filled_slots += number
        rows = every[:, clear]
        whole = np.flatnonzero(~np.isnan(rows).any(axis=1))
        if len(whole) and days >= FEWEST_DAYS:
            slow_std[first + whole], daily[first + whole] = _scores(rows[whole], days, rule)
    periodic_from = max(rule.periodic_from, _BY_CHANCE.get(days, 0.0))
    pattern = np.where(
        np.isnan(slow_std),
        -1,
        np.where(
            slow_std < rule.constant_below,
            PATTERNS.index(Pattern.CONSTANT),
            np.where(
                daily >= periodic_from,
                PATTERNS.index(Pattern.PERIODIC),
                PATTERNS.index(Pattern.UNPREDICTABLE),
            ),
        ),
    )
    return Patterns(pattern.astype(np.int32), slow_std, daily, filled_slots, left_out)


def clear_slots(datacenter: Datacenter, left_out: Sequence[int], days: int | None = None) -> Ints:
    """The slots of the days that count: whole days go, so that each hour of the day stays where it is.

    Args:
        left_out: days from 0, as of `Patterns`.
        days: whole days of the history that are looked at; None for every slot.

    Returns:
        Numbers of slots, ascending.
    """
    per_day = DAY_S / datacenter.slot_s
    slots = np.arange(datacenter.slots if days is None else round(days * per_day))
    return slots[~np.isin((slots // per_day).astype(np.int64), left_out)].astype(np.int32)


def _filled_rows(datacenter: Datacenter, rule: Rule) -> Iterator[tuple[int, tuple[Shares, int]]]:
    longest = int(rule.fill_h * 3600 / datacenter.slot_s)
    for first in range(0, len(datacenter.tenants), _ROWS):
        yield first, filled(datacenter.utilisation[first : first + _ROWS], longest)


def _common_gaps(datacenter: Datacenter, days: int, rule: Rule) -> tuple[int, ...]:
    """Days in which nearly all tenants that were ever measured lack a slot, once short gaps are filled."""
    lacking, measured = np.zeros(datacenter.slots, np.int64), 0
    for _, (rows, _) in _filled_rows(datacenter, rule):
        gone = np.isnan(rows)
        ever = ~gone.all(axis=1)
        measured += int(ever.sum())
        lacking += gone[ever].sum(axis=0)
    common = np.flatnonzero((lacking > 0) & (lacking >= _NEARLY_ALL * measured))
    found = np.unique(common // (DAY_S / datacenter.slot_s))
    return tuple(int(day) for day in found.tolist() if day < days)


def _scores(rows: np.ndarray, days: int, rule: Rule) -> tuple[Floats, Floats]:
    spectrum = rfft(rows, axis=1, workers=1)
    energy = spectrum.real**2 + spectrum.imag**2
    energy[:, 0] = 0.0  # the mean
    slow = energy[:, : int(rule.slow_per_day * days) + 1].sum(axis=1, dtype=np.float64)
    side = _SIDE if days >= _WEEK_DAYS else 0
    near = [
        bin_
        for harmonic in range(1, _HARMONICS + 1)
        for bin_ in range(harmonic * days - side, harmonic * days + side + 1)
        if 0 < bin_ < energy.shape[1]
    ]
    daily = energy[:, sorted(set(near))].sum(axis=1, dtype=np.float64)
    total = energy.sum(axis=1, dtype=np.float64)
    # Parseval: each bin but the first and the last stands for two, of n² parts.
    slow_std = np.sqrt(2 * slow) / rows.shape[1]
    return slow_std, np.divide(daily, total, out=np.zeros_like(daily), where=total > 0)


def spectrum_of(datacenter: Datacenter, tenant: int, bins: int = 512, left_out: Sequence[int] = ()) -> Floats:
    """Amplitude of one tenant's utilisation by frequency, without its mean (Figure 1 of the paper).

    Args:
        datacenter: of the tenant.
        bins: how many; bin n is n cycles in all the time that counts.
        left_out: days that do not count, as of `Patterns`.

    Returns:
        Shape (bins or fewer,): amplitude in shares of a server, from bin 1 on.
    """
    rows = datacenter.utilisation[tenant : tenant + 1, clear_slots(datacenter, left_out)]
    series, _ = filled(rows, datacenter.slots)
    row = series[0][~np.isnan(series[0])]
    return np.asarray(2 * np.abs(rfft(row.astype(np.float64)))[1 : bins + 1] / max(1, len(row)))
