"""The next replica of a block, and all of them, by any policy: what plain Python and compiled loops share."""

from __future__ import annotations

from froude.base.machine_code import shared
from froude.harvest.place.distinct import choose_distinct
from froude.harvest.place.rules import CONSTRAINED, COPYSET, Rules
from froude.harvest.place.stock import choose_copyset, choose_stock
from froude.harvest.place.targets import Chance, Numbers, Targets, put, take


@shared
def choose(targets: Targets, rules: Rules, taken: Numbers, count: int, chance: Chance) -> int:
    """A server for the next replica; -1 where none may have it.

    Args:
        taken: servers of the block's other replicas, in the order in which they were placed.
        count: how many of `taken` count, from 0.
    """
    if rules.kind == CONSTRAINED:
        return choose_distinct(targets, rules, taken, count, chance)
    if rules.kind == COPYSET:
        return choose_copyset(targets, rules, taken, count, chance)
    return choose_stock(targets, rules, taken, count, chance)


@shared
def place_block(targets: Targets, rules: Rules, writer: int, taken: Numbers, chance: Chance) -> bool:
    """Place a block's replicas, the first on the writer's server if it has space; False, and none, if one is refused.

    Args:
        targets: the servers; their space is taken.
        writer: the server that creates the block; below 0 for one outside.
        taken: where the servers are written, as many as there are replicas.

    Source: harvesting paper, Algorithm 2, lines 6 to 18.
    """
    count = 0
    if writer >= 0 and targets.free[writer] > 0:
        taken[0] = writer
        put(targets, writer)
        count = 1
    while count < len(taken):
        server = choose(targets, rules, taken, count, chance)
        if server < 0:
            for place in range(count):
                take(targets, taken[place], 1)
            return False
        taken[count] = server
        put(targets, server)
        count += 1
    return True
