"""`application` becomes datasets and tasks: defaults, operations in their order, every mistake with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from froude.provision.inputs.requirements import APPLICATION, BATCH, GROWTH, OPTIONS, TARGET
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.types import (
    Application,
    Batch,
    BatchTarget,
    CacheMedia,
    Compute,
    Dataset,
    Dependency,
    Duplex,
    Growth,
    Io,
    Isolation,
    Op,
    Options,
    Persistence,
    Placement,
    RateTarget,
    Scope,
    Task,
)
from tests.support.provision.inputs.additions import TEXT, flaws_of, read
from tests.support.provision.inputs.elements import element, messages

Read = Callable[[Element, Flaws], Any]
JOB = element("job", task="m", executions="40K")
READ: dict[str, tuple[Read, Element, Any]] = {
    "rate": (TARGET.read, element("sla", task="t", rate="2K"), RateTarget("t", 2000)),
    "latency": (
        TARGET.read,
        element("sla", task="t", rate="1", latency="20ms", quantile="0.99"),
        RateTarget("t", 1, 0.02, 0.99),
    ),
    "batch": (BATCH.read, element("batch", JOB, time="10min"), Batch(600, (BatchTarget("m", 40_000),))),
    "split": (
        BATCH.read,
        element("batch", JOB, element("split", phase="p", share="0.7"), time="1s"),
        Batch(1, (BatchTarget("m", 40_000),), {"p": 0.7}),
    ),
    "growth": (
        GROWTH.read,
        element("growth", load="0.4", data="0.2", lead_time="180d"),
        Growth(0.4, 0.2, 180 * 86400),
    ),
    "no growth": (GROWTH.read, element("growth", lead_time="1d"), Growth(0, 0, 86400)),
    "options": (
        OPTIONS.read,
        element(
            "options",
            isolation="compute-storage",
            placement="uniform",
            cache_media="off",
            duplex="full",
            peak_utilization="0.8",
            memory_unit="DRAM",
            peak_fill="0.9",
            survive_hosts="2",
        ),
        Options(
            Isolation.COMPUTE_STORAGE, Placement.UNIFORM, CacheMedia.OFF, Duplex.FULL, 0.8, "DRAM", 0.9, 2
        ),
    ),
    "no options": (OPTIONS.read, element("options"), Options()),
}
DATA = element("dataset", name="d", size="1GB", persistent="1", remote="1")
IDLE = element("task", name="t", phase="p", memory="1GB")


def _read(*children: Element) -> tuple[Application | None, list[str]]:
    flaws = Flaws()
    return APPLICATION.read(element("application", *children), flaws), messages(flaws)


def test_the_least_that_an_application_has() -> None:
    """One task; the storage system needs nothing."""
    application, flaws = _read(IDLE)
    assert flaws == []
    assert application == Application((), (Task("t", "p", 1e9),))
    assert _read(DATA)[1] == ["f:1: application: has no task; allowed: at least one"]


def test_every_field_of_a_dataset() -> None:
    """And the defaults of one that has few."""
    local = element(
        "dataset",
        name="l",
        size="8GB",
        persistent="*",
        remote="0",
        cache_size="2GB",
        hit_ratio="0.9",
        local_to="t",
        scope="partitioned",
        profile="hdfs",
    )
    application, flaws = _read(DATA, local, IDLE)
    assert flaws == []
    assert application is not None
    assert application.datasets == (
        Dataset("d", 1e9, Persistence.REQUIRED, remote=True),
        Dataset("l", 8e9, Persistence.ANY, False, 2e9, 0.9, "t", Scope.PARTITIONED, "hdfs"),
    )


def test_operations_keep_their_order() -> None:
    """Of all kinds, with every field or the fewest."""
    task = element(
        "task",
        element(
            "dependency",
            task="t",
            num_invocations="2",
            parallel="1",
            blocking="0",
            probability="0.1",
            bytes="4KB",
        ),
        element("io", op="R", dataset="d", num_records="40K", record_size="4KB"),
        element("compute", element("on", cpu="arm", time="2s"), time="3s", blocking="0", probability="0.2"),
        element(
            "io",
            op="W",
            dataset="d",
            num_records="1",
            record_size="1B",
            probability="0.3",
            blocking="0",
            parallel="1",
            amplification="2",
        ),
        element("dependency", task="t"),
        name="t",
        phase="p",
        memory="0",
    )
    application, flaws = _read(DATA, task)
    assert flaws == []
    assert application is not None
    assert application.tasks[0].operations == (
        Dependency("t", 2, True, False, 0.1, 4000),
        Io(Op.READ, "d", 40_000, 4000),
        Compute(3, False, 0.2, (("arm", 2.0),)),
        Io(Op.WRITE, "d", 1, 1, 0.3, False, True, 2),
        Dependency("t", 1),
    )


def test_what_the_storage_system_needs() -> None:
    """On each host; said once."""
    host = element("host", cores="2", memory="1GB")
    application, flaws = _read(IDLE, host)
    assert flaws == []
    assert application is not None
    assert (application.host_cores, application.host_memory) == (2, 1e9)
    assert _read(IDLE, host, host)[1] == ["f:1: application: has 2 elements host; allowed: one"]


@pytest.mark.parametrize("text", ["6+3", " 6 + 3 "])
def test_an_erasure_code(text: str) -> None:
    """Data and parity."""
    application, flaws = _read(
        element("dataset", name="d", size="1GB", persistent="1", remote="1", erasure=text),
        IDLE,
    )
    assert flaws == []
    assert application is not None
    assert application.datasets[0].erasure == (6, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([IDLE, IDLE], "task t: name: stands on line 1 already"),
        ([DATA, DATA, IDLE], "dataset d: name: stands on line 1 already"),
        ([element("task", element("on"), name="t", phase="p", memory="0")], "on: does not belong in task"),
        (
            [
                element(
                    "task",
                    element("compute", *[element("on", cpu="a", time="1s")] * 2, time="1s"),
                    name="t",
                    phase="p",
                    memory="0",
                )
            ],
            "on: cpu: stands on line 1 already",
        ),
    ],
)
def test_what_does_not_belong(wrong: list[Element], message: str) -> None:
    """Names that stand twice, elements in the wrong place."""
    _, flaws = _read(*wrong)
    assert any(message in flaw for flaw in flaws), flaws


def test_fields_beyond_the_paper_arrive() -> None:
    """Replicas, fragments, what they cost their hosts, times by core type."""
    parts, _ = read(TEXT)
    application = parts.application
    assert application is not None
    photos, tags = application.datasets
    assert (photos.replication, tags.erasure) == (3, (6, 3))
    assert photos.host_time == pytest.approx(1e-5)
    compute = application.tasks[0].operations[0]
    assert isinstance(compute, Compute)
    assert (compute.on("x86"), compute.on("arm")) == (0.003, 0.004)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("6+3", "6:3", "erasure: is no erasure code; found '6:3'; allowed: data and parity fragments"),
        ("6+3", "0+3", "numbers of erasure must be 1 or more"),
        ("6+3", "6+3, replication: 2", "replication and erasure exclude each other"),
        ("remote: 1, replication: 3", "remote: 0, replication: 3", "belong to remote datasets"),
    ],
)
def test_mistakes_beyond_the_paper(old: str, new: str, message: str) -> None:
    """Each is stated with file, line and field."""
    flaws = flaws_of(old, new)
    assert any(message in flaw for flaw in flaws), flaws


@pytest.mark.parametrize("name", READ)
def test_every_field_arrives(name: str) -> None:
    """In SI units, with its default where it is not given."""
    read, at, value = READ[name]
    flaws = Flaws()
    assert read(at, flaws) == value
    assert messages(flaws) == []


WRONG: dict[str, tuple[Read, Element, str]] = {
    "no time": (BATCH.read, element("batch", JOB, time="0s"), "batch: time: is out of range"),
    "no job": (BATCH.read, element("batch", time="1s"), "batch: has no job; allowed: at least one"),
    "split": (
        BATCH.read,
        element("batch", JOB, *[element("split", phase=p, share="0.6") for p in "pq"], time="1s"),
        "split must add up to at most 1, got 1.2",
    ),
    "no lead time": (GROWTH.read, element("growth", load="1"), "growth: lead_time is missing"),
    "placement": (
        OPTIONS.read,
        element("options", placement="unifom"),
        "placement: is not a value of this field, did you mean uniform?",
    ),
    "busy": (OPTIONS.read, element("options", peak_utilization="0"), "allowed: above 0 and at most 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes(name: str) -> None:
    """Each by element and field; there is no value then, but one is looked for on."""
    read, at, message = WRONG[name]
    flaws = Flaws()
    value = read(at, flaws)
    assert any(message in flaw for flaw in messages(flaws)), messages(flaws)
    assert value is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("latency: 20ms, ", "", "quantile is of a latency, and there is none"),
        ("quantile: 0.99", "quantile: 1", "quantile must lie in (0, 1)"),
        ("survive_hosts: 2", "survive_hosts: 1.5", "survive_hosts: is not a whole number"),
        ("lead_time: 180d", "lead_tme: 180d", "lead_time is missing, did you mean lead_tme?"),
    ],
)
def test_mistakes_beyond_the_paper_of_demands(old: str, new: str, message: str) -> None:
    """Each is stated with file, line and field."""
    flaws = flaws_of(old, new)
    assert any(message in flaw for flaw in flaws), flaws
