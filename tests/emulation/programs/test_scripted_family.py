"""What other nodes may know of a scripted one."""

from __future__ import annotations

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.emulation.programs.scripted_family import ScriptedFamily
from froude.hadoop.release.distribution import Hadoop
from froude.workload.rules import Special
from froude.workload.types import Constant, Counter, Template
from testbed.plans import plan
from tests.support.emulation.programs.scripted import SETTINGS


@pytest.fixture
def family(hadoop: Hadoop) -> ScriptedFamily:
    """Two clients."""
    population: Population = populate(
        plan(datanodes=1, clients=2, files=1), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS
    )
    clients = population.families["client"]
    assert isinstance(clients, ScriptedFamily)
    return clients


def test_facts_of_a_node_that_has_no_program_of_its_own(family: ScriptedFamily) -> None:
    """It has an address of its own and no ports; what it does not have is unresolved."""
    assert [family.fact(number, "address") for number in (0, 1)] == ["127.0.0.10", "127.0.0.11"]
    assert family.fact(0, "port") == 0
    assert family.fact(0, "storage") is Special.UNRESOLVED


def test_who_a_node_is_before_it_begins(family: ScriptedFamily) -> None:
    """Its user and caller context follow from its number; what is no text is none."""
    user = Template(("u", Counter(0, {"node": 1})))
    assert [family.identity(number, user) for number in (0, 1)] == ["u0", "u1"]
    assert family.identity(0, Constant(7)) is None


def test_names_are_learned_where_effects_go_by_them(family: ScriptedFamily) -> None:
    """Nobody asks for those of this plan."""
    family.learn_names(1, {"clientName": "c1"})
    assert family.owner("c1") is None
