"""Effects and their causes."""

from __future__ import annotations

from froude.mining.events import Event, Recording
from froude.mining.relocation import is_distinctive, relocate, trace_back
from froude.mining.senders import senders_of
from tests.mining.events import event
from tests.mining.synthetic import record


def test_block_reports_are_effects_of_add_block() -> None:
    """Found by the values that flow: the block's id, and the node's own id in the answer's list of places."""
    senders, _ = senders_of([record(datanodes=4, clients=2, dirs=1, files=2, blocks=2)])
    found = relocate(senders)
    assert {(role, token[1]) for role, token in found} == {("datanode", "blockReceivedAndDeleted")}
    for (relocation,) in found.values():
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
    found = trace_back(senders, channels)
    assert sum(len(relocation.caused) for (relocation,) in found.values()) >= 1


def test_ids_are_distinctive_and_flags_are_not() -> None:
    """Meeting a flag twice is no news."""
    assert is_distinctive(1073741825)
    assert is_distinctive("DS-7fe862ce")
    assert not any(is_distinctive(value) for value in (True, 3, "", None, 0.5))


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
    (found,) = relocate(senders).values()
    assert sorted((one.channel.token[1], len(one.caused)) for one in found) == [
        ("addBlock", 8),
        ("append", 8),
    ]
