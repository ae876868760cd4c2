"""The policies that know curves: greedy on hulls, the exact split, and deadlines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from froude.base.seeds import Seeds
from froude.cache.solve.choices import Choices
from froude.cache.solve.completion import Completion, fit
from froude.cache.solve.deadlines import Goal, Met, meet
from froude.cache.solve.exact import table
from froude.cache.solve.share import Share
from froude.cache.solve.sites import Site, sites
from froude.cache.solve.state import State, Vm
from froude.cache.solve.words import rate, size

# Greedy on convex hulls is what most published splitters do, and right where curves are convex, or where a cache is
# split inside so that they become so. Under plain LRU a share that ends on a cliff buys nothing: `exact` is what to use.


def greedy(each: Sequence[Choices], steps: int) -> list[int]:
    """Steps of each VM; n log n in the points of all hulls.

    Args:
        steps: of the SSD above all floors.
    """
    given = [0] * len(each)
    left = steps
    slopes = []
    for number, choice in enumerate(each):
        corners = _hull(choice)
        for (units, cost), (more, less) in pairwise(corners):
            slopes.append(((cost - less) / (more - units), number, more - units))
    # a VM's own slopes fall, so that the steepest of all are each VM's first ones
    for gain, number, units in sorted(slopes, key=lambda slope: -slope[0]):
        if gain <= 0 or left <= 0:
            break
        taken = min(units, left)
        given[number] += taken
        left -= taken
    return given


def _hull(choice: Choices) -> list[tuple[int, float]]:
    """The corners of the lower convex hull of a VM's costs."""
    corners: list[tuple[int, float]] = []
    for point in zip(choice.units.tolist(), choice.costs.tolist(), strict=True):
        while len(corners) > 1 and _bends_up(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners


def _bends_up(a: tuple[int, float], b: tuple[int, float], c: tuple[int, float]) -> bool:
    """Whether b lies on or above the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])


@dataclass(frozen=True, slots=True)
class ByMisses:
    """The least time lost to misses, weighed by importance, hypervisor by hypervisor."""

    name: str
    about: str
    choose: Callable[[Sequence[Choices], int], list[int]]
    """Steps of each VM, of what each may have and how many there are."""
    shares: bool = False

    def split(self, state: State, seeds: Seeds) -> dict[str, Share]:  # noqa: ARG002 - the seam's words
        """See `Policy`."""
        return self.priced(state, {})

    def priced(self, state: State, prices: Mapping[str, float]) -> dict[str, Share]:
        """See `Search`."""
        found: dict[str, Share] = {}
        for site in sites(state, prices=prices):
            each = [site.choices(vm, _lost(state, vm)) for vm in site.vms]
            found |= _shares(site, self.choose(each, site.steps))
        return found

    def cost_s(self, state: State, ratios: Mapping[str, float]) -> float:
        """See `Search`: seconds lost a second, each VM's by its importance."""
        return sum(_lost(state, vm) * ratios[vm.name] for vm in state.vms)


def _best(each: Sequence[Choices], steps: int) -> list[int]:
    return table(each, steps).split(steps)


EXACT = ByMisses(
    "exact", "the least time lost to misses, weighed by importance: exact on curves of any shape", _best
)
HULL = ByMisses("hull", "greedy on convex hulls of the curves: a warning, for LRU's cliffs defeat it", greedy)


@dataclass(frozen=True, slots=True)
class Deadline:
    """The least sum of the applications' job times, where their jobs tell what a miss costs; else as `EXACT`."""

    name: str = "deadline"
    about: str = (
        "jobs end soonest: deadlines for applications whose jobs tell what a miss costs, exact for others"
    )
    shares: bool = False

    def split(self, state: State, seeds: Seeds) -> dict[str, Share]:  # noqa: ARG002 - the seam's words
        """See `Policy`."""
        return self.priced(state, {})

    def priced(self, state: State, prices: Mapping[str, float]) -> dict[str, Share]:
        """See `Search`: all hypervisors together, for an application waits for its slowest VM wherever that runs."""
        models = completions(state)
        on = sites(state, prices=prices, scale=_period_s(models))
        goals = [
            Goal(each.name, models[each.name], each.weight)
            for each in state.applications
            if each.name in models and models[each.name].slowest
        ]
        met = meet(on, goals, _others(state, models))
        found = {}
        for site in on:
            shares = _shares(site, [met.steps[vm.name] for vm in site.vms])
            for vm in site.vms:
                share = shares[vm.name]
                found[vm.name] = _with_deadline(share, site, vm, met) if vm.name in met.needed else share
        return found

    def cost_s(self, state: State, ratios: Mapping[str, float]) -> float:
        """See `Search`: weighed seconds of a job of each application, and what other VMs lose in the time of one."""
        models = completions(state)
        others = _others(state, models)
        slow = {vm for model in models.values() if model.slowest for vm in model.reads}
        own = sum(
            each.weight * models[each.name].time_s(ratios)
            for each in state.applications
            if each.name in models and models[each.name].slowest
        )
        return own + sum(others[vm.name] * ratios[vm.name] for vm in state.vms if vm.name not in slow)


def _period_s(models: Mapping[str, Completion]) -> float:
    """The time of a job: what rates of other VMs are counted over, to be compared with it."""
    times = [model.time_s({}) for model in models.values()]
    return sum(times) / len(times) if times else 1.0


def completions(state: State) -> dict[str, Completion]:
    """What a miss costs the jobs of each application whose jobs tell it, of the VMs that there are."""
    found = {}
    for application in state.applications:
        model = fit(application)
        names = {vm.name for vm in state.of(application.name)}
        reads = {vm: reads for vm, reads in model.reads.items() if vm in names} if model else {}
        if model is not None and reads:
            found[application.name] = replace(model, reads=reads)
    return found


def _others(state: State, models: Mapping[str, Completion]) -> dict[str, float]:
    """What each VM costs that has no deadline, when it misses all: in seconds of a job."""
    weights = {each.name: each.weight for each in state.applications}
    period_s = _period_s(models)
    found = {}
    for vm in state.vms:
        model = models.get(vm.application)
        if model is not None and vm.name in model.reads:
            found[vm.name] = weights[vm.application] * model.miss_s * model.reads[vm.name]
        else:
            found[vm.name] = _lost(state, vm) * period_s
    return found


def _lost(state: State, vm: Vm) -> float:
    """Seconds a second that a VM would lose if it missed all, by its importance."""
    return vm.importance * vm.reads_per_s * max(0.0, state.miss_s - state.hit_s)


def _shares(site: Site, steps: list[int]) -> dict[str, Share]:
    found = {}
    for vm, own in zip(site.vms, steps, strict=True):
        given = vm.floor_bytes + own * site.step_bytes
        found[vm.name] = Share(given, _worth(vm, given), vm.importance)
    return found


def _worth(vm: Vm, given: int) -> str:
    """What a size does for a VM, and what the next would."""
    curve, reads = vm.misses, vm.reads_per_s
    if not reads:
        return "no reads of it are known"
    if curve.accesses == 0:
        return f"its {rate(reads)} reads have no curve yet"
    before, now = curve.at(0), curve.at(given)
    instead = f" instead of {before:.1%}" if given else ""
    text = f"misses {now:.1%} of {rate(reads)} reads{instead}"
    falls = zip(curve.sizes_bytes, curve.miss_ratio, strict=True)
    further = next((at for at, ratio in falls if at > given and ratio < now), None)
    if further is None:
        return f"{text}; more would save nothing"
    saved = (now - curve.at(further)) * reads
    return f"{text}; {size(further - given)} more would save {rate(saved)}, which saves less than elsewhere"


def _with_deadline(share: Share, site: Site, vm: Vm, met: Met) -> Share:
    need = vm.floor_bytes + met.needed[vm.name] * site.step_bytes
    time = f"the {met.times.get(vm.application, 0.0):,.1f} s of {vm.application}'s jobs"
    took = f"{size(need)} keep it within {time}" if need else f"needs no cache to be within {time}"
    more = share.size_bytes - need
    over = f", {size(more)} were left over" if more else ""
    unsure = "" if met.exact else "; not every set of deadlines could be compared, so another may be better"
    return replace(share, reason=f"{took}{over}; {share.reason}{unsure}")
