"""Ways in which an earlier call may have caused one."""

from __future__ import annotations

from froude.hadoop.target import Target
from froude.mining.causes import addressed, causes_of, is_passing, runs_of
from froude.mining.events import Event, Recording
from froude.mining.senders import Conventions, Sender, senders_of
from froude.workload.types import Actor
from tests.mining.events import event

BLOCK = 70_001


def _senders(*events: Event) -> list[Sender]:
    return senders_of([Recording(events, {})], Conventions({}, {}))[0]


def _told(client: str, order: int, **leaves: object) -> Event:
    return event(order, "report", {"me": f"{client}-0000-uuid", **leaves}, client=client)


def test_an_answer_causes_what_the_named_node_says_of_it() -> None:
    """The element that names it, and the latest answer of each kind; what came later causes nothing."""
    places = {"block": BLOCK, "locs[0].uuid": "n1-0000-uuid", "locs[1].uuid": "n2-0000-uuid"}
    senders = _senders(
        _told("n1", 0),
        _told("n2", 1),
        event(2, "add", {}, places, client="writer"),
        event(3, "add", {}, places, client="writer"),
        event(4, "append", {}, places, client="writer"),
        _told("n2", 5, block=BLOCK),
        event(6, "extend", {}, places, client="writer"),
    )
    run = runs_of(senders)[0]
    node = senders[1]
    found = list(causes_of(node, node.calls[1], run))
    assert [(channel.token[1], channel.each, channel.owner, channel.fact) for channel, _ in found] == [
        ("append", "locs", "uuid", "me"),
        ("add", "locs", "uuid", "me"),
    ]
    assert [(caused.cause.order, caused.index) for _, caused in found] == [(4, (1,)), (3, (1,))]
    assert not list(causes_of(node, node.calls[0], run))


def test_elements_whose_place_is_that_of_the_calls_values_come_first() -> None:
    """A command's second target gets its second block."""
    answer = {
        "block[0]": 80_001,
        "block[1]": BLOCK,
        "to[0].uuid": "n1-0000-uuid",
        "to[1].uuid": "n1-0000-uuid",
    }
    senders = _senders(_told("n1", 0), event(1, "order", {}, answer, client="m"), _told("n1", 2, block=BLOCK))
    node = senders[0]
    (_, first), (_, second) = causes_of(node, node.calls[1], runs_of(senders)[0])
    assert (first.index, second.index) == ((1,), (0,))


def test_a_request_to_a_node_causes_what_it_does_with_its_values() -> None:
    """The first that held the value, if the node did not know it before."""
    here = Target("nodemanager", "10.0.0.7:4000", "")
    facts = {"host": "10.0.0.7", "port": 4000}
    senders = _senders(
        event(0, "register", facts, client="n1"),
        event(1, "start", {"files[0].path": "/a/job.jar"}, client="am", target=here),
        event(2, "start", {"files[0].path": "/a/job.jar"}, client="am", target=here),
        event(3, "look", {"src": "/a/job.jar"}, client="n1"),
        event(4, "look", {"src": "/another"}, client="n1"),
    )
    run, node = runs_of(senders)[0], senders[0]
    ((channel, caused),) = addressed(node, node.calls[1], run)
    assert (channel.actor, channel.each, channel.fact) == (Actor.CALLEE, "files", "host")
    assert caused.cause.order == 1
    assert not list(addressed(node, node.calls[2], run))


def test_reports_of_what_is_on_its_way_pass() -> None:
    """Time decides whether they are made."""
    assert is_passing(("p", "blockReceivedAndDeleted", "1"))
    assert not is_passing(("p", "blockReceivedAndDeleted", "2"))
    assert not is_passing(("p", "addBlock", ""))
