"""Prices that hang on the quantity bought (discounts, owned pieces, a charge per type in use), as a search with a bound.

The optimiser sees one price per piece. So intervals of counts are searched: a part of the search has an interval per
thing (server type, unit type, core type), and in it each thing has the price and the constant of a line that its
tariff T does not undercut there. What such a problem costs at least, no plan with counts in the intervals undercuts.
Every plan found is paid by T itself, which makes it an answer whatever its counts are. Parts are divided where T and
the line are furthest apart, the least bound first, until the best answer is within the gap of the least bound.

An interval that ends at 0 takes a thing out of the catalog, and a server's largest count is kept by the optimiser.
The other ends are not: where a plan has more units than its interval, a steeper line is tried, and a flatter one where
it has fewer. Where that only makes it waver between architectures, the part is divided into one of them and the others:
counts move little within an architecture. What this leaves open stays as a gap.

Source: ours; defined in docs/design/2026-11-21-provisioning-features.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeVar

from froude.base.clock import Clock
from froude.provision.model.build import memory_unit
from froude.provision.search.frontier import COARSE, Frontier
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.search.tariff import Line, Tariff
from froude.provision.types import Catalog, Cpu, Problem, Server, StorageUnit
from froude.provision.types.plan import Conflict, Group, ProvisionPlan, Status

_ROUNDS = 5
"""Lines tried per part."""
_MOST_PARTS = 2000
_PLENTY = 10**9
"""Pieces of a thing at first: the price of the next piece of many."""
_DEAR = 1000.0
"""Times the list price, for what must not be bought and cannot be taken away."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Choices that a part of the search is confined to."""

    kept: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(dataset, the unit names of its only choice)."""
    closed: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    """(dataset, unit names of a choice that is not open)."""

    def allows(self, dataset: str, names: tuple[str, ...]) -> bool:
        """Whether a choice is open.

        Args:
            names: of the choice's units, as in `ProvisionPlan.choices`.
        """
        return dict(self.kept).get(dataset, names) == names and (dataset, names) not in self.closed


Solve = Callable[[Problem, Restriction, float, float], ProvisionPlan]
"""Compiles a problem without quantities among some choices, to a relative gap within seconds."""


class _Kind(Enum):
    SERVER = "server"
    UNIT = "unit"
    CORE = "core"


_Key = tuple[_Kind, str]
_Thing = TypeVar("_Thing", StorageUnit, Cpu, Server)


@dataclass(frozen=True, slots=True)
class _Interval:
    low: int = 0
    high: int | None = None
    """None: without end."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Of the search: counts, and choices."""

    intervals: dict[_Key, _Interval]
    """Things that are missing have any count."""
    restriction: Restriction

    def of(self, key: _Key) -> _Interval:
        """The interval of a thing."""
        return self.intervals.get(key, _Interval())

    def within(self, key: _Key, low: int, high: int | None) -> _Part:
        """The part of it with other counts of a thing."""
        return replace(self, intervals={**self.intervals, key: _Interval(low, high)})

    def by_choices(self, choices: dict[str, tuple[str, ...]]) -> list[_Part]:
        """That architecture, and all others in parts that do not overlap (Lawler, 1972)."""
        kept = list(self.restriction.kept)
        parts = []
        for dataset, names in choices.items():
            if dataset not in dict(kept):
                closed = self.restriction.closed | {(dataset, names)}
                parts.append(replace(self, restriction=Restriction(tuple(kept), closed)))
                kept.append((dataset, names))
        return (
            [replace(self, restriction=Restriction(tuple(kept), self.restriction.closed)), *parts]
            if parts
            else []
        )


@dataclass(frozen=True, slots=True)
class _Solved:
    """What a part's last problem gave."""

    lower: float
    counts: Counter[_Key]
    lines: dict[_Key, Line]
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    wavered: bool = False
    """Whether its lines brought about different choices: none is right for all."""
    fine: bool = False
    """Whether it was looked at to the gap that was asked for."""


class _Trial:
    """The lines of a part: slopes are steered by the counts that they bring about.

    A line under a convex tariff with a kink (owned pieces) is best at a slope that no piece costs, where as many are
    used as are owned. So a slope that brings too many is a lower end, one that brings too few an upper end.
    """

    def __init__(self, tariffs: dict[_Key, Tariff], part: _Part, slopes: dict[_Key, Line]) -> None:
        self.tariffs = tariffs
        self.part = part
        self.ends = dict.fromkeys(tariffs, (-1.0, math.inf))
        self.lines = {key: self._line(key, slopes[key].slope) for key in tariffs}

    def move(self, counts: Counter[_Key]) -> bool:
        """Go to other slopes where counts are not those that the lines are close at; whether any changed."""
        before = self.lines
        self.lines = {key: self._line(key, self._slope(key, counts[key])) for key in self.tariffs}
        return self.lines != before

    def _line(self, key: _Key, slope: float) -> Line:
        tariff, interval = self.tariffs[key], self.part.of(key)
        if interval.high == 0:
            return Line(_DEAR * (tariff.energy + tariff.steps[0][1] + 1), 0.0)
        return tariff.line(interval.low, interval.high, interval.low, slope)

    def _slope(self, key: _Key, count: int) -> float:
        tariff, interval = self.tariffs[key], self.part.of(key)
        slope = self.lines[key].slope
        fewest, most = tariff.touched(interval.low, interval.high, slope)
        if interval.high == 0 or fewest <= count <= most:
            return slope
        low, high = self.ends[key]
        self.ends[key] = low, high = (max(low, slope), high) if count > most else (low, min(high, slope))
        wanted = tariff.line(interval.low, interval.high, count).slope
        if low < wanted < high:
            return wanted
        return (max(low, 0.0) + high) / 2 if math.isfinite(high) else 2 * low + tariff.energy + 1


def by_quantity(problem: Problem) -> bool:
    """Whether any price of the catalog hangs on the quantity."""
    return any(not tariff.linear for tariff in tariffs(problem.catalog).values())


def tariffs(catalog: Catalog) -> dict[_Key, Tariff]:
    """T of everything in the catalog, by kind and name."""
    by_key: dict[_Key, Tariff] = {}
    for server in catalog.servers:
        by_key[_Kind.SERVER, server.name] = _tariff(catalog, server, catalog.diversity, server.max_count)
    for unit in catalog.units:
        by_key[_Kind.UNIT, unit.name] = _tariff(catalog, unit, catalog.diversity)
    for cpu in catalog.cpus:
        by_key[_Kind.CORE, cpu.name] = _tariff(catalog, cpu, 0.0)
    return by_key


def best_purchase(
    problem: Problem,
    solve: Solve,
    limits: SolveLimits,
    clock: Clock | None = None,
) -> ProvisionPlan:
    """The cheapest plan by the tariffs, with a bound on all plans.

    Args:
        problem: with prices by quantity.
    """
    frontier: Frontier[tuple[_Part, _Solved]] = Frontier(limits, most=_MOST_PARTS, clock=clock)
    return _Search(problem, solve, frontier, limits.gap / 2).run()


class _Search:
    """Divides intervals of counts."""

    def __init__(
        self, problem: Problem, solve: Solve, frontier: Frontier[tuple[_Part, _Solved]], gap: float
    ) -> None:
        self.problem = problem
        self.solve = solve
        self.frontier = frontier
        self.gap = gap
        self.tariffs = {key: tariff for key, tariff in tariffs(problem.catalog).items() if not tariff.linear}
        self.memory = memory_unit(problem).name
        self.served = _needs_servers(problem)
        self.bundled = {
            name for server in problem.catalog.servers if server.bundle for name, _ in server.bundle.units
        }

    def run(self) -> ProvisionPlan:
        parts = 1
        lines = {key: tariff.line(0, None, _PLENTY) for key, tariff in self.tariffs.items()}
        self._push(_Part({}, Restriction()), lines, 0.0)
        while (popped := self.frontier.pop()) is not None:
            (part, outcome), lower = popped
            halves = part.by_choices(outcome.choices) if outcome.wavered else []
            halves = halves or self._halves(part, outcome)
            if not outcome.fine and (
                not halves or self._apart(outcome) < self.gap * self.frontier.best.upper
            ):
                self._refine(part, outcome, lower)
                continue
            if not halves:
                self.frontier.give_up(lower)
            for half in halves:
                parts += 1
                self._push(half, outcome.lines, lower)
        return self._thrifty(self.frontier.result(f"quantities: {parts} parts of the counts were searched"))

    def _push(self, part: _Part, lines: dict[_Key, Line], known: float) -> None:
        """A part with the best bound of some lines, beginning with the slopes of the part that it is of."""
        trial = _Trial(self.tariffs, part, lines)
        best: _Solved | None = None
        choices: set[tuple[tuple[str, tuple[str, ...]], ...]] = set()
        tried = 0
        while tried < _ROUNDS:
            tried += 1
            outcome = self._bound(part, trial.lines, max(self.gap, COARSE), self.frontier.seconds)
            if outcome is None:
                return
            choices.add(tuple(sorted(outcome.choices.items())))
            if best is None or outcome.lower > best.lower:
                best = outcome
            known = max(known, outcome.lower)
            if known >= self.frontier.best.upper * (1 - self.gap) or not trial.move(outcome.counts):
                break
        if best is not None:
            self.frontier.push((part, replace(best, wavered=len(choices) > 1)), known)

    def _refine(self, part: _Part, outcome: _Solved, known: float) -> None:
        """The same again to the gap that was asked for."""
        again = self._bound(part, outcome.lines, self.gap, self.frontier.seconds_close)
        if again is not None:
            again = replace(again, wavered=outcome.wavered, fine=True)
            self.frontier.push((part, again), max(again.lower, known))

    def _bound(self, part: _Part, lines: dict[_Key, Line], gap: float, seconds: float) -> _Solved | None:
        """What a part costs at least by some lines; None where no plan is."""
        plan = self._solved(part, lines, gap, seconds)
        if plan.status is Status.INFEASIBLE:
            self.frontier.refuse(plan)
            return None
        lower = plan.lower + sum(line.constant for line in lines.values()) + self._types(part)
        if not plan.found:
            return _Solved(lower, Counter(), lines)
        counts = _counts(self.problem, plan)
        self.frontier.offer(self._paid(plan, counts, lines))
        return _Solved(lower, counts, lines, plan.choices)

    def _types(self, part: _Part) -> float:
        """The charge for one type of server, where every plan has one and no interval says which."""
        some = any(key[0] is _Kind.SERVER and interval.low > 0 for key, interval in part.intervals.items())
        return self.problem.catalog.diversity if self.served and not some else 0.0

    def _solved(self, part: _Part, lines: dict[_Key, Line], gap: float, seconds: float) -> ProvisionPlan:
        """A plan at the lines' prices, within the intervals as far as the optimiser keeps them."""
        catalog = self.problem.catalog
        servers = tuple(
            _priced_server(server, lines, part.of((_Kind.SERVER, server.name)))
            for server in catalog.servers
            if part.of((_Kind.SERVER, server.name)).high != 0
        )
        if not servers:
            return ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("no type of server is left"),))
        units = tuple(_priced(unit, lines.get((_Kind.UNIT, unit.name))) for unit in self._units(part))
        cpus = tuple(_priced(cpu, lines.get((_Kind.CORE, cpu.name))) for cpu in catalog.cpus)
        linear = replace(catalog, servers=servers, units=units, cpus=cpus, diversity=0.0)
        options = replace(self.problem.options, memory_unit=self.memory)
        priced = replace(self.problem, catalog=linear, options=options)
        return self.solve(priced, part.restriction, gap, seconds)

    def _units(self, part: _Part) -> list[StorageUnit]:
        """Without those that must not be bought; memory and what some server includes are dear instead."""
        kept = {self.memory, *self.bundled}
        return [
            unit
            for unit in self.problem.catalog.units
            if unit.name in kept or part.of((_Kind.UNIT, unit.name)).high != 0
        ]

    def _paid(self, plan: ProvisionPlan, counts: Counter[_Key], lines: dict[_Key, Line]) -> ProvisionPlan:
        """The plan at what its counts cost."""
        more = sum(
            self.tariffs[key].cost(n) - lines[key].slope * n for key, n in counts.items() if key in lines
        )
        return replace(plan, upper=plan.upper + more)

    def _thrifty(self, plan: ProvisionPlan) -> ProvisionPlan:
        """With the spares that make its counts cost less."""
        counts = _counts(self.problem, plan)
        more = {key[1]: self.tariffs[key].spares(n) for key, n in counts.items() if key in self.tariffs}
        return replace(plan, spares={name: count for name, count in more.items() if count})

    def _halves(self, part: _Part, outcome: _Solved) -> list[_Part]:
        """The part divided where a tariff is furthest above its line; empty where that can be nowhere."""
        apart = [
            (self._distance(key, outcome), key[0].value, key[1], at)
            for key in self.tariffs
            if (at := self._cut(key, part, outcome.counts[key])) is not None
        ]
        if not apart or max(apart)[0] <= 1e-9:
            return []
        _, kind, name, at = max(apart)
        key = (_Kind(kind), name)
        interval = part.of(key)
        return [part.within(key, interval.low, at), part.within(key, at + 1, interval.high)]

    def _apart(self, outcome: _Solved) -> float:
        """How far all tariffs together are above their lines, dollars."""
        return sum(max(0.0, self._distance(key, outcome)) for key in self.tariffs)

    def _distance(self, key: _Key, outcome: _Solved) -> float:
        return self.tariffs[key].cost(outcome.counts[key]) - outcome.lines[key].at(outcome.counts[key])

    def _cut(self, key: _Key, part: _Part, count: int) -> int | None:
        """The last count of the first half of an interval; None where it cannot be divided."""
        interval, tariff = part.of(key), self.tariffs[key]
        if interval.high is not None and interval.low >= interval.high:
            return None
        if interval.low == 0 and tariff.fixed:
            return 0
        last = count if interval.high is None else interval.high - 1
        if count < interval.low:
            return 2 * interval.low if interval.high is None else min(2 * interval.low, last)
        if count > last:
            return (interval.low + last) // 2
        return count


def _needs_servers(problem: Problem) -> bool:
    """Whether there is load, or data that no service could keep."""
    batch = problem.sla.batch
    loads = [target.rate for target in problem.sla.targets]
    loads += [target.executions for target in batch.targets] if batch else []
    remote = any(dataset.remote for dataset in problem.application.datasets)
    return any(loads) or (remote and not any(unit.service for unit in problem.catalog.units))


def _tariff(
    catalog: Catalog, thing: StorageUnit | Cpu | Server, fixed: float, most: int | None = None
) -> Tariff:
    if isinstance(thing, StorageUnit) and thing.service:
        return Tariff(((1, 0.0),), fixed=fixed)
    steps = ((1, thing.price), *((discount.count, discount.price) for discount in thing.discounts))
    owned = 0 if isinstance(thing, Cpu) else thing.owned
    return Tariff(steps, catalog.energy(thing), owned, fixed, most)


def _priced_server(server: Server, lines: dict[_Key, Line], interval: _Interval) -> Server:
    limits = [n for n in (server.max_count, interval.high) if n is not None]
    priced = _priced(server, lines.get((_Kind.SERVER, server.name)))
    return replace(priced, max_count=min(limits, default=None))


def _priced(thing: _Thing, line: Line | None) -> _Thing:
    """The thing at a price per piece, which has its energy in it."""
    if line is None:
        return thing
    if not isinstance(thing, Cpu):
        thing = replace(thing, owned=0)
    return replace(thing, price=line.slope, power=0.0, idle_power=None, discounts=())


def _counts(problem: Problem, plan: ProvisionPlan) -> Counter[_Key]:
    """Pieces of everything that no server includes; a service that is in use counts once."""
    counts: Counter[_Key] = Counter()
    catalog = problem.catalog
    servers = {server.name: server for server in catalog.servers}
    for group in plan.groups:
        server = servers[group.server]
        counts[_Kind.SERVER, group.server] += group.count
        cores = group.cores - (server.bundle.cores if server.bundle else 0)
        counts[_Kind.CORE, catalog.cpu(server.cpu).name] += group.count * max(0, cores)
        for name, count in _beyond(group, server, memory_unit(problem).name).items():
            counts[_Kind.UNIT, name] += group.count * count
    used = {name for names in plan.choices.values() for name in names}
    counts.update((_Kind.UNIT, unit.name) for unit in catalog.units if unit.service and unit.name in used)
    return counts


def _beyond(group: Group, server: Server, memory: str) -> Counter[str]:
    """Units on one server beyond those that its price includes."""
    used = Counter({memory: group.dimms})
    held = [(part.unit, part.units) for part in group.held] + [
        (part.unit, part.units) for part in group.local
    ]
    for name, count in held:
        used[name] += count
    if server.bundle:
        used.subtract(dict(server.bundle.units))
    return +used
