"""The optimiser: from a numeric instance to the cheapest cluster, between two bounds."""

from froude.provision.search.optimise.packing import Pool
from froude.provision.search.optimise.solving import solve

__all__ = ["Pool", "solve"]
