"""The optimiser: from a numeric instance to the cheapest cluster, between two bounds."""

from froude.provision.search.optimise.column_generation import ColumnPool
from froude.provision.search.optimise.solving import solve

__all__ = ["ColumnPool", "solve"]
