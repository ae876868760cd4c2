"""How many accesses find every replica busy, by policy and by how much the primary tenants use.

A server denies accesses while its tenant uses more than 66 % of it, since the rest is the tenant's reserve. An access
is a block and a moment; it fails if all servers of the block's replicas are busy then (harvesting paper, Figure 16).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from froude.base import parallel
from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.place.bulk import place_blocks
from froude.harvest.place.layout import Layout, layout_at
from froude.harvest.place.policies import PRESETS, Policy
from froude.harvest.simulate.scaling import factor_for, scaled
from froude.harvest.simulate.settings import AvailabilitySetting
from froude.harvest.simulate.spread import Spread, spread
from froude.harvest.telemetry.datacenter import Datacenter, Ints, Shares

PART = 1 << 17
"""Blocks looked at together, which bounds the memory."""
_SET_BITS = np.array([byte.bit_count() for byte in range(256)], np.uint8)


@dataclass(frozen=True, slots=True)
class Availability:
    """One policy at one mean utilisation, over the runs."""

    policy: str
    mean: float
    """Utilisation that the series were brought to."""
    factor: float
    """By which they were scaled."""
    failed: tuple[float | None, ...]
    """By run: share that failed of the accesses whose servers were all measured, 0 to 1; None where there are none."""
    refused: int
    """Blocks that no servers might have, over all runs."""
    known: tuple[float, ...] = ()
    """By run: share of the accesses whose servers were all measured at that time. One idle server would show that an
    access is answered, but that it fails only all of them show: to count what is known would favour the answered."""

    @property
    def spread(self) -> Spread | None:
        """Of the share that failed, over the runs in which it is known."""
        shares = [share for share in self.failed if share is not None]
        return spread(shares) if shares else None


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """One run of one policy; it travels to another process."""

    layout: Layout
    moments: Shares
    """Shape (tenants, moments): utilisation as it was measured."""
    factors: tuple[float, ...]
    setting: AvailabilitySetting
    policy: Policy
    seeds: Seeds
    run: int


def availability(  # noqa: PLR0917 - what, how, who, and how often
    datacenter: Datacenter,
    start_s: float,
    setting: AvailabilitySetting,
    seeds: Seeds,
    policies: Sequence[Policy] = PRESETS,
    runs: int = 5,
    workers: parallel.Workers = 1,
    done: Callable[[object], None] | None = None,
) -> tuple[Availability, ...]:
    """All policies over the same runs: same writers, same moments.

    Args:
        datacenter: with utilisation before and after the moment.
        start_s: classes are of what is known before it, accesses are from it on; from 0 on, at 0 classes are of
            the very time that is simulated.
        runs: of each, from 1.
        done: called after each run of a policy.

    Returns:
        By policy, and within it by mean utilisation, in the orders given.

    Raises:
        InputError: no slot begins at the moment or later, or a mean cannot be reached.
    """
    first = max(0, int(np.ceil(start_s / datacenter.slot_s)))
    if first >= datacenter.slots:
        allowed = f"before {datacenter.slots * datacenter.slot_s:g} s"
        raise InputError(
            "has no utilisation to simulate",
            file=datacenter.name,
            found=f"from {start_s:g} s",
            allowed=allowed,
        )
    series, layout = datacenter.utilisation[:, first:], layout_at(datacenter, start_s)
    servers = datacenter.tenant_servers
    factors = tuple(factor_for(series, servers, setting.scaling, mean) for mean in setting.means)
    drawn = [_moments(series, setting, seeds, run) for run in range(runs)]
    cases = [
        _Case(layout, drawn[run], factors, setting, policy, seeds, run)
        for policy in policies
        for run in range(runs)
    ]
    found = parallel.map(_simulate, cases, workers, done)
    results = []
    for number, policy in enumerate(policies):
        mine = found[number * runs : (number + 1) * runs]
        refused = sum(each[1] for each in mine)
        for level, (mean, factor) in enumerate(zip(setting.means, factors, strict=True)):
            failed, known = zip(*(each[0][level] for each in mine), strict=True)
            results.append(Availability(policy.name, mean, factor, failed, refused, known))
    return tuple(results)


def failed_share(replicas: Ints, busy: npt.NDArray[np.bool_]) -> float:
    """Share of pairs of a block and a moment in which all its servers are busy.

    Args:
        replicas: shape (blocks, R): servers.
    """
    bits = np.packbits(busy, axis=1)
    failed = 0
    for begin in range(0, len(replicas), PART):
        part = replicas[begin : begin + PART]
        together = bits[part[:, 0]]
        for number in range(1, part.shape[1]):
            together &= bits[part[:, number]]
        failed += int(_SET_BITS[together].sum(dtype=np.int64))
    return float(failed / max(replicas.shape[0] * busy.shape[1], 1))


def _moments(series: Shares, setting: AvailabilitySetting, seeds: Seeds, run: int) -> Shares:
    draw = np.random.default_rng(seeds.child("moments", run).value)
    return series[:, draw.integers(0, series.shape[1], setting.moments)]


def _simulate(case: _Case) -> tuple[tuple[tuple[float | None, float], ...], int]:
    """By mean utilisation the share that failed, and of how many accesses; and the blocks that were refused."""
    setting, layout = case.setting, case.layout
    room = max(1, round(setting.blocks * setting.replicas / setting.fill / layout.servers))
    generator = np.random.default_rng(case.seeds.child("run", case.run).value)
    seed = case.seeds.child("permutations", case.run).value
    capacity = np.full(layout.servers, room, np.int32)
    placed = place_blocks(layout, case.policy, capacity, setting.blocks, setting.replicas, generator, seed)
    whole = placed.replicas[placed.replicas[:, 0] >= 0] if placed.refused else placed.replicas
    shares = []
    for factor in case.factors:
        used = scaled(case.moments, setting.scaling, factor)[layout.tenant]
        failed = failed_share(whole, used > setting.busy)
        known = failed_share(whole, ~np.isnan(used))
        shares.append((failed / known if known else None, known))
    return tuple(shares), placed.refused
