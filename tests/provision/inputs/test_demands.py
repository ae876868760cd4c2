"""`sla`, `batch`, `growth` and `options` become values; every mistake has its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from froude.provision.inputs.demands import (
    read_batch,
    read_growth,
    read_options,
    read_target,
)
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.types import (
    Batch,
    BatchTarget,
    CacheMedia,
    Duplex,
    Growth,
    Isolation,
    Options,
    Placement,
    RateTarget,
)
from tests.support.provision.inputs.additions import flaws_of
from tests.support.provision.inputs.elements import element, messages

Read = Callable[[Element, Flaws], Any]
JOB = element("job", task="m", executions="40K")
READ: dict[str, tuple[Read, Element, Any]] = {
    "rate": (read_target, element("sla", task="t", rate="2K"), RateTarget("t", 2000)),
    "latency": (
        read_target,
        element("sla", task="t", rate="1", latency="20ms", quantile="0.99"),
        RateTarget("t", 1, 0.02, 0.99),
    ),
    "batch": (read_batch, element("batch", JOB, time="10min"), Batch(600, (BatchTarget("m", 40_000),))),
    "split": (
        read_batch,
        element("batch", JOB, element("split", phase="p", share="0.7"), time="1s"),
        Batch(1, (BatchTarget("m", 40_000),), {"p": 0.7}),
    ),
    "growth": (
        read_growth,
        element("growth", load="0.4", data="0.2", lead_time="180d"),
        Growth(0.4, 0.2, 180 * 86400),
    ),
    "no growth": (read_growth, element("growth", lead_time="1d"), Growth(0, 0, 86400)),
    "options": (
        read_options,
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
    "no options": (read_options, element("options"), Options()),
}


@pytest.mark.parametrize("name", READ)
def test_every_field_arrives(name: str) -> None:
    """In SI units, with its default where it is not given."""
    read, at, value = READ[name]
    flaws = Flaws()
    assert read(at, flaws) == value
    assert messages(flaws) == []


WRONG: dict[str, tuple[Read, Element, str]] = {
    "no time": (read_batch, element("batch", JOB, time="0s"), "batch: time: is out of range"),
    "no job": (read_batch, element("batch", time="1s"), "batch: has no job; allowed: at least one"),
    "split": (
        read_batch,
        element("batch", JOB, *[element("split", phase=p, share="0.6") for p in "pq"], time="1s"),
        "split must add up to at most 1, got 1.2",
    ),
    "no lead time": (read_growth, element("growth", load="1"), "growth: lead_time is missing"),
    "placement": (
        read_options,
        element("options", placement="unifom"),
        "placement: is not a value of this field, did you mean uniform?",
    ),
    "busy": (read_options, element("options", peak_utilization="0"), "allowed: above 0 and at most 1"),
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
def test_mistakes_beyond_the_paper(old: str, new: str, message: str) -> None:
    """Each is stated with file, line and field."""
    flaws = flaws_of(old, new)
    assert any(message in flaw for flaw in flaws), flaws
