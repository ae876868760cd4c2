"""How many hosts a cluster spreads over, so that it survives the failure of some, as a decision with a bound.

With f hosts to survive, the cluster has one number H: no server has more than 1 / H of any copy or task, and every
server is sized for H / (H - f) of its load. When f servers fail, the others take over in proportion, and each
load grows by at most 1 / (1 - f / H). A small H asks for much spare load, a large one for many servers.

For a given H the problem stays linear (`spread_over`). For an interval [a, b] of H, shares of up to 1 / a at the load
factor of b bound every H in it (`spread_between`); intervals are parted, the least bound first, until the best answer
is within the gap of the least bound.

A lost rack is as many failed servers as it takes, whichever they are. Where the rest need only hold the data,
H / (H - f) counts for what units hold, and not for loads.

Source: ours; defined in docs/design/2026-11-21-provisioning-features.md and 2026-11-22-hdfs-sizing.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from froude.base.clock import Clock
from froude.provision.model.instance import Copy, DatasetNeed, Instance, LocalUnits, TaskNeed
from froude.provision.model.spreading import whole
from froude.provision.search.frontier import COARSE, Adapt, Frontier, halves
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Placement, Problem, RackLoss
from froude.provision.types.plan import ProvisionPlan, Status

_LARGE, _PER_HOST = 10_000, 20
"""Servers per failing one from which on clusters are spread over a part of them at once, and that part's inverse."""
_MOST_INTERVALS = 2000

Solve = Callable[[Adapt, float, float], ProvisionPlan]
"""Compiles the problem, its instance changed, to a relative gap within seconds; its plans carry bounds."""


@dataclass(frozen=True, slots=True)
class _Interval:
    start: int
    end: int | None
    """None: without end."""
    rough: bool = True
    """Whether it was looked at roughly only."""

    @property
    def single(self) -> bool:
        return self.start == self.end

    def width(self, hosts: int) -> float:
        """How much more load the first H of it asks for than the last, relative."""
        last = 1.0 if self.end is None else self.end / (self.end - hosts)
        return self.start / (self.start - hosts) / last - 1

    def halves(self) -> tuple[_Interval, ...]:
        """Both parts of more than one H, as rough or fine as the whole."""
        return tuple(_Interval(start, end, self.rough) for start, end in halves(self.start, self.end))


@dataclass(frozen=True, slots=True)
class Losses:
    """What a cluster must get over."""

    service: int
    """Servers that may be lost, so that the others still meet the SLA."""
    data: int
    """Servers that may be lost, so that the others can still hold all data; as many or more."""

    @classmethod
    def of(cls, problem: Problem) -> Losses:
        """What the options ask for; 0 servers where they ask for nothing."""
        loss, rack, hosts = problem.options.survive_rack, problem.catalog.rack, problem.options.survive_hosts
        if rack is None or loss is RackLoss.NONE:
            return cls(hosts, hosts)
        return cls(max(hosts, rack.servers if loss is RackLoss.SERVICE else 0), max(hosts, rack.servers))


def best_spread(
    losses: Losses,
    solve: Solve,
    limits: SolveLimits,
    clock: Clock | None = None,
) -> ProvisionPlan:
    """The cheapest plan over all numbers H of hosts to spread over, with a bound over all of them.

    Args:
        losses: one server at least.
    """
    frontier: Frontier[_Interval] = Frontier(limits, most=_MOST_INTERVALS, clock=clock)
    fine = limits.gap / 2
    rough = max(fine, COARSE)
    hosts, held = losses.service, losses.data

    def answer(spread: int, within: float) -> ProvisionPlan:
        """A single H is a problem of its own; a close look at it takes its time."""
        seconds = frontier.seconds if within > fine else frontier.seconds_close
        plan = solve(partial(spread_over, spread=spread, hosts=hosts, held=held), within, seconds)
        frontier.offer(replace(plan, spread=spread))
        return plan

    def push(interval: _Interval, known: float) -> None:
        within = rough if interval.rough else fine
        if interval.single:
            plan = answer(interval.start, within)
        else:
            relaxed = partial(spread_between, start=interval.start, end=interval.end, hosts=hosts, held=held)
            plan = solve(relaxed, within, frontier.seconds)
            if interval.end is None and not frontier.best.found and plan.servers >= _LARGE * held:
                answer(plan.servers // _PER_HOST, rough)  # there are far too many H to meet one by halving
        if plan.status is Status.INFEASIBLE:
            frontier.refuse(plan)
        elif interval.single and within == fine:
            frontier.give_up(max(known, plan.lower))
        else:
            frontier.push(interval, max(known, plan.lower))

    push(_Interval(held + 1, None), 0.0)
    while (popped := frontier.pop()) is not None:
        interval, known = popped
        if interval.rough and interval.width(held) < fine:  # a closer look tells more than halves would
            if interval.end is not None and not interval.single:
                answer((interval.start + interval.end) // 2, rough)
            push(replace(interval, rough=False), known)
        else:
            for half in interval.halves():
                push(half, known)
    return frontier.result(f"spread over {frontier.best.spread} hosts, to survive {held}")


def spread_over(instance: Instance, *, spread: int, hosts: int, held: int = 0) -> Instance:
    """The instance of a cluster that spreads over H hosts and survives f of them.

    Args:
        held: as many may fail and the rest still hold the data, where that is more than f.
    """
    loads, filling = _factor(spread, hosts), _factor(spread, max(hosts, held))
    return _changed(instance, spread, loads, filling, tasks=hosts > 0)


def spread_between(instance: Instance, *, start: int, end: int | None, hosts: int, held: int = 0) -> Instance:
    """An instance that no cluster with H in an interval undercuts.

    Traffic is spread at will: the equal whole parts of uniform placement are others at every H.

    Args:
        end: largest H; None for no end.
        hosts: f, below `start`.
        held: as many may fail and the rest still hold the data, where that is more than f.
    """
    if start != end:
        instance = replace(instance, placement=Placement.WEIGHTED)
    loads, filling = _factor(end, hosts), _factor(end, max(hosts, held))
    return _changed(instance, start, loads, filling, tasks=hosts > 0)


def _factor(spread: int | None, failing: int) -> float:
    return 1.0 if spread is None else spread / (spread - failing)


def _changed(instance: Instance, spread: int, factor: float, filling: float, *, tasks: bool) -> Instance:
    """Loads and what is held times their factors; shares of at most 1 / H; run times and latencies as they are."""
    widest = max((server.nic for server in instance.servers), default=math.inf)
    uniform = instance.placement is Placement.UNIFORM

    def copy(own: Copy) -> Copy:
        flows = _times(own.nic_bytes, factor)
        need = max(own.need * factor, own.filled * filling)
        least = max(own.min_units, spread, whole(need))
        if uniform and widest > 0:
            least = max([least, *(whole(flow / widest) for flow in flows)])
        return replace(
            own,
            need=need,
            min_units=least,
            bus_bytes=_times(own.bus_bytes, factor),
            accesses=_times(own.accesses, factor),
            nic_bytes=flows,
            cores=_times(own.cores, factor),
            most_share=min(own.most_share, 1 / spread),
        )

    def beside(units: LocalUnits | None) -> LocalUnits | None:
        return units and replace(
            units,
            bus_bytes=_times(units.bus_bytes, factor),
            accesses=_times(units.accesses, factor),
        )

    def dataset(need: DatasetNeed) -> DatasetNeed:
        choices = (replace(c, copies=tuple(map(copy, c.copies)), local=beside(c.local)) for c in need.choices)
        return replace(need, choices=tuple(choices))

    def task(need: TaskNeed) -> TaskNeed:
        return replace(
            need,
            rate=need.rate * factor,
            cores=_times(need.cores, factor),
            nic_bytes=_times(need.nic_bytes, factor),
            floors=tuple((at, _times(floors, factor)) for at, floors in need.floors),
            most_share=min(need.most_share, 1 / spread) if tasks else need.most_share,
        )

    datasets, running = map(dataset, instance.datasets), map(task, instance.tasks)
    return replace(instance, datasets=tuple(datasets), tasks=tuple(running))


def _times(values: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return tuple(value * factor for value in values)
