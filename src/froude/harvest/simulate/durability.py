"""How many blocks a year of reimages loses, by policy: paired runs, their spread, and loss against fill level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from froude.base import parallel
from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.harvest.place.bulk import Placed, place_blocks, relaxations
from froude.harvest.place.existing import Existing, as_placed
from froude.harvest.place.layout import Layout, layout_at
from froude.harvest.place.policies import PRESETS, Policy
from froude.harvest.place.targets import Chance, Numbers
from froude.harvest.simulate import repair
from froude.harvest.simulate.repair import Repairs, Wiping
from froude.harvest.simulate.settings import DAY_S, DurabilitySetting, Throttle
from froude.harvest.simulate.spread import Spread, spread
from froude.harvest.telemetry.datacenter import Datacenter, Reimages

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Year:
    """A datacenter for a simulation of durability: its servers, classed by what was known, and what then happened."""

    layout: Layout
    wipes: Reimages
    """From time 0, the moment at which blocks are placed."""
    name: str = "datacenter"
    existing: Existing | None = None
    """Blocks that lie there at that moment, whatever is to be placed; None places new ones."""


def year_of(datacenter: Datacenter, start_s: float, days: float = 365.0, months: float = 3.0) -> Year:
    """A year of a datacenter: classes from the months before it, wipes from within.

    Args:
        datacenter: with reimages before and after the moment.
        start_s: the moment, on the datacenter's own time.

    Raises:
        InputError: there is no reimage in the days after it.
    """
    wipes = datacenter.reimages.between(start_s, start_s + days * DAY_S)
    if not len(wipes.server):
        found = f"none in {days:g} days from {start_s:g} s"
        raise InputError("has no reimages to simulate", file=datacenter.name, found=found)
    shifted = Reimages(wipes.server, wipes.time_s - start_s)
    return Year(layout_at(datacenter, start_s, months), shifted, datacenter.name)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to."""

    policy: str
    run: int
    placed: int
    """Blocks that got all their replicas at the start."""
    refused: int
    """Blocks that no servers might have at the start."""
    lost: int
    """Blocks of which no replica was left; counted once, and gone."""
    wiped: int
    """Replicas that reimages took."""
    repaired: int
    """Replicas that were copied again."""
    postponed: int
    """Attempts to repair for which no server was allowed; each is made again later."""
    waiting: int
    """Lost replicas that still wait at the end, of blocks that live."""
    busy_share: float
    """Share of the time in which any repair waited, 0 to 1."""
    relaxed: Mapping[str, int]
    """By attribute: replicas that broke it, at the start and in repairs."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run; it travels to another process."""

    year: Year
    setting: DurabilitySetting
    policy: Policy
    seeds: Seeds
    run: int


def simulate(case: Case) -> Outcome:
    """Place the blocks, let the year pass.

    Args:
        case: what to simulate. Runs of the same number and seeds are paired: policies see the same wipes, writers and
            numbers. Blocks that lie there already are only copied by the policy; fewer replicas than others have are
            not missed.
    """
    setting, layout = case.setting, case.year.layout
    generator = np.random.default_rng(case.seeds.child("run", case.run).value)
    capacity = np.full(layout.servers, setting.capacity(layout.servers), np.int32)
    seed = case.seeds.child("permutations", case.run).value
    there = case.year.existing
    if there is None:
        placed = place_blocks(
            layout, case.policy, capacity, setting.blocks, setting.replicas, generator, seed
        )
    else:
        placed = as_placed(there, case.policy, setting.fill, seed)
    totals = repair_year(placed, case.year.wipes, setting, generator)
    return Outcome(
        case.policy.name,
        case.run,
        len(placed.replicas) - placed.refused,
        placed.refused,
        int(totals[repair.LOST]),
        int(totals[repair.WIPED]),
        int(totals[repair.REPAIRED]),
        int(totals[repair.POSTPONED]),
        int(totals[repair.WAITING]),
        int(totals[repair.BUSY]) / setting.ticks,
        relaxations(placed.targets),
    )


def repair_year(
    placed: Placed, wipes: Reimages, setting: DurabilitySetting, generator: np.random.Generator
) -> Counts:
    """Shape (repair.COUNTS,): what happened to placed blocks; the placement changes.

    Args:
        wipes: from time 0 on.
    """
    servers, slots = len(placed.targets.free), placed.replicas.size

    def none(size: int) -> npt.NDArray[np.int32]:
        return np.full(size, -1, np.int32)

    totals = np.zeros(repair.COUNTS, np.int64)
    arrays = (
        placed.replicas.reshape(-1),
        none(slots),
        none(servers),
        none(len(wipes.server)),
        none(2 * servers),
        none(2 * servers),
        np.zeros(servers, np.int32),
        np.zeros(servers, np.int32),
        none(placed.replicas.shape[1]),
        totals,
    )
    tick = (wipes.time_s // setting.tick_s).astype(np.int32)
    wiping = Wiping(
        cast("Numbers", wipes.server.astype(np.int32)),
        cast("Numbers", tick),
        int(np.ceil(setting.detection_s / setting.tick_s)),
        setting.ticks,
        int(setting.throttle is Throttle.LOST),
    )
    state = Repairs(*cast("Sequence[Numbers]", arrays))
    repair.run(placed.targets, placed.rules, state, wiping, cast("Chance", generator))
    return totals


@dataclass(frozen=True, slots=True)
class Compared:
    """One policy over its runs."""

    policy: str
    setting: DurabilitySetting
    outcomes: tuple[Outcome, ...]

    def of(self, figure: Callable[[Outcome], float]) -> Spread:
        """The spread of a figure."""
        return spread([figure(each) for each in self.outcomes])

    @property
    def lost(self) -> Spread:
        """Blocks lost."""
        return self.of(lambda outcome: outcome.lost)


def compare(  # noqa: PLR0917 - what, how, who, and how often
    years: Sequence[Year],
    setting: DurabilitySetting,
    seeds: Seeds,
    policies: Sequence[Policy] = PRESETS,
    runs: int = 5,
    workers: parallel.Workers = 1,
    fills: Sequence[float] = (),
    *,
    done: Callable[[Outcome], None] | None = None,
) -> tuple[Compared, ...]:
    """All policies over the same runs: the ablation, in one call.

    Args:
        years: run n is of year n, beginning again after the last; one at least.
        runs: of each, from 1.
        fills: fill levels instead of the setting's: loss against how full the file system is.
        done: called with the outcome of each run as soon as it is known.

    Returns:
        By policy, and within it by fill level, in the orders given.
    """
    settings = [setting.replaced(fill=fill) for fill in fills] or [setting]
    groups = [(policy, each) for policy in policies for each in settings]
    cases = [
        Case(years[run % len(years)], each, policy, seeds, run)
        for policy, each in groups
        for run in range(runs)
    ]
    outcomes = parallel.map(simulate, cases, workers, done)
    return tuple(
        Compared(policy.name, each, tuple(outcomes[number * runs : (number + 1) * runs]))
        for number, (policy, each) in enumerate(groups)
    )
