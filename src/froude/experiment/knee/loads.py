"""The loads of a search for a knee: where it begins, what is raised, and what is played at each factor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.emulation.settings import FASTEST, SLOWEST
from froude.emulation.sustained import client_types, obstacle
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan, one_at_a_time
from froude.workload.scale import Scale
from froude.workload.types import Workload

SPEED = "speed"
"""What is raised in place of a Scale variable: all recorded pauses become shorter."""


def first_scale(workload: Workload, at: Mapping[str, str | float | Quantity]) -> Scale:
    """The Scale that a search begins with: what is given, else the largest recorded quantity of each variable."""
    given = Scale.from_mapping(at)
    recorded: dict[str, Quantity] = {}
    for seen in workload.recorded.scales:
        for name, quantity in seen.items():
            if name not in recorded or quantity.value > recorded[name].value:
                recorded[name] = quantity
    unknown = sorted(set(given) - set(recorded))
    if unknown:
        allowed = sorted(recorded)
        raise InputError(
            "is no variable of the recorded runs", place="--at", found=unknown[0], allowed=allowed
        )
    return Scale.from_mapping({**recorded, **given})


def driving(workload: Workload, base: Scale) -> tuple[str, ...]:
    """The variables on which the number of clients at work in parallel depends; of all nodes where there are no clients.

    `speed` where none does. Daemons stay as many as they are: more of them are more heartbeats.
    """
    parallel = (node_type for node_type in workload.node_types if not one_at_a_time(node_type, workload))
    names = {name for each in client_types(workload) or parallel for name in each.count.variables}
    return tuple(name for name in base if name in names) or (SPEED,)


def _check_raised(names: Sequence[str], base: Scale) -> None:
    unknown = [name for name in names if name not in base and name != SPEED]
    if unknown:
        raise InputError("cannot be raised", place="--raise", found=unknown[0], allowed=[*base, SPEED])
    for name in names:
        if name != SPEED and base[name].value <= 0:
            found = f"{name}={base[name]}"
            raise InputError("cannot be raised from there", place="--at", found=found, allowed="above zero")


@dataclass(frozen=True, slots=True)
class Loads:
    """From a factor to what is played."""

    workload: Workload
    base: Scale
    """That of the first load."""
    raised: tuple[str, ...]
    """Scale variables, or `speed`."""
    base_speed: float

    @classmethod
    def of(
        cls,
        workload: Workload,
        at: Mapping[str, str | float | Quantity],
        raised: Sequence[str],
        *,
        speed: float = 1.0,
        most: float = 1.0,
    ) -> Loads:
        """The loads of a search.

        Args:
            at: Scale to begin with, as far as it is given.
            raised: what is raised together; empty for all on which the number of nodes at work together depends.
            most: largest factor of the first load.

        Raises:
            InputError: a variable is not of the recorded runs, or the largest speed is out of range.
        """
        base = first_scale(workload, at)
        names = tuple(raised) or driving(workload, base)
        _check_raised(names, base)
        fastest = speed * most if SPEED in names else speed
        if not SLOWEST <= fastest <= FASTEST:
            allowed = f"{SLOWEST:,g} to {FASTEST:,.0f}"
            raise InputError("is out of range", place="speed", found=fastest, allowed=allowed)
        return cls(workload, base, names, speed)

    @property
    def obstacle(self) -> str:
        """Why further clients cannot keep the load up, with the way out; empty where they can."""
        return obstacle(self.plan(1.0))

    @property
    def sustained(self) -> bool:
        """Whether further clients can keep the load up."""
        return not self.obstacle

    def scale(self, level: float) -> Scale:
        """The Scale of a factor; what was whole stays whole, and is 1 at least."""
        quantities = dict(self.base)
        for name in self.raised:
            if name != SPEED:
                quantity = quantities[name]
                value = quantity.value * level
                whole = quantity.value == int(quantity.value)
                quantities[name] = Quantity(max(1, round(value)) if whole else value, quantity.unit)
        return Scale.from_mapping(quantities)

    def speed(self, level: float) -> float:
        """The speed of a factor."""
        return self.base_speed * level if SPEED in self.raised else self.base_speed

    def text(self, level: float) -> str:
        """The load in words."""
        speed = f", speed={self.speed(level):.4g}" if SPEED in self.raised else ""
        return f"{self.scale(level)}{speed}"

    def plan(self, level: float) -> Plan:
        """The plan of a factor; `play` refuses one that cannot be played."""
        return extrapolate(self.workload, self.scale(level))
