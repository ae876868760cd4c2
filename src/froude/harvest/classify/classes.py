"""Utilisation classes: tenants of one pattern whose days and weeks look alike (section 3.3 of the paper, "K-means")."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from froude.base.seeds import Seeds
from froude.harvest.classify.patterns import DAY_S, Patterns, Rule, energies, find_patterns
from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints
from froude.harvest.telemetry.profiles import PATTERNS, Pattern

PAPER_CLASSES: Mapping[Pattern, int] = {Pattern.PERIODIC: 13, Pattern.CONSTANT: 5, Pattern.UNPREDICTABLE: 5}
"""How many the paper found in DC-9 (section 6.1)."""
_MOST_CLASSES = 24
_PEAK = 0.99
"""The peak is this quantile: the largest of a month is one outlier."""
_SPECTRUM_BINS = 512
_RESTARTS = 10
_HOURS = 24
_DAYS = 7
_ROWS = 512


class Features(Enum):
    """What tenants are compared by."""

    FOLDED = "folded"
    """The mean day, and from two weeks on the mean day of each weekday, by hour."""
    SPECTRUM = "spectrum"
    """Amplitudes of the first 512 frequencies, as the paper; without phase, so that days and nights look alike."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """How classes are made."""

    features: Features = Features.FOLDED
    classes: Mapping[Pattern, int] | None = field(default_factory=lambda: PAPER_CLASSES)
    """How many of each pattern, at most as many as it has tenants; None chooses by silhouette."""
    rule: Rule = field(default_factory=Rule)


@dataclass(frozen=True, slots=True, eq=False)
class UtilisationClass:
    """Tenants that batch work may treat as one."""

    name: str
    """Its pattern and a number: `periodic-03`; numbers ascend with average utilisation."""
    pattern: Pattern
    tenants: Ints
    """Shape (n,), ascending."""
    servers: int
    average: float
    """Mean utilisation over its servers, 0 to 1."""
    peak: float
    """99th percentile of its tenants' utilisation, mean over its servers."""
    known: float
    """Share of the samples of its servers that are known, 0 to 1: the base of average and peak."""


@dataclass(frozen=True, slots=True, eq=False)
class Classification:
    """Every class of a datacenter, and the patterns they come from."""

    classes: Sequence[UtilisationClass]
    patterns: Patterns
    tenant_class: Ints
    """Shape (tenants,): number in `classes`; -1 for a tenant without a pattern."""
    peak: Floats
    """Shape (tenants,): 99th percentile of each tenant's utilisation; NaN without any."""


def classify(datacenter: Datacenter, seeds: Seeds, grouping: Grouping | None = None) -> Classification:
    """Patterns, then K-means within each pattern.

    Args:
        datacenter: with at least two days of utilisation.

    Raises:
        InputError: less than two days.
    """
    grouping = grouping or Grouping()
    patterns = find_patterns(datacenter, grouping.rule)
    features = _features(datacenter, patterns, grouping)
    average, peak = averages(datacenter), peaks(datacenter)
    servers = datacenter.tenant_servers
    classes: list[UtilisationClass] = []
    tenant_class = np.full(len(datacenter.tenants), -1, np.int32)
    for pattern in PATTERNS:
        members = patterns.of(pattern)
        if not len(members):
            continue
        wanted = None if grouping.classes is None else grouping.classes[pattern]
        label = _clusters(features[members], wanted, seeds.child(pattern.value))
        groups = [members[label == n] for n in range(int(label.max()) + 1)]
        groups = [group for group in groups if len(group)]
        groups.sort(key=lambda group: float(np.average(average[group], weights=servers[group])))
        for number, group in enumerate(groups, 1):
            tenant_class[group] = len(classes)
            classes.append(
                UtilisationClass(
                    f"{pattern.value}-{number:02}",
                    pattern,
                    group,
                    int(servers[group].sum()),
                    float(np.average(average[group], weights=servers[group])),
                    float(np.average(peak[group], weights=servers[group])),
                    float(np.average(patterns.known[group], weights=servers[group])),
                )
            )
    return Classification(classes, patterns, tenant_class, peak)


def averages(datacenter: Datacenter) -> Floats:
    """Shape (tenants,): mean utilisation of each tenant over the slots that were measured; NaN without any."""
    out = np.full(len(datacenter.tenants), np.nan)
    for first in range(0, len(out) if datacenter.slots else 0, _ROWS):
        rows = datacenter.utilisation[first : first + _ROWS]
        mean = rows.mean(axis=1, dtype=np.float64)
        for row in np.flatnonzero(np.isnan(mean)).tolist():
            known = rows[row][~np.isnan(rows[row])]
            mean[row] = known.mean(dtype=np.float64) if len(known) else np.nan
        out[first : first + _ROWS] = mean
    return out


def peaks(datacenter: Datacenter) -> Floats:
    """Shape (tenants,): 99th percentile of each tenant's utilisation; NaN without any. Linear in the samples."""
    out = np.full(len(datacenter.tenants), np.nan)
    for first in range(0, len(out), _ROWS):
        rows = datacenter.utilisation[first : first + _ROWS]
        if np.isnan(rows).any():
            with warnings.catch_warnings():  # of tenants that nothing is known of
                warnings.simplefilter("ignore", RuntimeWarning)
                out[first : first + _ROWS] = np.nanquantile(rows, _PEAK, axis=1)
        elif rows.shape[1]:
            at = min(rows.shape[1] - 1, int(_PEAK * rows.shape[1]))
            out[first : first + _ROWS] = np.partition(rows, at, axis=1)[:, at]
    return out


def folded(datacenter: Datacenter) -> Floats:
    """The mean week of each tenant by hour, or its mean day where there are less than two weeks.

    Returns:
        Shape (tenants, 168) or (tenants, 24); hours count from the first slot. NaN where never measured.
    """
    per_hour = 3600.0 / datacenter.slot_s
    span_h = _HOURS * (_DAYS if datacenter.slots >= 2 * _DAYS * _HOURS * per_hour else 1)
    hour = (np.arange(datacenter.slots) / per_hour).astype(np.int64)
    starts = np.flatnonzero(np.append(True, np.diff(hour) > 0)) if len(hour) else np.zeros(0, np.int64)
    out = np.full((len(datacenter.tenants), span_h), np.nan)
    for first in range(0, len(out) if len(starts) else 0, _ROWS):
        rows = datacenter.utilisation[first : first + _ROWS]
        known = ~np.isnan(rows)
        there = np.where(known, rows, 0) if not known.all() else rows
        number = np.add.reduceat(known, starts, axis=1, dtype=np.int32)
        total = np.add.reduceat(there, starts, axis=1, dtype=np.float64)
        sums, counts = np.zeros((len(rows), span_h)), np.zeros((len(rows), span_h))
        for at, of_week in enumerate((hour[starts] % span_h).tolist()):
            sums[:, of_week] += total[:, at]
            counts[:, of_week] += number[:, at]
        with np.errstate(invalid="ignore"):
            out[first : first + _ROWS] = sums / counts
    return out


def _features(datacenter: Datacenter, patterns: Patterns, grouping: Grouping) -> Floats:
    """Shape (tenants, n); zeros for tenants without a pattern."""
    if grouping.features is Features.FOLDED:
        return _completed(folded(datacenter))
    out = np.zeros((len(datacenter.tenants), _SPECTRUM_BINS + 1))
    (with_pattern,) = np.nonzero(patterns.pattern >= 0)
    for first in range(0, len(with_pattern), _ROWS):
        rows = with_pattern[first : first + _ROWS]
        energy = energies(datacenter.utilisation[rows])[:, : _SPECTRUM_BINS + 1]
        out[rows, : energy.shape[1]] = np.sqrt(np.maximum(energy, 0.0))
    out[with_pattern, 0] = averages(datacenter)[with_pattern]
    return out


def _completed(profiles: Floats) -> Floats:
    """Mean days or weeks in which each hour has a value; zeros where none has.

    K-means needs a value of each hour: one of the week that was never measured has that of the same hour on other
    days; if there is none, it is on a line between its neighbours. 0 would be a level of its own.
    """
    tenants, hours = profiles.shape
    days = profiles.reshape((tenants, hours // _HOURS, _HOURS))
    known = ~np.isnan(days)
    with np.errstate(invalid="ignore"):
        usual = np.nan_to_num(days).sum(axis=1, keepdims=True) / known.sum(axis=1, keepdims=True)
    out = np.where(known, days, usual).reshape((tenants, hours))
    for row in np.flatnonzero(np.isnan(out).any(axis=1)).tolist():
        (at,) = np.nonzero(~np.isnan(out[row]))
        out[row] = np.interp(np.arange(hours), at, out[row, at], period=hours) if len(at) else 0.0
    return out


def _clusters(features: Floats, wanted: int | None, seeds: Seeds) -> Ints:
    """Numbers of clusters from 0; fewer than wanted where tenants are alike or few."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score
    from threadpoolctl import threadpool_limits

    # sklearn is imported here since it takes a second, which `froude --help` has not.
    distinct = len(np.unique(features, axis=0))
    state = seeds.value % 2**32

    def cut(number: int) -> Ints:
        # Threads that wait for each other on a busy machine take a hundred times as long as one.
        with threadpool_limits(1):
            means = KMeans(number, n_init=_RESTARTS, random_state=state).fit(features)
        return np.asarray(means.labels_, dtype=np.int32)

    if wanted is not None or distinct < 3:
        return cut(max(1, min(wanted or 1, distinct)))
    tried = [cut(number) for number in range(2, min(_MOST_CLASSES, distinct - 1) + 1)]
    return max(
        tried,
        key=lambda label: float(silhouette_score(features, label, sample_size=2000, random_state=state)),
    )


def day_profile(datacenter: Datacenter, tenants: Ints) -> Floats:
    """Shape (hours,): mean day or week of tenants, each weighted by its servers; NaN for an hour never measured."""
    return weighted_mean(folded(datacenter)[tenants], datacenter.tenant_servers[tenants])


def weighted_mean(rows: Floats, servers: npt.ArrayLike) -> Floats:
    """The mean of what is known in each column.

    Args:
        rows: shape (n, m); NaN where unknown.
        servers: shape (n,): weights, above 0.

    Returns:
        Shape (m,): NaN where no row is known.
    """
    weight = ~np.isnan(rows) * np.asarray(servers, np.float64)[:, None]
    with np.errstate(invalid="ignore"):
        return np.asarray((np.nan_to_num(rows) * weight).sum(axis=0) / weight.sum(axis=0))


def slots_a_day(datacenter: Datacenter) -> int:
    """How many slots a day has."""
    return round(DAY_S / datacenter.slot_s)
