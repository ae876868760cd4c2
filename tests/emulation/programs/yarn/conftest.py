"""Fixtures of YARN's programs: a population with all targets, of the small job by hand."""

from __future__ import annotations

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import populate
from froude.hadoop.target import Target
from tests.emulation.model_master import SERVICES
from tests.emulation.yarn_plans import plan
from tests.recorded import schema

SETTINGS = PlaySettings({service: Target(service, "model:1", "m") for service in SERVICES}, port=18041)


@pytest.fixture
def population() -> Population:
    """Two jobs of two maps and a reduce each, on three nodes."""
    return populate(plan(nodes=3, jobs=2, maps=4), schema(), seeds=Seeds(1), settings=SETTINGS)
