"""A bound over all server types of a large catalog, raised by branching on what few servers cannot part.

A cluster of a few dozen servers has one host or two, one way to store each dataset, and whole servers; the linear
program of `type_pricing` has a bit of each. Here its parts are searched, the lowest bound first: numbers of hosts and of
servers, choices (parted in two halves of equal weight, for most are alike), then servers of a type, then units,
instances and cores on them. Every part is a linear program over all types, those outside priced as in the first. So the
least bound of the open parts holds for every cluster, whatever types it has, and the types that the parts' optima use
are those worth searching over.

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
_WHOLE_CONTENTS = (":units", ":instances", ":cores", ":dimms")
"""Ends of the names of what servers of a type hold whole numbers of."""
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


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of all clusters."""

    ends: Ends
    priced: Priced | None = None
    """Its optimum, or that of the part that it was divided from."""
    solved: bool = False
    """The optimum is its own."""


class TypeBranching:
    """The search, which may be taken up again where it was left."""

    def __init__(self, type_pricing: TypePricing) -> None:
        """Begin with all clusters."""
        self._type_pricing = type_pricing
        self._open: BestFirst[_Part] = BestFirst()
        self._open.push(_Part({}), 0.0)
        self._solved = 0

    def raise_bound(
        self, target: float, *, parts: int = 1000, left_s: Callable[[], float] = lambda: INFINITY
    ) -> Raised:
        """Raise what any cluster costs at least until it reaches the target.

        Args:
            target: dollars wanted.
            parts: most parts looked at.
        """
        before = self._solved
        last = before + parts
        for part, bound in self._open.until(
            lambda: target, most=2 * parts, expired=lambda: self._solved >= last or left_s() <= 0
        ):
            if part.solved:
                self._divide(part, bound)
                continue
            self._solved += 1
            priced = self._type_pricing.priced(part.ends, left_s)
            if priced is None and left_s() <= 0:
                self._open.push(part, bound)
            elif priced is None:
                self._open.close(bound)
            elif priced.bound < INFINITY:
                self._open.push(_Part(part.ends, priced, solved=True), max(bound, priced.bound))
        order = [
            server for part in self._open.in_order() if part.priced for server in sorted(part.priced.used)
        ]
        had = [server for server in dict.fromkeys(order) if server not in self._type_pricing.probes]
        return Raised(self._open.lower, tuple(had), self._solved - before)

    def _divide(self, part: _Part, bound: float) -> None:
        assert part.priced is not None
        split = _split(self._type_pricing, part.ends, part.priced)
        if not split:
            self._open.close(bound)
        for child in split:
            self._open.push(_Part({**part.ends, **child}, part.priced), bound)


def _split(type_pricing: TypePricing, ends: Ends, priced: Priced) -> list[Ends]:
    """Two parts without the point that was found; none where it is whole."""
    few = [name for name in type_pricing.totals if priced.x.get(name, 0.0) <= _FEW]
    for names in (few[:1], [name for name in priced.x if name.endswith("/host:count")]):
        part = _most_away(priced, names)
        if part:
            return part
    choices = _choices(type_pricing, ends, priced)
    if choices:
        return choices
    counts, contents = ([n for n in priced.x if n.endswith(what)] for what in (":count", _WHOLE_CONTENTS))
    return next((part for names in (few, counts, contents) if (part := _most_away(priced, names))), [])


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
