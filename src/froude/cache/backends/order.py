"""In which order the limits of VMs that share an SSD are changed, so that it is never promised twice.

Whoever has to give, gives first; whoever gets, gets no more than what is known to be free by then. What a VM may use is
counted by its *bound*: the most that can be in force, which after a change that failed, or of which nobody knows how it
ended, is the larger of before and after. So the sum of bounds never exceeds the capacity at any step, whatever fails;
where it does so already, because somebody changed limits by hand, it only falls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from froude.cache.monitor.limits import RESOURCES, Limits

_Bounds = dict[str, float]
"""By resource; infinite where there is no limit."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one VM's limits."""

    vm: str
    before: Limits
    """The most that may be in force before it."""
    after: Limits


class Transition:
    """From the limits that are in force to those that are wanted, step by step; the caller carries each out.

    Every VM is asked for at most one change down and one up, and none after one that did not end as asked. Requests or
    bandwidth of which any VM shall have no limit are not counted: such a plan does not split them. Space always is; a VM
    without a limit of it has no cache there.
    """

    def __init__(self, capacity: Limits, held: Mapping[str, Limits], wanted: Mapping[str, Limits]) -> None:
        """Nothing is changed yet.

        Args:
            capacity: what there is to split; None for what nobody counts.
            held: what is in force, of every VM on the SSD, also of those that nothing is wanted for.
            wanted: what shall be in force; VMs that are not held are left alone, since nobody knows what they have.
        """
        self._wanted = {vm: _bounds(limits) for vm, limits in wanted.items() if vm in held}
        self._bounds = {vm: _bounds(limits) for vm, limits in held.items()}
        uncounted = {
            name
            for name in RESOURCES
            if any(math.isinf(_taken(name, each)) for each in self._wanted.values())
        }
        whole = _bounds(capacity)
        self._capacity = {name: math.inf if name in uncounted else whole[name] for name in RESOURCES}
        self._shrinks, self._grows = list(self._wanted), list(self._wanted)
        self._step: Step | None = None

    @property
    def held(self) -> dict[str, Limits]:
        """The bound of every VM now: what it holds, or the most that it may hold."""
        return {vm: _limits(bounds) for vm, bounds in self._bounds.items()}

    def next(self) -> Step | None:
        """The next change; None when there is none left.

        Raises:
            ValueError: the one before was not reported as done.
        """
        if self._step is not None:
            raise ValueError(f"the change of {self._step.vm} is under way")
        while self._shrinks:
            vm = self._shrinks.pop(0)
            now, goal = self._bounds[vm], self._wanted[vm]
            if self._begin(vm, {name: min(now[name], goal[name]) for name in RESOURCES}):
                return self._step
        while self._grows:
            vm = self._grows.pop(0)
            now, goal = self._bounds[vm], self._wanted[vm]
            if self._begin(vm, {name: self._grown(name, now[name], goal[name]) for name in RESOURCES}):
                return self._step
        return None

    def done(self, held: Limits | None) -> None:
        """How the change that `next` gave has ended.

        Args:
            held: what is in force now, read back; None where it failed and nobody knows.

        Raises:
            ValueError: there was none.
        """
        if self._step is None:
            raise ValueError("no change is under way")
        vm, asked = self._step.vm, _bounds(self._step.after)
        before = self._bounds[vm]
        known = (
            {name: max(before[name], asked[name]) for name in RESOURCES} if held is None else _bounds(held)
        )
        self._bounds[vm] = known
        if known != asked and vm in self._grows:
            self._grows.remove(vm)  # a further change would build on what nobody knows
        self._step = None

    def _begin(self, vm: str, after: _Bounds) -> bool:
        before = self._bounds[vm]
        if after == before:
            return False
        self._step = Step(vm, _limits(before), _limits(after))
        return True

    def _grown(self, name: str, now: float, goal: float) -> float:
        """As much of a wish as is free; a VM never gets less than it has by growing."""
        if goal <= now or math.isinf(self._capacity[name]):
            return max(now, goal)
        free = self._capacity[name] - sum(_taken(name, bounds) for bounds in self._bounds.values())
        return min(goal, now + max(0.0, free))


def _bounds(limits: Limits) -> _Bounds:
    return {name: math.inf if value is None else value for name, value in limits.plain().items()}


def _taken(name: str, bounds: _Bounds) -> float:
    """See `Limits.taken`."""
    return 0.0 if name == "cache_bytes" and math.isinf(bounds[name]) else bounds[name]


def _limits(bounds: _Bounds) -> Limits:
    return Limits(**{name: None if math.isinf(value) else int(value) for name, value in bounds.items()})
