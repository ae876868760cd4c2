"""The linear program that spreads the load of an SLA over a given cluster as well as can be.

Variable 0 is the factor on the SLA's rates; the others are share times factor of each copy and task on each
group of servers. What is a bound on shares alone is a multiple of the factor.

Source: ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from froude.base.errors import MissingError
from froude.provision.check.demand import Copy, Demand
from froude.provision.check.losses import rack_share
from froude.provision.check.rack_flow import rack_bytes, racks_of
from froude.provision.check.server_flow import bus_flow, network_bytes
from froude.provision.types.plan import Group, Held, Running

_Content = TypeVar("_Content", Held, Running)
CAP = 1000.0
"""Factors beyond it are not told apart: the cluster is not loaded by this SLA."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A constraint that holds the cluster back."""

    constraint: str
    weight: float
    """How much of the fraction's growth hangs on it, in [0, 1]; all limits add up to 1."""


@dataclass
class _Rows:
    """`sum of coefficients * variables <= right side`, each with a name."""

    names: list[str] = field(default_factory=list)
    coefficients: list[dict[int, float]] = field(default_factory=list)
    right: list[float] = field(default_factory=list)

    def add(self, name: str, coefficients: Mapping[int, float], right: float) -> None:
        """A constraint; one without coefficients is left out."""
        if any(coefficients.values()):
            self.names.append(name)
            self.coefficients.append(dict(coefficients))
            self.right.append(right)


class LoadLp:
    """One program; build it and `solve`."""

    def __init__(
        self, demand: Demand, *, lost: int = 0, equal_units: Mapping[Copy, float] | None = None
    ) -> None:
        """Build the rows.

        Args:
            lost: servers that failed: replicas and fragments stand on as many fewer.
            equal_units: per copy, no unit has more of it than one of so many equal ones; None bounds nothing.
        """
        self.demand = demand
        self.problem = demand.problem
        self.plan = demand.plan
        self.lost = lost
        self.equal_units = equal_units or {}
        self.rows = _Rows()
        self.variables: dict[tuple[int, str, str, bool], int] = {}
        self.equal = self._declare()
        for number, group in enumerate(self.plan.groups):
            self._group(number, group, f"group {number + 1} ({group.server})")
        self._uplinks()
        self._one_rack()

    def solve(self) -> tuple[float, tuple[Limit, ...]]:
        """The largest factor, at most `CAP`, and what bounds it, tightest first.

        Raises:
            MissingError: scipy is not installed.
        """
        try:
            from scipy.optimize import linprog
        except ImportError as error:
            remedy = "pip install 'froude[provision]'"
            raise MissingError("scipy is not installed", remedy=remedy) from error
        size = len(self.variables) + 1
        result = linprog(
            [-1.0] + [0.0] * (size - 1),
            A_ub=[_dense(row, size) for row in self.rows.coefficients] or None,
            b_ub=self.rows.right or None,
            A_eq=[_dense(row, size) for row in self.equal] or None,
            b_eq=[0.0 for _ in self.equal] or None,
            bounds=[(0, CAP)] + [(0, None)] * (size - 1),
            method="highs",
        )
        if result.status != 0:
            return 0.0, (Limit("no share of the load fits this cluster", 1.0),)
        prices = [] if not self.rows.right else [-float(price) for price in result.ineqlin.marginals]
        return max(0.0, float(-result.fun)), self._limits(prices)

    def _limits(self, prices: list[float]) -> tuple[Limit, ...]:
        prices = [price if name else 0.0 for price, name in zip(prices, self.rows.names, strict=True)]
        weights = [p * abs(r) if r else p for p, r in zip(prices, self.rows.right, strict=True)]
        total = sum(weights)
        by_name: dict[str, float] = {}
        for name, weight in zip(self.rows.names, weights, strict=True):
            if total > 0 and weight > 1e-9 * total:
                by_name[name] = by_name.get(name, 0.0) + weight / total
        return tuple(Limit(*pair) for pair in sorted(by_name.items(), key=lambda pair: -pair[1]))

    def _declare(self) -> list[dict[int, float]]:
        """A variable per group and content; those of one copy or task add up to the factor."""
        for number, group in enumerate(self.plan.groups):
            for held in group.held:
                self._variable(number, "dataset", held.dataset, held.cache)
            for running in group.running:
                self._variable(number, "task", running.task)
        whole: dict[tuple[str, str, bool], dict[int, float]] = {}
        for (number, kind, name, cache), at in self.variables.items():
            whole.setdefault((kind, name, cache), {0: -1.0})[at] = float(self.plan.groups[number].count)
        return list(whole.values())

    def _variable(self, number: int, kind: str, name: str, cache: bool = False) -> int:
        return self.variables.setdefault((number, kind, name, cache), len(self.variables) + 1)

    def _group(self, number: int, group: Group, where: str) -> None:
        self._units(number, group, where)
        self._instances(number, group, where)
        self._local(number, group, where)
        self._flows(number, group, where)
        self._cores(number, group, where)

    def _cores(self, number: int, group: Group, where: str) -> None:
        application = self.problem.application
        host = any(held.units for held in group.held)
        free = group.cores - (application.host_cores if host else 0)
        for phase in application.phases:
            row = {
                self._variable(number, "task", r.task): self.demand.cores(r.task)
                for r in group.running
                if application.task(r.task).phase == phase
            }
            for held in group.held:
                at = self._variable(number, "dataset", held.dataset, held.cache)
                row[at] = self.demand.host_cores(held.dataset, phase, cache=held.cache)
            if free <= 0:  # no core is too few for any load, however low
                row = {at: max(1.0, cores) if cores else 0.0 for at, cores in row.items()}
            self.rows.add(f"cores of {where}", row, max(0.0, free))

    def _units(self, number: int, group: Group, where: str) -> None:
        for held in group.held:
            filled, busy = self.demand.need_parts(held.dataset, cache=held.cache)
            at = self._variable(number, "dataset", held.dataset, held.cache)
            name = f"{held.unit} of {held.dataset} in {where}"
            self.rows.add(f"speed of {name}", {at: busy}, held.units)
            # share * size <= capacity, and share is the variable over the factor.
            self.rows.add(f"capacity of {name}", {at: filled, 0: -float(held.units)}, 0.0)
            apart = self.demand.layout(held.dataset, cache=held.cache).servers - self.lost
            if apart > 1:
                self.rows.add(f"replicas or fragments of {name}", {at: 1.0, 0: -1 / apart}, 0.0)
            self._even(f"waits for {name}", at, held.units, (held.dataset, held.cache))

    def _even(self, name: str, at: int, units: int, copy: Copy) -> None:
        if copy in self.equal_units:
            # A hair more, or units that are to be equally loaded would leave no room for rounding.
            most = units / self.equal_units[copy] * (1 + 1e-9)
            self.rows.add(name, {at: 1.0, 0: -most}, 0.0)

    def _instances(self, number: int, group: Group, where: str) -> None:
        """Instances that lack units of their own beside them do not count."""
        for running in group.running:
            wanted = self.demand.rates[running.task] * self.demand.run_times[running.task]
            at = self._variable(number, "task", running.task)
            name, usable = f"instances of {running.task} in {where}", running.instances
            for dataset in self.problem.application.datasets:
                if not dataset.remote and self.demand.owner(dataset.name) == running.task:
                    units = _local_units(group, dataset.name)
                    if units // self.demand.whole(dataset.name) < usable:
                        usable = units // self.demand.whole(dataset.name)
                        name = f"units of local {dataset.name} beside instances in {where}"
            barred = not usable and self.demand.rates[running.task] > 0
            self.rows.add(name, {at: max(wanted, 1.0) if barred else wanted}, usable)

    def _local(self, number: int, group: Group, where: str) -> None:
        options = self.problem.options
        for dataset in self.problem.application.datasets:
            task = None if dataset.remote else self.demand.owner(dataset.name)
            if task not in {r.task for r in group.running}:
                continue
            assert task is not None
            units, at = _local_units(group, dataset.name), self._variable(number, "task", task)
            name = f"units of local {dataset.name} in {where}"
            busy = self.demand.local_load(dataset.name) / options.peak_utilization
            self.rows.add(f"speed of {name}", {at: busy}, units)
            filled = self.demand.filled_locally(dataset.name)
            self.rows.add(f"capacity of {name}", {at: filled, 0: -float(units) if filled else 0.0}, 0.0)
            self._even(f"waits for {name}", at, units, (dataset.name, False))

    def _flows(self, number: int, group: Group, where: str) -> None:
        """Buses and network are linear in the shares: one unit of each in turn gives the coefficients."""
        server, parts = self.problem.catalog.server(group.server), self._parts(number, group)
        for phase in self.problem.application.phases:
            for bus in server.buses:
                on_bus = {at: bus_flow(self.demand, part, bus.name, phase) for at, part in parts}
                row = {at: flow for at, (flow, _) in on_bus.items()}
                self.rows.add(f"bus {bus.name} of {where}", row, bus.bandwidth)
                if math.isfinite(bus.iops):
                    row = {at: accesses for at, (_, accesses) in on_bus.items()}
                    self.rows.add(f"IOPS of {bus.name} of {where}", row, bus.iops)
            flows = {at: network_bytes(self.demand, part, phase) for at, part in parts}
            for direction in next(iter(flows.values()), {}):
                row = {at: flow[direction] for at, flow in flows.items()}
                self.rows.add(f"network of {where}", row, server.bandwidth)

    def _parts(self, number: int, group: Group) -> list[tuple[int, Group]]:
        """(variable, the group with all of what it stands for alone) of each content."""
        held = [
            (self._variable(number, "dataset", h.dataset, h.cache), replace(_bare(group), held=(_whole(h),)))
            for h in group.held
        ]
        return held + [
            (
                self._variable(number, "task", r.task),
                replace(_bare(group), running=(_whole(r),), local=group.local),
            )
            for r in group.running
        ]

    def _uplinks(self) -> None:
        """Any servers that fill a rack fit its uplink."""
        rack, racks = self.problem.catalog.rack, racks_of(self.demand, self.lost)
        if rack is None or racks < 2:
            return
        parts = [self._parts(number, group) for number, group in enumerate(self.plan.groups)]
        for phase in self.problem.application.phases:
            flows = [
                {at: rack_bytes(self.demand, part, phase, racks) for at, part in group} for group in parts
            ]
            for direction in dict.fromkeys(
                name for group in flows for flow in group.values() for name in flow
            ):
                loads = [{at: flow[direction] for at, flow in group.items()} for group in flows]
                self._fullest(f"rack uplink ({direction}) in {phase}", loads, rack.servers, {}, rack.uplink)

    def _one_rack(self) -> None:
        """Any servers that fill a rack hold so little of a dataset that a piece of each record is in another."""
        rack = self.problem.catalog.rack
        if rack is None or self.lost:
            return
        for dataset in self.problem.application.datasets:
            most = rack_share(self.demand, dataset)
            if not 0 < most < 1:
                continue
            shares = [
                {
                    self._variable(number, "dataset", held.dataset, held.cache): 1.0
                    for held in group.held
                    if held.dataset == dataset.name and not held.cache
                }
                for number, group in enumerate(self.plan.groups)
            ]
            self._fullest(f"{dataset.name} in one rack", shares, rack.servers, {0: -most}, 0.0)

    def _fullest(
        self,
        name: str,
        loads: Sequence[dict[int, float]],
        servers: int,
        limit: dict[int, float],
        right: float,
    ) -> None:
        """No so many servers bear more than a limit together, whichever they are.

        What the n fullest bear is the least of n t + sum of count * max(0, load - t) over all t.

        Args:
            loads: coefficients of what one server of each group bears.
            limit: coefficients that are added on the left.
        """
        level = self._variable(-1, "level", name)
        row = {**limit, level: float(servers)}
        for number, load in enumerate(loads):
            if any(load.values()):
                above = self._variable(number, "above the level", name)
                row[above] = float(self.plan.groups[number].count)
                self.rows.add("", {**load, level: -1.0, above: -1.0}, 0.0)
        if len(row) > len(limit) + 1:
            self.rows.add(name, row, right)


def _local_units(group: Group, dataset: str) -> int:
    return sum(local.units for local in group.local if local.dataset == dataset)


def _whole(content: _Content) -> _Content:
    return replace(content, share=1.0)


def _bare(group: Group) -> Group:
    return replace(group, held=(), local=(), running=())


def _dense(row: Mapping[int, float], size: int) -> list[float]:
    return [row.get(at, 0.0) for at in range(size)]
