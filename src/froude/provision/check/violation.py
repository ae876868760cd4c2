"""A constraint that a plan breaks, as the check says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """A constraint that a plan breaks."""

    rule: str
    """Such as `slots`, `network`, `share of dataset`, `cost`."""
    where: str
    """Server group, dataset or task."""
    needed: float | None = None
    """None for what is wrong in kind, not in number."""
    allowed: float | None = None

    def __str__(self) -> str:
        if self.needed is None or self.allowed is None:
            return f"{self.where}: {self.rule}"
        return f"{self.rule} of {self.where}: {self.needed:.6g} where {self.allowed:.6g} is allowed"
