"""What a workload says beforehand that it does not know."""

from __future__ import annotations

from froude.mining.check.announcements import Announced
from froude.workload.scale import Count, Scale
from froude.workload.types import CallTemplate, Finding, NodeType, Question, Recorded, Workload

SCALES = (Scale.of(n=2), Scale.of(n=3))


def _announced(*questions: Question, findings: tuple[Finding, ...] = (), **scale: int) -> Announced:
    node = NodeType("c", Count(1), (CallTemplate("c.c1", "p.P", "m", {}),))
    workload = Workload((node,), Recorded(SCALES, ()), questions, findings)
    return Announced(workload, Scale.of(**(scale or {"n": 5})))


def test_a_question_announces_its_argument_and_in_a_list_all_elements() -> None:
    """Of that call, and not its sequence."""
    said = _announced(Question("q", "?", "c", "c.c1", "list[1].id"))
    assert said.argument("c.c1", "list[1].id")
    assert said.argument("c.c1", "list[7].id")
    assert not said.argument("c.c1", "list[1].name")
    assert not said.sequence("c")


def test_a_question_about_a_number_announces_the_sequence() -> None:
    """An answered one announces nothing."""
    assert _announced(Question("q", "?", "c")).sequence("c")
    assert not _announced(Question("q", "?", "c", answered=True)).sequence("c")


def test_findings_announce_sequences_and_fatal_ones_values_too() -> None:
    """Only of their node type, and fatal ones only elsewhere than recorded."""
    note = _announced(findings=(Finding("some calls fit nowhere", fatal=False, node_type="c"),))
    assert (note.sequence("c"), note.argument("c.c1", "src"), note.sequence("d")) == (True, False, False)
    fatal = (Finding("fits no count", fatal=True, node_type="c"),)
    assert _announced(findings=fatal).argument("c.c1", "src")
    assert not _announced(findings=fatal, n=2).argument("c.c1", "src")


def test_a_scale_that_cannot_be_planned_announces_all() -> None:
    """A variable that was never recorded."""
    assert _announced(n=2, racks=1).argument("c.c1", "src")
    assert _announced(n=2, racks=1).sequence("c")
