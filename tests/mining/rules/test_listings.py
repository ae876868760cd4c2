"""Loops that go through the list of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import pytest

from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Event, Recording
from froude.mining.read.knowledge import CLIENT
from froude.mining.rules.listings import Listings
from froude.mining.shape.structure import LoopRun, MinedType
from froude.workload.scale import Scale
from froude.workload.types import CallTemplate, Repeat, Workload
from froude.workload.walk import repeats
from tests.support.mining.events import PROTOCOL, event


def recorded(number: int, days: tuple[int, ...], *, more: int = 0, named: bool = True) -> Recording:
    """A client that lists a folder a day, and deletes so many entries of each that are there."""
    events: list[Event] = []

    def add(method: str, request: dict, response: dict | None = None) -> None:
        events.append(event(len(events), method, request, response))

    for day, entries in enumerate(days):
        names = [f"{number}{day}{at * 7 % 5}{at}" for at in range(entries)]
        listing = {f"dirList.partialListing[{at}].path": name.encode() for at, name in enumerate(names)}
        add("getListing", {"src": f"/in/{day}"}, {"dirList.remainingEntries": 0, **listing})
        for name in names[: len(names) - more]:
            add("delete", {"src": f"/in/{day}/{name}" if named else "/lock"})
        add("mkdirs", {"src": f"/out/{day}"})
    return Recording(tuple(events), Scale.of(days=len(days), n=number))


def loops(workload: Workload) -> list[Repeat]:
    """All of its loops, outer ones first."""
    return [loop for node in workload.node_types for loop in repeats(node.steps)]


RUNS = (1, (3, 1, 4)), (2, (2, 6, 2, 5)), (3, (7, 3))


@pytest.mark.parametrize("named", [True, False])
def test_a_loop_runs_as_often_as_an_answer_has_elements(named: bool) -> None:
    """The listing of its own round; no formula is asked about."""
    workload = mine_recordings([recorded(*run, named=named) for run in RUNS])
    outer, inner = loops(workload)
    assert (str(outer.times), outer.each) == ("days", None)
    assert inner.each is not None
    assert (inner.each.call, inner.each.path) == ("client.c1", "dirList.partialListing[{each}].path")
    assert not [question for question in workload.questions if question.number == inner.id]


def test_another_number_is_not_that_of_the_list() -> None:
    """One fewer than the entries: the list alone does not say it."""
    workload = mine_recordings([recorded(*run, more=1) for run in RUNS])
    assert all(loop.each is None for loop in loops(workload))


@pytest.mark.parametrize("named", [True, False])
def test_of_two_lists_that_are_equally_long_the_one_that_is_named_is_taken(named: bool) -> None:
    """Where the calls name neither, none is."""
    runs = []
    for number, days in RUNS:
        plain = recorded(number, days, named=named)
        events: list[Event] = []
        for each in plain.events:
            if each.method == "getListing":
                assert each.response is not None
                answer = {
                    path: b"m" if path.endswith("path") else value for path, value in each.response.items()
                }
                events.append(event(0, "getListing", {"src": "/meta"}, answer))
            events.append(each)
        ordered = [
            event(at, e.method, dict(e.request), dict(e.response or {})) for at, e in enumerate(events)
        ]
        runs.append(Recording(tuple(ordered), plain.scale))
    inner = loops(mine_recordings(runs))[-1]
    assert (inner.each is not None) is named
    if inner.each is not None:
        assert inner.each.call == "client.c2"


def listed(
    *seen: LoopRun, answers: Mapping[tuple[int, tuple[int, ...]], int], order: Sequence[str] = ("list", "go")
) -> bool:
    """Whether a loop of `go` goes through a list that had so many elements, by run and round of the loop around it."""
    mined = MinedType("a", CLIENT, [], tuple((PROTOCOL, method, "") for method in order))
    template, loop = (f"a.c{order.index(method) + 1}" for method in ("list", "go"))
    for (run, place), number in answers.items():
        call = SimpleNamespace(response={f"l[{at}].path": "x" for at in range(number)})
        rounds = {f"L{depth}": at for depth, at in enumerate(place, 1)}
        made = SimpleNamespace(template=template, run=run, node=0, call=call, indices=rounds)
        mined.occurrences.append(made)  # type: ignore[arg-type]
    return Listings(mined).of_loop("L2", (CallTemplate(loop, PROTOCOL, "go", {}),), seen) is not None


def test_which_answer_counts() -> None:
    """That of the same round, else one outside the loops; never one that comes later."""
    seen = LoopRun(0, 0, {"L1": 0}, 2), LoopRun(0, 0, {"L1": 1}, 3)
    own = {(0, (0,)): 2, (0, (1,)): 3}
    assert listed(*seen, answers=own)
    assert listed(*seen, answers={(0, ()): 9, **own})
    assert not listed(*seen, answers={(0, (0,)): 3, (0, (1,)): 2})
    assert not listed(*seen, answers={(0, (0,)): 2})
    assert not listed(*seen, answers=own, order=("go", "list"))
    of_two_runs = LoopRun(0, 0, {"L1": 0}, 2), LoopRun(1, 0, {"L1": 0}, 4)
    assert listed(*of_two_runs, answers={(0, ()): 2, (1, ()): 4})


def test_one_length_shows_nothing() -> None:
    """A loop that always ran twice has its number by that."""
    seen = LoopRun(0, 0, {"L1": 0}, 2), LoopRun(0, 0, {"L1": 1}, 2)
    assert not listed(*seen, answers={(0, (0,)): 2, (0, (1,)): 2})
