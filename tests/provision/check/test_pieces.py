"""T(n) and what servers' prices include, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from froude.provision.check.pieces import Line, energy_of, memory_of, piece_lines, pieces_of
from froude.provision.types import Bundle, Catalog, Discount, Options, Problem
from froude.provision.types.plan import Group, Held
from tests.support.provision.clusters import BOX, DISK, DRAM, SSD, small


def _with(**catalog: Any) -> Problem:
    problem = small()
    return replace(problem, catalog=replace(problem.catalog, dollars_per_kwh=0.0, **catalog))


def _hosts(count: int, disks: int = 1, dimms: int = 0, server: str = "box") -> tuple[Group, ...]:
    return (Group(server, count, (Held("d", "disk", disks, 1 / count),), cores=1, dimms=dimms),)


def _of(problem: Problem, groups: tuple[Group, ...], item: str, **spares: int) -> list[Line]:
    return [line for line in piece_lines(problem, groups, spares) if line.item.startswith(item)]


def test_energy() -> None:
    """Idle watts and half of the way to full, times PUE, over the hours."""
    catalog = Catalog((), (), (), hours=1000, dollars_per_kwh=0.2, pue=1.5, mean_load=0.5)
    unit = replace(DISK, power=10, idle_power=4)
    assert energy_of(catalog, unit) == pytest.approx(0.007 * 1.5 * 1000 * 0.2)
    assert energy_of(catalog, DISK) == pytest.approx(0.010 * 1.5 * 1000 * 0.2)
    assert energy_of(catalog, unit) == pytest.approx(catalog.energy(unit))


def test_discounts() -> None:
    """All pieces at the price of the highest step that is reached; a spare may reach it, and draws no energy."""
    disk = replace(DISK, discounts=(Discount(3, 150), Discount(10, 100)))
    problem = _with(units=(disk, SSD, DRAM))
    assert [line.total for line in _of(problem, _hosts(2), "disk")] == [400]
    assert [line.total for line in _of(problem, _hosts(3), "disk")] == [450]
    assert [line.total for line in _of(problem, _hosts(9), "disk")] == [1350]
    assert [line.total for line in _of(problem, _hosts(9), "disk", disk=1)] == [900, 100]
    drawing = replace(problem, catalog=replace(problem.catalog, dollars_per_kwh=1.0))
    assert _of(drawing, _hosts(9), "disk", disk=1)[1].energy == 0


def test_owned() -> None:
    """The first cost their energy only; steps count what is bought."""
    disk = replace(DISK, owned=2, discounts=(Discount(3, 150),))
    problem = _with(units=(disk, SSD, DRAM))
    lines = [(line.item, line.quantity, line.price) for line in _of(problem, _hosts(4), "disk")]
    assert lines == [("disk (owned)", 2, 0), ("disk", 2, 200)]
    assert [line.price for line in _of(problem, _hosts(5), "disk")] == [0, 150]


def test_memory_and_data_are_one_quantity() -> None:
    """Memory pieces of both uses reach a step together."""
    dram = replace(DRAM, discounts=(Discount(4, 10),))
    problem = _with(units=(DISK, SSD, dram))
    group = replace(_hosts(2, dimms=1)[0], held=(Held("d", "dram", 1, 0.5),))
    lines = _of(problem, (group,), "dram")
    assert [(line.kind, line.quantity, line.price) for line in lines] == [
        ("storage", 2, 10),
        ("memory", 2, 10),
    ]


def test_bundles() -> None:
    """Per server, and not from one server to another: included cores, a disk and two DIMMs cost nothing more."""
    kit = replace(BOX, bundle=Bundle(2, (("disk", 1), ("dram", 2))))
    problem = _with(servers=(kit,))
    groups = (*_hosts(1, disks=3, dimms=3), *_hosts(2, disks=0))
    pieces = pieces_of(problem, groups)
    assert (pieces.servers["box"], pieces.cores["core"], pieces.storage["disk"], pieces.memory["dram"]) == (
        3,
        0,
        2,
        1,
    )
    wide = (replace(groups[0], cores=4),)
    assert pieces_of(problem, wide).cores["core"] == 2


def test_diversity() -> None:
    """Per type that is used beyond what prices include; memory counts, and no type twice."""
    problem = _with(diversity=70.0)
    lines = [line for line in piece_lines(problem, _hosts(2, dimms=1), {}) if line.kind == "diversity"]
    assert [(line.quantity, line.total) for line in lines] == [(3, 210)]
    kit = replace(BOX, bundle=Bundle(2, (("disk", 1), ("dram", 2))))
    lines = list(piece_lines(_with(servers=(kit,), diversity=70.0), _hosts(2, dimms=1), {}))
    assert [line.quantity for line in lines if line.kind == "diversity"] == [1]


def test_memory_is_bought_as_the_cheapest_per_byte() -> None:
    """Energy counts; a named unit is taken as it is."""
    hungry = replace(DRAM, name="hungry", price=29, power=100)
    problem = small()
    problem = replace(problem, catalog=replace(problem.catalog, units=(DISK, hungry, DRAM)))
    assert memory_of(problem).name == "dram"
    assert memory_of(replace(problem, options=Options(memory_unit="hungry"))).name == "hungry"
