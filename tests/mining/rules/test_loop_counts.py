"""How often loops run."""

from __future__ import annotations

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


def typed(name: str, *times: int) -> MinedType:
    """A type of one node a run whose only loop ran so often in each."""
    mined = MinedType(name, Role("master"), [], (LOOP,))
    mined.loop_runs["L1"] = [LoopRun(run, 0, {}, number) for run, number in enumerate(times)]
    return mined


def repeats(*types: MinedType) -> tuple[list[Repeat], list[Finding]]:
    """The loop of each, and what is said of them."""
    findings: list[Finding] = []
    counts = LoopCounts(SCALES, (), types, Questions(), findings)
    body = (CallTemplate("c1", "p", "stop", {}),)
    return [counts.repeat(mined, "L1", LOOP, body) for mined in types], findings


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
