"""The optimiser: from a numeric instance to the cheapest cluster, between two bounds."""

from froude.provision.optimise.packing import Pool
from froude.provision.optimise.solving import solve

__all__ = ["Pool", "solve"]
