"""Fixtures of node programs: a population of scripted nodes."""

from __future__ import annotations

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.hadoop.release.distribution import Hadoop
from testbed.plans import plan
from tests.support.emulation.programs.scripted import SETTINGS


@pytest.fixture
def population(hadoop: Hadoop) -> Population:
    """Two DataNodes and two clients."""
    return populate(plan(datanodes=2, clients=2, files=1), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS)
