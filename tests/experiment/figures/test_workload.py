"""The picture and tables of a workload say what the workload says."""

from dataclasses import replace

import pytest

from froude.experiment.figures.workload import argument_kinds, finding_text, pattern, workload_section
from froude.render import ArrowKind, Callout, Table, describe
from froude.workload.types import (
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Effect,
    Finding,
    Generated,
    StartRule,
    Template,
    Unknown,
)
from tests.support.experiment.figures.workload import ADD, CLIENT, CREATE, DATANODE, SCALE, WORKLOAD


def test_the_picture_in_words() -> None:
    """Loops with their count, periods, start rules and causes are all drawn."""
    words = describe(pattern(WORKLOAD, SCALE))
    assert "repeat files = 4 times [create, addBlock]" in words
    assert "dn calls sendHeartbeat every 3 s" in words
    assert "client starts after every dn has finished and 500 ms" in words
    assert "client addBlock causes dn blockReceivedAndDeleted (block.locs)" in words


@pytest.mark.parametrize(
    ("start", "text"),
    [
        (StartRule(after="dn", pause_s=1.0), "client starts after every dn has finished, one after another"),
        (StartRule(delay_s=0.5, pause_s=1.0), "client starts after 500 ms, one after another"),
        (StartRule("dn", every=False, nth=3), "client starts after number 3 of dn has finished"),
        (StartRule("dn", every=False, share=0.05), "client starts after 5% of dn has finished"),
        (StartRule(spacing_s=0.1, within_s=0.2), "client starts side by side"),
    ],
)
def test_how_nodes_follow_each_other(start: StartRule, text: str) -> None:
    """Where that is known."""
    shown = pattern(replace(WORKLOAD, node_types=(DATANODE, replace(CLIENT, start=start))))
    assert f"{text}." in describe(shown)
    rule = replace(start, after=None, delay_s=0.0, within_s=None, pause_s=None)
    shown = pattern(replace(WORKLOAD, node_types=(DATANODE, replace(CLIENT, start=rule))))
    assert "client starts" not in describe(shown)


def test_reactions_of_one_method_share_a_box() -> None:
    """Ten rows of one name say no more than one; each box that causes them has one arrow."""
    effects = tuple(
        Effect(
            CallTemplate(f"dn.e{i}", "p", "blockReceivedAndDeleted", {}), cause, "client", "block.locs", None
        )
        for i, cause in enumerate(["client.c2", "client.c2", "client.c3", "client.c1", "unknown"])
    )
    again = CallTemplate("client.c3", "p", "addBlock", {})
    client = replace(CLIENT, steps=(CREATE, ADD, again))
    shown = pattern(replace(WORKLOAD, node_types=(replace(DATANODE, effects=effects), client)))
    datanode = shown.lanes[0]
    assert [(call.name, call.count) for call in datanode.effects] == [("blockReceivedAndDeleted", 5)]
    causes = [(arrow.source, arrow.target) for arrow in shown.arrows if arrow.kind is ArrowKind.CAUSE]
    assert causes == [("client.c2", "dn.e0"), ("client.c1", "dn.e0"), ("client", "dn.e0")]


def test_more_questions_than_anybody_reads_are_counted() -> None:
    """The first forty are shown."""
    questions = tuple(replace(WORKLOAD.questions[0], id=f"q{number}") for number in range(45))
    section = workload_section(replace(WORKLOAD, questions=questions))
    table = next(
        block for block in section.blocks if isinstance(block, Table) and block.caption == "Open questions"
    )
    assert len(table.rows) == 40
    assert table.note == "Answer them with `froude review`, which asks 5 more."


def test_a_template_of_pieces_is_one_text() -> None:
    """Not the list that stands in the file."""
    path = Template(("/tmp/job_", Counter(3, {"node": 2}), "/", Generated("uuid")))
    call = CallTemplate("client.c1", "p", "create", {"src": path})
    shown = pattern(replace(WORKLOAD, node_types=(replace(CLIENT, start=StartRule(), steps=(call,)),)))
    (step,) = shown.lanes[0].calls()
    assert step.note.startswith("/tmp/job_{")
    assert "[" not in step.note


def test_arguments_by_kind() -> None:
    """Each argument counts once, a case by its usual rule."""
    rules = {
        "a": Constant(1),
        "b": Cases("L1", Generated("uuid"), None, Unknown(())),
        "c": Counter(0, {"node": 1}),
    }
    assert list(argument_kinds(CallTemplate("x", "p", "m", rules))) == ["constant", "unknown", "regular"]


def test_questions_and_findings_are_not_hidden() -> None:
    """Both stand in the section, a fatal finding as bad."""
    section = workload_section(WORKLOAD)
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert tables[-1].rows[0][0] == "q1"
    assert [block.tone.value for block in section.blocks if isinstance(block, Callout)] == ["bad"]


def test_words_of_files_are_explained() -> None:
    """A number of iterations that is drawn is taken at random; what else mining noticed is shown as it is."""
    drawn = finding_text(Finding("iterations of L1: 1 to 2, which no formula gives; drawn", fatal=False))
    assert drawn.endswith("(*drawn*: each node takes a number between them, at random)")
    assert finding_text(Finding("files took one value", fatal=True)) == "`files took one value`"
