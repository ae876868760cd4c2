"""Calls that waited until another node had made what they are about."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.fit.timing import timings
from froude.mining.history.waits import Waits, find_waits
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Scale
from froude.workload.types import Wait
from tests.support.mining.events import calls, event

Call = tuple[str, str, float, float, dict]
"""Node, template's number, when it is sent, how long it takes, request."""

RENAMED = Wait("src", 1, "rename", "dst", "producer")


def node_of(name: str) -> tuple[str, int]:
    """Type and number of a node, of its name."""
    kind, _, number = name.partition(" ")
    return kind, int(number or 0)


def occurrences(*listed: Call, **answered: object) -> list[Occurrence]:
    """Calls of several nodes, of one run."""
    senders: dict[str, Sender] = {}
    placed = []
    for order, (name, template, start_s, lasts_s, request) in enumerate(sorted(listed, key=lambda c: c[2])):
        kind, number = node_of(name)
        role = Role(kind, emulated=kind == "datanode")
        sender = senders.setdefault(name, Sender(0, name, role, []))
        call = calls(
            event(
                order,
                "rename" if "dst" in request else "open",
                request,
                client=name,
                start_s=start_s,
                end_s=start_s + lasts_s,
                **(answered if "dst" in request else {}),
            )
        )[0]
        placed.append(Occurrence(0, number, sender, f"{kind}.{template}", call))
    return placed


def waits(*listed: Call, **answered: object) -> Waits:
    """What is found of them, renames answered so."""
    steps: dict[str, list[Occurrence]] = {}
    for occurrence in occurrences(*listed, **answered):
        steps.setdefault(occurrence.template, []).append(occurrence)
    return find_waits(steps)


def batch(number: int, at_s: float, producer: str = "producer") -> list[Call]:
    """A producer renames the folder of a batch."""
    return [(producer, "c1", at_s, 0.1, {"src": f"/tmp/{number}", "dst": f"/in/{number}"})]


def consumed(number: int, at_s: float, consumer: str = "consumer", files: int = 2) -> list[Call]:
    """A consumer opens the files of a batch."""
    return [
        (consumer, "c1", at_s + file / 100, 0.001, {"src": f"/in/{number}/part-{file}"})
        for file in range(files)
    ]


def produced(*times_s: float) -> list[Call]:
    """Batches that are there at these times, and one more of which nobody waits for, long after."""
    made = [call for number, at_s in enumerate(times_s) for call in batch(number, at_s)]
    return [*made, *batch(99, 1000.0)]


def test_a_consumer_waits_for_the_folder_to_be_renamed() -> None:
    """Each batch is opened right after it was renamed, whenever that was; its second file needs no further wait."""
    found = waits(
        *produced(1.0, 5.0, 11.0), *(c for n, s in enumerate((1.2, 5.2, 11.2)) for c in consumed(n, s))
    )
    assert found.by_template == {"consumer.c1": RENAMED}
    assert sorted(found.until_s.values()) == pytest.approx([1.1, 5.1, 11.1])


def test_what_was_there_before_was_not_waited_for() -> None:
    """The producer was through with everything when the consumer began."""
    made = [*batch(0, 1.0), *batch(1, 2.0), *batch(2, 3.0)]
    found = waits(*made, *(call for n in range(3) for call in consumed(n, 10.0 + n)))
    assert found.by_template == found.until_s == {}


@pytest.mark.parametrize(("batches", "waited"), [(3, False), (4, True)])
def test_a_producer_that_had_ended_holds_up_nobody(batches: int, waited: bool) -> None:
    """Its last batch is no evidence: whoever begins when a producer is through waits for nothing."""
    made = [call for n in range(batches) for call in batch(n, 4.0 * n)]
    opened = [call for n in range(batches) for call in consumed(n, 4.0 * n + 0.2)]
    assert bool(waits(*made, *opened).by_template) is waited


@pytest.mark.parametrize(("times_s", "waited"), [((1.0, 5.0), False), ((1.0, 5.0, 11.0), True)])
def test_one_call_that_was_held_up_may_be_an_accident(times_s: Sequence[float], waited: bool) -> None:
    """The first call of a node has none before it which could have held it up; two others must have been."""
    opened = [call for n, at_s in enumerate(times_s) for call in consumed(n, at_s + 0.2)]
    assert bool(waits(*produced(*times_s), *opened).by_template) is waited


def test_a_node_does_not_wait_for_itself() -> None:
    """What it has renamed itself it may open: waited for as others' folders are, nobody would ever make it."""
    opened = [call for n, at_s in enumerate((1.2, 5.2, 11.2)) for call in consumed(n, at_s)]
    own: list[Call] = [
        ("consumer", "c2", 12.0, 0.1, {"src": "/tmp/x", "dst": "/own"}),
        ("consumer", "c1", 12.5, 0.001, {"src": "/own/part-0"}),
    ]
    assert waits(*produced(1.0, 5.0, 11.0), *opened).by_template == {"consumer.c1": RENAMED}
    assert waits(*produced(1.0, 5.0, 11.0), *opened, *own).by_template == {}
    assert waits(*produced(1.0), *own).by_template == {}


def test_nothing_is_waited_for_that_was_there_from_the_beginning() -> None:
    """Two old batches lie there; then the consumer follows the producer. A play would wait for the old ones in vain."""
    opened = [call for n, at_s in enumerate((1.2, 5.2, 11.2)) for call in consumed(n, at_s)]
    assert waits(*produced(1.0, 5.0, 11.0), *opened).by_template
    assert not waits(*produced(1.0, 5.0, 11.0), *consumed(77, 0.5), *opened).by_template


@pytest.mark.parametrize(
    ("answered", "waited"),
    [
        ({"error": "java.io.IOException"}, False),
        ({"answered": False}, False),
        ({"response": {"result": False}}, False),
        ({"response": {"result": True}}, True),
    ],
)
def test_what_was_not_done_has_made_nothing(answered: dict[str, object], waited: bool) -> None:
    """Nobody waits for a rename that failed, that was never answered, or that found nothing to rename."""
    opened = [call for n, at_s in enumerate((1.2, 5.2, 11.2)) for call in consumed(n, at_s)]
    assert bool(waits(*produced(1.0, 5.0, 11.0), *opened, **answered).by_template) is waited


def test_nodes_with_a_program_of_their_own_do_not_wait() -> None:
    """They react."""
    opened = [
        call for n, at_s in enumerate((1.2, 5.2, 11.2)) for call in consumed(n, at_s, consumer="datanode")
    ]
    assert waits(*produced(1.0, 5.0, 11.0), *opened).by_template == {}


def test_calls_of_one_place_that_need_different_things_wait_for_none() -> None:
    """Some look for the folder's rename, others for that of a folder above: no one rule says which."""
    opened = [call for n, at_s in enumerate((1.2, 5.2, 11.2)) for call in consumed(n, at_s)]
    other = ("producer", "c2", 12.0, 0.1, {"src": "/tmp/x", "dst": "/other"})
    deep = ("consumer", "c1", 12.5, 0.001, {"src": "/other/in/0"})
    assert waits(*produced(1.0, 5.0, 11.0), *opened).by_template
    assert not waits(*produced(1.0, 5.0, 11.0), *opened, other, deep).by_template


@given(st.lists(st.floats(1, 20), min_size=3, max_size=6), st.floats(0.001, 0.5), st.floats(0.01, 0.5))
def test_think_time_counts_from_what_was_waited_for(
    gaps_s: list[float], think_s: float, rename_s: float
) -> None:
    """However long the producer takes for a batch, the consumer needs as long as it needs."""
    made: list[Call] = []
    opened: list[Call] = []
    at_s = 0.0
    for number, gap_s in enumerate(gaps_s):
        at_s += gap_s + rename_s
        request = {"src": f"/tmp/{number}", "dst": f"/in/{number}"}
        made.append(("producer", "c1", at_s - rename_s, rename_s, request))
        opened.append(("consumer", "c1", at_s + think_s, 0.0, {"src": f"/in/{number}/part-0"}))
    placed = occurrences(*made, *batch(99, 1000.0), *opened)
    steps: dict[str, list[Occurrence]] = {}
    for occurrence in placed:
        steps.setdefault(occurrence.template, []).append(occurrence)
    found = find_waits(steps)
    assert found.by_template == {"consumer.c1": RENAMED}
    scale = Scale.of(files=1)
    think = timings(placed, [scale], found.until_s)["consumer.c1"].think.at(scale)
    assert think == pytest.approx(think_s, abs=0.002)
    assert timings(placed, [scale])["consumer.c1"].think.at(scale) > think
