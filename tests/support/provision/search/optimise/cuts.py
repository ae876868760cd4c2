"""Packed tiers by brute force."""

from __future__ import annotations

import math

from froude.provision.model.instance import Instance
from froude.provision.search.optimise.highs import solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.packer import tiers
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem

Tiers = dict[tuple[ServerKind, ...], tuple[Subproblem, float]]
EACH = 2
"""Servers of each kind that may stand: what a bound says of all clusters it says of those of so few servers."""


def packed(instance: Instance, choices: tuple[int, ...]) -> Tiers:
    """Each tier's subproblem and its least cost on so few servers, infinite where they do not do."""
    packed_tiers = tiers(subproblem(instance, [(c,) for c in choices]))
    return {tier.kinds: (tier, least(tier)) for tier in packed_tiers}


def least(tier: Subproblem) -> float:
    """What a tier costs on so few servers."""
    solution = solve(Master(tier, slots=[kind for kind in tier.kinds for _ in range(EACH)]).program)
    return solution.objective if solution.found else math.inf
