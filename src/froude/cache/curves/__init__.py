"""How often a cache of each size would miss: the curve as a value, and its measurement while the cache works."""

from froude.cache.curves.curve import LARGEST, MissRatioCurve
from froude.cache.curves.shards import Shards

__all__ = ["LARGEST", "MissRatioCurve", "Shards"]
