"""Which server types can be left out because another does all that they do for no more.

B dominates A when whatever may stand in an A, and run on it, may stand in a B, and costs no more there:

* cores of the same type, at least as many; at least the network;
* on every bus that some choice or memory uses: at least the slots and, if A has any, at least the bandwidth
  and the accesses;
* any number of B can be had;
* cost of B, and the most that any content costs more on B than on A, is at most the cost of A. A content costs
  apart what it has beyond the included cores and units, so the difference is a sum over cores and units, each
  largest where one of the two includes no more (`_dearer`). Where cores and units cost nothing, as in a cloud's
  bundles, what is included makes no difference.

It is exact: in any plan each A can be replaced by a B with the same content, the plan stays feasible (the number of
servers, their shares and everything in them stay the same) and costs no more. So some optimal plan, and one that is
optimal under the linear prices of any node of an outer search, has no A. It holds for both placements, with and
without isolation, and for every subset of the choices.

Source: ours; for choices of storage the spec reports the same idea.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from froude.provision.model.instance import Instance, ServerType

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Marks = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def undominated(instance: Instance) -> tuple[int, ...]:
    """The server types that are needed, ascending.

    Of two that dominate each other the first stays. O(n^2 d) for n types and d limits that matter, in numpy: about
    1,300 types with 9 buses take some 30 ms. The answers to the last few questions are kept.

    Args:
        instance: the numeric problem; all of its choices count as open.
    """
    units = {copy.unit for dataset in instance.datasets for c in dataset.choices for copy in c.copies}
    units |= {c.local.unit for dataset in instance.datasets for c in dataset.choices if c.local is not None}
    units.add(instance.memory_unit)
    used = tuple(sorted(units))
    buses = tuple(sorted({instance.units[unit].bus for unit in used}))
    costs = tuple(instance.units[unit].cost for unit in used)
    slots_of = tuple(instance.units[unit].bus for unit in used)
    return _needed(instance.servers, buses, used, costs, slots_of)


@lru_cache(maxsize=4)
def _needed(
    servers: tuple[ServerType, ...],
    buses: tuple[int, ...],
    units: tuple[int, ...],
    costs: tuple[float, ...],
    bus_of: tuple[int, ...],
) -> tuple[int, ...]:
    """The needed ones, core type by core type."""
    kept: list[int] = []
    for cpu in sorted({server.cpu for server in servers}):
        at = [number for number, server in enumerate(servers) if server.cpu == cpu]
        dominates = _dominates([servers[number] for number in at], buses, units, costs, bus_of)
        kept += [number for number, stays in zip(at, unbeaten(dominates), strict=True) if stays]
    return tuple(sorted(kept))


def unbeaten(dominates: Marks) -> list[bool]:
    """Which of some things none other dominates; of two that dominate each other the first stays.

    Args:
        dominates: [b, a] says that b dominates a, transitively; none dominates itself.
    """
    first = np.tri(len(dominates), k=-1, dtype=np.bool_).T  # row before variable
    beaten = dominates & (~dominates.T | first)
    return [not out for out in np.any(beaten, axis=0).tolist()]


def _dominates(
    servers: list[ServerType],
    buses: tuple[int, ...],
    units: tuple[int, ...],
    costs: tuple[float, ...],
    bus_of: tuple[int, ...],
) -> Marks:
    """[b, a]: b dominates a; none dominates itself."""
    marks = np.ones((len(servers), len(servers)), np.bool_)
    marks[[server.max_count is not None for server in servers], :] = False
    np.fill_diagonal(marks, val=False)
    slots = {bus: _values(servers, lambda s, bus=bus: s.slots[bus]) for bus in buses}  # type: ignore[misc]
    for limit in (_values(servers, lambda s: s.cores), _values(servers, lambda s: s.nic)):
        marks &= limit[:, None] >= limit[None, :]
    for bus in buses:
        # a bus asks for nothing where a has none: of dozens of buses each server has a few
        there = np.flatnonzero(slots[bus])
        width = _values(servers, lambda s, bus=bus: s.bus_bandwidth[bus] if s.slots[bus] else 0.0)  # type: ignore[misc]
        accesses = _values(servers, lambda s, bus=bus: s.most_accesses(bus) if s.slots[bus] else 0.0)  # type: ignore[misc]
        for limit in (slots[bus], width, accesses):
            marks[:, there] &= limit[:, None] >= limit[None, there]
    cost = _values(servers, lambda s: s.cost)
    dearer = cost[:, None] - cost[None, :]
    core = _values(servers, lambda s: s.core_cost)
    if core.any():
        most = _values(servers, lambda s: s.cores)
        dearer = dearer + _dearer(core, _values(servers, lambda s: s.included_cores), most)
    for unit, each, bus in zip(units, costs, bus_of, strict=True):
        free = _values(servers, lambda s, unit=unit: s.included_units[unit] if s.included_units else 0)  # type: ignore[misc]
        if each and free.any():
            dearer = dearer + _dearer(np.full(len(servers), each), free, slots[bus])
    return marks & (dearer <= 0)


def _dearer(each: Numbers, free: Numbers, most: Numbers) -> Numbers:
    """[b, a]: the most that any number of pieces costs more on b than on a.

    The difference each_b * max(0, n - free_b) - each_a * max(0, n - free_a) is linear between 0, both free numbers
    and the most that a takes, so it is largest at one of them; at none it is 0.

    Args:
        each: dollars of a piece that is not included, shape (n,).
        free: pieces that are included, shape (n,).
        most: pieces that may be used, shape (n,).
    """
    worst = np.zeros((len(each), len(each)))
    for number in (np.minimum(free, most)[None, :], np.minimum(free[:, None], most[None, :]), most[None, :]):
        paid_b = each[:, None] * np.maximum(0.0, number - free[:, None])
        paid_a = each[None, :] * np.maximum(0.0, number - free[None, :])
        worst = np.maximum(worst, paid_b - paid_a)
    return worst


def _values(servers: list[ServerType], value: Callable[[ServerType], float]) -> Numbers:
    return np.array([value(server) for server in servers], np.float64)
