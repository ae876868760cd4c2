"""What a datacenter is like: Figures 1 to 6 of the paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from froude.harvest.classify.patterns import Patterns, Rule, find_patterns, spectrum_of
from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints
from froude.harvest.telemetry.generate import MONTH_S
from froude.harvest.telemetry.profiles import PATTERNS, Pattern

_QUIET = 0.1
"""Of a month may lie between its begin and the first reimage, or the last one and its end."""
TERCILES = ("infrequent", "intermediate", "frequent")


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """The largest tenant of a pattern (Figure 1)."""

    pattern: Pattern
    tenant: str
    series: Floats
    """Shape (slots,): its utilisation."""
    spectrum: Floats
    """Amplitudes from bin 1 on."""


@dataclass(frozen=True, slots=True, eq=False)
class Characteristics:
    """Figures 1 to 6."""

    patterns: Patterns
    servers_with_pattern: int
    """Servers of tenants that have a pattern: the base of `server_shares`."""
    tenant_shares: tuple[float, float, float] | None
    """Of tenants that have a pattern, in the order of PATTERNS (Figure 2); None where none has one."""
    server_shares: tuple[float, float, float] | None
    """Of their servers (Figure 3)."""
    samples_known: float | None
    """Share of the samples of these servers that are known, 0 to 1: the base of both; None where none has one."""
    examples: tuple[Example, ...]
    server_reimages: Floats
    """Shape (servers,), ascending: a month, over the months recorded (Figure 4)."""
    tenant_reimages: Floats
    """Shape (tenants,), ascending: a server and month (Figure 5)."""
    moves: Ints
    """Shape (tenants,), ascending: changes of the tercile between successive months (Figure 6)."""
    months: int
    """Whole months of 30 days of reimages."""


def characterise(datacenter: Datacenter, rule: Rule | None = None) -> Characteristics:
    """Patterns, reimages and how reimages move between terciles.

    Args:
        datacenter: with at least two days of utilisation; reimages may be missing.

    Raises:
        InputError: less than two days of utilisation.
    """
    patterns = find_patterns(datacenter, rule)
    servers = datacenter.tenant_servers
    with_pattern = patterns.pattern >= 0
    base, base_servers = int(with_pattern.sum()), int(servers[with_pattern].sum())
    members = [patterns.of(pattern) for pattern in PATTERNS]
    rate = monthly_rates(datacenter)
    months = len(rate)
    by_server = np.bincount(_recorded(datacenter, months), minlength=len(datacenter.servers))
    return Characteristics(
        patterns,
        base_servers,
        _three([len(each) / base for each in members]) if base else None,
        _three([float(servers[each].sum()) / base_servers for each in members]) if base else None,
        float(servers[with_pattern] @ patterns.known[with_pattern]) / base_servers if base else None,
        tuple(
            _example(datacenter, pattern, each)
            for pattern, each in zip(PATTERNS, members, strict=True)
            if len(each)
        ),
        np.sort(by_server / months) if months else np.zeros(0),
        np.sort(rate.mean(axis=0)) if months else np.zeros(0),
        np.sort(_moves(rate)),
        months,
    )


def monthly_rates(datacenter: Datacenter) -> Floats:
    """Reimages a server of each tenant and month of 30 days, from the first reimage on.

    Returns:
        Shape (months, tenants); only whole months, none where nothing was wiped or the record is shorter.
    """
    reimages = datacenter.reimages
    if not len(reimages.time_s):
        return np.zeros((0, len(datacenter.tenants)))
    start_s, months = _span(datacenter)
    rates = np.empty((months, len(datacenter.tenants)))
    for month in range(months):
        part = reimages.between(start_s + month * MONTH_S, start_s + (month + 1) * MONTH_S)
        owner = datacenter.server_tenant[part.server]
        rates[month] = np.bincount(owner, minlength=len(datacenter.tenants)) / np.maximum(
            1, datacenter.tenant_servers
        )
    return rates


def _span(datacenter: Datacenter) -> tuple[float, int]:
    """Where the record of reimages begins, and its whole months.

    It begins with its first, or at a month on the datacenter's own time that began a few days before it; the last
    month may miss as much.
    """
    time_s = datacenter.reimages.time_s
    start_s = float(np.floor(time_s[0] / MONTH_S) * MONTH_S)
    if time_s[0] - start_s > _QUIET * MONTH_S:
        start_s = float(time_s[0])
    return start_s, int((float(time_s[-1]) - start_s) / MONTH_S + _QUIET)


def _recorded(datacenter: Datacenter, months: int) -> Ints:
    if not months:
        return np.zeros(0, np.int32)
    start_s, _ = _span(datacenter)
    return datacenter.reimages.between(start_s, start_s + months * MONTH_S).server


def _moves(rates: Floats) -> Ints:
    """Terciles by rank within each month; of tenants with equal rates the order of their names decides."""
    months, tenants = rates.shape
    rank = np.argsort(np.argsort(rates, axis=1, kind="stable"), axis=1, kind="stable")
    tercile = rank * len(TERCILES) // max(1, tenants)
    return (
        (np.diff(tercile, axis=0) != 0).sum(axis=0).astype(np.int32)
        if months > 1
        else np.zeros(tenants, np.int32)
    )


def _example(datacenter: Datacenter, pattern: Pattern, tenants: Ints) -> Example:
    largest = int(tenants[np.argmax(datacenter.tenant_servers[tenants])])
    series = datacenter.utilisation[largest].astype(np.float64)
    return Example(pattern, datacenter.tenants[largest], series, spectrum_of(datacenter, largest))


def _three(values: list[float]) -> tuple[float, float, float]:
    first, second, third = values
    return first, second, third
