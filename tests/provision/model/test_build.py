"""The numeric problem: the paper's and the specification's arithmetic, to the digit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.pieces import memory_of
from froude.provision.inputs.read import read_problem
from froude.provision.model.build import build, memory_unit
from froude.provision.model.frame import owner
from froude.provision.model.instance import Instance
from froude.provision.types import (
    CacheMedia,
    Cpu,
    Dataset,
    Duplex,
    Options,
    Persistence,
    Placement,
    Problem,
    RateTarget,
    Sla,
)
from tests.support.provision.clusters import photoshare
from tests.support.provision.small import BOX, DATA, DISK, DRAM, STORE, small

NO_UNIT = "no storage unit that servers take"


DISKS = {"7.2KDisk", "15KDisk", "SSD"}


def _built(problem: Problem) -> Instance:
    built = build(problem)
    assert isinstance(built, Instance)
    return built


def _needs(instance: Instance, dataset: str) -> dict[str, list[float]]:
    named = next(d for d in instance.datasets if d.name == dataset)
    return {choice.label: [copy.need for copy in choice.copies] for choice in named.choices}


def test_needs_of_the_calibrated_example() -> None:
    """Photos: 3.033 15K, 6.36 7.2K, 6.25 SSD; thumbnails: 0.625 SSD (full), 3.53 15K, 8.05 7.2K (busy)."""
    instance = _built(photoshare())
    photos, thumbs = _needs(instance, "photos"), _needs(instance, "thumbs")
    assert photos["15KDisk"] == [pytest.approx(3.0333, abs=1e-4)]
    assert photos["7.2KDisk"] == [pytest.approx(6.3556, abs=1e-4)]
    assert photos["SSD"] == [pytest.approx(6.25)]
    assert thumbs["SSD"] == [pytest.approx(0.625)]
    assert thumbs["15KDisk"] == [pytest.approx(3.5293, abs=1e-4)]
    assert thumbs["7.2KDisk"] == [pytest.approx(8.0489, abs=1e-4)]


def test_instances_and_cores_of_the_calibrated_example() -> None:
    """3.8 cores; 2.64, 3.80 and 0.82 instances at once on the paper's storage."""
    instance = _built(photoshare())
    wanted = {"photos": "15KDisk", "thumbs": "SSD", "tags": "7.2KDisk + DRAM"}
    choices = [
        next(number for number, choice in enumerate(d.choices) if choice.label == wanted[d.name])
        for d in instance.datasets
    ]
    assert instance.parallelism(choices) == pytest.approx((2.638, 3.800, 0.816), abs=1e-3)
    assert sum(task.cores[0] for task in instance.tasks) == pytest.approx(3.8)


def test_every_choice_that_may_be() -> None:
    """Three media alone and each cached by any faster: nine; volatile caches only: six; none: three."""
    problem = photoshare()
    counts = {}
    for media in CacheMedia:
        instance = _built(replace(problem, options=replace(problem.options, cache_media=media)))
        counts[media] = len(instance.datasets[2].choices)
    assert counts == {CacheMedia.ANY: 9, CacheMedia.VOLATILE: 6, CacheMedia.OFF: 3}


def test_a_zero_load_leaves_capacity() -> None:
    """Without load each dataset needs the units that hold it, and no instance."""
    problem = replace(photoshare(), sla=Sla((RateTarget("upload", 0.0),)))
    instance = _built(problem)
    assert _needs(instance, "photos")["7.2KDisk"] == [pytest.approx(0.4)]
    assert instance.parallelism([0, 0, 0]) == (0.0, 0.0, 0.0)


def test_network_is_counted_by_direction() -> None:
    """Half duplex sums what goes in and out; full duplex has a row for each, which add up to it."""
    problem = photoshare()
    half = _built(problem)
    full = _built(replace(problem, options=replace(problem.options, duplex=Duplex.FULL)))
    upload_half, upload_full = half.tasks[0].nic_bytes, full.tasks[0].nic_bytes
    assert upload_half == pytest.approx((100 * (200e3 + 4e3 + 20 * 4e3),))
    assert sum(upload_full) == pytest.approx(upload_half[0])
    assert [row.direction for row in full.network_rows] == ["in", "out"]
    copy = half.datasets[0].choices[0].copies[0]
    assert copy.nic_bytes == pytest.approx((80e6,))
    assert copy.bus_bytes == pytest.approx((140e6,))


def test_uniform_placement_needs_units_for_the_network() -> None:
    """A copy whose traffic exceeds the widest network gets more units than its load needs."""
    problem = photoshare()
    problem = replace(
        problem,
        sla=problem.sla.scaled(10),
        options=replace(problem.options, placement=Placement.UNIFORM),
    )
    tags = next(d for d in _built(problem).datasets if d.name == "tags")
    cache = next(c for c in tags.choices if c.label == "7.2KDisk + DRAM").copies[1]
    assert cache.need == pytest.approx(1.0)
    assert cache.nic_bytes == pytest.approx((136e6,))
    assert cache.min_units == 2


def test_hits_and_misses_of_a_cache() -> None:
    """Misses load the persistent copy and are written into the cache."""
    problem = photoshare()
    datasets = tuple(replace(d, hit_ratio=0.9) for d in problem.application.datasets)
    problem = replace(problem, application=replace(problem.application, datasets=datasets))
    instance = _built(problem)
    kept, cache = next(c for c in instance.datasets[0].choices if c.label == "15KDisk + DRAM").copies
    reads, writes = 600 * (200e3 / 150e6 + 3.5e-3), 100 * 200e3 / 150e6
    assert kept.need == pytest.approx(max(200 / 146, writes + 0.1 * reads))
    assert cache.need == pytest.approx(70.0)
    assert kept.nic_bytes == pytest.approx((20e6 + 0.1 * 60e6,))
    assert cache.nic_bytes == pytest.approx((20e6 + 60e6,))


def test_local_units_stand_beside_instances() -> None:
    """A replicated local dataset fills its units; more units are offered only while they help."""
    instance = _built(read_problem(["productsearch"]))
    hot = next(d for d in instance.datasets if d.name == "hot_ratingsdata")
    assert hot.local_to == 1
    assert [c.label for c in hot.choices] == ["1 x 7.2KDisk", "1 x 15KDisk", "1 x SSD", "2 x DRAM"]
    worker, processor = instance.parallelism([0, 2, 2])
    assert processor == pytest.approx(0.2 * 0.8 * 40e3 * (4e3 / 250e6 + 0.4e-3))
    assert worker == pytest.approx(0.2 * 2.2 + processor)


def test_a_partitioned_dataset_sets_instances() -> None:
    """Instances times their units must hold all of a partitioned dataset."""
    instance = _built(read_problem(["terasort"]))
    reducer = instance.tasks[2]
    floors = dict(reducer.floors)
    labels = [c.label for c in instance.datasets[1].choices]
    assert floors[1][labels.index("1 x DRAM")] == pytest.approx(50.0)
    assert instance.phases == ("map", "reduce")
    assert instance.tasks[0].rate == pytest.approx(781.25 / 4 / 750)
    assert instance.tasks[0].nic_bytes == pytest.approx((50e9 / 750, 0.0))
    assert reducer.nic_bytes == pytest.approx((50e9 / 750, 0.0))


def test_what_no_cluster_can_do_is_a_conflict() -> None:
    """A persistent dataset without a non-volatile unit, an instance that fits no server."""
    problem = photoshare()
    only_dram = replace(problem.catalog, units=(problem.catalog.unit("DRAM"),))
    built = build(replace(problem, catalog=only_dram))
    assert isinstance(built, tuple)
    assert "photos is persistent" in str(built[0])
    tasks = (replace(problem.application.tasks[0], memory=13e9), *problem.application.tasks[1:])
    built = build(replace(problem, application=replace(problem.application, tasks=tasks)))
    assert isinstance(built, tuple)
    assert (
        str(built[0])
        == "memory of task upload: needs 1.3e+10 bytes per server, at most 1.2e+10 bytes per server can be had"
    )


def test_replicas_that_have_no_servers() -> None:
    """Three replicas where two servers can be had; fragments are named as such."""
    servers = (replace(BOX, max_count=2),)
    for data, text in (
        (replace(DATA, replication=3), "servers for the replicas of dataset data: needs 3 servers"),
        (replace(DATA, erasure=(2, 2)), "servers for the fragments of dataset data: needs 4 servers"),
    ):
        built = build(small(data=data, servers=servers))
        assert isinstance(built, tuple)
        assert [str(conflict) for conflict in built] == [f"{text}, at most 2 servers can be had"]


def test_units_that_no_server_takes() -> None:
    """A dataset whose every unit is on a bus without a server has nowhere to be; with a service it has."""
    strange = replace(DISK, bus="NVMe")
    built = build(small(units=(strange, DRAM)))
    assert isinstance(built, tuple)
    assert NO_UNIT in str(built[0])
    anywhere = replace(DATA, persistent=Persistence.ANY)
    built = build(small(data=anywhere, units=(replace(DRAM, bus="NVMe"),)))
    assert isinstance(built, tuple)
    assert NO_UNIT in str(built[0])
    stored = _built(small(units=(strange, DRAM, STORE)))
    assert [choice.names for choice in stored.datasets[0].choices] == [("store",), ("store", "dram")]


def test_a_latency_out_of_reach() -> None:
    """The fastest of everything computes for 0.5 s and works for 0.33 s; it names task, needed and allowed."""
    built = build(small(units=(DISK, DRAM), target=RateTarget("serve", 10.0, latency=0.4)))
    assert isinstance(built, tuple)
    assert [conflict.constraint for conflict in built] == ["latency of task serve"]
    assert built[0].allowed == 0.4
    assert built[0].needed == pytest.approx(0.5 + 0.22, abs=0.2)
    met = build(
        small(data=replace(DATA, persistent=Persistence.ANY), target=RateTarget("serve", 10.0, latency=0.6))
    )
    assert isinstance(met, Instance)


def test_a_filled_local_dataset_does_not_fit() -> None:
    """1,000 bytes beside each instance fit four disks of 250 bytes, but not when filled to half."""
    data = Dataset("data", 1000.0, Persistence.REQUIRED, remote=False, local_to="serve")
    disk = replace(DISK, capacity=250.0)
    assert isinstance(build(small(data=data, units=(disk, DRAM))), Instance)
    built = build(small(data=data, units=(disk, DRAM), options=Options(peak_fill=0.5)))
    assert isinstance(built, tuple)
    assert (built[0].needed, built[0].allowed) == (1000, 500)


def test_costs() -> None:
    """Price and three years of energy: 15K $296.04, core $137.56, and the unit for memory."""
    catalog = photoshare().catalog
    assert catalog.cost(catalog.unit("15KDisk")) == pytest.approx(296.0444)
    assert catalog.cost(Cpu(85, 20)) == pytest.approx(137.56)
    assert memory_unit(replace(photoshare(), options=Options())).name == "DRAM"


@pytest.mark.parametrize("turned", [False, True])
def test_which_of_several_included_units_is_memory(turned: bool) -> None:
    """The fastest, wherever it stands in the catalog, for the model and for the check."""
    problem = small()
    slow = replace(DRAM, name="a local disk", bus="other", price=0.0, power=0.0, gap_r=1e-6, gap_w=1e-6)
    units = (DISK, slow, replace(slow, name="z", gap_r=1e-7, gap_w=1e-7), replace(slow, name="b"))
    catalog = replace(problem.catalog, units=units[::-1] if turned else units)
    problem = replace(problem, catalog=catalog, options=Options())
    assert memory_unit(problem).name == memory_of(problem).name == "z"


def test_the_owner_of_a_local_dataset() -> None:
    """The only task that uses it; none for a remote one."""
    problem = read_problem(["productsearch"])
    assert owner(problem, problem.application.dataset("hot_ratingsdata")) == "queryprocessor"
    assert owner(problem, Dataset("x", 1, Persistence.ANY, remote=True)) is None


def test_what_runs_too_often_to_be_counted() -> None:
    """Is a conflict, before any number leaves what a float can say."""
    problem = small()
    built = build(replace(problem, sla=problem.sla.scaled(1e30)))
    assert not isinstance(built, Instance)
    assert built[0].constraint == "executions of task serve"
