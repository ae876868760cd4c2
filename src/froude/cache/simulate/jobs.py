"""Jobs of the paper's evaluation as what they do to a disk: our assumptions, in proportions, none of them measured.

The paper names benchmarks and says which of them are sensitive to I/O; how they read is from what is known of each:
sort, terasort and wordcount read their input once beside much computing; aggregation and join look up by key; a table
scan comes again and again; bayes, kmeans and pagerank iterate. A job is a row of stages, and all VMs end a stage before
the next begins, as reducers wait for mappers. Which VMs read more than others is drawn anew for each stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

Chunks = npt.NDArray[np.int64]


class Pattern(Enum):
    """In which order a region is read."""

    LOOP = "loop"
    """From its beginning to its end, again and again: under LRU all hits or none."""
    ZIPF = "zipf"
    """By chance, some chunks much more often than others."""


@dataclass(frozen=True, slots=True)
class Part:
    """Reads of one pattern."""

    pattern: Pattern
    region: float
    """Part of the VM's data that they go to, 0 to 1, from its beginning."""
    share: float = 1.0
    """Of the stage's reads."""
    exponent: float = 0.9
    """Of a power law."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What every VM of a cluster does before the next stage."""

    parts: tuple[Part, ...]
    passes: float
    """Reads, as a multiple of the chunks of a VM's data."""
    cpu_s: float
    """Computing for each MiB read."""
    exchanged: float
    """Bytes sent to or had from other VMs for each byte read."""
    uneven: float = 0.3
    """Standard deviation of the logarithm of a VM's share of the reads."""


def _loop(region: float, share: float = 1.0) -> Part:
    return Part(Pattern.LOOP, region, share)


def _zipf(region: float, share: float = 1.0, exponent: float = 0.9) -> Part:
    return Part(Pattern.ZIPF, region, share, exponent)


JOBS = MappingProxyType(
    {
        "sort": (Stage((_loop(1.0),), 1.0, 0.120, 0.5), Stage((_loop(0.3),), 0.6, 0.100, 1.0)),
        "terasort": (Stage((_loop(1.0),), 1.0, 0.112, 0.5), Stage((_loop(0.4),), 0.8, 0.088, 1.0)),
        "wordcount": (Stage((_loop(1.0),), 1.0, 0.180, 0.3), Stage((_zipf(0.2),), 0.4, 0.120, 0.3)),
        "aggregation": (Stage((_zipf(1.0),), 3.0, 0.012, 0.5, 0.5), Stage((_loop(0.25),), 1.0, 0.020, 1.0)),
        "join": (
            Stage((_loop(0.3, 0.5), _zipf(0.7, 0.5)), 4.0, 0.012, 0.7, 0.5),
            Stage((_loop(0.5),), 0.5, 0.032, 1.0),
        ),
        "scan": (Stage((_loop(0.8),), 3.2, 0.008, 0.3),),
        "bayes": (
            Stage((_loop(1.0),), 1.0, 0.048, 0.3),
            Stage((_zipf(0.5, 1.0, 1.0),), 3.0, 0.024, 0.5, 0.5),
        ),
        "kmeans": (Stage((_loop(0.6),), 3.0, 0.032, 0.3, 0.5), Stage((_zipf(0.3),), 1.0, 0.040, 0.5, 0.5)),
        "pagerank": (Stage((_loop(0.5, 0.6), _zipf(0.5, 0.4)), 4.0, 0.020, 0.8, 0.4),),
        "dfsio-read": (Stage((_loop(1.0),), 2.0, 0.004, 0.5, 0.1),),
        "dfsio-random": (Stage((_zipf(1.0, 1.0, 0.6),), 3.0, 0.004, 0.5, 0.1),),
    }
)
"""By name."""

MASTER = Stage((_zipf(1.0, 1.0, 1.1),), 0.0, 0.040, 8.0)
"""What the master does besides: looks at a little of its data very often, and talks much; `passes` are the slaves'."""
MASTER_DATA, MASTER_READS = 0.3, 0.4
"""Of a master, beside a slave's."""


def reads_of(stage: Stage, data_chunks: int, reads: int, rng: np.random.Generator, offset: int = 0) -> Chunks:
    """The chunks that a VM reads in a stage, in order.

    Args:
        offset: number of the data's first chunk.
    """
    which = rng.choice(len(stage.parts), reads, p=_shares(stage.parts))
    chunks = np.empty(reads, np.int64)
    for number, part in enumerate(stage.parts):
        mine = which == number
        count, region = int(mine.sum()), max(1, round(part.region * data_chunks))
        if part.pattern is Pattern.LOOP:
            chunks[mine] = np.arange(count) % region
        else:
            weights = np.arange(1, region + 1) ** -part.exponent
            chunks[mine] = rng.permutation(region)[rng.choice(region, count, p=weights / weights.sum())]
    return chunks + offset


def _shares(parts: Sequence[Part]) -> list[float]:
    total = sum(part.share for part in parts)
    return [part.share / total for part in parts]
