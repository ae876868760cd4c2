"""Which instance types are looked at: by price, architecture, family, and what kind of machine they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from froude.provision.prices.layouts import InstanceType

BURSTABLE = frozenset({"t1", "t2", "t3", "t3a", "t4g"})
"""Families of EC2 whose cores are a credit: the figure of the table cannot be had all day."""
SHARED_CORE = frozenset({"e2-micro", "e2-small", "e2-medium", "f1-micro", "g1-small"})
"""Types of GCP of the same kind."""
FLEX = "-flex"
"""Ends the names of EC2 families whose full cores are promised for most of the time only."""
PREVIOUS = frozenset(
    {"c1", "c3", "cc2", "cg1", "cr1", "g2", "hi1", "hs1", "i2", "m1", "m2", "m3", "r3", "t1"}
)
"""Families of EC2 that are sold as previous generation, and can no longer be counted on."""


@dataclass(frozen=True, slots=True)
class Filters:
    """None and True ask for nothing; what is asked for must all hold."""

    burstable: bool = True
    gpu: bool | None = None
    """True: only with one; False: only without."""
    arch: str | None = None
    """`x86_64` or `arm64`."""
    families: tuple[str, ...] = ()
    """Only these, if any are named."""
    min_price: float = 0.0
    """Dollars an hour."""
    max_price: float = math.inf
    bare_metal: bool | None = None
    previous: bool = True
    """Types of a previous generation too."""

    def refusal(self, instance: InstanceType) -> str | None:
        """Why a type is left out; None when it is not."""
        if not self.burstable and is_burstable(instance):
            return "burstable"
        if self.gpu is not None and instance.gpu is not self.gpu:
            return "without a GPU" if self.gpu else "with a GPU"
        if self.arch is not None and instance.arch != self.arch:
            return f"not {self.arch}"
        if self.families and instance.family not in self.families:
            return "of other families"
        if not self.min_price <= instance.price_hour <= self.max_price:
            return "of another price"
        if self.bare_metal is not None and is_bare_metal(instance) is not self.bare_metal:
            return "not bare metal" if self.bare_metal else "bare metal"
        if not self.previous and is_previous(instance):
            return "of a previous generation"
        return None


def is_burstable(instance: InstanceType) -> bool:
    """By the rule of known families."""
    return instance.family in BURSTABLE or instance.name in SHARED_CORE or instance.family.endswith(FLEX)


def is_bare_metal(instance: InstanceType) -> bool:
    """By its name: `m5.metal`, `c7i.metal-24xl`, `c3-standard-192-metal`."""
    return "metal" in instance.name.replace(".", "-").split("-")


def is_previous(instance: InstanceType) -> bool:
    """As the table says, or by the known families."""
    return instance.generation.lower().startswith("prev") or instance.family in PREVIOUS


def apply(
    types: Sequence[InstanceType], filters: Filters
) -> tuple[tuple[InstanceType, ...], dict[str, list[str]]]:
    """The types that pass, and the names of those left out for each reason."""
    refused: dict[str, list[str]] = {}
    kept = []
    for instance in types:
        why = filters.refusal(instance)
        if why is None:
            kept.append(instance)
        else:
            refused.setdefault(why, []).append(instance.name)
    return tuple(kept), refused
