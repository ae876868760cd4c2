"""Questions by what they have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.workload.groups import answer_group, calls_by_template, groups
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    STEPS,
    Absent,
    Actor,
    CallTemplate,
    Constant,
    Effect,
    NodeType,
    Periodic,
    Question,
    Recorded,
    Repeat,
    Rule,
    Scaled,
    Timing,
    Unknown,
    Workload,
)
from froude.workload.walk import templates

LEAVES = ("id", "state")


def _asked(call: str, path: str, examples: tuple[str | int, ...] = (), *rules: Rule) -> Question:
    return Question(f"{call}:{path}", f"{path}?", call.partition(".")[0], call, path, examples, rules)


def _workload(elements: int, files: int = 8) -> Workload:
    """A client that sends a list, then in a loop a text that holds an id, under two names."""
    lists = {f"list[{n}].{leaf}": Constant(n) for n in range(elements) for leaf in LEAVES}
    first = CallTemplate("c.c1", "p.P", "send", {**lists, "size": Unknown((1, 2))})
    made = CallTemplate("c.c2", "p.P", "make", {"src": Unknown(("/job_1700001/a", "/job_1700002/a"))})
    done = CallTemplate("c.c3", "p.P", "done", {"dst": Unknown(("/job_1700002/b", "/job_1700001/b"))})
    client = NodeType("c", Count.parse("clients"), (first, Repeat("L1", Count.parse("files"), (made, done))))
    questions = (
        *(_asked("c.c1", path, (), rule, Absent()) for path, rule in lists.items()),
        _asked("c.c1", "size", (1, 2), Constant(1)),
        _asked("c.c2", "src", ("/job_1700001/a", "/job_1700002/a"), Constant("/a")),
        _asked("c.c3", "dst", ("/job_1700002/b", "/job_1700001/b"), Constant("/b")),
        Question("c:number of c nodes", "how many?", "c", candidates=(Constant(1),)),
    )
    return Workload((client,), Recorded((Scale.of(clients=2, files=files),), ()), questions)


def test_a_list_is_one_cause_and_an_id_in_several_texts_another() -> None:
    """Whatever the number of leaves; what nothing connects stands alone."""
    grouped = groups(_workload(3))
    assert [len(group.questions) for group in grouped] == [1, 2, 6, 1]
    number, texts, elements, size = grouped
    assert number.text == "how many?"
    assert "1700001 within src, dst of make, done" in texts.text
    assert "which elements has list of send" in elements.text
    assert size.text == "size?"


def test_one_value_in_several_calls_that_is_asked_in_the_same_words_is_one_cause() -> None:
    """Of one name and value in whichever calls; of other rules in calls of one method alone."""
    first = CallTemplate("c.c1", "p.P", "send", {"from.host": Constant("h"), "to.host": Constant("h")})
    other = CallTemplate("c.c2", "p.P", "make", {"host": Constant("h"), "n": Constant(1)})
    client = NodeType("c", Count(1), (first, other))

    def thin(call: CallTemplate, path: str, rule: Rule) -> Question:
        text = f"c: {path} of {call.method} was seen at two nodes alone; what is it at others?"
        return Question(f"{call.id}:{path}", text, "c", call.id, path, (), (rule,))

    questions = (
        thin(first, "from.host", Constant("h")),
        thin(first, "to.host", Constant("g")),
        thin(other, "host", Constant("h")),
        thin(other, "n", Scaled(Count(1))),
        thin(first, "n", Scaled(Count(1))),
    )
    texts = [group.text for group in groups(Workload((client,), Recorded((), ()), questions))]
    words = "was seen at two nodes alone; what is it at others?"
    assert texts == [
        f"c: host of send, make {words}",
        f"c: to.host of send {words}",
        f"c: n of make {words}",
        f"c: n of send {words}",
    ]


@pytest.mark.parametrize(
    ("asked", "texts"),
    [
        pytest.param(
            [("c.c1", f"previous.{leaf}", (), Absent()) for leaf in ("poolId", "blockId")],
            ["c: previous of send is not sure; what is it?"],
            id="leaves of one message",
        ),
        pytest.param(
            [("c.c1", f"list[{n}].map[{key}].value", (), Absent()) for n in range(2) for key in "ab"],
            ["c: which elements has list of send, and what is in them?"],
            id="a list",
        ),
        pytest.param(
            [("c.c1", f"map[{key}].value", (), Absent()) for key in ("a.b", "a.c")],
            ["c: map of send is not sure; what is it?"],
            id="values of one map",
        ),
        pytest.param(
            [("c.c1", "src", ("/a/b/x", "/c/d/x")), ("c.c2", "dst", ("/a/b/y/z", "/c/d/y/z"))],
            ["c: what gives a/b within src, dst of send, make its value?"],
            id="texts around one part",
        ),
        pytest.param(
            [("c.c1", "fileId", (7001, 7002)), ("c.c1", "blockId", (9001, 9002)), ("c.c2", "n", (1, 2))],
            ["c: what gives fileId, blockId of send its value?", "c: n of make is not sure; what is it?"],
            id="ids of one call",
        ),
    ],
)
def test_arguments_of_one_cause_are_asked_once(asked: list[tuple], texts: list[str]) -> None:
    """What stands in one message or map, around one part of a text, or as ids in one call."""
    methods = {"c.c1": "send", "c.c2": "make"}
    arguments = {call: {a[1]: Constant(1) for a in asked if a[0] == call} for call in methods}
    calls = tuple(CallTemplate(call, "p.P", methods[call], arguments[call]) for call in methods)
    questions = tuple(
        Question(
            f"{c}:{p}", f"c: {p} of {methods[c]} is not sure; what is it?", "c", c, p, e, (Constant(1), *r)
        )
        for c, p, e, *r in asked
    )
    workload = Workload((NodeType("c", Count(1), calls),), Recorded((), ()), questions)
    assert [group.text for group in groups(workload)] == texts


def test_where_steps_are_asked_about_what_has_no_rule_in_them_is_not_asked_apart() -> None:
    """A rule that is only unsure is, and so is what other types do."""
    workload = _workload(0)
    of_steps = Question(
        "c:steps", "c: are its steps right?", "c", path=STEPS, candidates=(Constant("as mined"),)
    )
    unknown = _asked("c.c1", "size", (1, 2), Unknown((1, 2)))
    others = (_asked("c.c2", "src", (), Constant("/a")), _asked("d.c1", "src", (1, 2), Unknown((1, 2))))
    asked = replace(workload, questions=(unknown, *others, of_steps))
    grouped = sorted(groups(asked), key=lambda group: -len(group.questions))
    assert [[question.id for question in group.questions] for group in grouped] == [
        ["c:steps", "c.c1:size"],
        ["c.c2:src"],
        ["d.c1:src"],
    ]
    assert grouped[0].text == "c: are its steps right? And what gives 1 argument of theirs a value?"


def test_numbers_with_the_same_candidates_are_asked_once() -> None:
    """Loops that follow one variable or another: which one is one question."""
    formulas = (Scaled(Count.parse("files")), Scaled(Count.parse("folders")))
    questions = tuple(
        Question(f"c:{what}", f"{what}: is it files or folders?", "c", candidates=formulas[:most])
        for what, most in (
            ("iterations of L1 in c", 2),
            ("iterations of L2 in c", 2),
            ("number of c nodes", 1),
        )
    )
    workload = _workload(0)
    texts = [group.text for group in groups(Workload(workload.node_types, workload.recorded, questions))]
    assert sorted(texts) == [
        "iterations of L1 in c, iterations of L2 in c: is it files or folders?",
        "number of c nodes: is it files or folders?",
    ]


def test_what_most_calls_hang_on_comes_first() -> None:
    """A number of nodes moves all calls of the type; the loop's calls are sixteen of seventeen."""
    shares = [group.share for group in groups(_workload(3))]
    assert shares == [1.0, 32 / 34, 2 / 34, 2 / 34]
    larger = groups(_workload(3), Scale.of(clients=2, files=50))
    assert larger[1].share == 200 / 202


def test_one_answer_settles_all_places() -> None:
    """Each place takes its own candidate of that number."""
    workload = _workload(3)
    elements = groups(workload)[2]
    assert (elements.alike, elements.choices) == (False, 2)
    never = answer_group(workload, elements, lambda question: question.candidates[1])
    rules = next(templates(never.node_types[0])).arguments
    assert all(rules[f"list[{n}].{leaf}"] == Absent() for n in range(3) for leaf in LEAVES)
    assert [len(group.questions) for group in groups(never)] == [1, 2, 1]


@given(st.integers(0, 6), st.sets(st.integers(0, 3)))
def test_every_open_question_is_in_one_group(elements: int, answered: set[int]) -> None:
    """None is lost and none is asked twice, whatever was answered before."""
    workload = _workload(elements)
    for at in sorted(answered):
        left = groups(workload)
        if at < len(left):
            workload = answer_group(workload, left[at], lambda question: question.candidates[0])
    grouped = [question.id for group in groups(workload) for question in group.questions]
    assert sorted(grouped) == sorted(q.id for q in workload.questions if not q.answered)


def test_a_workload_without_a_recorded_scale_has_no_shares() -> None:
    """Written by hand, it is reviewed all the same."""
    workload = _workload(2)
    plain = Workload(workload.node_types, Recorded((), ()), workload.questions)
    assert {group.share for group in groups(plain)} == {0.0}


def test_of_a_number_of_iterations_the_calls_within_hang() -> None:
    """The loop's sixteen calls of seventeen, and not the one before it."""
    workload = _workload(0)
    asked = Question("c:iterations of L1 in c", "how often?", "c", candidates=(Constant(1),))
    (group,) = groups(Workload(workload.node_types, workload.recorded, (asked,)))
    assert group.share == 32 / 34


def _call(name: str, seconds: float = 0.0) -> CallTemplate:
    return CallTemplate(name, "p.P", "m", {}, Timing(Count(seconds)))


CLIENT = NodeType(
    "c",
    Count.parse("clients"),
    (_call("c.c1"), Repeat("L1", Count.parse("files"), (_call("c.c2", 0.5),))),
    (Periodic(_call("c.p1"), 2.0),),
)
NODE = NodeType(
    "d",
    Count.parse("nodes"),
    (),
    effects=(Effect(_call("d.e1"), "c.c2", "c", None, Actor.CALLEE, share=0.5),),
)
WORKLOAD = Workload((CLIENT, NODE), Recorded((), ()))


def test_calls_of_all_nodes_are_counted() -> None:
    """Steps by their loops, beats by how long the clients take, effects by their causes."""
    calls = calls_by_template(WORKLOAD, Scale.of(clients=3, files=8, nodes=2))
    assert calls == {"c.c1": 3, "c.c2": 24, "c.p1": 3 * 4 / 2, "d.e1": 12}


def test_a_scale_that_lacks_a_variable_counts_nothing() -> None:
    """One clear error."""
    with pytest.raises(InputError, match="lacks"):
        calls_by_template(WORKLOAD, Scale.of(clients=3, files=8))
