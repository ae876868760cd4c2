"""What a person is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.counts import Fit
from froude.mining.rules.doubtful_rules import Doubt
from froude.mining.rules.questions import Questions, counts_days
from froude.workload.scale import Count
from froude.workload.types import (
    STEPS,
    Absent,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    NodeType,
    Question,
    Repeat,
    Rule,
    Scaled,
    Template,
    Unknown,
)

FILES, FOLDERS = Count(0, {"files": 1}), Count(0, {"folders": 1})


@pytest.mark.parametrize(
    ("fit", "candidates"),
    [
        (Fit(FILES), None),
        (Fit(None), None),
        (Fit(FILES, (FOLDERS,)), (Scaled(FILES), Scaled(FOLDERS))),
        (Fit(FILES, sure=False), (Scaled(FILES),)),
    ],
)
def test_numbers_are_asked_where_they_are_not_sure(fit: Fit, candidates: tuple[Rule, ...] | None) -> None:
    """With every formula that fits."""
    questions = Questions()
    questions.number("client", "iterations of L1 in client", fit)
    assert [question.candidates for question in questions.asked] == (
        [] if candidates is None else [candidates]
    )
    for question in questions.asked:
        assert (question.id, question.node_type) == ("client:iterations of L1 in client", "client")
        assert question.text.startswith("iterations of L1 in client: is it files")


def test_users_are_asked_where_no_rule_gives_their_names() -> None:
    """With some that were seen."""
    questions, rule = Questions(), Unknown(("anna", "otto"))
    questions.user("client", Template(("user-", Counter(0, {"node": 1}))))
    assert questions.asked == []
    questions.user("client", rule)
    assert questions.asked == [
        Question(
            "client:user",
            "client: whose calls are they?",
            "client",
            path="user",
            examples=("anna", "otto"),
            candidates=(rule,),
        )
    ]


def test_an_argument_without_a_rule_is_asked() -> None:
    """Also where some part of a rule is open."""
    questions = Questions()
    rule = Cases("L1", Constant("/a"), None, Unknown(("/x", "/y")))
    questions.unknown("client", "client.c1", "create", {"src": rule, "flag": Constant(True)})
    (question,) = questions.asked
    assert (question.id, question.call, question.path) == ("client.c1:src", "client.c1", "src")
    assert question.text == "client: what gives src of create its value?"
    assert (question.examples, question.candidates) == (("/x", "/y"), (rule,))


@pytest.mark.parametrize(("calls", "asked"), [(5, []), (6, ["c:steps"])])
def test_steps_that_many_calls_do_not_fit_are_asked_about(calls: int, asked: list[str]) -> None:
    """More than one of twenty."""
    questions = Questions()
    questions.deviating("c", calls, 100)
    assert [question.id for question in questions.asked] == asked


def test_of_a_type_that_goes_on_its_steps_are_asked_instead_of_its_loops() -> None:
    """Where some loop has no sure number; the number of nodes stays a question of its own."""
    loop = Repeat("L1", FILES, (CallTemplate("c.c1", "p.P", "m", {}),), rivals=(FOLDERS,))
    node, questions = NodeType("c", FILES, (loop,)), Questions()
    assert questions.steps(node) == node
    for what in ("iterations of L1 in c", "number of c nodes"):
        questions.number("c", what, Fit(FILES, (FOLDERS,)))
    assert questions.steps(node) == replace(node, steps=(replace(loop, rivals=()),))
    assert [(question.id, question.path) for question in questions.asked] == [
        ("c:number of c nodes", None),
        ("c:steps", STEPS),
    ]


RULE = Constant(3)


@pytest.mark.parametrize(
    ("doubt", "words", "candidates"),
    [
        (Doubt("client.c1", "x", (), RULE), "is not always set; when", (RULE, Absent())),
        (Doubt("client.c1", "x", (7,), RULE), "is nearly always the same; what else may it be", (RULE,)),
        (
            Doubt("client.c1", "x", (), RULE, (Scaled(FILES),)),
            "follows from the Scale, or from an answer, in more than one",
            (RULE, Scaled(FILES)),
        ),
        (Doubt("client.c1", "x", (), RULE, clock=True), "is a time of the node's own clock", (RULE,)),
        (Doubt("client.c1", "x", (), RULE, longer=True), "stands in a list that is longer", (RULE,)),
    ],
)
def test_each_doubt_has_its_own_words(doubt: Doubt, words: str, candidates: tuple[Rule, ...]) -> None:
    """And the rules that may be meant."""
    questions = Questions()
    questions.doubtful("client", "client.c1", "create", {"x": RULE}, [doubt])
    (question,) = questions.asked
    assert question.text.startswith(f"client: x of create {words}")
    assert (question.id, question.candidates, question.examples) == ("client.c1:x", candidates, doubt.others)


@pytest.mark.parametrize(
    ("doubt", "rule", "asked"),
    [
        pytest.param(Doubt("client.c1", "x", (), RULE), Cases("L1", Absent(), None, RULE), 1, id="of a part"),
        pytest.param(Doubt("client.c2", "x", (), RULE), RULE, 0, id="of another call"),
        pytest.param(Doubt("client.c1", "y", (), RULE), RULE, 0, id="of another argument"),
        pytest.param(Doubt("client.c1", "x", (), RULE), Constant(4), 0, id="of a rule that does not stand"),
        pytest.param(
            Doubt("client.c1", "x", (), RULE),
            Cases("L1", Unknown(()), None, RULE),
            0,
            id="of what is open anyway",
        ),
    ],
)
def test_a_doubt_is_asked_where_its_rule_stands(doubt: Doubt, rule: Rule, asked: int) -> None:
    """Once, however often it came up."""
    questions = Questions()
    questions.doubtful("client", "client.c1", "create", {"x": rule}, [doubt, doubt])
    assert len(questions.asked) == asked


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        *(
            (text, True)
            for text in (
                "/dt=2026-01-",
                "/202601",
                "/2026/01/",
                "/2026/01/28/",
                "/2026-01-28/hour=",
                "/y/year=2026/month=01/day=",
                "/year=2026/month=01/day=",
            )
        ),
        *((text, False) for text in ("/part-20", "/v1999-13-", "/2026-01-28/part-")),
    ],
)
def test_days_that_count_on_are_asked_about(before: str, asked: bool) -> None:
    """After the last day of a month comes the first of the next one, and no rule knows that."""
    questions = Questions()
    rule = Template((before, Counter(28, {"L1": 1}, 2)))
    questions.doubtful("c", "c.c1", "mkdirs", {"src": rule}, [])
    assert bool(questions.asked) is asked


def test_a_date_as_one_number_is_asked_about() -> None:
    """From 20260131 on there is no next number."""
    assert counts_days(Template(("/in/", Counter(20260128, {"L1": 1}))))
    assert not counts_days(Template(("/in/", Counter(20261328, {"L1": 1}))))
