"""What a node remembers of its calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.memory import Kept, Memory, Needs
from froude.hadoop.release.distribution import Hadoop
from froude.workload.occurrences import Loops, key_of
from froude.workload.rules import Special
from froude.workload.scale import Count
from froude.workload.types import (
    CALLEE_HOST,
    CALLEE_PORT,
    CallTemplate,
    Counter,
    Effect,
    Flow,
    NodeType,
    Recorded,
    Repeat,
    Side,
    Which,
    Workload,
)
from testbed.plans import CLIENT, workload


def call(name: str) -> CallTemplate:
    """A call of that id."""
    return CallTemplate(name, CLIENT, "getFileInfo", {})


def keep(  # noqa: PLR0917 - a side of a call, and where it goes
    kept: Kept, memory: Memory, call: str, loops: Loops, side: Side, message: Message | None
) -> None:
    """Keep what later rules take of one side of a call."""
    wanted = kept.get(call, {}).get(side)
    if wanted is not None:
        memory.add(key_of(call, side), wanted, loops, wanted.values(message))


def test_only_what_is_taken_later_is_kept(hadoop: Hadoop) -> None:
    """A call whose answer nobody uses leaves nothing; PREVIOUS is the occurrence of the iteration before."""
    needs, memory = Needs(workload()), Memory()
    assert not needs.wants("client.info", Side.RESPONSE)
    assert needs.wants("client.add", Side.RESPONSE)
    kind = hadoop.schema().method(CLIENT, "addBlock")

    def add(iteration: int, block_id: int) -> None:
        response = kind.response()
        response.block.b.blockId = block_id  # type: ignore[attr-defined]
        loops = {"L1": 0, "L2": iteration}
        keep(needs.own, memory, "client.add", loops, Side.REQUEST, kind.request())
        keep(needs.own, memory, "client.add", loops, Side.RESPONSE, response)

    def flow(which: Which, iteration: int, plus: int = 0) -> object:
        rule = Flow("client.add", Side.RESPONSE, "block.b.blockId", which, plus=plus)
        return memory.flow(rule, {"L1": 0, "L2": iteration})

    assert flow(Which.LAST, 0) is Special.UNRESOLVED
    add(0, 71)
    assert flow(Which.PREVIOUS, 1) == 71
    add(1, 72)
    assert (flow(Which.LAST, 1), flow(Which.LAST, 9)) == (72, 72)
    assert (flow(Which.PREVIOUS, 1), flow(Which.PREVIOUS, 2)) == (71, 72)
    assert flow(Which.LAST, 1, plus=5) == 77


def test_causes_come_in_any_order(hadoop: Hadoop) -> None:
    """Of effects every place is kept, and so is what an effect takes from the steps of its own type."""
    path = Flow("c.a", Side.REQUEST, "src")
    takers = (replace(call("c.f"), arguments={"src": path}), call("c.e"))
    steps = (Repeat("L1", Count(9), (call("c.a"),)),)
    effects = tuple(Effect(taker, "c.a", "c", None) for taker in takers)
    step = replace(call("c.b"), arguments={"src": replace(path, call="c.e")})
    made = Workload((NodeType("c", Count(1), (*steps, step), effects=effects),), Recorded((), ()))
    needs, memory = Needs(made), Memory()
    kind = hadoop.schema().method(CLIENT, "getFileInfo")
    for name in ("c.a", "c.e"):
        for iteration in (0, 1, 7, 4):
            loops = {"L1": iteration}
            keep(needs.own, memory, name, loops, Side.REQUEST, kind.request(src=f"/{name}{iteration}"))
        assert memory.flow(replace(path, call=name), {"L1": 1}) == f"/{name}1"


def test_where_a_call_went_is_kept_as_what_stood_in_it_is() -> None:
    """Only of calls of which it is taken."""
    taken = {
        "src": Flow("c.a", Side.REQUEST, CALLEE_HOST),
        "clientName": Flow("c.a", Side.REQUEST, CALLEE_PORT),
    }
    steps = (call("c.a"), replace(call("c.b"), arguments=taken))
    made = Workload((NodeType("c", Count(1), steps),), Recorded((), ()))
    needs, memory = Needs(made), Memory()
    assert needs.addressed == {"c.a"}
    wanted = needs.own["c.a"][Side.REQUEST]
    memory.add(key_of("c.a", Side.REQUEST), wanted, {}, {CALLEE_HOST: "10.0.0.2", CALLEE_PORT: 8041})
    assert [memory.flow(flow, {}) for flow in taken.values()] == ["10.0.0.2", 8041]


def test_a_failed_call_leaves_no_value(hadoop: Hadoop) -> None:
    """What would have been in the answer is absent, and not that of the call before."""
    needs, memory = Needs(workload()), Memory()
    loops = {"L1": 0, "L2": 0}
    keep(needs.own, memory, "client.add", loops, Side.RESPONSE, None)
    assert (
        memory.flow(Flow("client.add", Side.RESPONSE, "block.b.blockId", Which.LAST), loops) is Special.ABSENT
    )


@given(st.lists(st.binary(max_size=4), max_size=5), st.none() | st.integers(-2, 6))
def test_of_a_list_every_element_is_kept(hadoop: Hadoop, names: list[bytes], element: int | None) -> None:
    """Whichever a later call asks for; one that the answer lacks is absent, and so is any without a number."""
    rule = Flow("c.a", Side.RESPONSE, "dirList.partialListing[{each}].path", element=Counter(0, {"L1": 1}))
    taker = replace(call("c.b"), arguments={"src": rule})
    needs, memory = (
        Needs(Workload((NodeType("c", Count(1), (call("c.a"), taker)),), Recorded((), ()))),
        Memory(),
    )
    response: Any = hadoop.schema().method(CLIENT, "getListing").response()
    response.dirList.remainingEntries = 0
    for name in names:
        response.dirList.partialListing.add(path=name)
    keep(needs.own, memory, "c.a", {}, Side.RESPONSE, response)
    there = element is not None and 0 <= element < len(names)
    expected = names[element] if there else Special.ABSENT  # type: ignore[index]
    assert memory.flow(rule, {"L1": 0}, element) == expected


def test_a_listing_that_failed_has_no_elements(hadoop: Hadoop) -> None:
    """Nor are those of the listing before it meant."""
    rule = Flow("c.a", Side.RESPONSE, "dirList.partialListing[{each}].path", element=Counter(0, {"L1": 1}))
    taker = replace(call("c.b"), arguments={"src": rule})
    needs, memory = (
        Needs(Workload((NodeType("c", Count(1), (call("c.a"), taker)),), Recorded((), ()))),
        Memory(),
    )
    keep(needs.own, memory, "c.a", {}, Side.RESPONSE, None)
    assert memory.flow(rule, {"L1": 0}, 0) is Special.ABSENT
    assert Memory().flow(rule, {"L1": 0}, 0) is Special.UNRESOLVED
