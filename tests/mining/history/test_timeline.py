"""Where recorded values come from: of the node's own calls, of other nodes', of a cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from froude.hadoop.rpc.target import UNKNOWN, Target
from froude.mining.history.timeline import OccurrenceContext, Timeline, columns, type_of, value_at
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CALLEE_HOST,
    CALLEE_PORT,
    NODE,
    Counter,
    Flow,
    Generated,
    Scaled,
    Side,
    Which,
)
from tests.support.mining.events import calls, event


class History:
    """Calls of some nodes, made one after the other, half a second each."""

    def __init__(self) -> None:
        self.occurrences: list[Occurrence] = []
        self._senders: dict[tuple[str, int], Sender] = {}

    def call(  # noqa: PLR0917
        self,
        template: str,
        loops: Mapping[str, int] | None = None,
        request: dict | None = None,
        response: dict | None = None,
        node: int = 0,
        lasts_s: float | None = 0.1,
        error: str | None = None,
        target: Target = UNKNOWN,
        role: Role = Role("client"),  # noqa: B008 - a constant
        **more: object,
    ) -> Occurrence:
        """Add one; it is never answered if it lasts None."""
        number = len(self.occurrences)
        sender = self._senders.setdefault(
            (type_of(template), node), Sender(0, f"{type_of(template)}{node}", role, [])
        )
        logical = calls(
            event(
                number,
                "m",
                request,
                response,
                start_s=number * 0.5,
                end_s=number * 0.5 + (lasts_s or 0.0),
                error=error,
                target=target,
                answered=lasts_s is not None,
            )
        )
        occurrence = Occurrence(0, node, sender, template, logical[0], dict(loops or {}), **more)  # type: ignore[arg-type]
        self.occurrences.append(occurrence)
        return occurrence

    def gives(self, flow: Flow, taker: Occurrence) -> Value:
        """What a flow gives at a call."""
        return Timeline(self.occurrences).resolve(flow, taker)


def source(which: Which, node_type: str | None = None, plus: int = 0) -> Flow:
    """A flow from the answers of `c.a`."""
    return Flow("c.a", Side.RESPONSE, "id", which, node_type, plus)


@pytest.fixture
def loop() -> tuple[History, Occurrence]:
    """Three iterations of a source, in each after it a call of another loop; the last one takes."""
    history = History()
    for n in range(3):
        history.call("c.a", {"L1": n}, response={"id": 100 + n})
    taker = history.call("c.b", {"L1": 2, "L2": 1})
    return history, taker


@pytest.mark.parametrize(
    ("which", "expected"),
    [(Which.SAME, 102), (Which.PREVIOUS, 101), (Which.FIRST, 100), (Which.LAST, 102)],
)
def test_each_occurrence_of_ones_own_calls(
    which: Which, expected: int, loop: tuple[History, Occurrence]
) -> None:
    """As `workload.occurrences` defines it."""
    history, taker = loop
    assert history.gives(source(which), taker) == expected
    assert history.gives(source(which, plus=5), taker) == expected + 5


@pytest.mark.parametrize(
    ("loops", "expected"), [({"L9": 1}, 101), ({"L9": 1, "L8": 2}, 101), ({"L9": 7}, None)]
)
def test_the_nth_is_that_of_the_takers_outer_number(loops: dict[str, int], expected: int | None) -> None:
    """Whatever it is called, and however deep the taker stands below it."""
    history = History()
    for n in range(3):
        history.call("c.a", {"L1": n}, response={"id": 100 + n})
    value = history.gives(source(Which.NTH), history.call("c.b", loops))
    assert value == (Special.UNRESOLVED if expected is None else expected)


def test_of_another_type_the_node_of_the_same_number_is_meant() -> None:
    """NTH goes by node and iteration; FIRST and LAST by time, over all nodes."""
    history = History()
    for node in (1, 0):
        for n in range(2):
            history.call("c.a", {"L1": n}, response={"id": 10 * node + n}, node=node)
    taker = history.call("d.b", {"L5": 1}, node=1)
    values = [history.gives(source(which, "c"), taker) for which in (Which.NTH, Which.FIRST, Which.LAST)]
    assert values == [11, 10, 1]


def test_an_answer_counts_from_when_it_came() -> None:
    """A request that was sent is known at once; an answer that is still under way is not."""
    history = History()
    history.call("c.a", request={"src": "/f"}, response={"id": 7}, lasts_s=9.0)
    taker = history.call("c.b")
    assert history.gives(source(Which.LAST), taker) is Special.UNRESOLVED
    assert history.gives(Flow("c.a", Side.REQUEST, "src", Which.LAST), taker) == "/f"


@pytest.mark.parametrize("node_type", [None, "c"])
@pytest.mark.parametrize(
    ("which", "lasts_s", "expected"),
    [
        (Which.LAST, 0.9, "slow"),
        (Which.FIRST, 0.9, "fast"),
        (Which.FIRST, 9.0, "fast"),
        (Which.LAST, 9.0, "fast"),
        (Which.FIRST, None, "fast"),
        (Which.LAST, None, "fast"),
    ],
)
def test_answers_are_in_the_order_in_which_they_came(
    which: Which, lasts_s: float | None, expected: str, node_type: str | None
) -> None:
    """Whatever the order of the calls; one that has not come, or never comes, is passed by."""
    history = History()
    history.call("c.a", response={"id": "slow"} if lasts_s else None, lasts_s=lasts_s)
    history.call("c.a", response={"id": "fast"}, node=0 if node_type is None else 1)
    taker = history.call("c.b" if node_type is None else "d.b")
    assert history.gives(source(which, node_type), taker) == expected


def test_requests_are_in_the_order_in_which_they_were_sent() -> None:
    """Whatever the order of their answers."""
    history = History()
    for name, lasts_s in (("/1", 9.0), ("/2", 0.1)):
        history.call("c.a", request={"src": name}, lasts_s=lasts_s)
    taker = history.call("c.b")
    flows = [Flow("c.a", Side.REQUEST, "src", which) for which in (Which.FIRST, Which.LAST)]
    assert [history.gives(flow, taker) for flow in flows] == ["/1", "/2"]


def test_an_error_is_an_answer_that_lacks_every_value() -> None:
    """And not that of the call before."""
    history = History()
    history.call("c.a", response={"id": 1})
    history.call("c.a", error="java.io.IOException")
    assert history.gives(source(Which.LAST, plus=1), history.call("c.b")) is Special.ABSENT


def test_a_request_that_was_repeated_counts_from_its_first_attempt() -> None:
    """A repeated request is the same word for word: what came between the attempts was not in it."""
    history = History()
    taker = history.call("c.b")
    history.call("c.a", request={"src": "/f"}, response={"id": 7})
    again = event(2, "m", start_s=1.0)
    first = taker.call
    taker.call = replace(first, event=again, raw=(*first.raw, (again, {})))
    assert history.gives(source(Which.LAST), taker) is Special.UNRESOLVED
    assert history.gives(Flow("c.a", Side.REQUEST, "src", Which.LAST), taker) is Special.UNRESOLVED


def test_the_nth_effect_is_the_latest_of_its_node_before_the_taker() -> None:
    """Among all nodes an effect stands where its node stands, in none of its cause's loops."""
    history = History()
    cause = history.call("c.a", {"L1": 3}, response={"id": 9}, node=1)
    history.call("d.e", {"c.L1": 3}, {"id": 1}, node=1, cause=cause)
    taker = history.call("c.b", {"L5": 0}, node=1)
    effect = history.call("d.e", {"c.L1": 3}, {"id": 2}, node=1, cause=cause)
    assert history.gives(Flow("d.e", Side.REQUEST, "id", Which.NTH, "d"), taker) == 1
    assert history.gives(source(Which.NTH, "c"), effect) is Special.UNRESOLVED


def test_later_calls_are_no_sources() -> None:
    """Nor the first of all, where that comes later."""
    history = History()
    taker = history.call("c.b")
    history.call("c.a", response={"id": 7})
    assert all(history.gives(source(which), taker) is Special.UNRESOLVED for which in Which)


def test_what_the_source_lacks_is_absent_and_not_unknown() -> None:
    """An optional field that was not answered."""
    history = History()
    history.call("c.a", response={})
    assert history.gives(source(Which.LAST), history.call("c.b")) is Special.ABSENT


def test_a_number_is_added_to_numbers_only() -> None:
    """Text and one is nothing."""
    history = History()
    history.call("c.a", response={"id": "x"})
    taker = history.call("c.b")
    assert history.gives(source(Which.LAST), taker) == "x"
    assert history.gives(source(Which.LAST, plus=1), taker) is Special.UNRESOLVED


def test_a_cause_gives_the_element_of_its_effect() -> None:
    """Another place in the cause's answer for each."""
    history = History()
    cause = history.call("c.a", response={"locs[0].id": "dn-0", "locs[1].id": "dn-1"})
    effect = history.call("d.e1", cause=cause, each=(1,))
    flow = Flow("c.a", Side.RESPONSE, "locs[{each}].id", Which.CAUSE, "c")
    assert history.gives(flow, effect) == "dn-1"
    assert history.gives(flow, history.call("d.b")) is Special.UNRESOLVED


@pytest.mark.parametrize(
    ("element", "value"),
    [
        (Counter(0, {"L1": 1}), b"b"),
        (Counter(-2, {"L1": 1}), Special.ABSENT),
        (Scaled(Count(2)), b"c"),
        (None, Special.ABSENT),
    ],
)
def test_an_element_of_a_list(element: Counter | Scaled | None, value: Value) -> None:
    """Which one, is worked out at the taking call; one that the list lacks is absent."""
    history = History()
    history.call("c.a", response={f"files[{at}].path": name for at, name in enumerate((b"a", b"b", b"c"))})
    taker = history.call("c.b", {"L1": 1})
    rule = Flow("c.a", Side.RESPONSE, "files[{each}].path", element=element)
    assert OccurrenceContext(Timeline(history.occurrences), {}, taker).flow(rule) == value


def test_a_call_may_take_from_its_own_request() -> None:
    """The leaf beside."""
    history = History()
    taker = history.call("c.a", request={"src": "/f"})
    assert history.gives(Flow("c.a", Side.REQUEST, "src", Which.SAME), taker) == "/f"


def test_where_a_value_was_seen_before() -> None:
    """In the node's own calls, or in those of others; requests at once, answers once they came."""
    history = History()
    history.call("c.a", request={"src": "/f"}, response={"id": 4242}, node=0)
    history.call("c.a", response={"id": 4242}, node=1, lasts_s=9.0)
    taker = history.call("c.b", node=0)
    timeline = Timeline(history.occurrences)
    assert timeline.sources(taker, 4242) == [("c.a", None, Side.RESPONSE, "id")]
    assert timeline.sources(taker, "/f") == [("c.a", None, Side.REQUEST, "src")]
    assert timeline.sources(taker, 4242, others=True) == []
    other = history.call("d.b", node=0)
    timeline = Timeline(history.occurrences)
    assert timeline.sources(other, 4242, others=True) == [("c.a", "c", Side.RESPONSE, "id")]
    assert timeline.sources(other, 4242.0, others=True) == []


def test_columns_have_a_value_for_every_call() -> None:
    """Absent where a request lacks the leaf, in the order in which leaves first stand."""
    history = History()
    occurrences = [history.call("c.a", request=request) for request in ({"a": 1}, {"b": 2, "a": 3})]
    assert columns(occurrences) == {"a": [1, 3], "b": [Special.ABSENT, 2]}
    assert value_at({"a": 1}, "b") is Special.ABSENT


def test_a_recorded_call_as_rules_see_it() -> None:
    """Its place and its run's Scale; of the machine where its connection comes from, and nothing random."""
    history = History()
    taker = history.call("c.a", {"L1": 3}, node=2, last={"L1": True})
    context = OccurrenceContext(Timeline([taker]), Scale.of(files=4), taker)
    assert (context.index(NODE), context.index("L1"), context.index("L7")) == (2, 3, 0)
    assert context.is_last("L1")
    assert not context.is_last("L7")
    assert context.scale["files"].value == 4
    assert context.fact("uuid") is Special.UNRESOLVED
    assert context.fact("address") == "127.0.0.1"
    assert context.generated(Generated("uuid")) is Special.UNRESOLVED


@pytest.mark.parametrize(
    ("client", "length"),
    [
        ([("c.b", {"last.blockId": 77, "last.numBytes": 5})], 5),
        ([("c.b", {"last.blockId": 78, "last.numBytes": 5})], Special.UNRESOLVED),
        ([("d.b", {"last.blockId": 77, "last.numBytes": 5})], Special.UNRESOLVED),
        ([("c.b", {"last.blockId": 77})], Special.UNRESOLVED),
        (
            [
                ("c.b", {"previous.blockId": 77, "previous.numBytes": 3}),
                ("c.d", {"last.blockId": 77, "last.numBytes": 5}),
            ],
            3,
        ),
    ],
)
def test_the_length_of_a_block_is_what_its_client_says_next(
    client: list[tuple[str, dict]], length: Value
) -> None:
    """After the call that caused the report; not what others say, nor of another block."""
    history = History()
    history.call("c.z", request={"last.blockId": 77, "last.numBytes": 1})
    cause = history.call("c.a", response={"block.b.blockId": 77})
    report = {"blocks[0].blocks[0].block.blockId": 77, "blocks[0].blocks[0].block.numBytes": 9}
    taker = history.call("datanode.e1", request=report, cause=cause)
    for template, request in client:
        history.call(template, request=request)
    timeline = Timeline(history.occurrences)
    assert OccurrenceContext(timeline, {}, taker).fact("length") == length
    assert OccurrenceContext(timeline, {}, taker).fact("uuid") is Special.UNRESOLVED
    assert OccurrenceContext(timeline, {}, cause).fact("length") is Special.UNRESOLVED


def at(address: str) -> Target:
    """A NodeManager."""
    return Target("nodemanager", address)


def test_where_others_called_a_daemon_last() -> None:
    """Of services of several daemons; not the node's own calls, nor later ones."""
    history = History()
    history.call("a.c1", target=at("10.0.0.1:8041"))
    history.call("c.a", target=at("10.0.0.2:8041"))
    history.call("b.c1", target=at("10.0.0.2:8041"))
    taker = history.call("c.b", target=Target("namenode", "10.0.0.2:8020"))
    history.call("a.c1", target=at("10.0.0.2:8041"))
    timeline = Timeline(history.occurrences)
    assert timeline.called_last(taker, "10.0.0.2") == ("b.c1", "b", Side.REQUEST, CALLEE_HOST)
    assert timeline.called_last(taker, "10.0.0.3") is None
    assert timeline.resolve(Flow("b.c1", Side.REQUEST, CALLEE_HOST, Which.LAST, "b"), taker) == "10.0.0.2"
    assert timeline.plural == {"nodemanager"}


def test_whom_a_node_called_itself_is_a_source_of_its_own() -> None:
    """Host and port of the call, as of the leaves of its request; other nodes' calls are none."""
    history = History()
    history.call("c.a", target=Target("namenode", "10.0.0.2:40020"))
    taker, other = history.call("c.b"), history.call("d.b")
    timeline = Timeline(history.occurrences)
    assert timeline.sources(taker, 40020) == [("c.a", None, Side.REQUEST, CALLEE_PORT)]
    assert timeline.sources(other, 40020, others=True) == []
    assert timeline.resolve(Flow("c.a", Side.REQUEST, CALLEE_PORT), taker) == 40020


def test_what_a_datanode_says_of_a_block_is_no_source() -> None:
    """It was told so without a call: by the client that closes the block afterwards."""
    report = {"blocks[0].blocks[0].block.numBytes": 251569, "blocks[0].blocks[0].block.blockId": 1073741825}
    datanode = Role("datanode", program="datanode", emulated=True)
    history = History()
    history.call("datanode.e1", request=report, role=datanode)
    taker = history.call("c.b")
    timeline = Timeline(history.occurrences)
    assert timeline.sources(taker, 251569, others=True) == []
    assert timeline.sources(taker, 1073741825, others=True)
