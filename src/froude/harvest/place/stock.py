"""Placement by racks, as stock HDFS does it, and within copysets: the baselines.

Source: BlockPlacementPolicyDefault.chooseTargetInOrder of Hadoop 3; harvesting paper, section 5.3 (its text differs);
Cidon et al., Copysets, USENIX ATC 2013. None refuses while any server has space; what gives way is counted.
"""

from __future__ import annotations

from froude.base.machine_code import shared
from froude.harvest.place.distinct import TRIES, fits
from froude.harvest.place.rules import PAPER_STOCK, Rules
from froude.harvest.place.targets import Chance, Numbers, Targets

ANY, SAME, OTHER = 0, 1, 2
"""What the rack of the next replica must be, beside a given one."""


@shared
def choose_stock(targets: Targets, rules: Rules, taken: Numbers, count: int, chance: Chance) -> int:
    """A server by the rules of racks; -1 where no server has space.

    Survivors of a repair count as placed, in their order: with one left, the next goes where the second would.

    Args:
        targets: the servers, in groups by rack.
    """
    wanted, rack = ANY, -1
    if count == 1:
        wanted, rack = OTHER, targets.rack[taken[0]]
        if rules.kind == PAPER_STOCK:
            wanted = SAME
    elif count == 2:
        first, second = targets.rack[taken[0]], targets.rack[taken[1]]
        wanted, rack = (OTHER, first) if first == second else (SAME, second)
    if wanted == SAME:
        server = _of_rack(targets, rack, taken, count, chance)
    else:
        server = _anywhere(targets, rules, taken, count, rack, chance)
    if server < 0:
        server = any_server(targets, taken, count, chance)
        if server >= 0:
            targets.relaxed[1] += 1
    return server


@shared
def _of_rack(targets: Targets, rack: int, taken: Numbers, count: int, chance: Chance) -> int:
    """A server with space in a rack: drawn, or the first that fits from a place drawn."""
    first, size = targets.group_start[rack], targets.group_open[rack]
    if size == 0:
        return -1
    for _ in range(TRIES):
        server = targets.servers[first + int(chance.random() * size)]
        if fits(targets, taken, count, 0, server):
            return server
    start = int(chance.random() * size)
    for step in range(size):
        server = targets.servers[first + (start + step) % size]
        if fits(targets, taken, count, 0, server):
            return server
    return -1


@shared
def _anywhere(  # noqa: PLR0917 - compiled functions take no keywords cheaply
    targets: Targets, rules: Rules, taken: Numbers, count: int, rack: int, chance: Chance
) -> int:
    """A server with space, not in one rack, and in none that holds as many replicas as it may."""
    servers = len(targets.free)
    for _ in range(TRIES):
        server = int(chance.random() * servers)
        if _allowed(targets, rules, taken, count, rack, server):
            return server
    start = int(chance.random() * servers)
    for step in range(servers):
        server = (start + step) % servers
        if _allowed(targets, rules, taken, count, rack, server):
            return server
    return -1


@shared
def _allowed(  # noqa: PLR0917 - as above
    targets: Targets, rules: Rules, taken: Numbers, count: int, rack: int, server: int
) -> bool:
    if targets.free[server] == 0 or targets.rack[server] == rack:
        return False
    near = 0
    for place in range(count):
        if taken[place] == server:
            return False
        if targets.rack[taken[place]] == targets.rack[server]:
            near += 1
    return near < rules.per_rack


@shared
def any_server(targets: Targets, taken: Numbers, count: int, chance: Chance) -> int:
    """Any other server with space; -1 where there is none."""
    servers = len(targets.free)
    start = 0
    for _ in range(TRIES):
        start = int(chance.random() * servers)
        if targets.free[start] > 0 and fits(targets, taken, count, 0, start):
            return start
    for step in range(servers):
        server = (start + step) % servers
        if targets.free[server] > 0 and fits(targets, taken, count, 0, server):
            return server
    return -1


@shared
def choose_copyset(targets: Targets, rules: Rules, taken: Numbers, count: int, chance: Chance) -> int:
    """A server of a copyset that holds the block's other replicas; any, and counted, where that has no space."""
    servers = len(targets.free)
    permutations = len(rules.permuted) // servers
    start = int(chance.random() * permutations)
    for step in range(permutations if count > 0 else 0):
        base = (start + step) % permutations * servers
        first = _set_start(rules, base, servers, taken, count)
        if first < 0:
            continue
        shift = int(chance.random() * rules.width)
        for turn in range(rules.width):
            server = rules.permuted[base + first + (shift + turn) % rules.width]
            if targets.free[server] > 0 and fits(targets, taken, count, 0, server):
                return server
    server = any_server(targets, taken, count, chance)
    if count > 0 and server >= 0:
        targets.relaxed[1] += 1
    return server


@shared
def _set_start(rules: Rules, base: int, servers: int, taken: Numbers, count: int) -> int:
    """Where a permutation's set of the first server begins, if all the others are in it; else -1.

    The last set reaches back where the servers do not come out even.
    """
    place = rules.places[base + taken[0]]
    first = min(place - place % rules.width, max(servers - rules.width, 0))
    for number in range(count):
        place = rules.places[base + taken[number]]
        if not first <= place < first + rules.width:
            return -1
    return first
