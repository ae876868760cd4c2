"""What must change at a ResourceManager, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError, TargetError
from froude.base.seeds import Seeds
from froude.harvest.classify.classes import classify
from froude.harvest.live.changes import (
    PREFIX,
    Carrier,
    attribute_changes,
    class_changes,
    class_labels,
    label_changes,
    remembered,
    remembered_part,
    resource_changes,
    restoring,
    together,
    unreachable,
)
from froude.harvest.live.classes import classes_of
from froude.harvest.live.types import Changes, ClusterState, Node, Prior, Resource
from froude.harvest.live.usage import Reserve, Usage
from tests.support.harvest.datacenters import made
from tests.support.harvest.live.changes import applied

OWN = Resource(memory_mb=32768, vcores=12)
QUEUES = {
    f"{PREFIX}root.queues": "a, b",
    f"{PREFIX}root.a.capacity": "30",
    f"{PREFIX}root.b.capacity": "70",
    f"{PREFIX}root.b.queues": "c",
    f"{PREFIX}root.b.c.capacity": "100",
}


def node(name: str, label: str = "", **other: object) -> Node:
    """A running node."""
    return Node(f"{name}:1", name, "RUNNING", OWN, label=label, **other)  # type: ignore[arg-type]


STATE = ClusterState("7", (node("s0"), node("s1", "gpu"), node("s2")), {"gpu": True}, QUEUES)


def test_nodes_get_the_class_of_their_server() -> None:
    """One that is not known, or carries the label of somebody else, is left alone."""
    flat = made(np.array([np.full(48, 0.2), np.full(48, 0.2)]))
    found = class_labels(classes_of(flat, classify(flat, Seeds(1))), STATE)
    assert found.node_labels == {"s0:1": "constant-01"}
    assert found.classes == {"s0:1": "constant-01", "s1:1": "constant-01"}
    assert found.foreign == ("s1:1",)
    assert found.unknown == ("s2:1",)


def test_a_label_of_ours_whose_class_is_gone_is_no_strangers() -> None:
    """The node gets the label of its class of now."""
    flat = made(np.array([np.full(48, 0.2), np.full(48, 0.2)]))
    classes = classes_of(flat, classify(flat, Seeds(1)))
    found = class_labels(classes, STATE, Prior(address="h:1", id="7", labels_added=("gpu",)))
    assert found.node_labels == {"s0:1": "constant-01", "s1:1": "constant-01"}
    assert found.foreign == ()


def test_nodes_that_do_not_run_are_named_and_left() -> None:
    """A ResourceManager refuses to change their resources, which must not keep all else from coming back."""
    small = Resource(memory_mb=1024, vcores=1)
    lost, ill = (
        replace(node(name), state=state, total=small) for name, state in (("s0", "LOST"), ("s1", "UNHEALTHY"))
    )
    state = replace(STATE, nodes=(lost, ill, node("s2")))
    prior = Prior(address="h:1", id="7", resources={"s0:1": OWN, "s1:1": OWN, "s2:1": OWN, "gone:1": OWN})
    assert restoring(prior, state).resources == {"s1:1": OWN}
    assert unreachable(prior, state) == ("s0:1",)


def test_what_is_remembered_already_may_be_changed_alone() -> None:
    """Nodes, labels and settings that nothing remembers wait, and so do nodes of a label that is not there yet."""
    small = Resource(memory_mb=1024, vcores=1)
    todo = Changes(
        ("new", "old"),
        {"a": "1", "b": "1"},
        {"s0:1": "old", "s1:1": "new", "s2:1": "old"},
        {"s0:1": small, "s1:1": small},
        spared=frozenset({"s0:1", "s1:1"}),
        node_attributes={"s0": "old", "s1": "old"},
    )
    prior = Prior(
        address="h:1",
        id="7",
        labels_added=("old",),
        scheduler={"a": None},
        node_labels={"s0:1": "", "s1:1": ""},
        resources={"s0:1": OWN},
        node_attributes={"s0": ""},
    )
    assert remembered_part(todo, prior) == Changes(
        ("old",),
        {"a": "1"},
        {"s0:1": "old"},
        {"s0:1": small},
        spared=frozenset({"s0:1"}),
        node_attributes={"s0": "old"},
    )
    assert not remembered_part(todo, None)


def test_queues_that_are_not_shown_are_not_taken_for_restored() -> None:
    """They were changed, and nobody says what they are now."""
    prior = Prior(address="h:1", id="7", scheduler={f"{PREFIX}root.a.capacity": "30"})
    with pytest.raises(TargetError, match="does not show its queues"):
        restoring(prior, replace(STATE, scheduler=None))


def test_queues_may_use_each_label_to_their_own_share() -> None:
    """Parents and children; what is there already is kept, and a label that a node has is not given again."""
    kept = {**QUEUES, f"{PREFIX}root.a.accessible-node-labels": "x"}
    found = label_changes(replace(STATE, scheduler=kept), {"s0:1": "n", "s1:1": "gpu"})
    assert found.add_labels == ("n",)
    assert found.node_labels == {"s0:1": "n"}
    assert found.scheduler[f"{PREFIX}root.accessible-node-labels.n.capacity"] == "100"
    assert found.scheduler[f"{PREFIX}root.b.accessible-node-labels.n.capacity"] == "70"
    assert found.scheduler[f"{PREFIX}root.b.c.accessible-node-labels"] == "*"
    assert f"{PREFIX}root.a.accessible-node-labels" not in found.scheduler
    assert not label_changes(STATE, {"s0:1": "n"}, queues=False).scheduler
    assert not label_changes(replace(STATE, scheduler=None), {"s0:1": "n"}).scheduler


def test_a_class_is_a_label_an_attribute_or_both() -> None:
    """A label of somebody else bars no attribute; one that a node has is not given again."""
    flat = made(np.array([np.full(48, 0.2), np.full(48, 0.2)]))
    labelled = class_labels(classes_of(flat, classify(flat, Seeds(1))), STATE)
    labels, attributes, both = (class_changes(STATE, labelled, each, queues=False) for each in Carrier)
    assert (labels.node_labels, labels.node_attributes) == ({"s0:1": "constant-01"}, {})
    assert attributes == Changes(node_attributes={"s0": "constant-01", "s1": "constant-01"})
    assert both == together(labels, attributes)
    given = replace(STATE, nodes=(replace(STATE.nodes[0], attribute="constant-01"), *STATE.nodes[1:]))
    assert class_changes(given, labelled, Carrier.ATTRIBUTES).node_attributes == {"s1": "constant-01"}


def test_what_is_no_label_or_no_percentage() -> None:
    """Is refused before anything is sent."""
    with pytest.raises(InputError, match="is no node label; found -x"):
        label_changes(STATE, {"s0:1": "-x"})
    absolute = {**QUEUES, f"{PREFIX}root.a.capacity": "[memory=1024]"}
    with pytest.raises(
        InputError, match=r"root\.a: has a capacity that is no percentage; found \[memory=1024\]"
    ):
        label_changes(replace(STATE, scheduler=absolute), {"s0:1": "n"})


def test_resources_follow_from_a_node_s_own_and_not_from_what_was_pushed_before() -> None:
    """The second push counts from what the node had at first."""
    first = resource_changes(STATE, None, Reserve(), {"s0": Usage(0.25), "s2:1": Usage(0.0)})
    assert first.resources == {
        "s0:1": Resource(memory_mb=32768, vcores=5),
        "s2:1": Resource(memory_mb=32768, vcores=8),
    }
    prior = remembered("h:1", STATE, first, None)
    shrunk = replace(
        STATE, nodes=(replace(STATE.nodes[0], total=Resource(memory_mb=32768, vcores=5)), *STATE.nodes[1:])
    )
    again = resource_changes(shrunk, prior, Reserve(), {"s0": Usage(0.25)})
    assert not again
    assert resource_changes(shrunk, prior, Reserve(), {"s0": Usage(0.5)}).resources["s0:1"].vcores == 2
    lost = replace(STATE, nodes=(replace(STATE.nodes[0], state="LOST"),))
    assert not resource_changes(lost, None, Reserve(), {"s0": Usage(0.5)})


def test_what_is_expected_soon_takes_no_container_away() -> None:
    """A node takes fewer than what is free now, and nothing there is killed; what has no room now is, all the same."""
    light, heavy = (
        replace(STATE.nodes[0], allocated=Resource(memory_mb=1024, vcores=4)),
        replace(STATE.nodes[2], allocated=Resource(memory_mb=1024, vcores=6)),
    )
    state = replace(STATE, nodes=(light, heavy))
    used = {"s0": Usage(0.25), "s2": Usage(0.25)}
    found = resource_changes(state, None, Reserve(), used, {"s0": 0.5, "s2": 0.5})
    assert found.resources == {
        "s0:1": Resource(memory_mb=32768, vcores=2),
        "s2:1": Resource(memory_mb=32768, vcores=5),
    }
    assert found.spared == {"s0:1"}
    less = resource_changes(state, None, Reserve(), used, {"s0": 0.1})
    assert less.resources == {
        "s0:1": Resource(memory_mb=32768, vcores=5),
        "s2:1": Resource(memory_mb=32768, vcores=5),
    }
    assert together(found, Changes(resources={"s0:1": OWN})).spared == frozenset()


_VERTICES = st.dictionaries(st.sampled_from(["s0:1", "s1:1", "s2:1"]), st.sampled_from(["a", "b", "gpu"]))


@given(st.lists(st.tuples(_VERTICES, st.floats(0, 1)), max_size=4))
def test_whatever_was_done_is_taken_back(steps: list[tuple[dict[str, str], float]]) -> None:
    """After any number of changes, one rollback brings the first state, and a second finds nothing to do."""
    state, prior = STATE, None
    for labels, share in steps:
        usage = {each.id: Usage(share) for each in state.nodes}
        todo = together(
            label_changes(state, labels),
            attribute_changes(state, labels),
            resource_changes(state, prior, Reserve(), usage),
        )
        prior = remembered("h:1", state, todo, prior)
        state = applied(state, todo)
    if prior is not None:
        state = applied(state, restoring(prior, state))
        assert not restoring(prior, state)
    assert state == STATE
