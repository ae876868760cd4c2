"""The picture and tables of a workload say what the workload says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.experiment.figures.workload import (
    argument_kinds,
    finding_text,
    from_lanes,
    merged_arrows,
    merged_lanes,
    pattern,
    workload_section,
)
from froude.render import (
    ArrowKind,
    Callout,
    Pattern,
    PatternArrow,
    PatternCall,
    PatternLane,
    PatternLoop,
    PatternPeriodic,
    Table,
    describe,
)
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
    questions = tuple(
        replace(WORKLOAD.questions[0], id=f"q{number}", path=f"p{number}") for number in range(45)
    )
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


def lane(name: str, start: str = "", times: str = "files", count: str = "1") -> PatternLane:
    """An uploader: a loop of two calls, and a heartbeat."""
    steps = (
        PatternLoop(
            times, (PatternCall(f"{name}.c1", "create", f"/in/{name}"), PatternCall(f"{name}.c2", "close"))
        ),
    )
    return PatternLane(
        name, count, start, steps, periodic=(PatternPeriodic(PatternCall(f"{name}.p", "renew"), "3 s", 3.0),)
    )


def test_ten_alike_are_one() -> None:
    """Named by the first and the last, with their number; paths do not tell them apart."""
    lanes = [lane(f"u{i}", "" if i == 1 else f"after every u{i - 1} has finished") for i in range(1, 11)]
    merged, alias = merged_lanes(lanes)
    (one,) = merged
    assert (one.name, one.count, one.start) == ("u1 … u10", "10", "one after another")
    assert alias["u7"] == "u1 … u10"
    assert alias["u7.c2"] == "u1.c2"
    assert alias["u7.p"] == "u1.p"


def test_what_differs_or_is_a_pair_stays() -> None:
    """In the order given; a loop of another count is another lane."""
    lanes = [lane("a"), lane("b", times="blocks"), lane("c")]
    merged, alias = merged_lanes(lanes)
    assert [each.name for each in merged] == ["a", "b", "c"]
    assert alias == {}


def test_types_of_many_nodes_say_how_many_each() -> None:
    """The number of types, and the count of every one; the place is that of the first."""
    lanes = [lane("x", times="1"), *(lane(f"u{i}", count="clients") for i in range(3)), lane("y", times="2")]
    merged, _ = merged_lanes(lanes)
    assert [each.name for each in merged] == ["x", "u0 … u2", "y"]
    assert merged[1].count == "3 types, clients each"


def test_arrows_of_what_is_joined_are_drawn_once() -> None:
    """None from a lane to itself; what they say is kept."""
    lanes = [lane("d", times="1"), *(lane(f"u{i}") for i in range(3))]
    merged, alias = merged_lanes(lanes)
    arrows = merged_arrows(
        [
            *(PatternArrow("d", f"u{i}", ArrowKind.START, "after every d") for i in range(3)),
            PatternArrow("u0", "u1", ArrowKind.START, "after u0"),
            *(PatternArrow(f"u{i}.c1", "d.c1", ArrowKind.CAUSE, f"id {i % 2}") for i in range(3)),
        ],
        alias,
    )
    assert arrows == (
        PatternArrow("d", "u0 … u2", ArrowKind.START, "after every d"),
        PatternArrow("u0.c1", "d.c1", ArrowKind.CAUSE, "id 0; id 1"),
    )
    Pattern("t", merged, arrows)


def test_many_causes_of_one_call_begin_at_their_lanes() -> None:
    """With how many calls of each; few begin at the calls, and start rules stay as they are."""
    target = PatternLane("d", effects=(PatternCall("d.e1", "received"), PatternCall("d.e2", "deleted")))
    clients = [
        PatternLane(n, steps=tuple(PatternCall(f"{n}.{i}", "addBlock") for i in range(5))) for n in "ab"
    ]
    few = PatternArrow("a.0", "d.e2", ArrowKind.CAUSE)
    start = PatternArrow("d", "a", ArrowKind.START)
    many = [
        PatternArrow(f"{n}.{i}", "d.e1", ArrowKind.CAUSE) for n in "ab" for i in range(5 if n == "a" else 2)
    ]
    arrows = from_lanes([start, few, *many], [target, *clients])
    assert arrows == (
        start,
        few,
        PatternArrow("a", "d.e1", ArrowKind.CAUSE, "5 of its calls"),
        PatternArrow("b", "d.e1", ArrowKind.CAUSE, "2 of its calls"),
    )
    assert from_lanes([start, *many[:6]], [target, *clients]) == (start, *many[:6])
