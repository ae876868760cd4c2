"""How far a search for a plan goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Watch = Callable[[float, float], None]
"""Called with the bounds of a search so far, dollars: what no cluster costs less than, and the cheapest cluster found,
infinite where there is none yet."""


@dataclass(frozen=True, slots=True)
class SolveLimits:
    """How far to go for a proof."""

    gap: float = 0.01
    """Relative gap of bounds that counts as proved."""
    time_limit_s: float = 60.0
    seed: int = 0
    watch: Watch | None = None
