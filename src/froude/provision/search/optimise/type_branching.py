"""A bound over all server types of a large catalog, raised by branching on what few servers cannot part.

A cluster of a few dozen servers has one host or two, one way to store each dataset, and whole servers; the linear
program of `type_pricing` has a bit of each. Here its parts are searched, the lowest bound
first: numbers of hosts and of servers, choices (parted in two halves of equal weight, for most are alike), then
servers of a type. Every part is a linear program over all types, those outside priced as in the first. So the least
bound of the open parts holds for every cluster, whatever types it has, and the types that the parts' optima use are
those worth searching over.

Of a catalog with 511 types that are needed it takes the gap after 20 s from 8.4 % to 3.3 % at 8 servers, and from 1.03 %
to 0.95 % at 484 (docs/design/2026-11-22-provision-sorted.md).

Source: branch and price (Barnhart and others, 1998) on special ordered sets (Beale and Tomlin, 1970); ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from froude.provision.search.best_first import BestFirst
from froude.provision.search.optimise.highs import INFINITY
from froude.provision.search.optimise.type_pricing import Ends, Priced, TypePricing

_FEW = 12.0
"""Up to here a number of hosts or servers is worth parting: one more or less of many is nothing."""
_WHOLE = 1e-5
"""A number nearer than this to a whole one is whole."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What the search over all types showed."""

    bound: float
    """No cluster costs less."""
    used: tuple[int, ...]
    """Server types that the optima of the open parts use, those of the lowest first."""
    parts: int
    """Parts looked at."""


def raise_bound(
    type_pricing: TypePricing,
    target: float,
    *,
    parts: int = 1000,
    expired: Callable[[], bool] = lambda: False,
) -> Raised:
    """Raise what any cluster costs at least until it reaches the target.

    Args:
        type_pricing: prices all types.
        target: dollars wanted.
        parts: most parts looked at; two are looked at where one is divided.
        expired: true when time is over.
    """
    root = type_pricing.priced({}, expired)
    if root is None:
        return Raised(0.0, (), 1)
    looked = 1
    open_: BestFirst[tuple[Ends, Priced]] = BestFirst()
    open_.push(({}, root), root.bound)
    for (ends, priced), bound in open_.until(lambda: target, most=parts // 2, expired=expired):
        split = _split(type_pricing, ends, priced)
        if not split:
            open_.close(bound)
        for child in split:
            looked += 1
            below = type_pricing.priced({**ends, **child}, expired)
            if below is None:
                open_.close(bound)
            elif below.bound < INFINITY:
                open_.push(({**ends, **child}, below), max(bound, below.bound))
    order = [server for _, priced in open_.in_order() for server in sorted(priced.used)]
    had = [server for server in dict.fromkeys(order) if server not in type_pricing.probes]
    return Raised(open_.lower, tuple(had), looked)


def _split(type_pricing: TypePricing, ends: Ends, priced: Priced) -> list[Ends]:
    """Two parts without the point that was found; none where it is whole."""
    few = [name for name in type_pricing.totals if priced.x.get(name, 0.0) <= _FEW]
    for names in (few[:1], [name for name in priced.x if name.endswith("/host:count")]):
        part = _most_away(priced, names)
        if part:
            return part
    choices = _choices(type_pricing, ends, priced)
    return (
        choices
        or _most_away(priced, few)
        or _most_away(priced, [n for n in priced.x if n.endswith(":count")])
    )


def _most_away(priced: Priced, names: Sequence[str]) -> list[Ends]:
    """Around the number that is the least whole; none where all are whole."""
    away, name = max(((_away(priced.x.get(name, 0.0)), name) for name in names), default=(0.0, ""))
    return _around(name, priced.x[name]) if away > _WHOLE else []


def _away(number: float) -> float:
    return abs(number - round(number))


def _around(name: str, number: float) -> list[Ends]:
    return [{name: (0.0, float(math.floor(number)))}, {name: (float(math.ceil(number)), INFINITY)}]


def _choices(type_pricing: TypePricing, ends: Ends, priced: Priced) -> list[Ends]:
    """The open choices of the dataset that is the least decided, in two halves."""
    parted: tuple[float, list[Ends]] = (1.0 - _WHOLE, [])
    for names in type_pricing.choices:
        weights = [(priced.x.get(name, 0.0), name) for name in names if ends.get(name) != (0.0, 0.0)]
        most = max(weight for weight, _ in weights)
        if most < parted[0]:
            cut, done = 0, 0.0
            while cut < len(weights) - 1 and (done == 0.0 or done + weights[cut][0] <= 0.5 + _WHOLE):
                done += weights[cut][0]
                cut += 1
            halves = (weights[:cut], weights[cut:])
            parted = (most, [{name: (0.0, 0.0) for _, name in half} for half in halves])
    return parted[1]
