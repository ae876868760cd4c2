"""What a plan can have the pieces of."""

from __future__ import annotations

from dataclasses import replace

from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.search.countable import MOST, countable
from froude.provision.types import Problem
from froude.provision.types.plan import Conflict
from tests.support.provision.clusters import DISK, small


def _instance(problem: Problem) -> Instance:
    built = build(problem)
    assert isinstance(built, Instance)
    return built


def test_a_choice_of_too_many_pieces_is_none_while_there_are_others() -> None:
    """Grains of a tenth of a microbyte hold nothing."""
    problem = small()
    grain = replace(DISK, name="grain", capacity=1e-7)
    instance = _instance(
        replace(problem, catalog=replace(problem.catalog, units=(grain, *problem.catalog.units)))
    )
    kept = countable(instance, instance.every)
    assert not isinstance(kept, Conflict)
    names = [instance.datasets[0].choices[c].names for c in kept[0]]
    assert names
    assert all("grain" not in chosen for chosen in names)


def test_where_there_is_no_other_the_conflict_says_of_what() -> None:
    """Units of a dataset, or instances and cores of a task."""
    instance = _instance(small())
    assert countable(instance, instance.every) == instance.every
    problem = small()
    problem = replace(problem, sla=problem.sla.scaled(1e12))
    conflict = countable(_instance(problem), _instance(problem).every)
    assert isinstance(conflict, Conflict)
    assert conflict.constraint.startswith("number of ")
    assert conflict.needed > MOST == conflict.allowed
