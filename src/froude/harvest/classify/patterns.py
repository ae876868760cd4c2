"""Periodic, constant or unpredictable: the pattern of each tenant, from the spectrum of its utilisation.

The paper (section 3.2) takes the Fourier transform and gives no rule; ours is stated with the thresholds below, and
the scores it decides by are returned with each pattern. Samples may be missing: the spectrum is that of the
autocovariance over pairs of samples which are both known (Wiener and Khinchin), and no sample is made up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.fft import irfft, rfft

from froude.base.errors import InputError
from froude.harvest.telemetry.datacenter import Bools, Datacenter, Floats, Ints, Shares
from froude.harvest.telemetry.profiles import PATTERNS, Pattern

DAY_S = 86400.0
_ROWS = 256
"""Tenants transformed at once, which bounds the memory."""
_HARMONICS = 4
_SIDE = 1
"""Bins on either side of a harmonic that count to it, from a week of history on: a day's course changes over weeks."""
_WEEK_DAYS = 7
_BY_CHANCE = {2: 0.72, 3: 0.45}
"""By days of samples: the share of energy in daily harmonics that one random walk in a hundred has."""
FEWEST_DAYS = 2
_NEARLY_ALL = 0.9
"""Share of the measured tenants that lack a slot of an outage, at least: the monitoring was down."""
_FEWEST_KNOWN = 0.5
"""Share of a tenant's samples below which it has no pattern."""
_AS_WHOLE = 0.9
"""Share of a tenant's samples from which on less than a week is enough: false alarms are then those of whole days."""
_SHIFTS = tuple(number * 0.6180339887 % 1 for number in range(1, 9))
"""Shares of the history by which a tenant's gaps are moved: multiples of the golden section, so that hours differ."""
_SIGMAS = 3.0
"""Standard errors from a threshold within which a pattern is uncertain."""
_WILDER = 3.0
"""How much more than the rest the hours without any sample may vary: a level that is constant only then is uncertain."""
_SELDOM = 0.5
"""How often an hour of the day is known, in shares of all, below which what is done in it each day may be missing."""
_NEAR = (0.5, 2.0, 0.25)
"""Only tenants this near to a threshold are tested: slow part from and to, in thresholds; difference of a share."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When a tenant counts as constant, and when as periodic."""

    constant_below: float = 0.03
    """Standard deviation of the slow part, in shares of a server."""
    periodic_from: float = 0.35
    """Share of the energy of all variation that is in the day and its first harmonics; of 2 or 3 days more is
    required, as much as one random walk in a hundred has by chance."""
    repeated_from: float = 0.5
    """Autocorrelation at one day, of what varies within days, from which on a tenant is periodic too: a pulse of an
    hour a night has most of its energy above the fourth harmonic."""
    slow_per_day: float = 512 / 31
    """Frequencies up to this, in cycles a day, are the slow part: the first 512 bins of a month."""
    outage_h: float = 3.0
    """Hours from which on a gap that nearly all tenants have is an outage."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """What the tenants of a datacenter are like."""

    pattern: Ints
    """Shape (tenants,): number in PATTERNS; -1 where too much is missing."""
    slow_std: Floats
    """Shape (tenants,): standard deviation of the slow part; NaN without a pattern."""
    daily_share: Floats
    """Shape (tenants,): share of the energy in daily harmonics; NaN without a pattern."""
    repeated: Floats
    """Shape (tenants,): autocorrelation at one day of what varies within days, -1 to 1; NaN without a pattern."""
    known: Floats
    """Shape (tenants,): share of the samples that are known and counted, 0 to 1: the base of the scores."""
    uncertain: Bools
    """Shape (tenants,): with a pattern that the missing samples might change."""
    outages: tuple[tuple[int, int], ...] = ()
    """First slot, and the slot after the last, of gaps of hours that nearly all tenants have: left out for all."""

    def of(self, pattern: Pattern) -> Ints:
        """Tenants of a pattern, ascending."""
        return np.flatnonzero(self.pattern == PATTERNS.index(pattern)).astype(np.int32)

    @property
    def unknown(self) -> int:
        """How many tenants have too few samples for a pattern."""
        return int((self.pattern < 0).sum())


def find_patterns(datacenter: Datacenter, rule: Rule | None = None) -> Patterns:
    """The pattern of every tenant; slots log slots a tenant.

    A tenant has a pattern if it has 7 days of samples or more, and these are half of its slots or more; from 2 days of
    samples on if they are 90 % of its slots. Slots of outages do not count.

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
    count, slots = len(datacenter.tenants), round(days * per_day)
    outages = _outages(datacenter, slots, rule)
    away = np.zeros(slots, bool)
    for begin, end in outages:
        away[begin:end] = True
    scores, known = np.full((3, count), np.nan), np.zeros(count)
    pattern, uncertain = np.full(count, -1, np.int32), np.zeros(count, bool)
    for first in range(0, count, _ROWS):
        rows = datacenter.utilisation[first : first + _ROWS, :slots]
        rows = np.where(away, np.float32(np.nan), rows) if outages else rows
        number = (~np.isnan(rows)).sum(axis=1)
        known[first : first + _ROWS] = number / slots
        share, sampled = number / max(1, slots - int(away.sum())), (number / per_day).astype(np.int64)
        enough = (sampled >= _WEEK_DAYS) & (share >= _FEWEST_KNOWN)
        enough |= (sampled >= FEWEST_DAYS) & (share >= _AS_WHOLE)
        (at,) = np.nonzero(enough)
        if len(at):
            judged = _Judged(rows[at], days, sampled[at], rule)
            scores[:, first + at] = judged.scores
            pattern[first + at], uncertain[first + at] = judged.pattern, judged.uncertain
    return Patterns(pattern, scores[0], scores[1], scores[2], known, uncertain, outages)


def _outages(datacenter: Datacenter, slots: int, rule: Rule) -> tuple[tuple[int, int], ...]:
    """Gaps of hours in which nearly all tenants that were ever measured lack each slot."""
    lacking, measured = np.zeros(slots, np.int64), 0
    for first in range(0, len(datacenter.tenants), _ROWS):
        gone = np.isnan(datacenter.utilisation[first : first + _ROWS, :slots])
        ever = ~gone.all(axis=1)
        measured += int(ever.sum())
        lacking += gone[ever].sum(axis=0)
    common = (lacking > 0) & (lacking >= _NEARLY_ALL * measured)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], common, [False]]))).reshape(-1, 2)
    return tuple((a, b) for a, b in edges.tolist() if (b - a) * datacenter.slot_s > rule.outage_h * 3600)


class _Judged:
    """Scores and patterns of a few tenants that have enough samples, and which patterns are uncertain."""

    def __init__(self, rows: Shares, days: int, sampled: npt.NDArray[np.int64], rule: Rule) -> None:
        """`rows` has shape (n, slots) with NaN where unknown; `sampled`, shape (n,), is the days of samples of each."""
        self._days, self._rule = days, rule
        self._by_chance = np.array([_BY_CHANCE.get(each, 0.0) for each in sampled.tolist()])
        self.scores = _scores(energies(rows), days, rule)
        every = np.arange(len(rows))
        steady, daily = self._margins(self.scores, every)
        self.pattern = np.where(
            steady < 0,
            PATTERNS.index(Pattern.CONSTANT),
            np.where(daily >= 0, PATTERNS.index(Pattern.PERIODIC), PATTERNS.index(Pattern.UNPREDICTABLE)),
        )
        low, high, share = _NEAR
        near = (self.scores[0] > low * rule.constant_below) & (
            (self.scores[0] < high * rule.constant_below) | (np.abs(daily) < share)
        )
        (at,) = np.nonzero(near & np.isnan(rows).any(axis=1))
        self.uncertain = self._unseen(rows) | self._same_hours(rows)
        if len(at):
            margins = np.array((steady[at], daily[at]))
            constant, periodic = np.abs(margins) < _SIGMAS * self._errors(rows[at], at, margins)
            self.uncertain[at] |= constant | (periodic & (steady[at] >= 0))

    def _margins(self, scores: Floats, at: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
        """How far tenants are above what is constant, and above what is not periodic."""
        slow_std, daily, repeated = scores
        rule = self._rule
        limits = [
            np.maximum(limit, self._by_chance[at]) for limit in (rule.periodic_from, rule.repeated_from)
        ]
        return slow_std - rule.constant_below, np.maximum(daily - limits[0], repeated - limits[1])

    def _unseen(self, rows: Shares) -> Bools:
        """Whether hours without any sample decide on which side of the threshold the slow part is, shape (n,).

        A burst that comes once cannot be estimated from other hours: they may hold nothing, or vary more than the rest.
        """
        slots = rows.shape[1]
        hours = np.unique(np.arange(24 * self._days) * slots // (24 * self._days))
        unseen = ~np.logical_or.reduceat(~np.isnan(rows), hours, axis=1)
        share, variance, limit = unseen.mean(axis=1), self.scores[0] ** 2, self._rule.constant_below**2
        return np.asarray(
            (variance * (1 - share) < limit) & (limit <= variance * (1 + (_WILDER**2 - 1) * share))
        )

    def _same_hours(self, rows: Shares) -> Bools:
        """Whether samples are missing at the same time of each day, shape (n,)."""
        if self._days < _WEEK_DAYS:
            return np.zeros(len(rows), bool)
        per_day = rows.shape[1] // self._days
        known = ~np.isnan(rows[:, : per_day * self._days]).reshape(len(rows), self._days, per_day)
        often = known.mean(axis=1)
        hours, quarters = (np.unique(np.arange(number) * per_day // number) for number in (24, 96))
        hourly = np.add.reduceat(often, hours, axis=1) / np.diff([*hours, per_day])
        seldom = (hourly < _SELDOM * often.mean(axis=1, keepdims=True)).any(axis=1)
        return np.asarray(seldom | (np.add.reduceat(often, quarters, axis=1) == 0).any(axis=1))

    def _errors(self, rows: Shares, at: npt.NDArray[np.intp], margins: Floats) -> Floats:
        """Standard error of the margins due to missing samples, shape (2, n).

        The same gaps are applied to the known samples once more, moved: they then change about as much again.
        """
        squares = np.zeros((2, len(rows)))
        for shift in _SHIFTS:
            moved = np.roll(rows, round(shift * rows.shape[1]), axis=1)
            fewer = np.where(np.isnan(moved), np.float32(np.nan), rows)
            squares += (self._margins(_scores(energies(fewer), self._days, self._rule), at) - margins) ** 2
        return np.asarray(np.sqrt(squares / len(_SHIFTS)))


def energies(rows: Shares) -> npt.NDArray[np.floating]:
    """Energy by frequency: the square of the discrete Fourier transform over that of the slots, without the mean.

    Where samples are missing it is the transform of the autocovariance over pairs that are both known, which is without
    bias as long as each lag has pairs, and equal to the other where none is missing. Single bins may be below 0: only
    sums over many are of use.

    Args:
        rows: shape (n, slots), NaN where unknown.

    Returns:
        Shape (n, slots // 2 + 1): bin k is k cycles in all the time; the variance is twice the sum (Parseval).

    Source: Blackman and Tukey, The Measurement of Power Spectra, 1958; for missing samples Parzen, Sankhya A 25, 1963.
    """
    slots = rows.shape[1]
    known = ~np.isnan(rows)
    whole = known.all(axis=1)
    if whole.all():
        energy = _squares(rows) / slots**2
    else:
        energy = np.empty((len(rows), slots // 2 + 1), np.float32)
        energy[whole] = _squares(rows[whole]) / slots**2
        known, rows = known[~whole], rows[~whole]
        total = np.where(known, rows, 0).sum(axis=1, keepdims=True, dtype=np.float64)
        mean = total / np.maximum(1, known.sum(axis=1, keepdims=True))
        products = irfft(_squares(np.where(known, rows - mean, 0).astype(np.float32)), slots, axis=1)
        pairs = np.rint(irfft(_squares(known.astype(np.float32)), slots, axis=1))
        # A lag without a pair shows nothing: 0 is its value for noise.
        covariance = np.divide(products, pairs, out=np.zeros_like(products), where=pairs > 0)
        energy[~whole] = rfft(covariance, axis=1).real / slots
    energy[:, 0] = 0.0
    return np.asarray(energy)


def _squares(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    spectrum = rfft(rows, axis=1, workers=1)
    return np.asarray(spectrum.real**2 + spectrum.imag**2)


def _scores(energy: npt.NDArray[np.floating], days: int, rule: Rule) -> Floats:
    """Shape (3, n): deviation of the slow part, share of the daily harmonics, autocorrelation at a day."""
    bins = np.arange(energy.shape[1])
    slow = energy[:, : int(rule.slow_per_day * days) + 1].sum(axis=1, dtype=np.float64)
    side = _SIDE if days >= _WEEK_DAYS else 0
    near = [
        bin_
        for harmonic in range(1, _HARMONICS + 1)
        for bin_ in range(harmonic * days - side, harmonic * days + side + 1)
        if 0 < bin_ < energy.shape[1]
    ]
    daily = energy[:, sorted(set(near))].sum(axis=1, dtype=np.float64)
    # A level that changes over several days is similar from one day to the next without a daily course.
    weight = np.where(bins > days / 2, np.cos(2 * np.pi * bins / days), 0.0).astype(energy.dtype)
    total = energy.sum(axis=1, dtype=np.float64)
    shares = [
        np.divide(each, total, out=np.zeros_like(total), where=total > 0) for each in (daily, energy @ weight)
    ]
    return np.array([np.sqrt(2 * np.maximum(slow, 0)), *shares])


def spectrum_of(datacenter: Datacenter, tenant: int, bins: int = 512) -> Floats:
    """Amplitude of one tenant's utilisation by frequency, without its mean (Figure 1 of the paper).

    Args:
        datacenter: of the tenant, which has a sample.
        bins: how many; bin n is n cycles in all the time.

    Returns:
        Shape (bins or fewer,): amplitude in shares of a server, from bin 1 on.
    """
    energy = energies(datacenter.utilisation[tenant : tenant + 1])[0, 1 : bins + 1]
    return np.asarray(2 * np.sqrt(np.maximum(energy, 0), dtype=np.float64))
