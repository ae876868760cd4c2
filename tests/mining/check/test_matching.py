"""A further run, read by a workload that is already mined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.check.matching import channel_of, items_of, match, role_name, token_of
from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Recording
from froude.mining.shape.segments import Loop
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Actor,
    CallTemplate,
    Cases,
    Constant,
    Container,
    Effect,
    NodeType,
    Recorded,
    Repeat,
    Template,
    Workload,
)
from froude.workload.types import (
    Counter as CounterRule,
)
from froude.workload.walk import templates
from testbed.synthetic import record
from tests.support.mining.events import PROTOCOL, event

HELD_OUT = {"datanodes": 5, "clients": 5, "dirs": 2, "files": 3, "blocks": 2}


@pytest.fixture(scope="module")
def workload() -> Workload:
    """Mined from three runs."""
    return mine_recordings(
        [
            record(datanodes=3, clients=3, dirs=2, files=3, blocks=2),
            record(datanodes=4, clients=2, dirs=3, files=1, blocks=3),
            record(datanodes=6, clients=4, dirs=2, files=4, blocks=4),
        ]
    )


@pytest.fixture(scope="module")
def run() -> Recording:
    """A run of a size that was not mined."""
    return record(seed=7, **HELD_OUT)


def test_every_sender_is_of_its_type_and_every_call_at_its_place(workload: Workload, run: Recording) -> None:
    """In the numbers that the workload has at that Scale."""
    matched = match(workload, run)
    assert not matched.unmatched
    assert {node_type.name: len(node_type.senders) for node_type in matched.types} == {
        node.name: node.count.whole_at(run.scale) for node in workload.node_types
    }
    assert all(node_type.deviations == 0 for node_type in matched.types)
    ids = {call.id for node in workload.node_types for call in templates(node)}
    never_due = {
        call.id for node in workload.node_types for call in templates(node) if call.method == "renewLease"
    }
    assert {occurrence.template for occurrence in matched.placement.all()} == ids - never_due


def test_nodes_have_the_numbers_that_their_arguments_say(workload: Workload, run: Recording) -> None:
    """Writers began in another order than they are numbered; the name of each one's folder decides."""
    matched = match(workload, run)
    (client,) = [node_type for node_type in matched.types if node_type.name == "client"]
    assert len(client.senders) == HELD_OUT["clients"]
    for number, sender in enumerate(client.senders):
        paths = {value for call in sender.own for value in call.request.values() if isinstance(value, str)}
        assert any(f"writer-{number:02d}" in path for path in paths)


def test_a_sender_of_a_kind_that_the_workload_lacks_is_unmatched(workload: Workload, run: Recording) -> None:
    """It is given back, not forced into a type."""
    other = event(
        len(run.events),
        "registerNodeManager",
        protocol="org.apache.hadoop.yarn.ResourceTrackerPB",
        client="nm",
    )
    matched = match(workload, replace(run, events=(*run.events, other)))
    assert [sender.role.name for sender in matched.unmatched] == ["nodemanager"]


@pytest.mark.parametrize(
    ("name", "context", "role"),
    [
        ("shell-2", "CLI", "shell"),
        ("put", "CLI", "shell"),
        ("put", "put_17", "client"),
        ("ingest", "ingest_17", "client"),
        ("client-3", None, "client"),
        ("container-launcher", None, "container-launcher"),
    ],
)
def test_a_types_role_is_known_by_its_name_or_context(name: str, context: str | None, role: str) -> None:
    """A role's own name may have a hyphen; a shell is named by its command, a client by its program."""
    rule = None if context is None else Constant(context)
    assert role_name(NodeType(name, Count(1), (), caller_context=rule)) == role


def test_elements_of_a_batch_look_like_their_kind() -> None:
    """By the constant that tells them apart; other calls have no kind."""
    status = "blocks[0].blocks[0].status"
    received = CallTemplate("d.e1", "p", "blockReceivedAndDeleted", {status: Constant(1)})
    assert token_of(received) == ("p", "blockReceivedAndDeleted", "1")
    assert token_of(replace(received, arguments={})) == ("p", "blockReceivedAndDeleted", "")
    assert token_of(CallTemplate("c.c1", "p", "create", {status: Constant(1)})) == ("p", "create", "")


def test_steps_become_a_pattern() -> None:
    """Segments are loops, whatever number of times they run."""
    a, b = CallTemplate("a", "p", "a", {}), CallTemplate("b", "p", "b", {})
    tokens = {call.id: token_of(call) for call in (a, b)}
    assert items_of((a, Repeat("L1", Count(3), (b,))), tokens) == (tokens["a"], Loop((tokens["b"],)))


def test_an_effects_channel_is_what_it_says() -> None:
    """Absent parts are empty."""
    effect = Effect(CallTemplate("d.e1", "p", "m", {}), "c.a", "c", "locs", Actor.OWNER, "id", "me.id")
    token = ("p", "addBlock", "")
    channel = channel_of(effect, {"c.a": token})
    assert (channel.token, channel.actor, channel.each, channel.owner, channel.fact) == (
        token, Actor.OWNER, "locs", "id", "me.id",
    )  # fmt: skip
    plain = channel_of(
        replace(effect, each=None, actor=Actor.SELF, owner=None, owner_fact=None), {"c.a": token}
    )
    assert (plain.each, plain.owner, plain.fact) == ("", "", "")


def test_of_types_with_the_same_calls_names_decide() -> None:
    """Nodes begin in any order, and there may be more of a kind than was thought."""
    kinds = {
        "in": Template(("/in/p", CounterRule(0, {"node": 1}))),
        "out": Cases("node", Constant("/out"), None, Constant("/out/more")),
    }
    workload = Workload(
        tuple(
            NodeType(name, Count(1.0), (CallTemplate(f"{name}.c1", PROTOCOL, "mkdirs", {"src": rule}),))
            for name, rule in (("client", kinds["in"]), ("client-2", kinds["out"]))
        ),
        Recorded((), ()),
    )
    paths = ["/out", "/in/p0", "/out/more", "/in/p1"]
    events = [event(at, "mkdirs", {"src": path}, client=path) for at, path in enumerate(paths)]
    matched = match(workload, Recording(events, Scale.of(files=1)))
    assert {mined.name: [sender.key for sender in mined.senders] for mined in matched.types} == {
        "client": ["/in/p0", "/in/p1"], "client-2": ["/out", "/out/more"],
    }  # fmt: skip


def test_of_masters_with_the_same_calls_their_clients_decide() -> None:
    """Each is of the type whose containers have the clients that submitted its application."""
    name = "application_submission_context.application_name"
    number = "application_submission_context.application_id.id"
    clients = [
        NodeType(
            f"submit{end}",
            Count(1.0),
            (CallTemplate(f"submit{end}.c1", PROTOCOL, "submitApplication", {name: Constant(job)}),),
            caller_context=Constant("CLI"),
        )
        for end, job in (("", "count"), ("-2", "total"))
    ]
    masters = [
        NodeType(
            f"appmaster{end}",
            Count(1.0),
            (CallTemplate(f"appmaster{end}.c1", PROTOCOL, "mkdirs", {}),),
            container=Container(f"submit{end}", None, 0.0, 0.0),
        )
        for end in ("", "-2")
    ]
    events = []
    for application, job in ((1, "total"), (2, "count")):
        asked = {name: job, number: application}
        events.append(
            event(len(events), "submitApplication", asked, client=f"c{application}", caller_context="CLI")
        )
        context = f"mr_appmaster_1795768550992_{application:04}_000001"
        events.append(event(len(events), "mkdirs", client=f"m{application}", caller_context=context))
    matched = match(Workload((*clients, *masters), Recorded((), ())), Recording(events, Scale.of(files=1)))
    assert {mined.name: [sender.key for sender in mined.senders] for mined in matched.types} == {
        "submit": ["c2"], "submit-2": ["c1"], "appmaster": ["m2"], "appmaster-2": ["m1"],
    }  # fmt: skip
