"""An answer puts a rule in its place and leaves the rest alone."""

import pytest

from froude.workload.review import answer, open_questions
from froude.workload.scale import Count
from froude.workload.types import (
    CallTemplate,
    Constant,
    NodeType,
    Question,
    Recorded,
    Repeat,
    Unknown,
    Workload,
)


def test_answer_reaches_into_loops() -> None:
    """The argument of a call inside a repeated segment takes the rule."""
    call = CallTemplate("c1", "p", "create", {"src": Unknown(("a", "b")), "n": Constant(1)})
    client = NodeType("client", Count(1), (Repeat("L1", Count(2), (call,)),))
    question = Question("q1", "what is src?", "client", "c1", "src", candidates=(Constant("a"),))
    before = Workload((client,), Recorded((), ()), (question,))
    after = answer(before, question, Constant("z"))
    changed = next(after.node_types[0].templates())
    assert changed.arguments == {"src": Constant("z"), "n": Constant(1)}
    assert open_questions(after) == ()
    assert open_questions(before) == (question,)


def test_an_unknown_question_is_the_callers_mistake() -> None:
    """Ids are checked."""
    with pytest.raises(KeyError):
        answer(Workload((), Recorded((), ())), "q9", Constant(1))
