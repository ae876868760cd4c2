"""The paper's genetic algorithm, as section 4.3 describes it; what it leaves open has a name and a default here.

A chromosome is a VM's two weights, a genome those of all. Genomes are selected at random by their fitness, exchange a
random number of chromosomes and are normalised again; mutation changes the weights of a random number of chromosomes
within a range. As the fitness is 4 n less something tiny, selection by it hardly selects: `RANKED` and `elite` show
what mends that, and the closed form of `paper` what all of them look for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from froude.cache.solve.choices import Ints
from froude.cache.solve.max_min import Floats
from froude.cache.solve.paper import Signals, Weights, fitnesses


class Selection(Enum):
    """How parents are drawn."""

    ROULETTE = "roulette"
    """In proportion to their fitness, as the paper has it."""
    RANKED = "ranked"
    """In proportion to their rank, the least fit counting 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breeding:
    """What the paper leaves open."""

    population: int = 60
    generations: int = 300
    selection: Selection = Selection.ROULETTE
    elite: int = 0
    """Fittest genomes that stay as they are."""
    mutation: float = 0.3
    """Part of the genomes that mutate."""
    within: float = 0.5
    """A mutated weight becomes at most this part more or less."""


PAPER = Breeding()
"""As it is described."""


def evolve(known: Signals, rng: np.random.Generator, breeding: Breeding = PAPER) -> Weights:
    """The fittest genome that was ever bred.

    Args:
        known: the VMs' figures, n of each.

    Returns:
        Its weights. Linear in n, the population and the generations.
    """
    count = len(known.importance)
    genomes = _normalised(rng.random((breeding.population, 2, count)))  # weights of storage, then of IOPS
    best, best_fitness = genomes[0], -np.inf
    for _ in range(breeding.generations):
        fit = fitnesses(genomes[:, 0], genomes[:, 1], known)
        order = np.argsort(fit)
        if fit[order[-1]] > best_fitness:
            best, best_fitness = genomes[order[-1]], float(fit[order[-1]])
        elite = genomes[order[len(order) - breeding.elite :]]
        parents = genomes[_drawn(fit, order, rng, breeding)]
        genomes = _mutated(_crossed(parents, rng), rng, breeding)
        genomes[: len(elite)] = elite
    return Weights(best[0], best[1])


def _drawn(fit: Floats, order: Ints, rng: np.random.Generator, breeding: Breeding) -> Ints:
    """Numbers of the parents, with repeats."""
    chance = fit
    if breeding.selection is Selection.RANKED:
        chance = np.empty(len(fit))
        chance[order] = np.arange(1, len(fit) + 1)
    parents: Ints = rng.choice(len(fit), len(fit), p=chance / chance.sum())
    return parents


def _crossed(parents: Floats, rng: np.random.Generator) -> Floats:
    """Neighbours exchange a random number of chromosomes."""
    pairs, count = len(parents) // 2, parents.shape[2]
    swapped = rng.random((pairs, count)) < rng.integers(0, count + 1, (pairs, 1)) / count
    one, other = parents[0 : 2 * pairs : 2], parents[1 : 2 * pairs : 2]
    children = parents.copy()
    children[0 : 2 * pairs : 2] = np.where(swapped[:, None, :], other, one)
    children[1 : 2 * pairs : 2] = np.where(swapped[:, None, :], one, other)
    return _normalised(children)


def _mutated(genomes: Floats, rng: np.random.Generator, breeding: Breeding) -> Floats:
    """A random number of chromosomes of some genomes change within the range."""
    population, _, count = genomes.shape
    mutant = rng.random((population, 1)) < breeding.mutation
    changed = (rng.random((population, count)) < rng.integers(0, count + 1, (population, 1)) / count) & mutant
    factors = 1 + breeding.within * rng.uniform(-1, 1, genomes.shape)
    return _normalised(np.where(changed[:, None, :], genomes * factors, genomes))


def _normalised(genomes: Floats) -> Floats:
    normal: Floats = genomes / genomes.sum(axis=-1, keepdims=True)
    return normal
