"""How far a search for a plan goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SolveLimits:
    """How far to go for a proof."""

    gap: float = 0.01
    """Relative gap of bounds that counts as proved."""
    time_limit_s: float = 60.0
    seed: int = 0
