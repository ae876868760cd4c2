"""Fixtures of YARN's programs: a population with all targets, of the small job by hand."""

from __future__ import annotations

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from testbed.recorded import schema
from tests.support.emulation.yarn_plans import SETTINGS, plan


@pytest.fixture
def population() -> Population:
    """Two jobs of two maps and a reduce each, on three nodes."""
    return populate(plan(nodes=3, jobs=2, maps=4), schema(), seeds=Seeds(1), settings=SETTINGS)
