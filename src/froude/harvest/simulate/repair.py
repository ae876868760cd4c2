"""Wipes, their detection and the repair of what they took: the loop under the simulation of durability, compiled.

A replica is a slot, `block * R + number`. A live slot hangs in the list of its server, a lost one in the list of its
wipe until that is detected, then in a queue: all are chains through one array, `follow`, so that no memory is asked
for. Each server, as a source (or as the one that lost, see `Throttle`), repairs one block a tick, blocks of which one
replica is left first. Ticks in which nothing waits are skipped.
"""

from __future__ import annotations

from typing import NamedTuple

from froude.base.machine_code import compiled, shared
from froude.harvest.place.choosing import choose
from froude.harvest.place.rules import Rules
from froude.harvest.place.targets import Chance, Numbers, Targets, put, take

# Time is ticks in compiled code instead of `froude.base.events`, for the reason given in `containers`.
LOST, REPAIRED, WIPED, POSTPONED, BUSY, WAITING, ACTIVE = range(7)
"""What `totals` counts: blocks lost, replicas repaired and wiped, refused attempts to repair, ticks in which something
waited, lost replicas that still wait at the end; and how many servers have a queue now."""
COUNTS = 7


class Repairs(NamedTuple):
    """The state of a simulation; its arrays change in place."""

    replicas: Numbers
    """By slot: its server; -1 while it is lost, below that where the block has fewer replicas than others."""
    follow: Numbers
    """By slot: the next of its chain; -1 at the end."""
    head: Numbers
    """By server: its first live slot."""
    chain: Numbers
    """By wipe: the first slot that it took."""
    first: Numbers
    """By queue: its first slot. A server has two: 2s for blocks with one replica left, 2s + 1 for others."""
    last: Numbers
    """By queue: its last slot."""
    active: Numbers
    """Servers with a queue, the first `totals[ACTIVE]` of it."""
    listed: Numbers
    """By server: 1 if it is among them."""
    taken: Numbers
    """Room for the servers of a block's survivors: its length is the number of replicas."""
    totals: Numbers


class Wiping(NamedTuple):
    """What happens, and how fast it is seen and mended."""

    server: Numbers
    """By wipe: whose disks."""
    tick: Numbers
    """By wipe, ascending: when, from 0."""
    detection: int
    """Ticks until a wipe is noticed."""
    ticks: int
    by_lost: int
    """1 if the server that lost a replica limits its repair, 0 if the one that it is copied from does."""


@compiled
def run(targets: Targets, rules: Rules, state: Repairs, wiping: Wiping, chance: Chance) -> None:
    """Play all wipes.

    Args:
        targets: the servers with the replicas of `state`.
        state: as placed, with empty lists; its totals are the result.
    """
    _hang_up(state)
    tick = wiped = found = 0
    while True:
        if state.totals[ACTIVE] == 0:
            ahead = wiping.ticks
            if wiped < len(wiping.tick):
                ahead = min(ahead, wiping.tick[wiped])
            if found < wiped:
                ahead = min(ahead, wiping.tick[found] + wiping.detection)
            tick = max(tick, ahead)
        if tick >= wiping.ticks:
            break
        while wiped < len(wiping.tick) and wiping.tick[wiped] <= tick:
            _wipe(targets, state, wiped, wiping.server[wiped])
            wiped += 1
        while found < wiped and wiping.tick[found] + wiping.detection <= tick:
            _detect(state, wiping, found, chance)
            found += 1
        if state.totals[ACTIVE] > 0:
            state.totals[BUSY] += 1
            _repair_all(targets, rules, state, wiping, chance)
        tick += 1
    for slot in range(len(state.replicas)):
        if state.replicas[slot] == -1 and _survivors(state, slot) > 0:
            state.totals[WAITING] += 1


@shared
def _hang_up(state: Repairs) -> None:
    """Hang every slot into the list of its server."""
    for slot in range(len(state.replicas)):
        server = state.replicas[slot]
        if server >= 0:
            state.follow[slot] = state.head[server]
            state.head[server] = slot


@shared
def _survivors(state: Repairs, slot: int) -> int:
    """How many replicas of a slot's block live; their servers are written to `taken`."""
    width = len(state.taken)
    begin = slot - slot % width
    count = 0
    for other in range(begin, begin + width):
        server = state.replicas[other]
        if server >= 0:
            state.taken[count] = server
            count += 1
    return count


@shared
def _wipe(targets: Targets, state: Repairs, number: int, server: int) -> None:
    """A server loses all; it is back at once, empty."""
    slot = state.head[server]
    state.chain[number] = slot
    state.head[server] = -1
    count = 0
    while slot >= 0:
        state.replicas[slot] = -1
        count += 1
        if _survivors(state, slot) == 0:
            state.totals[LOST] += 1
        slot = state.follow[slot]
    state.totals[WIPED] += count
    take(targets, server, count)


@shared
def _detect(state: Repairs, wiping: Wiping, number: int, chance: Chance) -> None:
    """Queue what a wipe took."""
    slot = state.chain[number]
    while slot >= 0:
        behind = state.follow[slot]
        count = _survivors(state, slot)
        if count > 0:
            owner = wiping.server[number]
            if not wiping.by_lost:
                owner = state.taken[int(chance.random() * count)]
            _queue(state, slot, owner, count)
        slot = behind


@shared
def _queue(state: Repairs, slot: int, owner: int, survivors: int) -> None:
    line = 2 * owner + (1 if survivors > 1 else 0)
    state.follow[slot] = -1
    if state.first[line] < 0:
        state.first[line] = slot
    else:
        state.follow[state.last[line]] = slot
    state.last[line] = slot
    if state.listed[owner] == 0:
        state.listed[owner] = 1
        state.active[state.totals[ACTIVE]] = owner
        state.totals[ACTIVE] += 1


@shared
def _repair_all(targets: Targets, rules: Rules, state: Repairs, wiping: Wiping, chance: Chance) -> None:
    """One block of every server that has a queue; who has none left leaves the list."""
    at = 0
    while at < state.totals[ACTIVE]:
        owner = state.active[at]
        if _repair_one(targets, rules, state, wiping, owner, chance):
            at += 1
        else:
            state.listed[owner] = 0
            state.totals[ACTIVE] -= 1
            state.active[at] = state.active[state.totals[ACTIVE]]


@shared
def _repair_one(  # noqa: PLR0917 - compiled functions take no keywords cheaply
    targets: Targets, rules: Rules, state: Repairs, wiping: Wiping, owner: int, chance: Chance
) -> bool:
    """Repair the next block of a server's queues; False where nothing waits."""
    while True:
        line = 2 * owner if state.first[2 * owner] >= 0 else 2 * owner + 1
        slot = state.first[line]
        if slot < 0:
            return False
        state.first[line] = state.follow[slot]
        count = _survivors(state, slot)
        if count == 0:
            continue  # the block is lost
        if not wiping.by_lost and not _among(state.taken, count, owner):
            # the source was wiped in the meantime: another one takes over
            _queue(state, slot, state.taken[int(chance.random() * count)], count)
            continue
        server = choose(targets, rules, state.taken, count, chance)
        if server < 0:
            state.totals[POSTPONED] += 1
            _queue(state, slot, owner, count)
            return True
        put(targets, server)
        state.replicas[slot] = server
        state.follow[slot] = state.head[server]
        state.head[server] = slot
        state.totals[REPAIRED] += 1
        return True


@shared
def _among(servers: Numbers, count: int, wanted: int) -> bool:
    place = 0
    while place < count and servers[place] != wanted:
        place += 1
    return place < count
