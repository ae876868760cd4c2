"""Both releases' forms, and faults; real ones are in `tests/integration/test_harvest.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from froude.base.errors import GuardError, TargetError
from froude.harvest.live.resourcemanager import ResourceManager
from froude.harvest.live.types import Changes, ClusterState, Resource
from froude.harvest.live.usage import usage_of
from tests.support.harvest.live.managers import CLASS, NEW, NODE, OLD, serving
from tests.support.harvest.live.resourcemanager import SEEN

NO_FORM = "form that is not known"


@pytest.mark.parametrize("answers", [OLD, NEW])
def test_both_releases_say_the_same(answers: dict[str, Any]) -> None:
    """A lone element as an object or a list, a truth as text or truth."""
    with serving(answers) as (port, _):
        state = ResourceManager("127.0.0.1", port).state()
    assert state == ClusterState("7", (SEEN,), {"a": False}, {"x": "5"})


def test_nothing_is_there_yet() -> None:
    """No node, no label, and a scheduler whose properties are not told."""
    empty = {"info": {"clusterInfo": {"id": 7}}, "nodes": {"nodes": None}, "get-node-labels": {}}
    with serving(empty) as (port, _):
        assert ResourceManager("127.0.0.1", port).state() == ClusterState("7", (), {}, None)


def test_changes_are_sent_in_an_order_that_each_finds_what_it_needs() -> None:
    """Labels before capacities before nodes; capacities go before labels are removed."""
    prefix = "yarn.scheduler.capacity."
    changes = Changes(
        ("a",),
        {
            f"{prefix}root.q.accessible-node-labels.a.capacity": "5",
            f"{prefix}root.accessible-node-labels": None,
        },
        {"n:1": "a", "m:1": ""},
        {"n:1": Resource(memory_mb=1, vcores=2)},
        ("b", "c"),
    )
    with serving(NEW) as (port, sent):
        ResourceManager("127.0.0.1", port, user="me").apply(changes, "7", grace_s=1.5)
    assert [path for _, path, _ in sent] == [
        "add-node-labels?user.name=me",
        "nodes/n%3A1/resource?user.name=me",
        "scheduler-conf?user.name=me",
        "replace-node-to-labels?user.name=me",
        "scheduler-conf?user.name=me",
        "remove-node-labels?labels=b&labels=c&user.name=me",
    ]
    assert sent[1][2] == {"resource": {"memory": 1, "vCores": 2}, "overCommitTimeout": 1500}
    assert sent[2][2]["update-queue"] == [
        {
            "queue-name": "root.q",
            "params": {"entry": [{"key": "accessible-node-labels.a.capacity", "value": "5"}]},
        }
    ]
    assert sent[3][2]["nodeToLabels"] == [
        {"nodeId": "n:1", "labels": ["a"]},
        {"nodeId": "m:1", "labels": []},
    ]
    assert sent[4][2]["update-queue"][0]["params"] == {
        "entry": [{"key": "accessible-node-labels", "value": None}]
    }


def test_spared_nodes_lose_no_container() -> None:
    """Whatever the grace of the others."""
    both = {"n:1": Resource(memory_mb=1, vcores=2), "m:1": Resource(memory_mb=1, vcores=3)}
    with serving({**NEW, "metrics": {"clusterMetrics": {"containersPending": 3}}}) as (port, sent):
        server = ResourceManager("127.0.0.1", port)
        server.apply(Changes(resources=both, spared=frozenset({"m:1"})), "7")
        assert server.waiting() == 3
    assert [body["overCommitTimeout"] for _, _, body in sent] == [0, -1]


def test_attributes_are_set_by_who_can() -> None:
    """REST only shows them: of one node first, of the others once it shows; and no call is made where none change."""
    given: list[dict[str, str]] = []
    nodes = [{**NODE, "id": f"{host}:1", "nodeHostName": host} for host in "mn"]
    answers = {**NEW, "nodes": {"nodes": {"node": nodes}}}

    def set_classes(classes: Mapping[str, str]) -> None:
        given.append(dict(classes))
        for node in nodes if right else ():
            if node["nodeHostName"] in classes:
                value = {**CLASS, "value": classes[node["nodeHostName"]]}
                node["nodeAttributesInfo"] = {"nodeAttributeInfo": [value]}

    with serving(answers) as (port, sent):
        server = ResourceManager("127.0.0.1", port, set_classes=set_classes)
        server.apply(Changes(), "7")
        right = True
        server.apply(Changes(node_attributes={"gone": "d", "m": "d", "n": "d"}), "7")
        assert (given, sent) == ([{"m": "d"}, {"gone": "d", "n": "d"}], [])
        server.apply(Changes(node_attributes={"gone": "d"}), "7")
        assert len(given) == 2
        right = False
        with pytest.raises(GuardError, match=r"m: does not show an attribute .* another ResourceManager's"):
            server.apply(Changes(("a",), node_attributes={"m": "e", "n": "e"}), "7")
        assert (given[2:], sent) == ([{"m": "e"}], [])


def test_another_resourcemanager_at_the_address_is_changed_in_nothing() -> None:
    """It is asked before the first change, and again before the hundredth after that."""
    answers = {**NEW}
    many = Changes(resources={f"n:{number}": Resource(memory_mb=1, vcores=2) for number in range(250)})
    with serving(answers) as (port, sent):
        server = ResourceManager("127.0.0.1", port)
        with pytest.raises(GuardError, match="is another ResourceManager now; found 7; allowed: 8"):
            server.apply(many, "8")
        assert not sent

        with pytest.raises(GuardError, match="found 9; allowed: 7"):
            server.apply(replace(many, resources=_Watched(many.resources, answers)), "7")
        assert len(sent) == 200


class _Watched(dict[str, Resource]):
    """Changes of which the 150th is made when another ResourceManager has come."""

    def __init__(self, changes: Mapping[str, Resource], answers: dict[str, Any]) -> None:
        super().__init__(changes)
        self.answers = answers

    def items(self) -> Any:
        """The changes, one by one."""
        for number, item in enumerate(super().items()):
            if number == 150:
                self.answers["info"] = {"clusterInfo": {"id": 9}}
            yield item


def test_its_applications_name_its_earlier_lives() -> None:
    """By the start time in their ids; none where there are none."""
    apps = [{"id": "application_5_0001"}, {"id": "application_7_0002"}]
    for answer, stamps in (({"apps": {"app": apps}}, {"5", "7"}), ({"apps": None}, set())):
        with serving({**NEW, "apps": answer}) as (port, _):
            assert ResourceManager("127.0.0.1", port).stamps() == stamps


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({}, "HTTP Error 404"),
        ({"info": {"clusterInfo": 5}}, "'int' object"),
        ({"info": {"clusterInfo": {"id": 7, "haState": "STANDBY"}}}, "is not active; found STANDBY"),
        ({**NEW, "nodes": "<html>"}, r"\(Expecting value"),
        ({**NEW, "nodes": {"nodes": {"node": [{"id": "n:1"}]}}}, NO_FORM),
        ({**NEW, "nodes": {"nodes": 5}}, NO_FORM),
        ({**NEW, "get-node-labels": {"nodeLabelInfo": [5]}}, NO_FORM),
    ],
)
def test_what_is_no_resourcemanager(answers: dict[str, Any], message: str) -> None:
    """One error that names the address."""
    with serving(answers) as (port, _), pytest.raises(TargetError, match=message) as caught:
        ResourceManager("127.0.0.1", port).state()
    assert caught.value.file == f"127.0.0.1:{port}"


def test_a_refusal_says_its_reason() -> None:
    """In the daemon's own words."""
    with serving({**NEW, "add-node-labels": None}) as (port, _), pytest.raises(TargetError, match="not here"):
        ResourceManager("127.0.0.1", port).apply(Changes(("a",)), "7")
    with pytest.raises(TargetError, match=r"127\.0\.0\.1:1: "):
        ResourceManager("127.0.0.1", 1).nodes()


@pytest.mark.parametrize("value", [-50.0, "NaN", 5000])
def test_a_share_that_cannot_be_tells_nothing(value: object) -> None:
    """Such a node is left as it is: an idle primary tenant would be made of it otherwise."""
    answers = {**NEW, "nodes": {"nodes": {"node": [{**NODE, "cpuUtilization": value}]}}}
    with serving(answers) as (port, _):
        (node,) = ResourceManager("127.0.0.1", port).nodes()
    assert usage_of(node) is None


@pytest.mark.parametrize(
    "odd",
    [
        {"usedMemoryMB": float("inf")},
        {"memUtilization": 1e-320},
        {"nodeLabels": [["x"]]},
        {"totalResource": {"memory": 10**400, "vCores": 4}},
        {"totalResource": {"memory": 8192, "vCores": 10**400}},
        {"resourceUtilization": {**NODE["resourceUtilization"], "nodePhysicalMemoryMB": float("inf")}},
        {"numContainers": float("nan")},
    ],
)
def test_numbers_that_cannot_be_are_of_no_known_form(odd: dict[str, Any]) -> None:
    """A daemon tries again; it does not end."""
    answers = {**NEW, "nodes": {"nodes": {"node": [{**NODE, **odd}]}}}
    with serving(answers) as (port, _), pytest.raises(TargetError, match=NO_FORM):
        ResourceManager("127.0.0.1", port).nodes()


def test_what_is_said_beside_the_nodes_is_looked_at_as_well() -> None:
    """Properties of queues are texts, and containers are counted."""
    answers = {
        **NEW,
        "scheduler-conf": {"property": {"name": "x", "value": 5}},
        "metrics": {"clusterMetrics": {"containersPending": float("inf")}},
    }
    with serving(answers) as (port, _):
        for ask in (ResourceManager("127.0.0.1", port).state, ResourceManager("127.0.0.1", port).waiting):
            with pytest.raises(TargetError, match=NO_FORM):
                ask()


def test_a_node_of_less_than_nothing_is_of_no_known_form() -> None:
    """It would be remembered, and given back."""
    answers = {**NEW, "nodes": {"nodes": {"node": [{**NODE, "totalResource": {"memory": -1, "vCores": 4}}]}}}
    with serving(answers) as (port, _), pytest.raises(TargetError, match=NO_FORM):
        ResourceManager("127.0.0.1", port).nodes()


def test_a_node_of_no_known_form_is_told_and_left_out() -> None:
    """Once until that changes, if most are as they should be; without anybody to tell, it refuses all."""
    good = [{**NODE, "id": f"n:{n}"} for n in range(3)]
    odd = {**NODE, "id": "odd:1", "totalResource": {"memory": -1, "vCores": 4}}
    answers = {**NEW, "nodes": {"nodes": {"node": [*good, None]}}}
    told: list[str] = []
    with serving(answers) as (port, _):
        server = ResourceManager("127.0.0.1", port, note=told.append)
        assert [node.id for node in server.nodes()] == ["n:0", "n:1", "n:2"]
        assert len(server.state().nodes) == 3
        answers["nodes"] = {"nodes": {"node": [odd, *good]}}
        assert len(server.nodes()) == 3
        for listed in ([*good, odd, None], [odd]):
            answers["nodes"] = {"nodes": {"node": listed}}
            with pytest.raises(TargetError, match=NO_FORM):
                server.nodes()
        answers["nodes"] = {"nodes": {"node": [*good, None]}}
        with pytest.raises(TargetError, match=NO_FORM):
            ResourceManager("127.0.0.1", port).nodes()
    begins = "note: 1 of 4 nodes in a form that is not known left alone, such as "
    assert told == [
        f"{begins}None (AttributeError: 'NoneType' object has no attribute 'get')",
        f"{begins}odd:1 (ValueError: memory is -1)",
    ]
