"""Branch and price over totals: raises what fixed choices cost at least, where column generation leaves a gap.

Every cluster has a whole number of servers of each kind, of units of each copy, of cores and memory units; the
fractional packing need not. Parting one such total at a time and generating columns anew on both sides gives
bounds that hold (each is safe, `RestrictedMaster.generate`), best bound first, so that it may stop at any time.

Source: Vanderbeck, branching on aggregated columns in branch and price (2000); the choice of totals is ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from froude.provision.search.best_first import BestFirst
from froude.provision.search.optimise.column_generation import Bound, RestrictedMaster, TotalLimit


def raise_bound(
    restricted: RestrictedMaster,
    root: Bound,
    *,
    target: Callable[[], float],
    penalty: float,
    nodes: int,
    found: Callable[[], None],
    expired: Callable[[], bool],
) -> float:
    """A lower bound of the packing's choices, at least the root's.

    Args:
        restricted: the columns so far; more are added.
        root: what generation ended with, without branches.
        target: the bound that is enough, asked again at each node.
        penalty: as for `RestrictedMaster.generate`.
        nodes: most generations; there are two a node.
        found: called after each generation: the columns have changed, a better cluster may be at hand.
        expired: true when time is over.
    """
    open_: BestFirst[tuple[tuple[TotalLimit, ...], Bound]] = BestFirst()
    open_.push(((), root), root.lower)
    for (rows, bound), lower in open_.until(target, most=(nodes + 1) // 2, expired=expired):
        fractions = (*bound.fractions, *([0.0] * (len(restricted.columns) - len(bound.fractions))))
        split = restricted.fractional(fractions)
        if split is None:
            open_.close(lower)
            break
        total, amount = split
        for row in (TotalLimit(total, False, math.floor(amount)), TotalLimit(total, True, math.ceil(amount))):
            restricted.branching_rows = (*rows, row)
            child = restricted.generate(penalty, enough=1e-4)
            open_.push((restricted.branching_rows, child), max(lower, child.lower))
        restricted.branching_rows = ()
        found()
    return open_.lower
