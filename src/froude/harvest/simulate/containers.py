"""Containers on servers that their primary tenants come back to: the loop under the simulation of scheduling, compiled.

Time goes in rounds of a heartbeat, since nothing is allocated between two. A container hangs in three chains through
arrays: of its server, the youngest first, so that a kill takes the first; of the round in which it ends, in a calendar
of `BUCKETS` buckets; of free places. A tree of sums over servers, which stand by class, draws a server in proportion to
its weight in the time of a logarithm. The primary tenants' use changes from slot to slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from froude.base.machine_code import compiled, shared

Numbers = npt.NDArray[np.int32]
Large = npt.NDArray[np.int64]

# A calendar of its own instead of `froude.base.events`: compiled code calls no Python callback, and a month of a large
# datacenter has millions of ends of containers, each of which is a few integers in arrays here.
BUCKETS = 8192
STARTED, KILLED, WASTED, ENDED, OVERLOADED, ALLOCATED, LIVE, ROUND, SCARCE = range(9)
"""What `totals` counts: containers started and killed, rounds that those had run, containers ended, server-slots in
which containers and primary tenant together want more cores than there are, container-slots; jobs that live now, the
round that comes next, whether no predicted room is left in this slot."""
COUNTS = 9
EVEN, FREE, PREDICTED = range(3)
"""How servers with room are weighed: all alike, by their free cores, by the cores that are predicted to stay free."""


class Fleet(NamedTuple):
    """Servers; its arrays change in place."""

    tenant: Numbers
    """By server, which stand by class."""
    limit: Numbers
    """By server: cores that containers may have now."""
    used: Numbers
    """By server: cores that they have."""
    weight: Numbers
    """By server: what it weighs now."""
    sums: Large
    """The tree: shape (servers + 1,)."""
    youngest: Numbers
    """By server: its youngest container; -1 for none."""
    first: Numbers
    """By class, and one more: its first server."""


class Pool(NamedTuple):
    """Places of containers; its arrays change in place."""

    server: Numbers
    stage: Numbers
    begun: Numbers
    """The round in which it began."""
    ends: Numbers
    """The round in which it ends."""
    older: Numbers
    """The next older one of its server; of free places the next free one."""
    younger: Numbers
    before: Numbers
    """The one before it in its bucket; -1 for the first."""
    after: Numbers
    bucket: Numbers
    """By bucket: its first container."""
    free: Numbers
    """Shape (1,): the first free place."""


class Work(NamedTuple):
    """Jobs and their stages; its arrays change in place."""

    job: Numbers
    """By stage: its job."""
    length: Numbers
    """By stage: rounds that a task runs."""
    waits_for: Numbers
    """By stage: stages before it that are not done."""
    pending: Numbers
    """By stage: tasks that do not run."""
    left: Numbers
    """By stage: tasks that are not done."""
    children: Numbers
    """Stages that wait for another, by that one."""
    child: Numbers
    """By stage, and one more: its first among `children`."""
    stage: Numbers
    """By job, and one more: its first stage."""
    ready: Numbers
    """By job: pending tasks of stages that wait for none."""
    stages_left: Numbers
    done: Numbers
    """By job: the round in which it was done; -1 before."""
    live: Numbers
    """Jobs that were submitted and are not done, in their order, the first `totals[LIVE]` of it."""
    classes: npt.NDArray[np.uint8]
    """Shape (jobs, classes): 1 where its containers may run."""


class Tenants(NamedTuple):
    """What primary tenants leave, by tenant and slot."""

    limit: npt.NDArray[np.uint8]
    """Cores that containers may have."""
    predicted: npt.NDArray[np.uint8]
    """Cores that are predicted to stay so for a while."""
    wanted: npt.NDArray[np.uint8]
    """Cores that the primary tenant wants."""


class Rules(NamedTuple):
    """How servers are chosen."""

    weigh: int
    """EVEN, FREE or PREDICTED."""
    aware: int
    """0 where containers may have all cores of a server, whatever its primary tenant wants."""
    cores: int
    """Of a server."""
    slot: int
    """Rounds of a slot."""


class Play(NamedTuple):
    """All that a run changes and goes by."""

    fleet: Fleet
    pool: Pool
    work: Work
    tenants: Tenants
    rules: Rules
    totals: Large
    """Counts; see above."""
    chance: npt.NDArray[np.uint64]
    """Shape (1,): the state of the generator, not 0."""


@shared
def _weight(play: Play, server: int, slot: int) -> int:
    fleet = play.fleet
    free = fleet.limit[server] - fleet.used[server]
    if free <= 0:
        return 0
    if play.rules.weigh == EVEN:
        return 1
    if play.rules.weigh == FREE or play.totals[SCARCE]:
        return int(free)
    stays = int(play.tenants.predicted[fleet.tenant[server], slot]) - fleet.used[server]
    return int(min(stays, free)) if stays > 0 else 0


@shared
def _reweigh(play: Play, server: int, slot: int) -> None:
    """One server's weight anew, and the sums above it."""
    fleet = play.fleet
    now = _weight(play, server, slot)
    change = now - fleet.weight[server]
    if change:
        fleet.weight[server] = now
        at = server + 1
        while at < len(fleet.sums):
            fleet.sums[at] += change
            at += at & -at


@shared
def _weigh_all(play: Play, slot: int) -> None:
    """Every server's weight and the tree anew; linear."""
    fleet = play.fleet
    fleet.sums[0] = 0
    for server in range(len(fleet.tenant)):
        fleet.weight[server] = _weight(play, server, slot)
        fleet.sums[server + 1] = fleet.weight[server]
    for at in range(1, len(fleet.sums)):
        above = at + (at & -at)
        if above < len(fleet.sums):
            fleet.sums[above] += fleet.sums[at]


@shared
def _before(fleet: Fleet, server: int) -> int:
    """The weight of all servers before one."""
    total = 0
    while server > 0:
        total += fleet.sums[server]
        server -= server & -server
    return total


@shared
def _at(fleet: Fleet, weight: int) -> int:
    """The server in whose weight a number falls, counted from the first server's."""
    at, step = 0, 1
    while step * 2 < len(fleet.sums):
        step *= 2
    while step:
        if at + step < len(fleet.sums) and fleet.sums[at + step] <= weight:
            at += step
            weight -= fleet.sums[at]
        step //= 2
    return at


@shared
def _random(chance: npt.NDArray[np.uint64], below: int) -> int:
    """A whole number from 0 to below; xorshift of 64 bits."""
    x = chance[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    chance[0] = x
    return int((x >> np.uint64(1)) % np.uint64(below))


@shared
def _drawn(play: Play, job: int) -> int:
    """A server of the classes that a job may use, by weight; -1 where none has room."""
    fleet, classes = play.fleet, play.work.classes
    total = 0
    for each in range(len(fleet.first) - 1):
        if classes[job, each]:
            total += _before(fleet, fleet.first[each + 1]) - _before(fleet, fleet.first[each])
    if total <= 0:
        return -1
    at = _random(play.chance, total)
    for each in range(len(fleet.first) - 1):
        if classes[job, each]:
            below = _before(fleet, fleet.first[each])
            inside = _before(fleet, fleet.first[each + 1]) - below
            if at < inside:
                return _at(fleet, below + at)
            at -= inside
    return -1


@shared
def _start(play: Play, stage: int, server: int, now: int) -> None:
    fleet, pool, work = play.fleet, play.pool, play.work
    place = pool.free[0]
    pool.free[0] = pool.older[place]
    pool.server[place], pool.stage[place] = server, stage
    pool.begun[place], pool.ends[place] = now, now + work.length[stage]
    pool.older[place], pool.younger[place] = fleet.youngest[server], -1
    if fleet.youngest[server] >= 0:
        pool.younger[fleet.youngest[server]] = place
    fleet.youngest[server] = place
    bucket = pool.ends[place] % BUCKETS
    pool.before[place], pool.after[place] = -1, pool.bucket[bucket]
    if pool.bucket[bucket] >= 0:
        pool.before[pool.bucket[bucket]] = place
    pool.bucket[bucket] = place
    fleet.used[server] += 1
    work.pending[stage] -= 1
    work.ready[work.job[stage]] -= 1
    play.totals[STARTED] += 1


@shared
def _remove(play: Play, place: int) -> None:
    """Take a container out of its chains."""
    fleet, pool = play.fleet, play.pool
    server = pool.server[place]
    older, younger = pool.older[place], pool.younger[place]
    if younger >= 0:
        pool.older[younger] = older
    else:
        fleet.youngest[server] = older
    if older >= 0:
        pool.younger[older] = younger
    before, after = pool.before[place], pool.after[place]
    if before >= 0:
        pool.after[before] = after
    else:
        pool.bucket[pool.ends[place] % BUCKETS] = after
    if after >= 0:
        pool.before[after] = before
    fleet.used[server] -= 1
    pool.older[place] = pool.free[0]
    pool.free[0] = place


@shared
def _end(play: Play, stage: int, now: int) -> None:
    """A task is done: perhaps its stage, so that others may begin, and perhaps its job."""
    work = play.work
    play.totals[ENDED] += 1
    work.left[stage] -= 1
    if work.left[stage]:
        return
    job = work.job[stage]
    for at in range(work.child[stage], work.child[stage + 1]):
        child = work.children[at]
        work.waits_for[child] -= 1
        if work.waits_for[child] == 0:
            work.ready[job] += work.pending[child]
    work.stages_left[job] -= 1
    if work.stages_left[job] == 0:
        work.done[job] = now


@shared
def _new_slot(play: Play, now: int) -> None:
    """Primary tenants take back what they want: the youngest containers go; all weights anew."""
    fleet, pool, work, rules, totals = play.fleet, play.pool, play.work, play.rules, play.totals
    slot = now // rules.slot
    for server in range(len(fleet.tenant)):
        tenant = fleet.tenant[server]
        fleet.limit[server] = play.tenants.limit[tenant, slot] if rules.aware else rules.cores
        while fleet.used[server] > fleet.limit[server]:
            place = fleet.youngest[server]
            stage = pool.stage[place]
            totals[KILLED] += 1
            totals[WASTED] += now - pool.begun[place]
            _remove(play, place)
            work.pending[stage] += 1
            work.ready[work.job[stage]] += 1
        free = rules.cores - int(play.tenants.wanted[tenant, slot])
        if fleet.used[server] > free:
            totals[OVERLOADED] += 1
        totals[ALLOCATED] += fleet.used[server]
    totals[SCARCE] = 0
    _weigh_all(play, slot)


@shared
def _place(play: Play, job: int, stage: int, now: int) -> bool:
    """A container of a stage, where there is room; what is predicted counts until no such room is left in a slot."""
    slot = now // play.rules.slot
    server = _drawn(play, job)
    if server < 0 and play.rules.weigh == PREDICTED and not play.totals[SCARCE]:
        play.totals[SCARCE] = 1
        _weigh_all(play, slot)
        server = _drawn(play, job)
    if server < 0:
        return False
    _start(play, stage, server, now)
    _reweigh(play, server, slot)
    return True


@shared
def _full(play: Play) -> bool:
    """Whether no server has room for anything."""
    if play.rules.weigh == PREDICTED and not play.totals[SCARCE]:
        return False
    return _before(play.fleet, len(play.fleet.tenant)) == 0


@shared
def _allocate(play: Play, now: int) -> None:
    """First come, first served: every job's ready tasks, as long as its classes have room; jobs that are done go."""
    work, totals = play.work, play.totals
    kept = 0
    full = _full(play)
    for at in range(totals[LIVE]):
        job = work.live[at]
        if work.done[job] >= 0:
            continue
        work.live[kept] = job
        kept += 1
        if full or not work.ready[job]:
            continue
        for stage in range(work.stage[job], work.stage[job + 1]):
            if not work.waits_for[stage]:
                while work.pending[stage] and _place(play, job, stage, now):
                    pass
                if work.pending[stage]:
                    full = _full(play)
                    break
    totals[LIVE] = kept


@compiled
def advance(play: Play, until: int) -> None:
    """Play the rounds from `totals[ROUND]` to `until`, excluded; logarithmic in servers for each container.

    Args:
        play: the state, changed in place; jobs that are submitted are in `work.live`.
    """
    pool, rules, totals = play.pool, play.rules, play.totals
    for now in range(totals[ROUND], until):
        place = pool.bucket[now % BUCKETS]
        while place >= 0:
            after = pool.after[place]
            if pool.ends[place] == now:
                server, stage = pool.server[place], pool.stage[place]
                _remove(play, place)
                _end(play, stage, now)
                _reweigh(play, server, now // rules.slot)
            place = after
        if now % rules.slot == 0:
            _new_slot(play, now)
        if totals[LIVE]:
            _allocate(play, now)
    totals[ROUND] = until
