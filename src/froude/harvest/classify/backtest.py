"""How well one period's classes tell the next period, and how much classes change from day to day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.classify.classes import (
    Classification,
    Grouping,
    averages,
    classify,
    folded,
    slots_a_day,
    weighted_mean,
)
from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints

PERIODS = (30, 7, 2)
"""Days of a period: the longest of which the history holds two."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """How far one way of prediction was from what came, over tenants with the weight of their servers."""

    name: str
    rmse: float | None
    """Root mean square error of a slot's utilisation, in shares of a server; None where no slot can be compared."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """One period held against the one before it; what has nothing to rest on is None."""

    first_day: int
    """Of the period that was predicted."""
    days: int
    servers: int
    with_pattern: int
    """Servers whose tenant has a pattern in both periods: the base of `pattern_kept`."""
    measured: int
    """Servers whose tenant was measured in both: the base of `average_error` and `peak_exceeded`."""
    samples: float
    """Share of the samples of both periods that are known, of all servers, 0 to 1."""
    forecast: int
    """Servers with a class before and a slot after that all forecasts have a value for: the base of these."""
    pattern_kept: float | None
    """Share of servers whose tenant has the same pattern in both."""
    average_error: float | None
    """Mean absolute difference of the tenants' average utilisation, weighted by servers."""
    peak_exceeded: float | None
    """Share of server-slots above the peak (99th percentile) of the period before; 1 % where nothing changes."""
    forecasts: tuple[Forecast, ...]
    """All of the same servers and slots, so that they can be compared."""


@dataclass(frozen=True, slots=True)
class Stability:
    """Classes of one day's window against those of the day after."""

    days: int
    servers: int
    with_pattern: int
    """The fewest servers whose tenant has a pattern in a window and in the next one: the base of both figures."""
    pattern_kept: float | None
    """Mean share of servers whose tenant keeps its pattern; None where none has one."""
    rand: float | None
    """Mean adjusted Rand index of the classes: 1 where every tenant stays with the same others, 0 by chance. None where
    all tenants with a class are in one, or each in one of its own, both times: no other grouping was possible."""


def backtest(
    datacenter: Datacenter, seeds: Seeds, grouping: Grouping | None = None, *, days: int | None = None
) -> list[Backtest]:
    """Each period held against the one before.

    Args:
        datacenter: with at least two periods.
        days: of a period; None takes the longest of `PERIODS` of which the history holds two.

    Raises:
        InputError: the history is too short.
    """
    whole = datacenter.slots // slots_a_day(datacenter)
    days = days or next((period for period in PERIODS if 2 * period <= whole), PERIODS[-1])
    size = days * slots_a_day(datacenter)
    if days < PERIODS[-1] or datacenter.slots < 2 * size:
        found = f"{whole} days, periods of {days}"
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

    Returns:
        None where the history holds no two windows. Classifies once a day beyond the window.
    """
    per_day = slots_a_day(datacenter)
    starts = range(0, datacenter.slots - days * per_day + 1, per_day)
    if len(starts) < 2:
        return None
    found = [classify(datacenter.slots_between(at, at + days * per_day), seeds, grouping) for at in starts]
    pairs = list(pairwise(found))
    servers = datacenter.tenant_servers
    kept = [_kept(before, after, servers) for before, after in pairs]
    rand = [_rand(before, after) for before, after in pairs]
    fewest = min(number for _, number in kept)
    return Stability(days, int(servers.sum()), fewest, _mean([share for share, _ in kept]), _mean(rand))


def _against(
    past: Datacenter, future: Datacenter, seeds: Seeds, grouping: Grouping | None, first_day: int
) -> Backtest:
    before, after = classify(past, seeds, grouping), classify(future, seeds, grouping)
    servers = past.tenant_servers.astype(np.float64)
    kept, with_pattern = _kept(before, after, past.tenant_servers)
    difference = np.abs(averages(past) - averages(future))
    measured = ~np.isnan(difference)
    slots = servers @ (~np.isnan(future.utilisation) & measured[:, None]).sum(axis=1)
    above = servers @ (future.utilisation > before.peak[:, None]).sum(axis=1)
    forecasts, base = _forecasts(past, future, before)
    return Backtest(
        first_day,
        future.slots // slots_a_day(future),
        int(servers.sum()),
        with_pattern,
        int(servers[measured].sum()),
        float(np.average([_known(past, servers), _known(future, servers)])),
        base,
        kept,
        float(np.average(difference[measured], weights=servers[measured])) if slots else None,
        float(above / slots) if slots else None,
        forecasts,
    )


def _known(datacenter: Datacenter, servers: Floats) -> float:
    there = (~np.isnan(datacenter.utilisation)).mean(axis=1)
    return float(servers @ there / servers.sum())


def _kept(before: Classification, after: Classification, servers: Ints) -> tuple[float | None, int]:
    """Share of the servers with a pattern both times that keep it, and how many these are."""
    known = (before.patterns.pattern >= 0) & (after.patterns.pattern >= 0)
    base = int(servers[known].sum())
    same = known & (before.patterns.pattern == after.patterns.pattern)
    return (float(servers[same].sum() / base) if base else None), base


def _rand(before: Classification, after: Classification) -> float | None:
    from sklearn.metrics import adjusted_rand_score

    # -1 is the absence of a class: two tenants without one are not in one class.
    known = (before.tenant_class >= 0) & (after.tenant_class >= 0)
    one, other = before.tenant_class[known], after.tenant_class[known]
    if len(np.unique(one)) == len(np.unique(other)) in {0, 1, len(one)}:
        return None
    return float(adjusted_rand_score(one, other))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _forecasts(
    past: Datacenter, future: Datacenter, classes: Classification
) -> tuple[tuple[Forecast, ...], int]:
    """Each forecast's error, and the servers that they were compared on."""
    own = folded(past)
    servers = past.tenant_servers
    of_class = np.full_like(own, np.nan)
    for each in classes.classes:
        of_class[each.tenants] = weighted_mean(own[each.tenants], servers[each.tenants])
    mean = np.repeat(averages(past)[:, None], own.shape[1], axis=1)
    ways = {"class's profile": of_class, "tenant's own profile": own, "tenant's mean": mean}
    # Hours go on where the past ends, so that the weekday stays the weekday.
    at = ((np.arange(future.slots) + past.slots) * future.slot_s // 3600).astype(np.int64) % own.shape[1]
    squares, slots, base = np.zeros(len(ways)), 0.0, 0
    for row, weight in enumerate(servers.tolist()):
        errors = future.utilisation[row] - np.stack([hours[row][at] for hours in ways.values()])
        known = errors[:, ~np.isnan(errors).any(axis=0)]
        squares += weight * (known**2).sum(axis=1)
        slots += weight * known.shape[1]
        base += weight * bool(known.shape[1])
    errors_of = [float(np.sqrt(each / slots)) if slots else None for each in squares.tolist()]
    return tuple(Forecast(name, error) for name, error in zip(ways, errors_of, strict=True)), base
