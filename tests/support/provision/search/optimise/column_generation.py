"""Limits and penalty of small problems for column generation."""

from __future__ import annotations

from froude.provision.search.optimise.highs import SolverOptions

PENALTY = 1e6
LIMITS = SolverOptions(5.0, 1e-3, 3000)
