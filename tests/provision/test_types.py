"""Values refuse what cannot be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from froude.provision.types import (
    Batch,
    BatchTarget,
    Bus,
    Cpu,
    Dataset,
    Io,
    Op,
    Options,
    Persistence,
    Profile,
    RateTarget,
    Server,
    Sla,
    StorageUnit,
)
from tests.provision.clusters import photoshare

WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no rate": (lambda: StorageUnit("u", 1, "b", 0, 0, 1, 0, False, 1), "rate_r must be above 0"),
    "no finite gap": (lambda: StorageUnit("u", 1, "b", 1, float("nan"), 1, 0, False, 1), "gap_r must be 0"),
    "endless": (
        lambda: StorageUnit("u", float("inf"), "b", 1, 0, 1, 0, False, 1),
        "capacity must be above 0",
    ),
    "profile": (lambda: Profile("p", rate_r=-1.0), "rate must be above 0"),
    "cpu": (lambda: Cpu(-1), "price must be 0 or above"),
    "bus": (lambda: Bus("b", -1, 1), "slots must be 0 or above"),
    "stock": (lambda: Server("s", 1, 1, 1, (), max_count=-1), "max_count must be 0"),
    "cache": (lambda: Dataset("d", 1, Persistence.ANY, remote=True, cache_size=2), "cache_size must lie"),
    "probability": (lambda: Io(Op.READ, "d", 1, 1, probability=1.5), r"probability must lie in \[0, 1\]"),
    "target": (lambda: RateTarget("t", -1), "rate must be 0 or above"),
    "split": (lambda: Batch(1, (), {"a": 0.6, "b": 0.6}), "split must add up to at most 1"),
    "busy": (lambda: Options(peak_utilization=0), r"peak_utilization must lie in \(0, 1\]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    """Each by its name, with what was given."""
    build, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        build()


def test_an_sla_scales_as_a_whole() -> None:
    """Rates and jobs by the same factor; the time stays."""
    sla = Sla((RateTarget("t", 2),), Batch(10, (BatchTarget("t", 6),), {"p": 1.0}))
    twice = sla.scaled(2)
    assert twice.targets[0].rate == 4
    assert twice.batch is not None
    assert (twice.batch.time, twice.batch.targets[0].executions) == (10, 12)


def test_names_are_found() -> None:
    """By name, or not at all."""
    problem = photoshare()
    assert problem.catalog.server("Server1").cpus == 4
    assert problem.application.phases == ("serve",)
    with pytest.raises(KeyError):
        problem.catalog.unit("Tape")
