"""How often loops run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from froude.mining.read.knowledge import Role
from froude.mining.rules.loop_counts import LoopCounts
from froude.mining.rules.questions import Questions
from froude.mining.shape.segments import Loop
from froude.mining.shape.structure import LoopRun, MinedType
from froude.workload.scale import Scale
from froude.workload.types import CallTemplate, Finding, Generated, Repeat

SCALES = [Scale.of(n=n) for n in (2, 3, 4)]
LOOP = Loop((("p", "stop", ""),))
BODY = (CallTemplate("c1", "p", "stop", {}),)


def asked(*counts: tuple[int, ...], own: int = 1) -> list[str]:
    """What is asked of a loop whose nodes ran so often in each run, if a node makes `own` calls in all."""
    mined = MinedType("a", Role("master"), [], (LOOP,))
    mined.loop_runs["L1"] = [
        LoopRun(run, node, {}, times)
        for run, listed in enumerate(counts)
        for node, times in enumerate(listed)
    ]
    mined.senders.append(SimpleNamespace(tokens=LOOP.body * own * sum(map(len, counts))))  # type: ignore[arg-type]
    questions, findings = Questions(), list[Finding]()
    loop = LoopCounts(SCALES, (), [mined], questions, findings).repeat(mined, "L1", LOOP, BODY)
    assert loop.drawn is not None
    assert bool(questions.asked) != bool(findings)
    return [question.text for question in questions.asked]


def test_a_drawn_number_is_asked_about_where_it_moves_many_calls() -> None:
    """More than a twentieth of a node's own; of fewer a remark is enough."""
    moved = (3, 5), (4, 3, 5), (3, 5, 4, 4)
    (text,) = asked(*moved, own=20)
    assert "3 to 5 were seen, by no formula of the Scale" in text
    assert asked(*moved, own=41) == []


def test_a_drawn_loop_moves_the_calls_of_the_loops_within_it() -> None:
    """Three to five rounds of a hundred calls each are most of what a node does."""
    look = ("p", "look", "")
    outer = Loop((Loop((look,)),))
    mined = MinedType("a", Role("master"), [], (outer,))
    mined.loop_runs["L1"] = [LoopRun(run, 0, {}, times) for run, times in enumerate((3, 5, 3, 5))]
    mined.senders.append(SimpleNamespace(tokens=(look,) * 1600))  # type: ignore[arg-type]
    call = SimpleNamespace(response=None)
    inside = SimpleNamespace(indices={"L1": 0, "L2": 0}, template="a.c1", run=0, node=0, call=call)
    mined.occurrences = [inside] * 1600  # type: ignore[list-item]
    questions = Questions()
    scales = [Scale.of(n=2)] * 4
    LoopCounts(scales, (), [mined], questions, []).repeat(mined, "L1", outer, BODY)
    assert [question.number for question in questions.asked] == ["L1"]


def test_a_number_that_grows_is_never_drawn_without_a_question() -> None:
    """Whatever it moves: at a larger size it lies beyond the range seen."""
    rising = (2, 3) * 3, (4, 5) * 3, (7, 6) * 3
    for runs in (rising, rising[::-1]):
        (text,) = asked(*runs, own=1000)
        assert "changing with n," in text
    assert asked((3, 4), (3, 4), (4, 5), own=1000) == []


def typed(name: str, *times: int) -> MinedType:
    """A type of one node a run whose only loop ran so often in each."""
    mined = MinedType(name, Role("master"), [], (LOOP,))
    mined.loop_runs["L1"] = [LoopRun(run, 0, {}, number) for run, number in enumerate(times)]
    return mined


def repeats(*types: MinedType) -> tuple[list[Repeat], list[Finding]]:
    """The loop of each, and what is said of them."""
    findings: list[Finding] = []
    counts = LoopCounts(SCALES, (), types, Questions(), findings)
    return [counts.repeat(mined, "L1", LOOP, BODY) for mined in types], findings


def test_a_formula_of_the_scale() -> None:
    """As often as there are nodes."""
    (loop,), findings = repeats(typed("a", 2, 3, 4))
    assert (str(loop.times), loop.drawn, findings) == ("n", None, [])


def test_what_fits_no_formula_is_refused() -> None:
    """Where one type alone shows it."""
    (loop,), (finding,) = repeats(typed("a", 1, 3, 0))
    assert loop.drawn is None
    assert finding.fatal


@pytest.mark.parametrize("by_chance", [(1, 2, 3), (5, 1, 4)])
def test_what_time_decides_in_one_type_it_decides_in_another(by_chance: tuple[int, ...]) -> None:
    """Of one role and with one call: a formula through three runs is chance, then."""
    (first, second), findings = repeats(typed("a", 1, 3, 0), typed("b", *by_chance))
    assert first.drawn == Generated("gauge", {"low": 0, "high": 3})
    assert second.drawn == Generated("gauge", {"low": min(by_chance), "high": max(by_chance)})
    assert not any(finding.fatal for finding in findings)
    (alone, _), _ = repeats(typed("a", 2, 3, 4), typed("b", 2, 3, 4))
    assert alone.drawn is None
