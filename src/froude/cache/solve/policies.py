"""Every way to split SSDs among VMs, in one tuple behind one Protocol.

The first six know figures of the VMs only; those of `curves` know what each size is worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.cache.solve.curve_policies import EXACT, HULL, Deadline
from froude.cache.solve.genetic import PAPER, evolve
from froude.cache.solve.max_min import fill
from froude.cache.solve.paper import Signals, Weights, fittest, signals
from froude.cache.solve.share import Share
from froude.cache.solve.state import Hypervisor, State, Vm
from froude.cache.solve.words import size


class Policy(Protocol):
    """A way to split SSDs."""

    @property
    def name(self) -> str:
        """As users call it."""

    @property
    def about(self) -> str:
        """What it does, in some words."""

    @property
    def shares(self) -> bool:
        """Whether all VMs of a hypervisor share one cache."""

    def split(self, state: State, seeds: Seeds) -> Mapping[str, Share]:
        """What each VM gets, within each SSD's space and its own floor and ceiling.

        Args:
            state: whose floors fit on each SSD.
        """


@runtime_checkable
class Search(Policy, Protocol):
    """A policy that looks for the least of something, so that what else costs can be added."""

    def priced(self, state: State, prices: Mapping[str, float]) -> Mapping[str, Share]:
        """As `split`, where writing to an SSD costs something, too.

        Args:
            state: whose floors fit on each SSD.
            prices: of a byte written a second, by hypervisor, in seconds lost a second.
        """

    def cost_s(self, state: State, ratios: Mapping[str, float]) -> float:
        """What it looks for the least of, at some miss ratios.

        Args:
            ratios: of each VM, by name.
        """


Split = Callable[[State, Seeds], dict[str, Share]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A policy that is one function of what is known."""

    name: str
    about: str
    rule: Split
    shares: bool = False

    def split(self, state: State, seeds: Seeds) -> dict[str, Share]:
        """See `Policy`."""
        return self.rule(state, seeds)


def _no_cache(state: State, _: Seeds) -> dict[str, Share]:
    return {vm.name: Share(0, "no VM has a cache", None) for vm in state.vms}


def _shared(state: State, _: Seeds) -> dict[str, Share]:
    """The paper's baseline: what each VM will hold of one cache, by how fast it misses."""
    found = {}
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        for vm, part in zip(vms, natural_split(vms, hypervisor.space_bytes), strict=True):
            reason = (
                f"shares {size(hypervisor.space_bytes)} with all VMs of {hypervisor.name}, of which it will"
            )
            found[vm.name] = Share(
                int(part), f"{reason} hold about {size(part)}, by how fast it misses", None
            )
    return found


def _proportional(weigh: Callable[[Vm], float], words: Callable[[Vm], str]) -> Split:
    """In proportion to a figure of each VM, by hypervisor, between floor and ceiling; with words for the figure."""

    def split(state: State, _: Seeds) -> dict[str, Share]:
        weights = [weigh(vm) for vm in state.vms]
        return _by_weight(state, weights, [vm.importance for vm in state.vms], words)

    return split


def _ac_ssd(find: Callable[[Signals, Seeds], Weights]) -> Split:
    """By the paper's weights of storage, however they are found; IOPS by those of IOPS."""

    def split(state: State, seeds: Seeds) -> dict[str, Share]:
        if not state.vms:
            return {}
        known = signals(state.vms, state.window_s)
        weights = find(known, seeds)
        numbers = {vm.name: number for number, vm in enumerate(state.vms)}

        def words(vm: Vm) -> str:
            at = numbers[vm.name]
            sensitive, important = known.sensitivity[at], known.importance[at]
            return (
                f"weight {weights.storage[at]:.4f} of all, between its share of I/O sensitivity ({sensitive:.4f}) "
                f"and of importance ({important:.4f})"
            )

        return _by_weight(state, weights.storage.tolist(), weights.iops.tolist(), words)

    return split


def _by_weight(
    state: State, weights: Sequence[float], iops: Sequence[float], words: Callable[[Vm], str]
) -> dict[str, Share]:
    """Each hypervisor's space by weights."""
    by_vm = {vm.name: (weight, own) for vm, weight, own in zip(state.vms, weights, iops, strict=True)}
    found = {}
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        mine = [by_vm[vm.name][0] for vm in vms]
        floors, ceilings = [vm.floor_bytes for vm in vms], [_ceiling(vm) for vm in vms]
        total = sum(mine)
        for vm, own, amount in zip(
            vms, mine, fill(hypervisor.space_bytes, mine, floors, ceilings), strict=True
        ):
            part = own / total if total else 1 / len(vms)
            reason = f"{words(vm)}; {part:.1%} of {hypervisor.name}'s {size(hypervisor.space_bytes)}"
            found[vm.name] = Share(
                int(amount), reason + _bounded(vm, amount, part, hypervisor), by_vm[vm.name][1]
            )
    return found


def _ceiling(vm: Vm) -> float:
    return math.inf if vm.ceiling_bytes is None else float(vm.ceiling_bytes)


def _bounded(vm: Vm, amount: float, part: float, hypervisor: Hypervisor) -> str:
    """What else had a say, where one gets less or more than its part."""
    plain = part * hypervisor.space_bytes
    if amount <= vm.floor_bytes and amount > plain * 1.001:
        return ", raised to its floor"
    if amount >= _ceiling(vm):
        return ", at its ceiling"
    return ", changed by floors or ceilings on it" if abs(amount - plain) > 0.001 * max(plain, 1) else ""


POLICIES: tuple[Policy, ...] = (
    Rule("none", "no cache: the disk alone", _no_cache),
    Rule("shared", "one LRU cache for all VMs of a hypervisor", _shared, shares=True),
    Rule(
        "equal",
        "the same for every VM of a hypervisor",
        _proportional(lambda _: 1.0, lambda _: "as much as any other"),
    ),
    Rule(
        "working-set",
        "in proportion to working sets: the paper's VM-centric rule",
        _proportional(
            lambda vm: float(vm.working_set), lambda vm: f"a working set of {size(vm.working_set)}"
        ),
    ),
    Rule(
        "importance",
        "in proportion to importance alone",
        _proportional(lambda vm: vm.importance, lambda vm: f"importance {vm.importance:g}"),
    ),
    Rule(
        "ac-ssd-ga",
        "the paper's weights by its genetic algorithm",
        _ac_ssd(lambda known, seeds: evolve(known, np.random.default_rng(seeds.value), PAPER)),
    ),
    Rule("ac-ssd", "the paper's weights by their closed form", _ac_ssd(lambda known, _: fittest(known))),
    HULL,
    EXACT,
    Deadline(),
)
"""All of them, the simplest first."""

DEFAULT = "exact"
"""What is used where nobody says otherwise."""


def policy(name: str) -> Policy:
    """A policy by its name.

    Raises:
        InputError: there is none of that name.
    """
    for each in POLICIES:
        if each.name == name:
            return each
    allowed = [each.name for each in POLICIES]
    raise InputError("is no policy", place="policy", found=name, allowed=allowed)


# In one cache for all, a VM has what it read within some time T, the same for all. While T grows, its part grows by the
# chunks that it misses: dc/dT = reads x miss ratio at c. T is where all parts fill the cache. So a shared cache needs no
# model of its own: it is one of the splits of the same curves, as far as VMs read independently of each other.
# Source: the higher-order theory of locality, Xiang et al., ASPLOS 2013; natural partitions, Brock et al., 2015.


def natural_split(vms: Sequence[Vm], space_bytes: int) -> list[float]:
    """Bytes that each VM holds of a shared cache; n log n in the points of all curves."""
    speeds: list[tuple[float, int, float]] = []  # from when on a VM's part grows at which speed
    for number, vm in enumerate(vms):
        sizes, ratios = vm.misses.sizes_bytes, vm.misses.miss_ratio
        per_s, now = vm.reads_per_s * vm.chunk_bytes, 0.0
        for (begin, end), ratio in zip(pairwise([*sizes, math.inf]), ratios, strict=True):
            speeds.append((now, number, per_s * ratio))
            if per_s * ratio <= 0:
                break
            now += (end - begin) / (per_s * ratio)
    parts, growing = [0.0] * len(vms), [0.0] * len(vms)
    now = 0.0
    for start, number, speed in [*sorted(speeds), (math.inf, -1, 0.0)]:
        total, left = sum(growing), space_bytes - sum(parts)
        lasts = min(start - now, left / total) if total > 0 else 0.0
        parts = [part + grows * lasts for part, grows in zip(parts, growing, strict=True)]
        if total > 0 and lasts < start - now:
            break
        now = start
        if number >= 0:
            growing[number] = speed
    return parts
