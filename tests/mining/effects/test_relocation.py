"""Effects and their causes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.hadoop.rpc.target import Target
from froude.mining.effects.causes import Channel
from froude.mining.effects.relocation import relocate, trace_back
from froude.mining.read.events import Event, Recording
from froude.mining.read.senders import Conventions, Sender, senders_of
from froude.workload.types import Actor
from testbed.synthetic import CLIENT, DATANODE, record
from tests.support.mining.events import PROTOCOL, event


def test_block_reports_are_effects_of_add_block() -> None:
    """Found by the values that flow: the block's id, and the node's own id in the answer's list of places."""
    senders, _ = senders_of([record(datanodes=4, clients=2, dirs=1, files=2, blocks=2)])
    relocations = relocate(senders)
    assert {(role, token[1]) for role, token in relocations} == {("datanode", "blockReceivedAndDeleted")}
    for (relocation,) in relocations.values():
        assert (relocation.channel.token[1], relocation.channel.each) == ("addBlock", "block.locs")
        assert relocation.channel.owner == "id.datanodeUuid"
        for caused in relocation.caused:
            answer = caused.cause.response or {}
            assert caused.call.request["blocks[0].blocks[0].block.blockId"] == answer["block.b.blockId"]
    assert all(call.token[1] != "blockReceivedAndDeleted" for sender in senders for call in sender.own)


def test_known_channels_explain_a_further_run() -> None:
    """A run too small to find effects in is still read by them."""
    channels = {
        key: [relocation.channel]
        for key, (relocation,) in relocate(
            senders_of([record(datanodes=4, clients=2, dirs=1, files=2, blocks=2)])[0]
        ).items()
    }
    senders, _ = senders_of([record(datanodes=1, clients=1, dirs=1, files=1, blocks=1)])
    relocations = trace_back(senders, channels)
    assert sum(len(relocation.caused) for (relocation,) in relocations.values()) >= 1


def test_one_kind_of_call_may_have_two_kinds_of_causes() -> None:
    """A block that was added is reported, and reported again when it was appended to."""
    events: list[Event] = []

    def add(client: str, method: str, request: dict, answer: dict | None = None) -> None:
        at = len(events)
        events.append(event(at, method, request, answer, client=client, start_s=at**1.5))

    nodes = {name: f"{name}-0000-uuid" for name in ("n1", "n2")}
    for name, uuid in nodes.items():
        add(name, "register", {"me.uuid": uuid})
    for block in range(70001, 70009):
        name = ("n1", "n2")[block % 2]
        for method in ("addBlock", "append"):
            add("writer", method, {"src": "/f"}, {"block.id": block, "block.locs[0].uuid": nodes[name]})
            add(name, "received", {"me.uuid": nodes[name], "block": block})
    senders, _ = senders_of([Recording(tuple(events), {})])
    (relocations,) = relocate(senders).values()
    assert sorted((relocation.channel.token[1], len(relocation.caused)) for relocation in relocations) == [
        ("addBlock", 8),
        ("append", 8),
    ]


def written_and_appended(appended: int, protocol: str) -> list[Sender]:
    """Nodes of a protocol that report each of 40 blocks which were added, and some again which were appended to."""
    events: list[Event] = []

    def add(client: str, method: str, request: dict, answer: dict | None = None, **more: str) -> None:
        at = len(events)
        events.append(event(at, method, request, answer, client=client, start_s=at**1.5, **more))

    nodes = {name: f"{name}-0000-uuid" for name in ("n1", "n2")}
    for name, uuid in nodes.items():
        add(name, "register", {"me.uuid": uuid}, protocol=protocol)
    for block in range(70001, 70041):
        name = ("n1", "n2")[block % 2]
        for method in ("addBlock", "append")[: 2 if block <= 70000 + appended else 1]:
            add("writer", method, {"src": "/f"}, {"block.id": block, "block.locs[0].uuid": nodes[name]})
            add(name, "received", {"me.uuid": nodes[name], "block": block}, protocol=protocol)
    return senders_of([Recording(tuple(events), {})], Conventions({}, {}))[0]


@pytest.mark.parametrize(
    ("protocol", "causes"),
    [(DATANODE, {"addBlock": 40, "append": 2}), (CLIENT, {"addBlock": 40})],
)
def test_nodes_that_react_do_so_to_rare_causes_too(protocol: str, causes: dict[str, int]) -> None:
    """Two of 42 reports follow an append: of a DataNode that is a cause, of others nine tenths explain enough."""
    senders = written_and_appended(2, protocol)
    (relocations,) = relocate(senders).values()
    assert {each.channel.token[1]: len(each.caused) for each in relocations} == causes
    assert all(call.token[1] != "received" for sender in senders for call in sender.own)


def test_a_cause_that_was_seen_once_is_none() -> None:
    """One of 41 reports may follow an append by accident."""
    (relocations,) = relocate(written_and_appended(1, DATANODE)).values()
    assert [each.channel.token[1] for each in relocations] == ["addBlock"]


@pytest.mark.parametrize(
    "kinds", [("received",), ("stored",), ("received", "stored"), ("stored", "received")]
)
def test_one_place_causes_one_call_of_each_kind(kinds: tuple[str, ...]) -> None:
    """What one kind of call takes for its cause is there for another kind, too: each has the likeliest of its own."""
    events: list[Event] = []

    def add(client: str, method: str, request: dict, answer: dict | None = None, **more: str) -> None:
        at = len(events)
        events.append(event(at, method, request, answer, client=client, start_s=at**1.5, **more))

    add("n1", "register", {"me.uuid": "n1-0000-uuid"}, protocol=DATANODE)
    for method in ("addBlock", "append"):
        add("writer", method, {"src": "/f"}, {"block.id": 70001, "block.locs[0].uuid": "n1-0000-uuid"})
    for kind in kinds:
        add("n1", kind, {"me.uuid": "n1-0000-uuid", "block": 70001}, protocol=DATANODE)
    senders, _ = senders_of([Recording(tuple(events), {})], Conventions({}, {}))
    channels = [
        Channel((PROTOCOL, method, ""), Actor.OWNER, "block.locs", "uuid", "me.uuid")
        for method in ("addBlock", "append")
    ]
    traced = trace_back(senders, {("datanode", (DATANODE, kind, "")): channels for kind in kinds})
    caused = {key[1][1]: [len(each.caused) for each in relocations] for key, relocations in traced.items()}
    assert caused == {key: [1, 0] for key in kinds}


NODES = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
NAMENODE = Target("namenode", "127.0.0.11:8020", "CID-1")


def localisation(nodes: int, own: int = 0, conventions: Conventions | None = None) -> list[Sender]:
    """Nodes that are asked, each at its address, to run what lies in files, and then look those up.

    The NameNode, which everybody calls, shares the first node's host. Each node also looks up `own` files of its own.
    """
    events: list[Event] = []

    def add(client: str, method: str, request: dict, target: Target = NAMENODE, **more: str) -> None:
        events.append(event(len(events), method, request, client=client, target=target, **more))

    addresses = [Target("nodemanager", f"127.0.0.{11 + number}:8041") for number in range(nodes)]
    for number, address in enumerate(addresses):
        request = {"node.host": address.host, "node.port": 8041, "http": 8042}
        add(f"node{number}", "register", request, Target("resourcemanager"), protocol=NODES)
    for file in range(6):
        add("writer", "create", {"src": f"/staging/{file}"})
    for start in range(6):
        number = start % nodes
        files = {f"files[{at}].path": f"/staging/{(start + at) % 6}" for at in range(1)}
        add("master", "start", files, addresses[number])
        for path in files.values():
            add(f"node{number}", "look", {"src": path})
    for number in range(nodes):
        for file in range(own):
            add(f"node{number}", "look", {"src": f"/own/{number}/{file}"})
    senders, _ = senders_of([Recording(tuple(events), {})], conventions)
    return senders


def test_a_request_addressed_to_a_node_causes_what_it_does() -> None:
    """The callee of the request acts, whom nothing in it names; a daemon that shares its host is another callee."""
    senders = localisation(nodes=2)
    ((key, (relocation,)),) = relocate(senders).items()
    assert (key[0], key[1][1]) == ("nodemanager", "look")
    channel = relocation.channel
    assert (channel.token[1], channel.actor, channel.each, channel.fact) == (
        "start", Actor.CALLEE, "files", "node.host",
    )  # fmt: skip
    assert len(relocation.caused) == 6
    for caused in relocation.caused:
        assert caused.call.request["src"] == caused.cause.request[f"files[{caused.index[0]}].path"]
        assert caused.cause.event.target.host == caused.sender.first.request["node.host"]


@pytest.mark.parametrize(("own", "taken"), [(3, 6), (4, 0)])
def test_calls_of_that_kind_which_nobody_asked_for_stay_the_nodes_own(own: int, taken: int) -> None:
    """As long as half of all were asked for; below that it may be chance."""
    senders = localisation(nodes=2, own=own)
    relocations = relocate(senders)
    assert sum(len(relocation.caused) for (relocation,) in relocations.values()) == taken
    left = [call for s in senders for call in s.own if call.token[1] == "look"]
    assert len(left) == 2 * own + (6 - taken)


def test_one_node_alone_shows_no_address() -> None:
    """Any rare value would seem to be meant for it."""
    assert relocate(localisation(nodes=1)) == {}


def test_a_further_run_is_read_by_the_same_requests() -> None:
    """With one node, too; what nobody asked for stays."""
    channels = {
        key: [relocation.channel for relocation in relocations]
        for key, relocations in relocate(localisation(nodes=3)).items()
    }
    senders = localisation(nodes=1, own=2, conventions=Conventions({}, {}))
    ((relocation,),) = trace_back(senders, channels).values()
    assert len(relocation.caused) == 6
    assert [call.token[1] for s in senders if s.role.name == "nodemanager" for call in s.own] == [
        "register", "look", "look",
    ]  # fmt: skip


@pytest.mark.parametrize(("nodes", "known"), [(1, False), (2, True)])
def test_blocks_that_all_went_to_one_datanode_are_its_effects(nodes: int, known: bool) -> None:
    """As happens by chance with few blocks; another DataNode beside it shows that its id tells the two apart."""
    events: list[Event] = []

    def add(client: str, method: str, request: dict, answer: dict | None = None, **more: str) -> None:
        at = len(events)
        events.append(event(at, method, request, answer, client=client, start_s=at**1.5, **more))

    datanode = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
    for number in range(nodes):
        add(f"n{number}", "register", {"me.uuid": f"uuid-of-{number}"}, protocol=datanode)
    for block in range(70001, 70005):
        add("writer", "addBlock", {"src": "/f"}, {"block.id": block, "block.locs[0].uuid": "uuid-of-0"})
        add("n0", "received", {"me.uuid": "uuid-of-0", "block": block}, protocol=datanode)
    senders, _ = senders_of([Recording(tuple(events), {})], Conventions({}, {}))
    assert {token[1] for _, token in relocate(senders)} == ({"received"} if known else set())


def test_a_command_to_another_node_is_a_cause() -> None:
    """A beat's answer tells a node to copy blocks to others: each node of each target reports the block beside it."""
    senders, _ = senders_of([commands()])
    ((relocation,),) = relocate(senders).values()
    channel = relocation.channel
    assert (channel.each, channel.owner) == ("cmds[].targets[].nodes", "uuid")
    assert len(relocation.caused) == 6 * 4
    for caused in relocation.caused:
        answer, request = dict(caused.cause.response or {}), caused.call.request
        command, target, node = caused.index
        assert answer[f"cmds[{command}].blocks[{target}].blockId"] == request["block.blockId"]
        assert answer[f"cmds[{command}].targets[{target}].nodes[{node}].uuid"] == request["me.uuid"]


def test_a_list_in_one_element_of_another_is_known_from_older_workloads() -> None:
    """A further run is read by it as far as it goes: by the reports of each command's first block."""
    senders, _ = senders_of([commands()])
    ((key, (relocation,)),) = relocate(senders).items()
    first = replace(relocation.channel, each="cmds[0].targets[0].nodes")
    senders, _ = senders_of([commands()])
    ((traced,),) = trace_back(senders, {key: [first]}).values()
    firsts = 0
    for caused in traced.caused:
        answer, (node,) = dict(caused.cause.response or {}), caused.index
        assert answer[f"cmds[0].targets[0].nodes[{node}].uuid"] == caused.call.request["me.uuid"]
        firsts += answer["cmds[0].blocks[0].blockId"] == caused.call.request["block.blockId"]
    assert firsts == 6 * 2


@pytest.mark.parametrize(("copied", "each"), [(1, "cmds[0].targets[0].nodes"), (2, "cmds[].targets[].nodes")])
def test_a_list_of_which_one_element_alone_acts_is_not_gone_through(copied: int, each: str) -> None:
    """Targets of the second block were there every time and never reported it."""
    senders, _ = senders_of([commands(copied)])
    ((relocation,),) = relocate(senders).values()
    assert relocation.channel.each == each
    assert len(relocation.caused) == 6 * 2 * copied


def commands(copied: int = 2) -> Recording:
    """Beats that are answered with two blocks of one length to copy, each to two nodes, one of which gets both.

    Args:
        copied: how many of the blocks are reported.
    """
    events: list[Event] = []

    def add(client: str, method: str, request: dict, answer: dict | None = None) -> None:
        events.append(event(len(events), method, request, answer, client=client, protocol=DATANODE))

    nodes = [f"node-{n}-uuid" for n in range(4)]
    for uuid in nodes:
        add(uuid, "registerDatanode", {"me.uuid": uuid})
    for beat in range(6):
        sender, *others = (nodes[(beat + step) % 4] for step in range(4))
        blocks = {1073741825 + 2 * beat: others[:2], 1073741826 + 2 * beat: others[1:]}
        answer: dict = {}
        for at, (block, targets) in enumerate(blocks.items()):
            answer |= {f"cmds[0].blocks[{at}].blockId": block, f"cmds[0].blocks[{at}].numBytes": 281633}
            answer |= {f"cmds[0].targets[{at}].nodes[{n}].uuid": target for n, target in enumerate(targets)}
        add(sender, "sendHeartbeat", {"me.uuid": sender}, answer)
        for block, targets in reversed([*blocks.items()][:copied]):
            for target in targets:
                add(target, "reported", {"me.uuid": target, "block.blockId": block, "block.numBytes": 281633})
    return Recording(tuple(events), {})
