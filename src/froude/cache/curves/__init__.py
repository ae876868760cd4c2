"""How often a cache of each size would miss: the curve as a value, and its measurement while the cache works."""

from froude.cache.curves.curve import LARGEST as LARGEST
from froude.cache.curves.curve import MissRatioCurve as MissRatioCurve
from froude.cache.curves.shards import Shards as Shards
