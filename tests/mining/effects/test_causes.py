"""Ways in which an earlier call may have caused one."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.mining.effects.causes import Caused, Channel, Options, answers_that_name, is_passing
from froude.mining.effects.rare_values import Said
from froude.mining.read.canonical import logical_calls
from froude.mining.read.events import Event
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.workload.types import Actor
from tests.support.mining.events import event
from tests.support.mining.traced_back import options_of
from tests.support.seeds import examples

BLOCK = 70_001


def senders_of(events: list[Event], beats: str = "beat") -> list[Sender]:
    """Who made them; nodes are of one role, and have beats."""
    found = []
    for client in dict.fromkeys(each.client for each in events):
        calls = logical_calls(each for each in events if each.client == client)
        periodic = [call for call in calls if call.token[1] == beats]
        own = [call for call in calls if call.token[1] != beats]
        found.append(Sender(0, client, Role("node" if client[0] == "n" else client), calls, own, periodic))
    return found


def options(senders: list[Sender], number: int, method: str) -> tuple[Options, list[Caused]]:
    """What may have caused a sender's calls of a method."""
    said = Said(senders)
    users = said.users(senders[number].role.name)
    rows = [at for at in said.own_of(number).tolist() if said.calls[at].token[1] == method]
    found = answers_that_name(said, np.array(rows, np.int64), users)
    return found, found.caused()


def told(client: str, order: int, **leaves: object) -> Event:
    """What a node says of itself, and more."""
    return event(order, "report", {"me": f"{client}-0000-uuid", **leaves}, client=client)


def test_an_answer_causes_what_the_named_node_says_of_it() -> None:
    """The element that names it, and the latest answer of each kind; what came later causes nothing."""
    places = {"block": BLOCK, "locs[0].uuid": "n1-0000-uuid", "locs[1].uuid": "n2-0000-uuid"}
    senders = senders_of(
        [
            told("n1", 0),
            told("n2", 1),
            event(2, "add", {}, places, client="writer"),
            event(3, "add", {}, places, client="writer"),
            event(4, "append", {}, places, client="writer"),
            told("n2", 5, block=BLOCK),
            event(6, "extend", {}, places, client="writer"),
        ]
    )
    found, caused = options(senders, 1, "report")
    channels = [found.channels[at] for at in found.channel.tolist()]
    assert [(channel.token[1], channel.each, channel.owner, channel.fact) for channel in channels] == [
        ("append", "locs", "uuid", "me"),
        ("add", "locs", "uuid", "me"),
    ]
    assert [(each.call.order, each.cause.order, each.index) for each in caused] == [
        (5, 4, (1,)),
        (5, 3, (1,)),
    ]


def test_elements_whose_place_is_that_of_the_calls_values_come_first() -> None:
    """A command's second target gets its second block."""
    answer = {
        "block[0]": 80_001,
        "block[1]": BLOCK,
        "to[0].uuid": "n1-0000-uuid",
        "to[1].uuid": "n1-0000-uuid",
    }
    events = [told("n1", 0), event(1, "order", {}, answer, client="m"), told("n1", 2, block=BLOCK)]
    _, (caused,) = options(senders_of(events), 0, "report")
    assert caused.index == (1,)


def test_of_each_call_the_first_option_of_a_channel_stays() -> None:
    """Whatever is added later."""
    events = [told("n1", 0), told("n1", 1)]
    made = Options(Said(senders_of(events)), np.array([0, 1]))
    channel, other = (Channel(("p", name, ""), Actor.CALLEE, "", "", "") for name in ("one", "other"))
    made.add([(1, channel, 0, (0,)), (1, channel, 1, (1,))])
    made.add([(1, channel, 1, (2,)), (1, other, 0, (3,)), (0, channel, 0, (4,))])
    made.add([])
    assert [made.numbers[at] for at in made.index.tolist()] == [(0,), (3,), (4,)]
    some = made.of(made.row == 1)
    assert [(each.call.order, each.cause.order, each.index) for each in some.caused()] == [
        (1, 0, (0,)),
        (1, 0, (3,)),
    ]


def test_reports_of_what_is_on_its_way_pass() -> None:
    """Time decides whether they are made."""
    assert is_passing(("p", "blockReceivedAndDeleted", "1"))
    assert not is_passing(("p", "blockReceivedAndDeleted", "2"))
    assert not is_passing(("p", "addBlock", ""))


_IDS = ["id-000001", "id-000002", "n0-uuid-0000", "n1-uuid-0000", 70_000, 70_001, 70_000.0, True, 3, None]
_PATHS = ["a", "b", "list[0].x", "list[1].x", "list[1].more[0].y", "list[1].more[1].y"]
_LEAVES = st.dictionaries(st.sampled_from(_PATHS), st.sampled_from(_IDS), max_size=4)
_EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["n0", "n1", "n2", "m"]),
        st.sampled_from(["report", "add", "beat"]),
        _LEAVES,
        _LEAVES,
        st.sampled_from([0.0, 0.5, 3.0]),
    ),
    max_size=25,
)


@settings(max_examples=examples(100))
@given(_EVENTS, st.integers(1, 4))
def test_options_are_those_that_one_call_after_the_other_has(drawn: list[Any], times: int) -> None:
    """However many answers hold a value, in whatever order they come, and whoever is named."""
    events = [
        event(at, method, request, response, client=client, start_s=float(at), end_s=at + lasts)
        for at, (client, method, request, response, lasts) in enumerate(drawn * times)
    ]
    senders = senders_of(events)
    for number, sender in enumerate(senders):
        found, caused = options(senders, number, "report")
        for call in (each for each in sender.own if each.token[1] == "report"):
            of_call = {
                found.channels[channel]: (each.cause.order, each.index)
                for channel, each in zip(found.channel.tolist(), caused, strict=True)
                if each.call is call
            }
            assert of_call == options_of(sender, call, senders)
