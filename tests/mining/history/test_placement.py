"""Every call of every type at its place."""

from __future__ import annotations

from collections import Counter

import pytest

from froude.mining.effects.relocation import relocate
from froude.mining.history.placement import Known, Placement, beat_names, placement_of
from froude.mining.read.senders import senders_of
from froude.mining.shape.structure import MinedType, find_types
from testbed.synthetic import record

RUNS = ({"datanodes": 4, "clients": 2, "dirs": 1, "files": 2, "blocks": 2},
        {"datanodes": 5, "clients": 3, "dirs": 2, "files": 3, "blocks": 1})  # fmt: skip


def found() -> tuple[list[MinedType], Placement, int]:
    """Types and placement of two runs, and how many calls were made."""
    senders, _ = senders_of([record(**run) for run in RUNS])
    calls_made = sum(len(sender.calls) for sender in senders)
    relocations = relocate(senders)
    types, _ = find_types(senders, len(RUNS))
    return types, placement_of(types, relocations), calls_made


@pytest.fixture(scope="module")
def assembled() -> tuple[list[MinedType], Placement, int]:
    """The same for all tests."""
    return found()


def test_every_call_has_one_place(assembled: tuple[list[MinedType], Placement, int]) -> None:
    """Of a step, of a periodic call, or of an effect; none is lost and none counted twice."""
    _, placement, calls_made = assembled
    everything = placement.all()
    assert len(everything) == calls_made
    assert len({id(occurrence.call) for occurrence in everything}) == calls_made
    assert not placement.lost


def test_periodic_calls_are_numbered_node_by_node(assembled: tuple[list[MinedType], Placement, int]) -> None:
    """The nth beat of a node stands at index n of its template."""
    types, placement, _ = assembled
    assert list(placement.periodic) == ["datanode.p1"]
    assert list(beat_names(types).values()) == ["datanode.p1"]
    by_node: dict[int, list[int]] = {}
    for occurrence in placement.periodic["datanode.p1"]:
        by_node.setdefault(id(occurrence.sender), []).append(occurrence.indices["datanode.p1"])
    assert len(by_node) == sum(run["datanodes"] for run in RUNS)
    assert all(numbers == list(range(len(numbers))) for numbers in by_node.values())


def test_effects_stand_where_their_cause_does(assembled: tuple[list[MinedType], Placement, int]) -> None:
    """With the cause's loops, named as those of its type, and whether they were the last."""
    _, placement, _ = assembled
    effects = placement.effects["datanode"]
    assert {effect.cause_type for effect in effects} == {"client"}
    for effect in effects:
        for occurrence in effect.occurrences:
            assert occurrence.cause is not None
            assert occurrence.cause.template == effect.cause
            assert occurrence.indices == {f"client.{loop}": n for loop, n in occurrence.cause.indices.items()}
            assert occurrence.last == {
                f"client.{loop}": is_last for loop, is_last in occurrence.cause.last.items()
            }
    assert {effect.template for effect in effects} == {f"datanode.e{n + 1}" for n in range(len(effects))}


def test_a_share_is_of_the_elements_that_could_have_had_the_effect(
    assembled: tuple[list[MinedType], Placement, int],
) -> None:
    """Each replica is reported as received; of its beginning only some are."""
    _, placement, _ = assembled
    shares = sorted(effect.share for effect in placement.effects["datanode"])
    replicas = sum(
        min(3, run["datanodes"]) * run["clients"] * run["dirs"] * run["files"] * run["blocks"] for run in RUNS
    )
    for effect in placement.effects["datanode"]:
        assert effect.share == pytest.approx(len(effect.occurrences) / replicas, abs=0.001)
    assert shares[-1] == 1.0
    assert 0 < shares[0] < 1


def test_a_mined_workloads_ids_are_kept(assembled: tuple[list[MinedType], Placement, int]) -> None:
    """A further run is read with the ids that are there; what has none is lost, and counted."""
    types, placement, _ = assembled
    kept, *others = placement.effects["datanode"]
    senders, _ = senders_of([record(**run) for run in RUNS])
    relocations = relocate(senders)
    again, _ = find_types(senders, len(RUNS))
    known = Known(
        dict.fromkeys(beat_names(types), "beat"), {("datanode", kept.token, kept.cause, 0): "known"}
    )
    read = placement_of(again, relocations, known)
    assert list(read.periodic) == ["beat"]
    assert [effect.template for effect in read.effects["datanode"]] == ["known"]
    assert read.lost == Counter({"datanode": sum(len(other.occurrences) for other in others)})
