"""The paper's fitness, and the weights that it is looking for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.solve.paper import Weights, best_fitness, fitness, fitnesses, fittest, signals
from tests.support.cache.solve.made import vm
from tests.support.cache.solve.paper import drawn


@given(st.integers(1, 50), st.integers(0, 1000))
def test_the_fittest_weights_have_the_fitness_of_the_identity(count: int, seed: int) -> None:
    """f* = 4 n - 1/2 sum of (s - i)^2 + (r - i)^2, and they sum to 1 by themselves."""
    known = drawn(count, seed)
    best = fittest(known)
    assert fitness(best, known) == pytest.approx(best_fitness(known), abs=1e-9)
    assert best.storage.sum() == pytest.approx(1)
    assert best.iops.sum() == pytest.approx(1)


@given(st.integers(2, 20), st.integers(0, 1000))
def test_no_other_weights_are_fitter(count: int, seed: int) -> None:
    """However they are disturbed."""
    known = drawn(count, seed)
    rng = np.random.default_rng(seed)
    disturbed = Weights(*(weights + rng.normal(0, 0.1, count) for weights in fittest(known)))
    assert fitness(disturbed, known) <= best_fitness(known)


def test_genomes_have_the_fitness_of_their_weights() -> None:
    """Many at once as one alone."""
    known = drawn(7, 3)
    genomes = np.random.default_rng(2).random((5, 2, 7))
    alone = [fitness(Weights(*genome), known) for genome in genomes]
    assert fitnesses(genomes[:, 0], genomes[:, 1], known).tolist() == pytest.approx(alone)


def test_figures_of_the_algorithm() -> None:
    """I/O time by processor time, operations by bytes, network by disk; each sums to 1."""
    vms = [
        vm("a", cpu_s=10, io_s=30, iops=100, disk_bytes_per_s=1000, network_bytes_per_s=500),
        vm("b", cpu_s=20, io_s=20, iops=300, disk_bytes_per_s=1000, network_bytes_per_s=1500),
    ]
    sensitivity, random, importance = signals(vms, 60)
    assert sensitivity.tolist() == [0.75, 0.25]
    assert random.tolist() == pytest.approx([0.25, 0.75])
    assert importance.tolist() == pytest.approx([0.25, 0.75])


def test_idle_vms_divide_nothing_by_zero() -> None:
    """One without a disk's traffic gets no importance, however much it talks; all idle are all alike."""
    busy = vm("a", cpu_s=10, io_s=30, iops=100, disk_bytes_per_s=1000, network_bytes_per_s=500)
    talker = vm("b", cpu_s=0, io_s=0, network_bytes_per_s=10**9)
    for figure in signals([busy, talker], 60):
        assert figure.tolist() == [1, 0]
    for figure in signals([vm("a"), vm("b")], 60):
        assert figure.tolist() == [0.5, 0.5]
    assert signals([vm("a", io_s=1), vm("b", io_s=1, cpu_s=0.06)], 60).sensitivity.tolist() == [0.5, 0.5]
