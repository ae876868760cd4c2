"""What a solver knows, and how it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import InputError
from froude.cache.curves import LARGEST, MissRatioCurve
from froude.cache.solve.state import Application, Hypervisor, JobRun, State, Vm, written
from froude.documents.model import read_fields
from froude.documents.plain import dump_yaml, parse_yaml
from tests.support.cache.solve.made import state, table_1, vm


def reread(made: State) -> State:
    """What reads from the text of a state."""
    again: State = read_fields(State, parse_yaml(dump_yaml(made.plain()).encode(), "f"), "f")
    return again


def test_it_reads_back_from_what_it_writes() -> None:
    """With curves, runs and all."""
    job = JobRun(time_s=60.0, reads={"a": 10}, misses={"a": 3})
    made = state(
        [
            vm("a", application="c", curve=MissRatioCurve((0, 5), (1.0, 0.25), 7), ceiling_bytes=0),
            vm("b", working_set_bytes=9),
        ],
        applications=(Application(name="c", runs=(job,), weight=2.0),),
    )
    again = reread(made)
    assert again == made
    assert reread(table_1()).vms[0].misses.at(5 * 10**9) == 0


def test_a_vm_without_a_curve_has_a_straight_one_or_none() -> None:
    """By its working set; of one of which nothing is known no cache helps."""
    assert vm("a", working_set_bytes=1000).misses.at(500) == 0.5
    assert vm("a").misses == MissRatioCurve.unknown()
    assert vm("a").working_set == 0
    curve = MissRatioCurve((0, 5), (1.0, 0.25), 7)
    assert vm("a", curve=curve).working_set == 5
    assert vm("a", curve=curve, working_set_bytes=9).working_set == 9


def test_vms_are_found_by_place_and_application() -> None:
    """In their order."""
    made = state([vm("a", application="c"), vm("b", hypervisor="h2", application="c"), vm("d")])
    assert [each.name for each in made.on(made.hypervisors[0])] == ["a", "d"]
    assert [each.name for each in made.of("c")] == ["a", "b"]
    assert [each.space_bytes for each in made.scaled(2).hypervisors] == [200, 200]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"floor_bytes": 9, "ceiling_bytes": 8}, "floor: is above the ceiling"),
        ({"floor_iops": 9, "ceiling_iops": 8}, "floor_iops: is above the ceiling"),
        ({"name": ""}, "name: is no name"),
        ({"name": "x\n"}, "name: is no name"),
        ({"floor_bytes": LARGEST + 1}, "floor: is no size"),
        ({"reads_per_s": -1}, "reads_per_s: is out of range"),
        ({"reads_per_s": float("nan")}, "reads_per_s: is out of range"),
        ({"curve": {"sizes_bytes": [1]}}, "curve: is no miss-ratio curve"),
        ({"chunk_bytes": 0}, "chunk: is no size"),
    ],
)
def test_a_vm_that_cannot_be_is_refused(fields: dict[str, Any], message: str) -> None:
    """With the field."""
    with pytest.raises(InputError) as caught:
        vm(**{"name": "a", **fields})
    assert message in f"{caught.value.place}: {caught.value.message}"


def test_names_stand_once_and_places_exist() -> None:
    """Or the plan would not know whom it means."""
    ssd = Hypervisor(name="h1", space_bytes=1)
    with pytest.raises(InputError, match="has a name twice"):
        State(hypervisors=(ssd,), vms=(vm("a"), vm("a")))
    with pytest.raises(InputError, match="is none of the hypervisors"):
        State(hypervisors=(ssd,), vms=(Vm(name="a", hypervisor="h2"),))
    with pytest.raises(InputError, match="is no name"):
        Hypervisor(name="", space_bytes=1)


def test_misses_and_writes_are_written() -> None:
    """A chunk for each miss; without a cache nothing."""
    curve = MissRatioCurve((0, 10), (1.0, 0.2), 1)
    each = vm("a", curve=curve, chunk_bytes=7, writes_bytes_per_s=9)
    assert written(each, 10) == 100 * 0.2 * 7 + 9
    assert written(each, 5) == 100 * 7 + 9
    assert written(each, 0) == 0
