"""The model and the checker's demand, which share no code, on random problems with every feature of a choice."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from froude.provision.check.bill import bill
from froude.provision.check.demand import Demand
from froude.provision.check.rack_flow import rack_bytes
from froude.provision.check.server_flow import bus_flow, network_bytes
from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.types import (
    Bundle,
    Compute,
    Cpu,
    Dataset,
    Duplex,
    Io,
    Operation,
    Problem,
    Rack,
    Server,
    StorageUnit,
    Task,
)
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running, Status
from testbed.problems import random_problem

STORE = StorageUnit(
    "store",
    1e15,
    "",
    300e6,
    0.03,
    200e6,
    0.04,
    False,
    0.0,
    price_per_gb_month=0.02,
    price_per_read=4e-7,
    price_per_write=5e-6,
    service=True,
)


def _problem(seed: int) -> Problem:
    """A random problem, with what the paper does not have."""
    dice = random.Random(seed)
    problem = random_problem(seed)
    fast = Cpu(120, 30, "fast", idle_power=10)
    units = tuple(replace(u, price_per_gb_month=dice.choice([0, 0.1])) for u in problem.catalog.units)
    units = tuple(replace(u, price_per_write=1e-7 if u.name == "ssd" else 0.0) for u in units)
    bundle = Bundle(2, (("dram", 4), ("ssd", 1)))
    servers = (*problem.catalog.servers, _faster(problem.catalog.servers[-1], bundle))
    catalog = replace(
        problem.catalog,
        units=(*units, STORE) if dice.random() < 0.7 else units,
        cpus=(*problem.catalog.cpus, fast) if dice.random() < 0.7 else problem.catalog.cpus,
        mean_load=0.5,
    )
    servers = servers if len(catalog.cpus) > 1 else problem.catalog.servers
    catalog = replace(catalog, servers=tuple(replace(s, max_count=None) for s in servers))
    application = replace(
        problem.application,
        datasets=tuple(_redundant(dice, d) for d in problem.application.datasets),
        tasks=tuple(_by_type(dice, t) for t in problem.application.tasks),
    )
    options = replace(problem.options, peak_fill=dice.choice([1.0, 0.7]))
    targets = tuple(replace(t, latency=1e6) for t in problem.sla.targets) if dice.random() < 0.5 else ()
    sla = replace(problem.sla, targets=targets or problem.sla.targets)
    return Problem(catalog, application, sla, options)


def _faster(server: Server, bundle: Bundle) -> Server:
    return replace(server, name="fast", cpu="fast", bundle=bundle)


def _redundant(dice: random.Random, dataset: Dataset) -> Dataset:
    if not dataset.remote:
        return dataset
    dataset = replace(dataset, host_time=dice.choice([0.0, 1e-4]))
    if dice.random() < 0.4:
        return replace(dataset, replication=3)
    return replace(dataset, erasure=dice.choice([(2, 1), (6, 3), (1, 2)])) if dice.random() < 0.5 else dataset


def _by_type(dice: random.Random, task: Task) -> Task:
    def of(op: Operation) -> Operation:
        if isinstance(op, Compute) and dice.random() < 0.7:
            return replace(op, times=(("fast", op.time / 3),))
        return op

    return replace(task, operations=tuple(map(of, task.operations)))


def _in_racks(seed: int) -> Problem:
    """A random problem in racks, with some reads and writes in the task's own."""
    dice, problem = random.Random(seed), _problem(seed)

    def near(op: Operation) -> Operation:
        return replace(op, rack_local=dice.choice([0.0, 0.6, 1.0])) if isinstance(op, Io) else op

    tasks = tuple(replace(t, operations=tuple(map(near, t.operations))) for t in problem.application.tasks)
    catalog = replace(problem.catalog, rack=Rack(dice.choice([2, 20]), dice.choice([1e8, 5e9])))
    return replace(problem, catalog=catalog, application=replace(problem.application, tasks=tasks))


class _Case:
    """An instance, one choice per dataset, and a plan that has two instances of each task on one server."""

    def __init__(self, seed: int, racks: int | None = None) -> None:
        self.problem = _problem(seed) if racks is None else _in_racks(seed)
        built = build(self.problem, racks)
        assert isinstance(built, Instance)
        self.instance = built
        dice = random.Random(seed)
        self.at = [dice.randrange(len(d.choices)) for d in built.datasets]
        self.chosen = [(d, d.choices[c]) for d, c in zip(built.datasets, self.at, strict=True)]
        self.group = self._group()
        self.plan = ProvisionPlan(
            Status.GAP,
            (self.group,),
            {d.name: c.names for d, c in self.chosen if d.cpu_of is None},
            cpus={built.tasks[d.cpu_of].name: c.names[0] for d, c in self.chosen if d.cpu_of is not None},
        )
        self.demand = Demand(self.problem, self.plan, equal_units=self._equal_units())

    def _group(self) -> Group:
        held = tuple(
            Held(d.name, self.instance.units[copy.unit].name, copy.min_units, 1.0, copy.cache)
            for d, choice in self.chosen
            for copy in choice.copies
        )
        local = tuple(
            LocalHeld(d.name, self.instance.units[c.local.unit].name, 2 * c.local.per_instance)
            for d, c in self.chosen
            if c.local is not None
        )
        running = tuple(Running(task.name, 2, 1.0) for task in self.instance.tasks)
        return Group(self.problem.catalog.servers[0].name, 1, held, local, running)

    def _equal_units(self) -> dict[tuple[str, bool], float]:
        """Those of the levels: units of a copy, least instances times units beside each."""
        needs = {(d.name, copy.cache): copy.need for d, choice in self.chosen for copy in choice.copies}
        for number, (d, choice) in enumerate(self.chosen):
            if choice.local is not None and d.local_to is not None:
                floors = dict(self.instance.tasks[d.local_to].floors)[number]
                needs[d.name, False] = max(1e-9, floors[self.at[number]]) * choice.local.per_instance
        return needs


@pytest.mark.parametrize("seed", range(80))
def test_needs_and_run_times(seed: int) -> None:
    """Unit-equivalents (without a latency, which counts levels), run times and cores are the same."""
    case = _Case(seed)
    for d, choice in case.chosen:
        for copy in choice.copies:
            need = case.demand.need(d.name, cache=copy.cache)
            assert copy.need >= need * (1 - 1e-9) if case.demand.waiting else copy.need == pytest.approx(need)
            assert copy.min_units >= case.demand.least_units(d.name, cache=copy.cache)
            assert 1 / copy.most_share == case.demand.layout(d.name, cache=copy.cache).servers
            for phase, name in enumerate(case.instance.phases):
                cores = case.demand.host_cores(d.name, name, cache=copy.cache)
                assert (copy.cores[phase] if copy.cores else 0.0) == pytest.approx(cores, rel=1e-9)
    names = [cpu.name for cpu in case.problem.catalog.cpus]
    times = case.instance.run_times(case.at)
    for number, task in enumerate(case.instance.tasks):
        cpu = names.index(case.demand.cpus[task.name])
        assert task.cores[cpu] == pytest.approx(case.demand.cores(task.name), rel=1e-9)
        if task.rate > 0:
            assert times[number] == pytest.approx(case.demand.run_times[task.name], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("seed", range(60))
def test_traffic_and_dollars(seed: int) -> None:
    """What passes buses and network, and what is paid by use. A service's writer still sends parity: no less."""
    case = _Case(seed)
    duplex = case.problem.options.duplex
    parity_on_service = any(
        d.erasure and case.problem.catalog.unit(case.plan.choices[d.name][0]).service
        for d in case.problem.application.datasets
    )
    for number, row in enumerate(case.instance.network_rows):
        assert not row.racks
        traffic = network_bytes(case.demand, case.group, case.instance.phases[row.phase])
        model = sum(task.nic_bytes[number] for task in case.instance.tasks)
        model += sum(copy.nic_bytes[number] for _, choice in case.chosen for copy in choice.copies)
        asked = traffic["both" if duplex is Duplex.HALF else row.direction]
        assert model >= asked * (1 - 1e-9) if parity_on_service else model == pytest.approx(asked)
    for phase, name in enumerate(case.instance.phases):
        for at, bus in enumerate(case.instance.buses):
            on = [
                c for _, choice in case.chosen for c in choice.copies if case.instance.units[c.unit].bus == at
            ]
            beside = [choice.local for _, choice in case.chosen if choice.local is not None]
            model = sum(c.bus_bytes[phase] for c in on)
            model += sum(u.bus_bytes[phase] for u in beside if case.instance.units[u.unit].bus == at)
            asked = sum(c.accesses[phase] for c in on)
            asked += sum(u.accesses[phase] for u in beside if case.instance.units[u.unit].bus == at)
            assert (model, asked) == pytest.approx(bus_flow(case.demand, case.group, bus, name))
    paid = sum(line.total for line in bill(case.problem, case.plan) if line.kind in {"bytes", "requests"})
    dollars = sum(c.cost + (2 * c.local.cost if c.local else 0.0) for _, c in case.chosen)
    assert dollars == pytest.approx(paid)


@pytest.mark.parametrize("racks", [1, 2, 5])
@pytest.mark.parametrize("seed", range(40))
def test_traffic_across_racks(seed: int, racks: int) -> None:
    """What leaves racks and comes into them, as a full rack's networks are to its uplink; nothing with one rack."""
    case = _Case(seed, racks)
    rack, duplex = case.problem.catalog.rack, case.problem.options.duplex
    assert rack is not None
    parity_on_service = any(
        d.erasure and case.problem.catalog.unit(case.plan.choices[d.name][0]).service
        for d in case.problem.application.datasets
    )
    rows = [(number, row) for number, row in enumerate(case.instance.network_rows) if row.racks]
    assert bool(rows) == (racks > 1)
    widest = max(server.bandwidth for server in case.problem.catalog.servers)
    for number, row in rows:
        flows = rack_bytes(case.demand, case.group, case.instance.phases[row.phase], racks)
        asked = (
            flows["both" if duplex is Duplex.HALF else row.direction] * rack.servers * widest / rack.uplink
        )
        model = sum(task.nic_bytes[number] for task in case.instance.tasks)
        model += sum(copy.nic_bytes[number] for _, choice in case.chosen for copy in choice.copies)
        assert model >= asked * (1 - 1e-9) if parity_on_service else model == pytest.approx(asked)
