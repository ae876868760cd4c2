"""Algorithm 1 of the paper: three figures of each VM, the fitness of weights, and the weights that are the fittest.

The fitness is `4 n - sum of (ws - s)^2 + (ws - i)^2 + (wi - r)^2 + (wi - i)^2`. Each weight stands in terms of its own
and the fitness is strictly concave, so the fittest weights are the means `ws = (s + i) / 2` and `wi = (r + i) / 2`. As
s, r and i each sum to 1, these do as well, so that to normalise them changes nothing:
`f* = 4 n - 1/2 sum of (s - i)^2 + (r - i)^2`. No search can find better.

Source: Tang et al., Application-centric SSD Cache Allocation for Hadoop Applications, Internetware 2017, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from froude.cache.solve.max_min import Floats
from froude.cache.solve.state import Vm


class Signals(NamedTuple):
    """Of each VM, shape (n,) each, each with the sum 1."""

    sensitivity: Floats
    """s: I/O time by processor time."""
    random: Floats
    """r: operations by bytes, the reciprocal of their mean size."""
    importance: Floats
    """i: bytes exchanged with its application's VMs by bytes of its disk."""


class Weights(NamedTuple):
    """Of each VM, shape (n,) each, each with the sum 1."""

    storage: Floats
    iops: Floats


def signals(vms: Sequence[Vm], window_s: float) -> Signals:
    """The three figures, guarded where the paper divides by nothing.

    A VM without disk traffic has neither random accesses nor an importance for the cache (the paper's quotient grows
    without bound as its disk falls idle); one without processor time counts a thousandth of the window.

    Args:
        vms: of the whole platform, one at least.
    """
    cpu = np.array([max(vm.cpu_s, window_s / 1000) for vm in vms])
    io = np.array([vm.io_s for vm in vms])
    disk = np.array([float(vm.disk_bytes_per_s) for vm in vms])
    iops = np.array([vm.iops for vm in vms])
    network = np.array([float(vm.network_bytes_per_s) for vm in vms])
    busy = np.maximum(disk, 1.0)
    return Signals(
        _normalised(io / cpu),
        _normalised(np.where(disk > 0, iops / busy, 0.0)),
        _normalised(np.where(disk > 0, network / busy, 0.0)),
    )


def fitness(weights: Weights, known: Signals) -> float:
    """How well weights match the figures: near 4 n, and the differences that matter far behind the comma.

    Args:
        known: of the VMs, in the same order.
    """
    return float(fitnesses(weights.storage, weights.iops, known))


def fitnesses(storage: Floats, iops: Floats, known: Signals) -> Floats:
    """Of many genomes at once.

    Args:
        storage: weights, shape (..., n).
        iops: weights, of the same shape.

    Returns:
        Shape (...).
    """
    misfit = (
        (storage - known.sensitivity) ** 2
        + (iops - known.random) ** 2
        + (storage - known.importance) ** 2
        + (iops - known.importance) ** 2
    )
    fit: Floats = 4 * storage.shape[-1] - misfit.sum(axis=-1)
    return fit


def fittest(known: Signals) -> Weights:
    """The weights that no others surpass."""
    return Weights(
        (known.sensitivity + known.importance) / 2,
        (known.random + known.importance) / 2,
    )


def best_fitness(known: Signals) -> float:
    """The fitness of the fittest, by the identity."""
    apart = (known.sensitivity - known.importance) ** 2 + (known.random - known.importance) ** 2
    return float(4 * len(known.importance) - apart.sum() / 2)


def _normalised(values: Floats) -> Floats:
    total = values.sum()
    return values / total if total > 0 else np.full_like(values, 1 / len(values))
