"""An answer puts a rule in its place and leaves the rest alone."""

import pytest

from froude.workload.review import answer, open_questions
from froude.workload.scale import Count
from froude.workload.types import (
    CALLEE,
    CallTemplate,
    Constant,
    NodeType,
    Question,
    Recorded,
    Repeat,
    Unknown,
    Workload,
)
from froude.workload.walk import templates


def test_answer_reaches_into_loops() -> None:
    """The argument of a call inside a repeated segment takes the rule."""
    call = CallTemplate("c1", "p", "create", {"src": Unknown(("a", "b")), "n": Constant(1)})
    client = NodeType("client", Count(1), (Repeat("L1", Count(2), (call,)),))
    question = Question("q1", "what is src?", "client", "c1", "src", candidates=(Constant("a"),))
    before = Workload((client,), Recorded((), ()), (question,))
    after = answer(before, question, Constant("z"))
    changed = next(templates(after.node_types[0]))
    assert changed.arguments == {"src": Constant("z"), "n": Constant(1)}
    assert open_questions(after) == ()
    assert open_questions(before) == (question,)


def test_an_unknown_question_is_the_callers_mistake() -> None:
    """Ids are checked."""
    with pytest.raises(KeyError):
        answer(Workload((), Recorded((), ())), "q9", Constant(1))


def test_an_answer_changes_one_call_only() -> None:
    """Calls of the same argument keep their own rules, in the same node type and in others."""
    asked, beside = (CallTemplate(f"c{n}", "p", "create", {"src": Unknown(("a",))}) for n in (1, 2))
    elsewhere = CallTemplate("d1", "p", "create", {"src": Unknown(("a",))})
    workload = Workload(
        (NodeType("client", Count(1), (asked, beside)), NodeType("other", Count(1), (elsewhere,))),
        Recorded((), ()),
        (Question("q1", "what is src?", "client", "c1", "src"), Question("q2", "?", "client", "c2", "src")),
    )
    after = answer(workload, "q1", Constant("z"))
    rules = [call.arguments["src"] for node_type in after.node_types for call in templates(node_type)]
    assert rules == [Constant("z"), Unknown(("a",)), Unknown(("a",))]
    assert [question.id for question in open_questions(after)] == ["q2"]


def test_who_is_called_can_be_asked_too() -> None:
    """The answer is then the rule of the called daemon's address, and arguments stay."""
    call = CallTemplate("c1", "p", "m", {"src": Constant(1)}, callee=Unknown(("nm:1",)))
    question = Question("q1", "who?", "client", "c1", CALLEE)
    workload = Workload((NodeType("client", Count(1), (call,)),), Recorded((), ()), (question,))
    (changed,) = templates(answer(workload, question, Constant("nm:2")).node_types[0])
    assert changed.callee == Constant("nm:2")
    assert changed.arguments == {"src": Constant(1)}
