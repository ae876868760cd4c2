"""The Plan: a Workload at a Scale, with its refusals. Programs are expanded lazily, one node at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from froude.workload.scale import Scale
from froude.workload.types import Workload


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that does not fit well enough to extrapolate."""

    what: str
    """One sentence for the user."""
    node_type: str | None = None
    fatal: bool = True
    """Whether the plan cannot be played because of it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall be played: how many nodes of each type, and the pattern each follows."""

    workload: Workload
    scale: Scale
    counts: Mapping[str, int]
    """Nodes by type at the Scale."""
    refusals: tuple[Refusal, ...] = ()

    @property
    def playable(self) -> bool:
        """Whether no refusal is fatal."""
        return not any(refusal.fatal for refusal in self.refusals)
