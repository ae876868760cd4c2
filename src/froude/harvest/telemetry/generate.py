"""Datacenters with known truth, drawn from a profile."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from froude.base.seeds import Seeds
from froude.harvest.telemetry.datacenter import SLOT_S, Datacenter, Floats, Ints, Reimages, Shares
from froude.harvest.telemetry.profiles import PATTERNS, Pattern, Profile, Racks

DAY_S = 86400.0
MONTH_S = 30 * DAY_S
_LOWEST = 0.01
_ROWS = 128
"""Tenants whose series are made at once."""
_HIT = (0.3, 1.0)
"""Share of its servers that an event hits, from and to."""
_EVENT_S = 600.0
"""Within this time all servers of one event are wiped."""


def generate(
    profile: Profile, seeds: Seeds, *, days: int = 31, months_before: int = 36, months_after: int = 0
) -> Datacenter:
    """A datacenter whose patterns and rates of reimages are known (`truth`).

    Args:
        days: of utilisation, 1 or more, in slots of two minutes.
        months_before: of reimages before the utilisation begins, months of 30 days.
        months_after: of reimages from its beginning on.

    Returns:
        The datacenter; `truth` holds `pattern` (number in PATTERNS), `rate` (reimages a server and month) by tenant.
        Linear in tenants times slots.
    """
    tenants = _Tenants(profile, np.random.default_rng(seeds.child("tenants").value))
    rack = _racks(profile, tenants.owner, np.random.default_rng(seeds.child("racks").value))
    slots = round(days * DAY_S / SLOT_S)
    series = np.empty((profile.tenants, slots), np.float32)
    rng = np.random.default_rng(seeds.child("utilisation").value)
    for rows in _blocks(profile.tenants):
        series[rows] = _series(profile, tenants.pattern[rows], slots, rng)
    _level(series, profile.mean, np.bincount(tenants.owner, minlength=profile.tenants))
    events = np.random.default_rng(seeds.child("reimages").value)
    wipes = _Wipes(profile, tenants, rack, events)
    return Datacenter(
        tenants=[f"T{n:04}" for n in range(profile.tenants)],
        tenant_environment=tenants.environment,
        environments=[f"E{n:03}" for n in range(int(tenants.environment.max()) + 1)],
        servers=[f"s{n:05}" for n in range(profile.servers)],
        server_tenant=tenants.owner,
        server_rack=rack,
        utilisation=series,
        reimages=wipes.between(-months_before, months_after),
        name=profile.name,
        truth={"pattern": tenants.pattern, "rate": wipes.rate},
    )


class _Tenants:
    """Who owns what, and how it behaves."""

    def __init__(self, profile: Profile, rng: np.random.Generator) -> None:
        count = profile.tenants
        numbers = np.maximum(1, np.floor(np.array(profile.tenant_shares) * count + 0.5)).astype(int)
        numbers[1] += count - numbers.sum()
        self.pattern: Ints = rng.permutation(np.repeat(np.arange(3), numbers)).astype(np.int32)
        environments = max(1, round(count / profile.tenants_per_environment))
        drawn = np.concatenate(
            [np.arange(environments), rng.integers(0, environments, max(0, count - environments))]
        )
        self.environment: Ints = rng.permutation(drawn[:count]).astype(np.int32)
        weight = rng.lognormal(0.0, 0.8, count)
        for pattern, share in enumerate(profile.server_shares):
            mine = self.pattern == pattern
            weight[mine] *= share / weight[mine].sum()
        sizes = 1 + np.floor(weight * (profile.servers - count)).astype(np.int64)
        rest = profile.servers - int(sizes.sum())
        sizes[rng.choice(count, rest, replace=rest > count)] += 1
        self.owner: Ints = np.repeat(np.arange(count), sizes).astype(np.int32)


def _racks(profile: Profile, owner: Ints, rng: np.random.Generator) -> Ints:
    """By server: servers are numbered in the order of their tenants."""
    rack = (np.arange(len(owner)) // profile.rack_servers).astype(np.int32)
    share = {Racks.CONTIGUOUS: 0.0, Racks.HALF: 0.5, Racks.SCATTERED: 1.0}[profile.racks]
    moved = np.flatnonzero(rng.random(len(owner)) < share)
    rack[moved] = rack[rng.permutation(moved)]
    return rack


def _blocks(rows: int) -> Iterator[slice]:
    for first in range(0, rows, _ROWS):
        yield slice(first, min(first + _ROWS, rows))


def _series(profile: Profile, patterns: Ints, slots: int, rng: np.random.Generator) -> Shares:
    """Utilisation of a few tenants, before the whole is brought to the profile's mean."""
    count = len(patterns)
    day = np.arange(slots, dtype=np.float64) * (SLOT_S / DAY_S)
    level = np.clip(rng.normal(profile.mean, 0.12, (count, 1)), 0.05, 0.7)
    steady = 0.004 + 0.006 * rng.random((count, 1))
    out = level + _noise(slots, count, 0.9, rng) * steady
    periodic = np.flatnonzero(patterns == PATTERNS.index(Pattern.PERIODIC))
    if len(periodic):
        out[periodic] += _days(profile, day, len(periodic), rng)
    wild = np.flatnonzero(patterns == PATTERNS.index(Pattern.UNPREDICTABLE))
    if len(wild):
        size = profile.wander * rng.uniform(0.6, 1.4, (len(wild), 1))
        out[wild] += _noise(slots, len(wild), 0.999, rng) * size
    return out.astype(np.float32)


def _days(profile: Profile, day: Floats, count: int, rng: np.random.Generator) -> Floats:
    """A day that comes again: two harmonics, a phase, weekends that are lower."""
    swing = profile.swing * rng.uniform(0.6, 1.4, (count, 1))
    # Most of the users of one datacenter are awake at the same time; a third of the tenants runs at night.
    phase = (rng.normal(0.58, 0.06, (count, 1)) + 0.5 * (rng.random((count, 1)) < 0.33)) % 1
    second = rng.uniform(0.0, 0.35, (count, 1))
    turn = 2 * np.pi * (day - phase)
    weekend = 1 - rng.uniform(0.0, 0.4, (count, 1)) * ((day.astype(int) % 7) >= 5)
    return np.asarray(swing * weekend * (np.cos(turn) + second * np.cos(2 * turn)))


def _noise(slots: int, count: int, keep: float, rng: np.random.Generator) -> Floats:
    """First-order autoregression of variance 1, from its stationary state; its spectrum falls with frequency."""
    from scipy.signal import lfilter  # slow to load, and only needed here

    drawn = rng.standard_normal((count, slots))
    drawn[:, 0] /= np.sqrt(1 - keep**2)
    return np.asarray(lfilter([np.sqrt(1 - keep**2)], [1.0, -keep], drawn, axis=1))


def _level(series: Shares, mean: float, servers: npt.NDArray[np.int64]) -> None:
    """Shift all to the mean of the profile, by server, and into the range of a utilisation; in place."""
    for _ in range(4):  # clipping moves the mean again
        series += np.float32(mean - float(servers @ series.mean(axis=1)) / servers.sum())
        np.clip(series, _LOWEST, 1.0, out=series)


class _Wipes:
    """Reimages: of single servers, and events that hit many."""

    def __init__(self, profile: Profile, tenants: _Tenants, rack: Ints, rng: np.random.Generator) -> None:
        self._profile, self._tenants, self._rng = profile, tenants, rng
        self._groups = [_members(tenants.owner), _members(tenants.environment[tenants.owner]), _members(rack)]
        rate = rng.lognormal(0.0, profile.spread, profile.tenants)
        self._sizes = np.bincount(tenants.owner, minlength=profile.tenants)
        self._first = np.cumsum(self._sizes) - self._sizes
        self._turn = rng.integers(0, self._sizes)
        # What rounds a number up or down is drawn once, so that a tenant's months are alike (Figure 6).
        self._rounding = rng.random(profile.tenants)
        self._event_rounding = [rng.random(len(groups)) for groups in self._groups]
        self.rate: Floats = rate * profile.reimages * len(tenants.owner) / float(self._sizes @ rate)

    def between(self, first: int, last: int) -> Reimages:
        """All wipes of the months from `first` on and before `last`; month 0 begins with the utilisation."""
        servers, times = [], []
        for month in range(first, last):
            for server, time_s in (self._rolling(), *self._events()):
                servers.append(server)
                times.append(month * MONTH_S + time_s)
        if not servers:
            return Reimages.none()
        server, time = np.concatenate(servers), np.concatenate(times)
        order = np.argsort(time, kind="stable")
        return Reimages(server[order].astype(np.int32), time[order])

    def _rolling(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """One server of a tenant after the other."""
        wanted = (1 - self._profile.correlated) * self.rate * self._sizes
        counts = np.floor(wanted * self._drift(len(wanted)) + self._rounding).astype(np.int64)
        tenant = np.repeat(np.arange(len(counts)), counts)
        turn = np.arange(len(tenant)) - np.repeat(np.cumsum(counts) - counts, counts) + self._turn[tenant]
        self._turn = (self._turn + counts) % self._sizes
        server = self._first[tenant] + turn % self._sizes[tenant]
        return server, self._rng.random(len(server)) * MONTH_S

    def _events(self) -> Iterator[tuple[npt.NDArray[np.int64], Floats]]:
        """Each scope wipes its share of what is correlated; a group is hit in proportion to its tenants' rates."""
        wanted = self._profile.correlated * self.rate[self._tenants.owner]
        shares = zip(self._groups, self._profile.scopes, self._event_rounding, strict=True)
        for groups, share, rounding in shares:
            # An event wipes some of a group's servers, so what is wanted of them gives the events it needs.
            wipes = np.array([share * float(wanted[group].sum()) / self._struck(group) for group in groups])
            if self._profile.sizes:
                events = self._rng.poisson(wipes)
            else:
                events = np.floor(wipes * self._drift(len(wipes)) + rounding).astype(np.int64)
            for number in np.repeat(np.arange(len(groups)), events).tolist():
                struck = self._strike(groups[number])
                yield struck, self._rng.random() * MONTH_S + self._rng.random(len(struck)) * _EVENT_S

    def _struck(self, group: npt.NDArray[np.int64]) -> float:
        """How many servers of a group an event hits on average."""
        if not self._profile.sizes:
            return len(group) * sum(_HIT) / 2
        size, times = np.array(self._profile.sizes).T
        return float(np.average(np.minimum(size, len(group)), weights=times))

    def _strike(self, group: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        if not self._profile.sizes:
            return group[self._rng.random(len(group)) < self._rng.uniform(*_HIT)]
        size, times = np.array(self._profile.sizes).T
        count = min(int(self._rng.choice(size, p=times / times.sum())), len(group))
        return self._rng.choice(group, count, replace=False)

    def _drift(self, size: int) -> Floats:
        """What a month is like beside others; 1 on average."""
        drift = self._profile.drift
        return self._rng.lognormal(-drift * drift / 2, drift, size)


def _members(group_of: Ints) -> list[npt.NDArray[np.int64]]:
    order = np.argsort(group_of, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group_of[order])) + 1)
