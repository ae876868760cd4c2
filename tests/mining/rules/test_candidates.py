"""Which flows may explain a value, and in which order they are tried."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.candidates import (
    alike,
    flows_from,
    from_cause,
    from_list,
    is_chosen,
    leaf_name,
    ranked,
    siblings,
)
from froude.mining.shape.structure import Occurrence
from froude.workload.types import Flow, Scalar, Side, Which
from tests.support.mining.events import calls, event


def occurrence(template: str, request: dict, response: dict | None = None, **more: object) -> Occurrence:
    """A call of one client."""
    call = calls(event(0, "m", request, response))[0]
    return Occurrence(0, 0, Sender(0, "a", Role("client"), []), template, call, **more)  # type: ignore[arg-type]


def test_a_call_is_no_source_of_itself_in_the_same_iteration() -> None:
    """Of other calls every occurrence may be meant."""
    other = flows_from(("c.a", None, Side.RESPONSE, "id"), "c.b")
    assert [flow.which for flow in other] == [
        Which.SAME, Which.PREVIOUS, Which.NTH, Which.FIRST, Which.LAST,
    ]  # fmt: skip
    assert [flow.which for flow in flows_from(("c.a", None, Side.REQUEST, "id"), "c.a")] == [
        Which.PREVIOUS, Which.NTH, Which.FIRST, Which.LAST,
    ]  # fmt: skip


def test_of_another_type_the_node_of_the_same_number_comes_first() -> None:
    """Iterations of other nodes are not this one's."""
    flows = flows_from(("d.a", "d", Side.RESPONSE, "id"), "c.b")
    assert [(flow.which, flow.node_type) for flow in flows] == [
        (Which.NTH, "d"), (Which.LAST, "d"), (Which.FIRST, "d"),
    ]  # fmt: skip


def test_a_cause_gives_its_element_wherever_its_number_stands() -> None:
    """The element that the effect is for becomes `{each}`; the path as it stands is tried too."""
    cause = occurrence("client.add", {"src": "/f"}, {"block.locs[1].id": "dn-1", "block.locs[0].id": "dn-0"})
    effect = occurrence("datanode.e1", {}, cause=cause, each=(1,))
    assert from_cause(effect, "dn-1") == [
        Flow("client.add", Side.RESPONSE, "block.locs[{each}].id", Which.CAUSE, "client"),
        Flow("client.add", Side.RESPONSE, "block.locs[1].id", Which.CAUSE, "client"),
    ]
    assert [flow.path for flow in from_cause(effect, "dn-0")] == ["block.locs[0].id"]
    assert [flow.side for flow in from_cause(effect, "/f")] == [Side.REQUEST]
    assert from_cause(effect, "nowhere") == []


def test_a_cause_gives_what_stands_beside_the_lists_of_its_element() -> None:
    """A block for the target's number, a storage for the target's and the node's; of other elements the path alone."""
    answer: dict[str, Scalar] = {
        "cmds[0].blocks[0].id": 70,
        "cmds[0].blocks[1].id": 71,
        "cmds[0].storages[1].ids[0]": "DS-0",
        "cmds[0].storages[1].ids[1]": "DS-1",
    }
    cause = occurrence("datanode.p1", {}, answer)
    effect = occurrence("datanode.e1", {}, cause=cause, each=(1, 0), listed="cmds[0].targets[].nodes")

    def paths(value: Scalar) -> list[str]:
        return [flow.path for flow in from_cause(effect, value)]

    assert paths(71) == ["cmds[0].blocks[{each}].id", "cmds[0].blocks[1].id"]
    assert paths(70) == ["cmds[0].blocks[0].id"]
    assert paths("DS-0") == [
        "cmds[0].storages[{each}].ids[{each}]",
        "cmds[0].storages[{each}].ids[0]",
        "cmds[0].storages[1].ids[0]",
    ]
    assert paths("DS-1") == ["cmds[0].storages[{each}].ids[1]", "cmds[0].storages[1].ids[1]"]
    flows = ranked(from_cause(effect, "DS-0"), "storageUuid", "datanode.e1")
    assert flows[0].path == "cmds[0].storages[{each}].ids[{each}]"


@pytest.mark.parametrize(("value", "expected"), [(7, ["a"]), (8, []), (True, [])])
def test_only_leaves_that_stand_earlier_in_a_request_are_copied(value: Scalar, expected: list[str]) -> None:
    """The message is encoded in order."""
    taker = occurrence("c.b", {"a": 7, "flag": 1, "x": 7, "later": 8})
    assert [flow.path for flow in siblings(taker, value, "x")] == expected


def test_the_likeliest_flow_is_tried_first() -> None:
    """Cause; same name; answer; nearest; element; shortest: each decides only where those before are equal."""
    in_order = [
        Flow("c.a", Side.RESPONSE, "other", Which.CAUSE, "c"),
        Flow("c.a", Side.RESPONSE, "b.id", Which.SAME),
        Flow("c.a", Side.RESPONSE, "b.id", Which.PREVIOUS),
        Flow("c.a", Side.RESPONSE, "long.b.id", Which.PREVIOUS),
        Flow("c.a", Side.RESPONSE, "b.id", Which.NTH),
        Flow("c.a", Side.REQUEST, "b.id", Which.SAME),
        Flow("c.a", Side.RESPONSE, "other", Which.SAME),
    ]
    assert ranked(in_order[::-1], "x.id", "c.b") == in_order
    for likelier, other in pairwise(in_order):
        assert ranked([other, likelier], "x.id", "c.b")[0] == likelier


def test_the_element_of_an_effect_goes_before_the_element_that_it_happened_to_be() -> None:
    """`{each}` holds for every effect, `[0]` for those of the first element alone, short as its path is."""
    each = Flow("c.a", Side.RESPONSE, "block.locs[{each}].id", Which.CAUSE, "c")
    first = replace(each, path="block.locs[0].id")
    assert ranked([first, each], "x.id", "d.e") == ranked([each, first], "x.id", "d.e") == [each, first]


def test_any_list_that_a_value_stands_in_may_be_the_one_that_is_gone_through() -> None:
    """One index of the path at a time becomes `{each}`; a leaf of no list is none."""
    source = ("c.a", None, Side.RESPONSE, "days[2].files[13].path")
    flows = from_list(source, "c.b")
    assert [flow.path for flow in flows if flow.which is Which.SAME] == [
        "days[{each}].files[13].path",
        "days[2].files[{each}].path",
    ]
    assert len(flows) == 2 * len(flows_from(source, "c.b"))
    assert from_list(("c.a", None, Side.RESPONSE, "id"), "c.b") == []


def test_a_real_time_call_has_what_it_had_the_time_before() -> None:
    """Rather than what another call of the same name was answered."""
    own = Flow("c.p1", Side.REQUEST, "id", Which.PREVIOUS)
    other = Flow("c.a", Side.RESPONSE, "id", Which.SAME)
    assert ranked([other, own], "id", "c.p1") == [own, other]
    assert ranked([other, own], "id", "c.b")[0] == other


@pytest.mark.parametrize(
    ("path", "name"), [("a.b.c", "c"), ("c", "c"), ("a.c[3]", "c"), ("a[1].c[{each}]", "c")]
)
def test_leaf_names_have_no_indices(path: str, name: str) -> None:
    """The element does not matter for what a leaf is called."""
    assert leaf_name(path) == name


@pytest.mark.parametrize(
    ("path", "other", "same_name"),
    [
        ("block.genStamp", "block.b.generationStamp", True),
        ("blocks[0].block.blockId", "b.blockId", True),
        ("key_id", "keyId", True),
        ("blockId", "fileId", False),
        ("id", "blockId", False),
        ("len", "length", True),
        ("[0]", "x", False),
    ],
)
def test_names_that_one_side_shortens(path: str, other: str, same_name: bool) -> None:
    """Word by word, whichever way they are joined."""
    assert alike(path, other) is alike(other, path) is same_name


@pytest.mark.parametrize(
    ("path", "which", "value", "chosen"),
    [
        ("locs[0].ip", Which.SAME, "10.0.0.2", True),
        ("locs[0].url", Which.LAST, "10.0.0.2:8041", True),
        ("locs[{each}].ip", Which.CAUSE, "10.0.0.2", False),
        ("owner.ip", Which.SAME, "10.0.0.2", False),
        ("names[0]", Which.SAME, "part-1", False),
        ("ports[0]", Which.SAME, 8041, False),
    ],
)
def test_which_machine_stands_at_a_place_of_a_list_is_chance(
    path: str, which: Which, value: Scalar, chosen: bool
) -> None:
    """Of addresses, and not of an effect's own element."""
    assert is_chosen(Flow("c.a", Side.RESPONSE, path, which), value) is chosen
