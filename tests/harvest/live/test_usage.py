"""What primary tenants use and leave."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.harvest.live.types import Node, Resource
from froude.harvest.live.usage import Reserve, Usage, allowance, usage_of

OWN = Resource(memory_mb=32768, vcores=12)


def node(**other: object) -> Node:
    """A running node."""
    return Node("s:1", "s", "RUNNING", OWN, **other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("share", "memory_mb", "cores", "left_mb"),
    [
        (0.0, 0, 8, 22528),
        (0.01, 1, 7, 22272),
        (0.25, 4096, 5, 18432),
        (0.66, 30000, 0, 0),
        (1.0, None, 0, 32768),
    ],
)
def test_what_the_primary_tenant_leaves(
    share: float, memory_mb: int | None, cores: int, left_mb: int
) -> None:
    """Its use in whole cores, memory in 256 MiB, and the paper's reserve of 4 of 12 cores and 10 of 32 GB beside."""
    assert allowance(OWN, Usage(share, memory_mb), Reserve(), 32768) == Resource(
        memory_mb=left_mb, vcores=cores
    )


@pytest.mark.parametrize(("machine_mb", "left_mb"), [(1010, 1000), (1000, 1000), (999, 768)])
def test_memory_that_need_not_shrink_is_not_rounded(machine_mb: int, left_mb: int) -> None:
    """A node's own is no multiple of 256 MiB."""
    assert (
        allowance(Resource(memory_mb=1000, vcores=4), Usage(0.0, 0), Reserve(0, 0), machine_mb).memory_mb
        == left_mb
    )


def test_a_reserve_of_whole_cores_is_no_more() -> None:
    """7 % of 100 cores are 7, whatever the last digit of the product says."""
    assert allowance(Resource(memory_mb=1024, vcores=100), Usage(0.0), Reserve(0.07, 0)).vcores == 93


@given(st.integers(0, 200), st.floats(0, 1), st.floats(0, 1))
def test_the_reserve_is_never_given_away(vcores: int, share: float, reserve: float) -> None:
    """Whatever is used: what is given, used and kept is never more than there is, and never below nothing."""
    given_away = allowance(
        Resource(memory_mb=1024, vcores=vcores), Usage(share), Reserve(reserve, 0.3)
    ).vcores
    assert given_away >= 0
    if given_away:
        assert given_away + vcores * share + vcores * reserve <= vcores + 1e-6


def test_containers_are_no_primary_tenant() -> None:
    """What they use is taken off; a node that says nothing tells nothing."""
    busy = node(
        cpu_share=0.5,
        containers_vcores=3.0,
        memory_used_mb=9000,
        containers_memory_mb=2000,
        machine_mb=40000,
    )
    assert usage_of(busy) == Usage(0.25, 7000)
    assert usage_of(node()) is None
    assert usage_of(replace(busy, containers_vcores=9.0)) == Usage(0.0, 7000)


def test_containers_report_in_the_cores_that_they_were_left() -> None:
    """A node of 12 that was told to give 8: full containers are two thirds of the machine, and no tenant's use."""
    full = node(cpu_share=8 / 12, memory_used_mb=9000, machine_mb=40000)
    pushed = replace(full, total=Resource(memory_mb=OWN.memory_mb, vcores=8), containers_vcores=8 * 8 / 12)
    assert usage_of(pushed) == Usage(0.0, 9000)
    nothing = replace(pushed, total=Resource(memory_mb=0, vcores=0))
    assert usage_of(nothing) is None  # containers that end, on a node that has no cores for them
    told = usage_of(replace(nothing, containers_vcores=0.0))
    assert told is not None
    assert told.cpu_share == pytest.approx(8 / 12)
