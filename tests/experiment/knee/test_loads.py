"""What a search for a knee begins with, and what it raises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.experiment.knee.loads import SPEED, Loads, driving, first_scale
from froude.workload.scale import Scale
from froude.workload.types import Recorded, StartRule
from testbed.plans import workload

SCALES = (Scale.of(datanodes=2, clients=1, files=2), Scale.of(datanodes=3, clients=2, files=1))
WORKLOAD = replace(workload(("CID-1",)), recorded=Recorded(SCALES, ("CID-1",)))


def test_it_begins_with_the_largest_that_was_recorded() -> None:
    """Of each variable; what is given comes first, and must be known."""
    assert str(first_scale(WORKLOAD, {})) == "datanodes=3, clients=2, files=2"
    assert first_scale(WORKLOAD, {"files": 7})["files"].value == 7
    with pytest.raises(InputError, match=r"--at.*found size; allowed: clients, datanodes, files"):
        first_scale(WORKLOAD, {"size": 1})


def test_what_is_raised_unless_something_is_named() -> None:
    """Every variable on which the number of clients in parallel depends; without such clients, of all such nodes."""
    assert driving(WORKLOAD, SCALES[0]) == ("clients",)
    datanode, client = WORKLOAD.node_types
    in_turn = replace(client, start=StartRule(pause_s=1.0))
    assert driving(replace(WORKLOAD, node_types=(datanode, in_turn)), SCALES[0]) == ("datanodes",)
    fixed = replace(WORKLOAD, node_types=())
    assert driving(fixed, SCALES[0]) == (SPEED,)


def test_what_cannot_be_raised() -> None:
    """It is named, with what can."""
    with pytest.raises(InputError, match=r"--raise.*found size; allowed: datanodes, clients, files, speed"):
        Loads.of(WORKLOAD, {}, ["size"])
    for none in (0, -1):
        with pytest.raises(InputError, match=rf"--at.*found clients={none}; allowed: above zero"):
            Loads.of(WORKLOAD, {"clients": none}, ["clients"])


def test_a_factor_raises_whole_things() -> None:
    """To whole ones, of which one at least stays; a speed to any number."""
    loads = Loads.of(WORKLOAD, {}, ["clients", SPEED], most=4)
    assert str(loads.scale(1.3)) == "datanodes=3, clients=3, files=2"
    assert loads.scale(0.01)["clients"].value == 1
    assert loads.speed(1.3) == 1.3
    assert loads.plan(2.0).counts == {"datanode": 3, "client": 4}
