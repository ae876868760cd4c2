"""The checker accepts the paper's cluster at its cost, and refuses every planted violation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.check.checker import TOLERANCE, check, cost_of, standing
from froude.provision.check.trivial_bound import trivial_bound
from froude.provision.check.violation import Violation
from froude.provision.inputs.read import read_problem
from froude.provision.types import (
    Application,
    Batch,
    BatchTarget,
    Bus,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Duplex,
    Io,
    Isolation,
    Op,
    Options,
    Persistence,
    Placement,
    Problem,
    Rack,
    RackLoss,
    RateTarget,
    Scope,
    Server,
    Sla,
    Task,
)
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running, Status
from tests.support.provision.clusters import (
    BOX,
    CHOICES,
    DISK,
    DRAM,
    PHOTOS,
    SMALL,
    TAGS,
    WEB,
    alternatives,
    paper_plan,
    photoshare,
    small,
    small_plan,
)


def test_the_papers_cluster() -> None:
    """Sound, and $7,329.09."""
    verdict = check(photoshare(), paper_plan())
    assert [str(v) for v in verdict.violations] == []
    assert round(verdict.cost, 2) == 7329.09


@pytest.mark.parametrize("name", ["Alt1", "Alt2", "Alt3", "Alt4"])
def test_the_alternatives_miss_the_sla(name: str) -> None:
    """One core, disk or medium less than the paper's cluster is refused for that."""
    plan = alternatives()[name]
    rules = {v.rule for v in check(photoshare(), plan).violations if v.rule != "cost"}
    expected = {
        "Alt1": {"cores in serve"},
        "Alt2": {"units", "units of thumbs"},
        "Alt3": {"units", "units of photos"},
        "Alt4": {"units", "units of thumbs"},
    }
    assert expected[name] <= rules


Planted = tuple[str, Callable[[ProvisionPlan], ProvisionPlan]]


def _groups(*groups: Group) -> Callable[[ProvisionPlan], ProvisionPlan]:
    return lambda plan: replace(plan, groups=groups)


def _chosen(**choices: tuple[str, ...]) -> Callable[[ProvisionPlan], ProvisionPlan]:
    return lambda plan: replace(plan, choices={**CHOICES, **choices})


PLANTED: dict[str, Planted] = {
    "too many disks": (
        "slots of SAS",
        _groups(WEB, replace(PHOTOS, held=(Held("photos", "15KDisk", 5, 1.0),)), SMALL),
    ),
    "too many cores": ("cores of server", _groups(replace(WEB, cores=5), PHOTOS, SMALL)),
    "no memory": ("memory in serve", _groups(replace(WEB, dimms=1), PHOTOS, SMALL)),
    "no host core": ("cores in serve", _groups(WEB, replace(PHOTOS, cores=1), SMALL)),
    "no host memory": ("memory in serve", _groups(WEB, replace(PHOTOS, dimms=0), SMALL)),
    "too many DIMMs": ("slots of DDR3-1333", _groups(replace(WEB, dimms=13), PHOTOS, SMALL)),
    "too few instances": (
        "instances",
        _groups(replace(WEB, running=(Running("upload", 2, 1.0), *WEB.running[1:])), PHOTOS, SMALL),
    ),
    "a task left out": ("share", _groups(replace(WEB, running=WEB.running[1:]), PHOTOS, SMALL)),
    "part of a dataset": (
        "share",
        _groups(WEB, replace(PHOTOS, held=(Held("photos", "15KDisk", 4, 0.9),)), SMALL),
    ),
    "no cache": ("units", _groups(WEB, PHOTOS, replace(SMALL, held=SMALL.held[:2]))),
    "tasks beside storage": (
        "isolation: tasks beside remote storage",
        _groups(replace(WEB, held=(Held("thumbs", "SSD", 1, 0.0),)), PHOTOS, SMALL),
    ),
    "another unit": (
        "units of another type",
        _groups(WEB, PHOTOS, replace(SMALL, held=(Held("thumbs", "15KDisk", 1, 1.0), *TAGS))),
    ),
    "an unknown server": ("names and numbers", _groups(replace(WEB, server="Server9"), PHOTOS, SMALL)),
    "negative units": (
        "names and numbers",
        _groups(WEB, PHOTOS, replace(SMALL, held=(Held("thumbs", "SSD", -1, 1.0), *TAGS))),
    ),
    "a missing choice": (
        "missing choice",
        lambda plan: replace(plan, choices={"photos": ("15KDisk",), "thumbs": ("SSD",)}),
    ),
    "an unknown unit": ("unknown choice", _chosen(photos=("Tape",))),
    "persistent in memory": ("persistent data on a volatile unit", _chosen(thumbs=("DRAM",))),
    "a cache that may not be": ("cache on such a unit", _chosen(thumbs=("7.2KDisk", "SSD"))),
    "a cache before itself": ("cache before such a unit", _chosen(thumbs=("SSD", "SSD"))),
    "another cost": (
        "cost of $7,328.00, where its parts add up to $7,329.09",
        lambda plan: replace(plan, upper=7328.0),
    ),
    "a bound above the cost": ("lower bound", lambda plan: replace(plan, lower=7400.0)),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_violations(name: str) -> None:
    """Each is found, by its name."""
    rule, plant = PLANTED[name]
    rules = {violation.rule for violation in check(photoshare(), plant(paper_plan())).violations}
    assert rule in rules


def test_the_network_is_a_limit() -> None:
    """At twice the load two web servers' work does not pass one network, whatever its cores."""
    problem = photoshare()
    twice = replace(problem, sla=problem.sla.scaled(1.5))
    rules = {violation.rule for violation in check(twice, paper_plan()).violations}
    assert "network (both) in serve" in rules


def test_a_bus_is_a_limit() -> None:
    """Device traffic beyond the controller's bandwidth is refused."""
    problem = photoshare()
    server = problem.catalog.servers[0]
    slow = replace(server, buses=(replace(server.buses[0], bandwidth=100e6), server.buses[1]))
    problem = replace(problem, catalog=replace(problem.catalog, servers=(slow,)))
    rules = {violation.rule for violation in check(problem, paper_plan()).violations}
    assert "bus SAS in serve" in rules


def test_accesses_of_a_bus_are_a_limit() -> None:
    """As of the volumes of a cloud's server."""
    problem = photoshare()
    server = problem.catalog.servers[0]
    slow = replace(server, buses=(replace(server.buses[0], iops=300), server.buses[1]))
    problem = replace(problem, catalog=replace(problem.catalog, servers=(slow,)))
    rules = {violation.rule for violation in check(problem, paper_plan()).violations}
    assert "IOPS of SAS in serve" in rules


def test_a_stock_is_a_limit() -> None:
    """No more servers than can be had."""
    problem = photoshare()
    few = replace(problem.catalog.servers[0], max_count=2)
    problem = replace(problem, catalog=replace(problem.catalog, servers=(few,)))
    assert {v.rule for v in check(problem, paper_plan()).violations} == {"count"}


def test_uniform_placement_asks_for_equal_shares() -> None:
    """A weighted split of a copy is refused; without isolation the web tier may share."""
    problem = photoshare()
    options = replace(problem.options, placement=Placement.UNIFORM, isolation=Isolation.NONE)
    problem = replace(problem, options=options)
    assert check(problem, paper_plan()).sound
    halves = [replace(PHOTOS, held=(Held("photos", "15KDisk", 2, share),)) for share in (0.4, 0.6)]
    plan = replace(paper_plan(), groups=(WEB, *halves, SMALL))
    assert "equal share" in {v.rule for v in check(problem, plan).violations}


def _search() -> tuple[Problem, ProvisionPlan]:
    problem = read_problem(["productsearch"])
    disks = Group("Server1", 2, held=(Held("tables_repository", "7.2KDisk", 1, 0.5),), cores=1, dimms=1)
    workers = Group(
        "Server1",
        2,
        local=(LocalHeld("hot_ratingsdata", "SSD", 2), LocalHeld("cold_ratingsdata", "SSD", 2)),
        running=(Running("worker", 2, 0.5), Running("queryprocessor", 2, 0.5)),
        cores=1,
        dimms=3,
    )
    choices: dict[str, tuple[str, ...]] = {
        "tables_repository": ("7.2KDisk",),
        "hot_ratingsdata": ("SSD",),
        "cold_ratingsdata": ("SSD",),
    }
    groups = (disks, workers)
    cost = cost_of(problem, groups)
    return problem, ProvisionPlan(Status.PROVED, groups, choices, lower=0.0, upper=cost)


def test_local_units() -> None:
    """Beside every instance stand units that hold and carry its data; one less is refused."""
    problem, plan = _search()
    assert [str(v) for v in check(problem, plan).violations] == []
    disks, workers = plan.groups
    changed = replace(workers, local=(LocalHeld("hot_ratingsdata", "SSD", 1), workers.local[1]))
    rules = {v.rule for v in check(problem, replace(plan, groups=(disks, changed))).violations}
    assert "local units of hot_ratingsdata, capacity" in rules
    elsewhere = replace(disks, count=1, held=(Held("hot_ratingsdata", "SSD", 1, 0.0),))
    found = check(problem, replace(plan, groups=(*plan.groups, elsewhere))).violations
    assert Violation("remote units", "dataset hot_ratingsdata", 1, 0) in found
    cached = replace(elsewhere, held=(replace(elsewhere.held[0], cache=True),))
    rules = {v.rule for v in check(problem, replace(plan, groups=(*plan.groups, cached))).violations}
    assert rules == {"names and numbers"}, "a dataset without a cache has none of it"
    other = replace(workers, local=(LocalHeld("hot_ratingsdata", "7.2KDisk", 2), workers.local[1]))
    found = check(problem, replace(plan, groups=(disks, other))).violations
    assert Violation("units of another type", "dataset hot_ratingsdata", 2, 0) in found


HELD, LOCAL, RUNNING = Held("d", "disk", 1, 0.5), LocalHeld("d", "disk", 1), Running("t", 1, 0.5)
BAD_GROUPS = [
    Group("shed", 1),
    Group("box", 0),
    Group("box", 1, cores=-1),
    Group("box", 1, dimms=-1),
    *(
        Group("box", 1, (replace(HELD, **bad),))
        for bad in (
            {"dataset": "x"}, {"unit": "tape"}, {"unit": "store"}, {"units": -1}, {"share": -0.1},
            {"share": 1 + 2 * TOLERANCE},
        )
    ),
    *(
        Group("box", 1, local=(replace(LOCAL, **bad),))
        for bad in ({"dataset": "x"}, {"unit": "tape"}, {"unit": "store"}, {"units": -1})
    ),
    *(
        Group("box", 1, running=(replace(RUNNING, **bad),))
        for bad in ({"task": "x"}, {"instances": -1}, {"share": -0.1}, {"share": 1 + 2 * TOLERANCE})
    ),
]  # fmt: skip
OF_A_GROUP = Violation("names and numbers", "group of box")
OF_A_CHOICE = Violation("unknown choice", "dataset d")
BAD_NAMES: list[tuple[dict[str, Any], Violation]] = [
    *(({"groups": (group,)}, replace(OF_A_GROUP, where=f"group of {group.server}")) for group in BAD_GROUPS),
    ({"cpus": {"t": "fast"}}, Violation("unknown core type", "task t")),
    ({"cpus": {"x": "core"}}, Violation("unknown core type", "task x")),
    *(({"spares": {"box": bad}}, Violation("unknown spares", "box")) for bad in (-1, 0.5)),
    ({"spares": {"tape": 1}}, Violation("unknown spares", "tape")),
    ({"choices": {}}, Violation("missing choice", "dataset d")),
    ({"choices": {"d": ("disk",), "x": ("disk",)}}, Violation("unknown choice", "dataset x")),
    *(({"choices": {"d": bad}}, OF_A_CHOICE) for bad in ((), ("disk", "ssd", "dram"), ("tape",))),
]


@pytest.mark.parametrize(("bad", "flaw"), BAD_NAMES)
def test_names_and_numbers_that_there_are_not(bad: dict[str, Any], flaw: Violation) -> None:
    """Nothing else is looked at then, and a cost is not computed; what bounds them is allowed."""
    problem = small()
    edge = Group(
        "box", 1, (replace(HELD, units=0, share=1 + TOLERANCE / 2),), (), (replace(RUNNING, instances=0),)
    )
    plan = ProvisionPlan(
        Status.GAP,
        (edge,),
        {"d": ("disk", "ssd")},
        spares={"box": 0, "disk": 1, "core": 2},
        cpus={"t": "core"},
    )
    assert not {OF_A_GROUP.rule, OF_A_CHOICE.rule} & {v.rule for v in check(problem, plan).violations}
    verdict = check(problem, replace(plan, **bad))
    assert (verdict.violations, math.isnan(verdict.cost)) == ((flaw,), True)
    assert standing(problem, replace(plan, **bad)) == (flaw,)


@pytest.mark.parametrize(
    ("split", "sound"),
    [
        ({"p": 0.75, "q": 0.25}, True),
        ({"p": 0.5, "q": (1 + 1e-9) - 0.5}, True),
        ({"p": 0.5, "q": 0.5 + 2e-9}, False),
        ({"p": 1.0, "q": 0.0}, False),
        ({"p": 0.5, "q": -0.25}, False),
        ({"p": 0.5}, False),
        ({"p": 0.5, "q": 0.25, "r": 0.25}, False),
    ],
)
def test_a_split_of_the_time(split: dict[str, float], *, sound: bool) -> None:
    """It has a part of every phase, and not more in all than there is; then each phase's rate is of its part."""
    tasks = tuple(Task(f"of {phase}", phase, 1e8, (Compute(1.0),)) for phase in "pq")
    batch = Batch(100.0, tuple(BatchTarget(task.name, 300.0) for task in tasks))
    catalog = Catalog((DISK, DRAM), (Cpu(100),), (replace(SHELF, max_count=None),), hours=8760)
    problem = Problem(catalog, Application((), tasks), Sla(batch=batch))
    group = Group("shelf", 1, running=tuple(Running(task.name, 99, 1.0) for task in tasks))
    verdict = check(problem, ProvisionPlan(Status.GAP, (group,), split=split))
    if not sound:
        assert verdict.violations == (Violation("split of the time", "plan", sum(split.values()), 1),)
        assert math.isnan(verdict.cost)
        return
    cores = {v.rule: v.needed for v in verdict.violations if v.rule.startswith("cores in")}
    assert cores == {f"cores in {phase}": pytest.approx(3 / part) for phase, part in split.items()}


@pytest.mark.parametrize(("cost", "off"), [(1e6, 1.0), (512.0, 0.0099)])
def test_a_cost_may_be_off_by_a_millionth(cost: float, off: float) -> None:
    """Or by a cent, if that is more; so may a bound on it. One core on one server costs no less."""
    catalog = Catalog((DISK, DRAM), (Cpu(0),), (replace(BOX, price=cost),), hours=8760)
    application = Application((), (Task("t", "p", 0.0, (Compute(1.0),)),))
    problem = Problem(catalog, application, Sla((RateTarget("t", 1.0),)))
    plan = ProvisionPlan(Status.GAP, (Group("box", 1, running=(Running("t", 1, 1.0),), cores=1),), upper=cost)
    assert trivial_bound(problem) == cost
    for more, flaws in ((off, []), (-off, []), (1.1 * off, ["cost"]), (-1.1 * off, ["cost"])):
        found = check(problem, replace(plan, upper=cost + more)).violations
        assert [v.rule.split()[0] for v in found] == flaws
    for more, flaws in ((off, []), (2.5 * max(off, 0.01), ["lower bound"])):
        assert [v.rule for v in check(problem, replace(plan, lower=cost + more)).violations] == flaws


def test_a_lost_rack_is_looked_at_with_and_without_load() -> None:
    """What is left must hold the data."""
    problem = replace(small(replication=2), options=Options(survive_rack=RackLoss.DATA))
    problem = replace(problem, catalog=replace(problem.catalog, rack=Rack(2, 1e9)))
    plan = small_plan(problem, 3)
    flaw = "units of disk after a lost rack"
    assert flaw in {v.rule for v in check(problem, plan).violations}
    assert [v.rule for v in standing(problem, plan)] == [flaw]


# A second check, in exact fractions, of inputs with a remote and a local dataset: other arithmetic, other order.


SLOW = replace(DISK, rate_w=50e6, gap_w=0.02)
SHELF = Server("shelf", 500, 4, 4e6, (Bus("SAS", 4, 9e6, 150.0), Bus("DIMM", 3, 2e10)), max_count=4)
TASKS = (
    Task("a", "p", 3e8, (Compute(0.125), Io(Op.READ, "d", 2, 50e3, amplification=2))),
    Task("b", "p", 5e8, (Io(Op.READ, "e", 1, 70e3), Compute(0.0625, probability=0.5))),
    Task("c", "q", 7e8, (Io(Op.WRITE, "d", 3, 20e3, probability=0.75), Compute(0.25))),
)
OPTIONS = st.builds(
    Options,
    isolation=st.sampled_from([Isolation.NONE, Isolation.COMPUTE_STORAGE]),
    placement=st.sampled_from(Placement),
    duplex=st.sampled_from(Duplex),
    peak_utilization=st.sampled_from([1.0, 0.5]),
    peak_fill=st.sampled_from([1.0, 0.25]),
    survive_hosts=st.integers(0, 1),
)
EIGHTHS = st.integers(0, 8).map(lambda eighths: eighths / 8)
GROUPS = st.builds(
    Group,
    server=st.just("shelf"),
    count=st.integers(1, 3),
    held=st.lists(st.builds(Held, st.just("d"), st.just("disk"), st.integers(0, 3), EIGHTHS), max_size=2),
    local=st.lists(st.builds(LocalHeld, st.just("e"), st.just("disk"), st.integers(0, 3)), max_size=2),
    running=st.lists(
        st.builds(Running, st.sampled_from("abc"), st.integers(0, 3), EIGHTHS), min_size=1, max_size=5
    ),
    cores=st.integers(0, 5),
    dimms=st.integers(0, 4),
)


class _Exact:
    """What a plan needs above what it is allowed."""

    def __init__(self, problem: Problem, plan: ProvisionPlan) -> None:
        self.plan, self.options = plan, problem.options
        self.found: list[tuple[object, ...]] = []
        self.e = problem.application.dataset("e")
        self.rates = {target.task: Fraction(target.rate) for target in problem.sla.targets}
        spread, lost = plan.spread or 1, self.options.survive_hosts
        self.most = Fraction(1, spread if lost else 1)
        self.reserve = Fraction(spread, spread - lost) if spread > lost else Fraction(1)
        self.over, fill = 1 / Fraction(self.options.peak_utilization), Fraction(self.options.peak_fill)
        self.took = {"a": self._seconds(50_000), "b": self._seconds(70_000)}
        self.took["c"] = Fraction(SLOW.gap_w) + 20_000 / Fraction(SLOW.rate_w)
        # Of d, accesses a second by phase: a record that is read takes two, one that is written two replicas.
        self.accesses = {"p": self.rates["a"] * 4, "q": self.rates["c"] * Fraction(9, 4) * 2}
        self.bytes = {"p": self.accesses["p"] * 50_000, "q": self.accesses["q"] * 20_000}
        busy = max(self.accesses["p"] * self.took["a"], self.accesses["q"] * self.took["c"])
        self.need = max(2 * 60 / (100 * fill), busy * self.over) * self.reserve
        self.filled, self.local = 50 / (100 * fill), self.rates["b"] * self.took["b"] * self.over
        self.cores = {"a": self.rates["a"] / 8, "b": self.rates["b"] / 32, "c": self.rates["c"] / 4}
        self.partitioned = self.e.scope is Scope.PARTITIONED
        each = [
            sum(h.units for h in group.local) // instances
            for group in plan.groups
            if (instances := sum(r.instances for r in group.running if r.task == "b"))
        ]
        self.beside = max(1, min(each, default=1))

    @staticmethod
    def _seconds(size: int) -> Fraction:
        return Fraction(SLOW.gap_r) + size / Fraction(SLOW.rate_r)

    def expect(self, rule: str, where: str, needed: Fraction | int, allowed: Fraction | float) -> None:
        if needed > (allowed := Fraction(allowed)):
            self.found.append((rule, where, pytest.approx(float(needed)), pytest.approx(float(allowed))))

    def all(self) -> list[tuple[object, ...]]:
        if self.options.survive_hosts:
            self.expect("spread", "plan", 2, self.plan.spread or 0)
        self._dataset()
        self._tasks()
        for number, group in enumerate(self.plan.groups, 1):
            self._group(group, f"group {number} ({group.count} x shelf)")
        servers = sum(group.count for group in self.plan.groups)
        self.expect("count", "server shelf", servers + self.plan.spares["shelf"], 4)
        return self.found

    def _dataset(self) -> None:
        held = [(group, h) for group in self.plan.groups for h in group.held]
        units = sum(h.units * group.count for group, h in held)
        self.expect("units", "dataset d", max(2, math.ceil(self.need * (1 - Fraction(1, 10**6)))), units)
        share = sum(Fraction(h.share) * group.count for group, h in held)
        self.expect("share", "dataset d", abs(share - 1), 1e-6)
        for _, h in held if self.options.placement is Placement.UNIFORM else ():
            off = abs(Fraction(h.share) - Fraction(h.units, units)) if units else 1
            self.expect("equal share", "dataset d", off, 1e-6)
        for group, _ in held:
            here = sum(Fraction(h.share) for h in group.held)
            self.expect("largest share", "dataset d", here, min(Fraction(1, 2), self.most))

    def _tasks(self) -> None:
        times = {
            "a": Fraction(1, 8) + 4 * self.took["a"],
            "b": Fraction(1, 32) + self.took["b"],
            "c": Fraction(1, 4) + Fraction(9, 4) * self.took["c"],
        }
        for task, rate in self.rates.items():
            where, wanted = f"task {task}", rate * times[task]
            if task == "b":
                filled = self.filled * self.partitioned
                wanted = max(wanted, self.local / self.beside, filled / self.beside)
            wanted *= self.reserve
            ran = [(group, r) for group in self.plan.groups for r in group.running if r.task == task]
            total = sum(r.instances * group.count for group, r in ran)
            if rate:
                share = sum(Fraction(r.share) * group.count for group, r in ran)
                self.expect("share", where, abs(share - 1), 1e-6)
                self.expect("instances in all", where, max(wanted, 1), total)
            for group, r in ran:
                share = Fraction(r.share)
                here = sum(Fraction(other.share) for other in group.running if other.task == task)
                self.expect("largest share", where, here, self.most)
                if self.options.placement is Placement.UNIFORM:
                    off = abs(share - Fraction(r.instances, total)) if total else share
                    self.expect("equal share", where, off, 1e-6)
                else:
                    least = max(wanted * share, int(rate > 0 and share > 0))
                    self.expect("instances", where, least, r.instances)

    def _group(self, group: Group, where: str) -> None:
        held = sum(Fraction(h.share) for h in group.held)
        shares = {task: sum(Fraction(r.share) for r in group.running if r.task == task) for task in "abc"}
        instances = {task: sum(r.instances for r in group.running if r.task == task) for task in "abc"}
        local = sum(h.units for h in group.local)
        hosts = any(h.units or h.share for h in group.held)
        if (
            self.options.isolation is Isolation.COMPUTE_STORAGE
            and hosts
            and any((*shares.values(), *instances.values()))
        ):
            self.found.append(("isolation: tasks beside remote storage", where, None, None))
        self.expect("slots of DIMM", where, group.dimms, 3)
        self.expect("slots of SAS", where, sum(h.units for h in group.held) + local, 4)
        self.expect("cores of server", where, group.cores, 4)
        self.expect("cores of the storage system", where, int(hosts), group.cores)
        for h in group.held:
            self.expect("units of d", where, self.need * Fraction(h.share), h.units)
        self._local(where, local, shares["b"] * self.reserve, instances["b"])
        memory = {"p": 3 * instances["a"] + 5 * instances["b"], "q": 7 * instances["c"]}
        for phase, tasks in {"p": "ab", "q": "c"}.items():
            used = memory[phase] + 5 * hosts
            self.expect(f"memory in {phase}", where, used * 10**8, group.dimms * 10**9)
            cores = sum(self.cores[task] * shares[task] for task in tasks)
            cores += self.accesses[phase] * held / 64
            self.expect(f"cores in {phase}", where, cores * self.reserve + hosts, group.cores)
            own = self.rates["b"] * shares["b"] * (phase == "p" and local > 0)
            flow, accesses = self.bytes[phase] * held + own * 70_000, self.accesses[phase] * held + own
            self.expect(f"bus SAS in {phase}", where, flow * self.reserve, 9e6)
            self.expect(f"IOPS of SAS in {phase}", where, accesses * self.reserve, 150)
        self._network(where, held, shares)

    def _local(self, where: str, units: int, share: Fraction, instances: int) -> None:
        rule = "local units of e"
        self.expect(f"{rule}, per instance", where, instances * self.beside, units)
        self.expect(f"{rule}, load", where, self.local * share, units)
        whole = self.filled * share if self.partitioned else instances * max(1, math.ceil(self.filled))
        self.expect(f"{rule}, capacity", where, whole, units)

    def _network(self, where: str, held: Fraction, shares: Mapping[str, Fraction]) -> None:
        # What is read leaves its host once; what is written reaches two hosts, one of which sends it on.
        read, written = self.rates["a"] * 2 * 50_000, self.rates["c"] * Fraction(9, 4) * 20_000
        flows = {
            "p": {"in": read * shares["a"], "out": read * held},
            "q": {"in": 2 * written * held, "out": written * (held + shares["c"])},
        }
        for phase, flow in flows.items():
            half = self.options.duplex is Duplex.HALF
            for direction, amount in ({"both": flow["in"] + flow["out"]} if half else flow).items():
                self.expect(f"network ({direction}) in {phase}", where, amount * self.reserve, 4e6)


@given(
    st.tuples(*[st.sampled_from([0, 1, 5, 30])] * 3),
    OPTIONS,
    st.sampled_from(Scope),
    st.lists(GROUPS, min_size=1, max_size=3),
    st.sampled_from([None, 1, 2, 4]),
)
def test_every_limit_is_what_the_inputs_add_up_to(
    rates: tuple[int, ...], options: Options, scope: Scope, groups: list[Group], spread: int | None
) -> None:
    """Whatever a plan breaks is found at its place, with what it needs and what it is allowed; and nothing else is."""
    datasets = (
        Dataset("d", 60e9, Persistence.REQUIRED, True, replication=2, host_time=1 / 64),
        Dataset("e", 50e9, Persistence.NOT_NEEDED, False, scope=scope, local_to="b"),
    )
    targets = tuple(RateTarget(task, float(rate)) for task, rate in zip("abc", rates, strict=True))
    catalog = Catalog((SLOW, DRAM), (Cpu(100),), (SHELF,), hours=8760)
    problem = Problem(catalog, Application(datasets, TASKS, 1, 5e8), Sla(targets), options)
    choices: dict[str, tuple[str, ...]] = {"d": ("disk",), "e": ("disk",)}
    plan = ProvisionPlan(Status.GAP, tuple(groups), choices, spread=spread, spares={"shelf": 1})
    found = [
        (v.rule, v.where, v.needed, v.allowed)
        for v in check(problem, replace(plan, upper=cost_of(problem, plan))).violations
        if v.rule != "cost below what any cluster costs"
    ]
    place = itemgetter(0, 1)
    assert sorted(found, key=place) == sorted(_Exact(problem, plan).all(), key=place)
    built = [(v.rule, v.where, v.needed, v.allowed) for v in standing(problem, plan)]
    at_any_load = ("isolation", "slots", "cores of", "memory", "count")
    assert built == [each for each in found if each[0].startswith(at_any_load)]


@pytest.mark.parametrize(
    ("memory", "sound"), [(1e9, True), (1e9 * (1 + 9e-7), True), (1e9 * (1 + 1.2e-6), False)]
)
def test_sums_may_be_exceeded_by_a_millionth(memory: float, sound: bool) -> None:
    """Of what is allowed, however much that is."""
    catalog = Catalog((DISK, DRAM), (Cpu(0),), (BOX,), hours=8760)
    problem = Problem(
        catalog, Application((), (Task("t", "p", memory, (Compute(1.0),)),)), Sla((RateTarget("t", 1.0),))
    )
    group = Group("box", 1, running=(Running("t", 1, 1.0),), cores=1, dimms=1)
    plan = ProvisionPlan(Status.GAP, (group,), upper=cost_of(problem, (group,)))
    assert {v.rule for v in check(problem, plan).violations} == (set() if sound else {"memory in p"})


def test_units_that_are_just_filled_are_enough() -> None:
    """A whole number of them, to the last byte."""
    problem = replace(small(size=3 * DISK.capacity), sla=Sla((RateTarget("t", 0.0),)))
    plan = small_plan(problem)
    assert "units" not in {v.rule for v in check(problem, plan).violations}
    more = replace(
        problem,
        application=replace(
            problem.application,
            datasets=(replace(problem.application.datasets[0], size=3.0001 * DISK.capacity),),
        ),
    )
    found = {v.rule: (v.needed, v.allowed) for v in check(more, plan).violations}
    assert found["units"] == (4, 3)


def test_a_unit_needs_the_bus_of_its_server() -> None:
    """Where the server has none of that name there is no slot."""
    problem = small()
    other = replace(problem.catalog.units[0], bus="NVMe")
    problem = replace(problem, catalog=replace(problem.catalog, units=(other, *problem.catalog.units[1:])))
    found = check(problem, small_plan(problem)).violations
    assert Violation("slots of NVMe", "group 1 (3 x box)", 1, 0) in found


def test_local_data_is_on_the_first_unit_of_its_choice() -> None:
    """A second one, which would be a cache, is refused for that alone."""
    problem = small(remote=False, size=10e9)
    workers = Group("box", 2, (), (LocalHeld("d", "disk", 2),), (Running("t", 2, 0.5),), 4, 2)
    plan = ProvisionPlan(Status.GAP, (workers,), {"d": ("disk", "ssd")})
    assert [v.rule for v in standing(problem, plan)] == ["cache of a local dataset"]
    other = replace(plan, choices={"d": ("ssd", "disk")})
    assert Violation("units of another type", "dataset d", 2, 0) in standing(problem, other)
