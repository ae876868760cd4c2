"""What the recorded calls say of one argument, of answers, and of the facts of machines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.effects.causes import is_passing
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.evidence import (
    ALWAYS_NEW,
    SPREAD,
    Column,
    Varying,
    changing_facts,
    is_telling,
    spread,
)
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value
from froude.workload.types import Scalar
from tests.support.mining.events import PROTOCOL, calls, event

DATANODE = Role("datanode", program="datanode", emulated=True, endless=True)
CLIENT = Role("client")


def column(values: Sequence[Value]) -> Column:
    """An argument with these values, one a call."""
    sender = Sender(0, "a", CLIENT, [])
    call = calls(event(0, "m"))[0]
    return Column(
        [Occurrence(0, 0, sender, "c.c1", call, {"L1": n}) for n in range(len(values))], values, "x"
    )


# --- one argument --------------------------------------------------------------------------------------------


@given(st.integers(1, 4000))
def test_some_calls_from_everywhere(number: int) -> None:
    """At equal distances, of few calls all."""
    chosen = list(spread(number))
    assert chosen[0] == 0
    assert number - chosen[-1] <= max(1, number // SPREAD)
    assert min(number, SPREAD) <= len(chosen) < 2 * SPREAD
    assert {later - earlier for earlier, later in itertools.pairwise(chosen)} <= {max(1, number // SPREAD)}


def test_the_last_call_that_sets_an_argument_shows_it() -> None:
    """It has most before it; where none sets it, none shows it."""
    assert column([1, 2, Special.ABSENT]).shows == 1
    assert column([1, 2, 3]).shows == 2
    assert column([Special.ABSENT, Special.UNRESOLVED]).shows is None


def test_a_part_of_the_calls_keeps_its_values() -> None:
    """By their places."""
    part = column(["a", "b", "c", "d"]).only([1, 3])
    assert part.values == ["b", "d"]
    assert [occurrence.indices["L1"] for occurrence in part.occurrences] == [1, 3]
    assert part.path == "x"


# --- answers -------------------------------------------------------------------------------------------------


def answered(*answers: dict) -> Varying:
    """What was learned of calls of one method, which stand at two places of a pattern in turn."""
    sender = Sender(0, "a", CLIENT, [])
    varying = Varying()
    varying.learn(
        [
            Occurrence(0, 0, sender, f"c.c{n % 2}", calls(event(n, "ask", {}, answer))[0])
            for n, answer in enumerate(answers)
        ]
    )
    return varying


@pytest.mark.parametrize(
    ("values", "varies"),
    [
        (list(range(ALWAYS_NEW)), True),
        (list(range(ALWAYS_NEW - 1)), False),
        ([70001, 70002], True),
        ([70001, 70001], False),
        ([70001, 3], False),
        (["a-long-name", "another-name"], True),
    ],
)
def test_a_leaf_varies_where_it_is_ever_new(values: list[Scalar], varies: bool) -> None:
    """Small numbers after some, ids from the second on; whichever place of the pattern the method was called at."""
    learned = answered(*({"id": value} for value in values))
    assert learned.varies("c.c0", "id") is varies
    assert learned.varies("c.c0", "other") is False
    assert learned.varies("c.c9", "id") is False


# --- facts of machines ---------------------------------------------------------------------------------------


def report(at: int, block: int, length: int, status: int = 2, node: int = 0) -> tuple[int, dict, int]:
    """When a replica of a length is reported, the request, and by whom."""
    place = "blocks[0].blocks[0]"
    request = {
        f"{place}.block.blockId": block,
        f"{place}.block.genStamp": 1001,
        f"{place}.block.numBytes": length,
        f"{place}.status": status,
    }
    return at, request, node


def reports(*listed: tuple[int, dict, int], role: Role = DATANODE) -> list[Occurrence]:
    """Reports as placed calls."""
    senders = [Sender(0, str(node), role, []) for node in range(2)]
    return [
        Occurrence(0, node, senders[node], "datanode.e1", call)
        for at, request, node in listed
        for call in calls(event(at, "blockReceivedAndDeleted", request))
    ]


RECEIVED = (PROTOCOL, "blockReceivedAndDeleted", "2")
RECEIVING = (PROTOCOL, "blockReceivedAndDeleted", "1")


def test_a_length_that_changes_between_reports_is_a_fact_of_its_time() -> None:
    """A replica that was appended to is longer in the next report of its kind."""
    assert changing_facts(reports(report(0, 7, 100), report(1, 7, 150))) == {(RECEIVED, "length")}


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param([report(0, 7, 100), report(1, 7, 100)], id="twice the same"),
        pytest.param([report(0, 7, 100), report(1, 8, 150)], id="of another block"),
        pytest.param([report(0, 7, 100), report(1, 7, 150, node=1)], id="of another node's replica"),
        pytest.param([report(0, 7, 100), report(1, 7, 0, status=3)], id="of reports of another kind"),
    ],
)
def test_what_differs_otherwise_is_none(listed: list[tuple[int, dict, int]]) -> None:
    """One node says another thing of one and the same replica in one kind of call, or nothing changes."""
    changing = changing_facts(reports(*listed))
    assert all(is_passing(token) for token, _ in changing)


def test_what_is_on_its_way_changes_even_if_it_was_seen_once() -> None:
    """The length of a block that is being received is a matter of the moment in which it is reported."""
    assert changing_facts(reports(report(0, 7, 100, status=1))) == {(RECEIVING, "length")}


def test_only_nodes_with_a_program_of_their_own_have_facts() -> None:
    """A client that names the length of a block has it from an answer."""
    listed = [report(0, 7, 100), report(1, 7, 150)]
    assert changing_facts(reports(*listed, role=CLIENT)) == frozenset()


def test_facts_of_the_whole_machine_change_with_none_of_its_things() -> None:
    """An address is the machine's, and what names it."""
    requests = [{"registration.datanodeID.ipAddr": f"127.0.0.{n}"} for n in (1, 2)]
    assert changing_facts(reports(*((n, request, 0) for n, request in enumerate(requests)))) == frozenset()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), max_size=8))
def test_a_length_changes_if_some_replica_had_two(seen: list[tuple[int, int, int]]) -> None:
    """Whatever was reported between."""
    listed = [report(at, block, length, node=node) for at, (block, length, node) in enumerate(seen)]
    lengths: dict[tuple[int, int], set[int]] = {}
    for block, length, node in seen:
        lengths.setdefault((block, node), set()).add(length)
    changes = any(len(each) > 1 for each in lengths.values())
    assert changing_facts(reports(*listed)) == ({(RECEIVED, "length")} if changes else frozenset())


@pytest.mark.parametrize(
    ("value", "telling"), [(1000, True), (999, False), (True, False), ("ab", False), ("DS-7fe862ce", True)]
)
def test_ids_and_stamps_say_where_they_come_from(value: Scalar, telling: bool) -> None:
    """A flag, a short text or a short number may be met twice by accident."""
    assert is_telling(value) is telling
