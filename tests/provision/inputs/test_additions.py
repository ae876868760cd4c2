"""The fields beyond the paper: read from either form, and every mistake about them stated with its place."""

from __future__ import annotations

import pytest

from froude.provision.inputs.hardware import UNBOUNDED
from froude.provision.inputs.read import Parts, parse, parts_of
from froude.provision.inputs.tree import Flaws
from froude.provision.types import Bundle, Compute, Discount, Growth, Period, RateTarget, Schedule

TEXT = """froude: provision/1
sla:
  - {task: view, rate: 10, latency: 20ms, quantile: 0.99}
growth: {load: 0.4, data: 0.2, lead_time: 180d}
resources:
  prices_as_of: 2026-07
  diversity: 500
  storage_unit:
    - {name: NVMe, capacity: 1TB, bus: pcie, rateR: 3GBps, gapR: 80us, rateW: 1GBps, gapW: 20us,
       volatile: 0, price: 90, power: 9W, idle_power: 3W, discount: [{count: 10, price: 80}, {count: 100, price: 70}]}
    - {name: volume, capacity: 16TB, bus: volume, rateR: 250MBps, gapR: 1ms, rateW: 250MBps, gapW: 1ms,
       volatile: 0, price_per_GB_month: 0.08}
    - {name: objects, service: 1, rateR: 100MBps, gapR: 30ms, rateW: 100MBps, gapW: 60ms,
       price_per_GB_month: 0.02, price_per_read: 4e-7, price_per_write: 5e-6}
    - {name: DRAM, capacity: 4GiB, bus: memory, rateR: 20GBps, gapR: 1ns, rateW: 20GBps, gapW: 1ns,
       volatile: 1, price: 0, owned: 0}
  cpu:
    - {name: x86, price: 0}
    - {name: arm, price: 0, power: 3W, idle_power: 1W}
  server:
    - name: i9.large
      price: 5000
      cpus: 4
      BW: 10Gbps
      cpu: arm
      bus:
        - {name: pcie, slots: 2, BW: 8GBps}
        - {name: memory, slots: 4, BW: 40GBps}
        - {name: volume, slots: 20, BW: 5Gbps}
      bundle: {cores: 4, included: [{unit: NVMe, count: 2}, {unit: DRAM, count: 4}]}
  energy: {pue: 1.3, load: 0.4}
application:
  dataset:
    - {name: photos, size: 1TB, persistent: 1, remote: 1, replication: 3, host_time: 10us}
    - {name: tags, size: 1GB, persistent: 1, remote: 1, erasure: 6+3}
  task:
    - name: view
      phase: serve
      memory: 1GB
      operations:
        - compute: {time: 3ms, on: [{cpu: arm, time: 4ms}]}
        - io: {op: R, dataset: photos, num_records: 1, record_size: 200KB}
options: {peak_fill: 0.8, survive_hosts: 2}
"""


def _read(text: str) -> tuple[Parts, list[str]]:
    flaws = Flaws()
    parts = parts_of(parse(text.encode(), "f", flaws), flaws)
    return parts, [str(flaw) for flaw in flaws.found()]


def test_every_field_arrives() -> None:
    """Hardware, application, demand and options."""
    parts, flaws = _read(TEXT)
    assert flaws == []
    catalog, application, sla = parts.catalog, parts.application, parts.sla
    assert catalog is not None
    assert application is not None
    assert sla is not None
    assert (catalog.pue, catalog.mean_load, catalog.diversity, catalog.prices_as_of) == (
        1.3,
        0.4,
        500,
        "2026-07",
    )
    nvme, volume, objects, _ = catalog.units
    assert (nvme.idle_power, nvme.discounts) == (3, (Discount(10, 80), Discount(100, 70)))
    assert (volume.price, volume.price_per_gb_month) == (0, 0.08)
    assert (objects.service, objects.bus, objects.capacity, objects.volatile) == (True, "", UNBOUNDED, False)
    assert (objects.price_per_read, objects.price_per_write) == (4e-7, 5e-6)
    assert [cpu.name for cpu in catalog.cpus] == ["x86", "arm"]
    assert (catalog.servers[0].cpu, catalog.servers[0].bundle) == (
        "arm",
        Bundle(4, (("NVMe", 2), ("DRAM", 4))),
    )
    photos, tags = application.datasets
    assert (photos.replication, tags.erasure) == (3, (6, 3))
    assert photos.host_time == pytest.approx(1e-5)
    compute = application.tasks[0].operations[0]
    assert isinstance(compute, Compute)
    assert (compute.on("x86"), compute.on("arm")) == (0.003, 0.004)
    assert sla.targets == (RateTarget("view", 10, 0.02, 0.99),)
    assert sla.growth == Growth(0.4, 0.2, 180 * 86400)
    assert (parts.options.peak_fill, parts.options.survive_hosts) == (0.8, 2)


def test_a_schedule() -> None:
    """Periods of the day in their order, 24 hours in all."""
    schedule = "schedule: {price_per_GB_moved: 0.01, period: [{name: day, hours: 16, factor: 1}, "
    parts, flaws = _read(TEXT + schedule + "{name: night, hours: 8, factor: 0.3}]}\n")
    assert flaws == []
    assert parts.sla is not None
    assert parts.sla.schedule == Schedule((Period("day", 16, 1), Period("night", 8, 0.3)), 0.01)
    _, flaws = _read(TEXT + schedule + "{name: night, hours: 7, factor: 0.3}]}\n")
    assert "hours of the periods must add up to 24, got 23" in flaws[0]
    owned = TEXT.replace("owned: 0", "owned: 9").replace("cpus: 4", "cpus: 4\n      owned: 2")
    _, flaws = _read(owned + schedule + "{name: night, hours: 8, factor: 0.3}]}\n")
    assert len(flaws) == 2
    assert "storage_unit DRAM: owned: is owned, and a schedule hires everything by the hour" in flaws[0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cpu: arm\n", "cpu: amr\n", "server i9.large: cpu: leads nowhere, did you mean arm?"),
        ("{cpu: arm, time: 4ms}", "{cpu: ar, time: 4ms}", "on: cpu: leads nowhere, did you mean arm?"),
        (
            "{unit: NVMe, count: 2}",
            "{unit: NVM, count: 2}",
            "included: unit: leads nowhere, did you mean NVMe?",
        ),
        (
            "{unit: NVMe, count: 2}",
            "{unit: NVMe, count: 3}",
            "includes 3 units on bus pcie; allowed: at most its 2",
        ),
        ("{unit: DRAM, count: 4}", "{unit: DRAM, count: 5}", "includes 5 units on bus memory"),
        ("{unit: NVMe, count: 2}", "{unit: objects, count: 2}", "is a service, which no server includes"),
        ("{unit: NVMe, count: 2}", "{unit: DRAM, count: 2}", "included: unit: stands on line"),
        ("bundle: {cores: 4", "bundle: {cores: 5", "bundle has 5 cores where cpus is 4"),
        ("{name: x86, price: 0}", "{price: 0}", "cpu: has no name, and there are several core types"),
        ("{name: x86, price: 0}", "{name: arm, price: 0}", "cpu arm: name: stands on line"),
        ("name: objects", "name: NVMe", "storage_unit NVMe: name: stands on line"),
        ("service: 1,", "service: 1, bus: pcie,", "bus: is given for a service"),
        ("service: 1,", "service: 1, volatile: 1,", "a service is not volatile"),
        ("service: 1,", "service: 1, owned: 2,", "not owned and on no bus"),
        ("volatile: 0, price_per_GB_month: 0.08", "volatile: 0", "storage_unit volume: price is missing"),
        ("options: {", "options: {memory_unit: objects, ", "is a service, and memory stands in servers"),
        (
            "replication: 3",
            "replication: 2",
            "dataset photos: replication: is persistent and does not outlive",
        ),
        ("6+3", "6+1", "dataset tags: erasure: is persistent and does not outlive survive_hosts"),
        ("6+3", "6:3", "erasure: is no erasure code; found '6:3'; allowed: data and parity fragments"),
        ("6+3", "0+3", "numbers of erasure must be 1 or more"),
        ("6+3", "6+3, replication: 2", "replication and erasure exclude each other"),
        ("remote: 1, replication: 3", "remote: 0, replication: 3", "belong to remote datasets"),
        (
            "remote: 1, erasure: 6+3",
            "remote: 0, local_to: view, scope: partitioned",
            "dataset tags: scope: is persistent and does not outlive",
        ),
        ("count: 100, price: 70", "count: 100, price: 85", "ascending counts and falling prices"),
        ("count: 10, price: 80", "count: 1, price: 80", "count must be at least 2"),
        ("idle_power: 3W", "idle_power: 10W", "idle_power must lie in [0, power=9]"),
        ("pue: 1.3", "pue: 0.9", "energy: pue: is out of range; found '0.9'; allowed: 1 or above"),
        ("latency: 20ms, ", "", "quantile is of a latency, and there is none"),
        ("quantile: 0.99", "quantile: 1", "quantile must lie in (0, 1)"),
        ("prices_as_of: 2026-07", "prices_as_of: July", "prices_as_of: is not a date"),
        ("survive_hosts: 2", "survive_hosts: 1.5", "survive_hosts: is not a whole number"),
        ("lead_time: 180d", "lead_tme: 180d", "lead_time is missing, did you mean lead_tme?"),
        (
            "sla:\n  - {task: view, rate: 10, latency: 20ms, quantile: 0.99}\n",
            "",
            "says how the demand changes",
        ),
    ],
)
def test_mistakes(old: str, new: str, message: str) -> None:
    """Each is stated with file, line and field."""
    assert old in TEXT
    _, flaws = _read(TEXT.replace(old, new, 1))
    assert any(message in flaw for flaw in flaws), flaws
    assert all(flaw.startswith("f:") for flaw in flaws)


def test_several_mistakes_at_once() -> None:
    """Of all parts, in the order of the file."""
    text = TEXT.replace("cpu: arm\n", "cpu: amr\n").replace("6+3", "6-3").replace("unit: DRAM", "unit: DRM")
    _, flaws = _read(text)
    lines = [int(flaw.split(":")[1]) for flaw in flaws]
    assert len(flaws) == 3
    assert lines == sorted(lines)


def test_a_local_dataset_needs_a_unit_inside_servers() -> None:
    """A service keeps remote data only."""
    text = TEXT.replace("volatile: 0", "volatile: 1").replace(
        "remote: 1, erasure: 6+3", "remote: 0, local_to: view"
    )
    _, flaws = _read(text)
    assert [flaw for flaw in flaws if "is persistent and every storage_unit is volatile or a service" in flaw]
