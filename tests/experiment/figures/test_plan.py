"""A plan's section says who would be played, how many calls that makes, and what is refused."""

from __future__ import annotations

from dataclasses import replace

from froude.experiment.figures.plan import plan_section
from froude.render import Callout, Table, Tone, literal
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Refusal
from tests.support.experiment.figures.workload import SCALE, WORKLOAD

PLAN = replace(extrapolate(WORKLOAD, SCALE), refusals=())


def test_a_plan_in_figures() -> None:
    """Nodes, calls and periodic rates at the scale."""
    section = plan_section(PLAN)
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert table.rows == [("dn", 3, 0, 0, 1.0), ("client: create, addBlock", 2, 8, 16, 0)]
    assert section.title == f"The plan at {SCALE}"
    assert section.intro == "It can be played."
    assert len(section.blocks) == 1


def test_types_that_are_not_played_have_no_row() -> None:
    """A plan may be of a part of its workload."""
    (table,) = plan_section(replace(PLAN, counts={"client": 2})).blocks
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["client: create, addBlock"]


def test_what_is_refused_and_what_is_to_be_kept_in_mind() -> None:
    """In their order, to the letter; only what is fatal keeps it from being played."""
    note = Refusal("`a` *took* one value", fatal=False)
    section = plan_section(replace(PLAN, refusals=(note,)))
    assert section.intro == "It can be played."
    section = plan_section(replace(PLAN, refusals=(note, Refusal("it fits nothing"))))
    assert section.intro == "It cannot be played: see the refusals."
    first, second = (block for block in section.blocks if isinstance(block, Callout))
    assert (first.title, first.tone) == ("To be kept in mind", Tone.WARNING)
    assert (second.title, second.tone) == ("Refused", Tone.BAD)
    assert (first.markdown, second.markdown) == (literal(note.what), "`it fits nothing`")
