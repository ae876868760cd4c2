"""Branch and price over totals: raises what fixed choices cost at least, where column generation leaves a gap.

Every cluster has a whole number of servers of each kind, of units of each copy, of cores and memory units; the
fractional packing need not. Parting one such total at a time and generating columns anew on both sides gives
bounds that hold (each is safe, `RestrictedMaster.generate`), best bound first, so that it may stop at any time.

Source: Vanderbeck, branching on aggregated columns in branch and price (2000); the choice of totals is ours.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable

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
        nodes: most generations.
        found: called after each generation: the columns have changed, a better cluster may be at hand.
        expired: true when time is over.
    """
    heap: list[tuple[float, int, tuple[TotalLimit, ...], Bound]] = [(root.lower, 0, (), root)]
    done = 0
    while heap:
        lower, _, rows, bound = heap[0]
        if lower >= target() or done >= nodes or expired():
            break
        fractions = (*bound.fractions, *([0.0] * (len(restricted.columns) - len(bound.fractions))))
        split = restricted.fractional(fractions)
        if split is None:
            break
        heapq.heappop(heap)
        total, amount = split
        for row in (TotalLimit(total, False, math.floor(amount)), TotalLimit(total, True, math.ceil(amount))):
            done += 1
            restricted.branching_rows = (*rows, row)
            child = restricted.generate(penalty, enough=1e-4)
            heapq.heappush(heap, (max(lower, child.lower), done, restricted.branching_rows, child))
        restricted.branching_rows = ()
        found()
    return heap[0][0] if heap else root.lower
