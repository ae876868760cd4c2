"""How well one period's classes tell the next period, and how much classes change from day to day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.classify.classes import Classification, Grouping, averages, classify, folded, slots_a_day
from froude.harvest.telemetry.datacenter import Datacenter, Floats

_TOO_SHORT = "is too short to hold one period against another"
PERIODS = (30, 7, 2)
"""Days of a period: the longest of which the history holds two."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """How far one way of prediction was from what came, over tenants with the weight of their servers."""

    name: str
    rmse: float
    """Root mean square error of a slot's utilisation, in shares of a server."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """One period held against the one before it."""

    first_day: int
    """Of the period that was predicted."""
    days: int
    pattern_kept: float
    """Share of servers whose tenant has the same pattern in both."""
    average_error: float
    """Mean absolute difference of the tenants' average utilisation, weighted by servers."""
    peak_exceeded: float
    """Share of server-slots above the peak (99th percentile) of the period before; 1 % where nothing changes."""
    forecasts: tuple[Forecast, ...]


@dataclass(frozen=True, slots=True)
class Stability:
    """Classes of one day's window against those of the day after."""

    days: int
    """Of the window."""
    pattern_kept: float
    """Mean share of servers whose tenant keeps its pattern."""
    rand: float
    """Mean adjusted Rand index of the classes: 1 where every tenant stays with the same others, 0 by chance."""


def period_days(datacenter: Datacenter) -> int:
    """The longest of months, weeks and two days of which the history holds two periods.

    Raises:
        InputError: there are less than four days.
    """
    days = datacenter.slots // slots_a_day(datacenter)
    fitting = [period for period in PERIODS if 2 * period <= days]
    if not fitting:
        raise InputError(
            "is too short to hold one period against another",
            place=datacenter.name,
            found=f"{days} days",
            allowed="4",
        )
    return fitting[0]


def backtest(
    datacenter: Datacenter, seeds: Seeds, grouping: Grouping | None = None, *, days: int | None = None
) -> list[Backtest]:
    """Each period held against the one before.

    Args:
        datacenter: with at least two periods.
        seeds: of the classes.
        grouping: how classes are made.
        days: of a period; None takes `period_days`.

    Raises:
        InputError: the history is too short.
    """
    days = days or period_days(datacenter)
    size = days * slots_a_day(datacenter)
    if days < PERIODS[-1] or datacenter.slots < 2 * size:
        found = f"{datacenter.slots // slots_a_day(datacenter)} days, periods of {days}"
        raise InputError(
            "is too short to hold one period against another", place=datacenter.name, found=found
        )
    return [
        _against(
            datacenter.slots_between(first - size, first),
            datacenter.slots_between(first, first + size),
            seeds,
            grouping,
            first // slots_a_day(datacenter),
        )
        for first in range(size, datacenter.slots - size + 1, size)
    ]


def stability(
    datacenter: Datacenter, seeds: Seeds, grouping: Grouping | None = None, *, days: int
) -> Stability | None:
    """Classes made anew every day over a window of some days, each against the day before.

    Args:
        datacenter: its history.
        seeds: of the classes.
        grouping: how classes are made.
        days: of the window.

    Returns:
        None where the history holds no two windows. Classifies once a day beyond the window.
    """
    from sklearn.metrics import adjusted_rand_score

    per_day = slots_a_day(datacenter)
    starts = range(0, datacenter.slots - days * per_day + 1, per_day)
    if len(starts) < 2:
        return None
    found = [classify(datacenter.slots_between(at, at + days * per_day), seeds, grouping) for at in starts]
    pairs = list(pairwise(found))
    kept = [_kept(before, after, datacenter) for before, after in pairs]
    rand = [float(adjusted_rand_score(before.tenant_class, after.tenant_class)) for before, after in pairs]
    return Stability(days, float(np.mean(kept)), float(np.mean(rand)))


def _against(
    past: Datacenter, future: Datacenter, seeds: Seeds, grouping: Grouping | None, first_day: int
) -> Backtest:
    before, after = classify(past, seeds, grouping), classify(future, seeds, grouping)
    servers = past.tenant_servers.astype(np.float64)
    difference = np.abs(averages(past) - averages(future))
    above = future.utilisation > before.peak[:, None]
    known = ~np.isnan(future.utilisation)
    exceeded = float(servers @ above.sum(axis=1)) / max(1.0, float(servers @ known.sum(axis=1)))
    return Backtest(
        first_day,
        future.slots // slots_a_day(future),
        _kept(before, after, past),
        float(np.average(difference, weights=servers)),
        exceeded,
        tuple(_forecasts(past, future, before)),
    )


def _kept(before: Classification, after: Classification, datacenter: Datacenter) -> float:
    same = before.patterns.pattern == after.patterns.pattern
    return float(np.average(same, weights=datacenter.tenant_servers))


def _forecasts(past: Datacenter, future: Datacenter, classes: Classification) -> Sequence[Forecast]:
    own = folded(past)
    servers = past.tenant_servers.astype(np.float64)
    of_class = own.copy()
    for each in classes.classes:
        weight = servers[each.tenants]
        of_class[each.tenants] = weight @ np.nan_to_num(own[each.tenants]) / weight.sum()
    mean = np.repeat(averages(past)[:, None], own.shape[1], axis=1)
    return [
        Forecast(name, _rmse(future, hours, past, servers))
        for name, hours in (
            ("class's profile", of_class),
            ("tenant's own profile", own),
            ("tenant's mean", mean),
        )
    ]


def _rmse(future: Datacenter, hours: Floats, past: Datacenter, servers: Floats) -> float:
    """Hours go on where the past ends, so that the weekday stays the weekday."""
    at = ((np.arange(future.slots) + past.slots) * future.slot_s // 3600).astype(np.int64) % hours.shape[1]
    total = weight = 0.0
    for row in range(len(hours)):
        error = future.utilisation[row] - hours[row][at]
        known = error[~np.isnan(error)]
        total += servers[row] * float(known @ known)
        weight += servers[row] * len(known)
    return float(np.sqrt(total / weight)) if weight else float("nan")
