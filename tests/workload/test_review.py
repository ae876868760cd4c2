"""An answer puts a rule in its place and leaves the rest alone."""

import pytest

from froude.base.errors import InputError
from froude.workload.references import uncounted
from froude.workload.review import accept, answer, open_questions, read_answer
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CALLEE,
    START,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Generated,
    NodeType,
    Question,
    Recorded,
    Repeat,
    Rule,
    Scaled,
    StartRule,
    Template,
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


def _asking(*candidates: Rule) -> Workload:
    call = CallTemplate("c1", "p", "create", {"src": Unknown(("/done", "/tmp"))})
    client = NodeType("client", Count(1), (Repeat("L1", Count(2), (call,)), Repeat("L2", Count(2), ())))
    question = Question("q1", "what is src?", "client", "c1", "src", ("/done",), candidates)
    return Workload((client,), Recorded((Scale.of(files=3),), ()), (question,))


@pytest.mark.parametrize(
    ("candidates", "stays"),
    [
        ((), True),
        ((Unknown(("/done", "/tmp")),), True),
        ((Cases("L1", Constant("/done"), None, Unknown(("/tmp",))),), True),
        ((Constant("/done"), Unknown(("/tmp",))), False),
    ],
)
def test_what_no_rule_is_known_for_stays_open(candidates: tuple[Rule, ...], *, stays: bool) -> None:
    """To accept it would say that somebody settled it."""
    assert bool(open_questions(accept(_asking(*candidates)))) is stays


def test_an_answer_may_be_any_rule_of_the_file() -> None:
    """With the indices of its call, and the variables of the recorded runs."""
    workload = _asking()
    (question,) = workload.questions
    text = '{"template": "/tmp/c{node}-{files*node + L1:03}"}'
    parts = ("/tmp/c", Counter(0, {"node": 1}), "-", Counter(0, {"files*node": 1, "L1": 1}, 3))
    assert read_answer(workload, question, text, "--set") == Template(parts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"template": "/tmp/c{nod}"}',
            "found nod; allowed: L1, client.L1, client.L2, files, node",
        ),
        ('{"template": "/tmp/{L2}"}', "found L2"),
        ('{"counter": "sizes*node"}', "found sizes; allowed: files"),
        ('{"counter": "L1%folders"}', "found folders"),
        ('{"scaled": "2*sizes"}', "found sizes"),
        ('{"from": "c9", "request": "src"}', "found c9; allowed: c1"),
        ('{"index": "L2", "otherwise": 1}', "found L2; allowed: L1,"),
        ('{"pattern": "/tmp"}', "not a rule"),
        ('{"template": "/tmp/{"}', "--set:1: q1.template: "),
        ('{"template": ', "--set"),
    ],
)
def test_an_answer_names_what_is_there(text: str, message: str) -> None:
    """A name that no play could fill in is refused where it is given."""
    workload = _asking()
    with pytest.raises(InputError) as refused:
        read_answer(workload, workload.questions[0], text, "--set")
    assert message in str(refused.value)


@pytest.mark.parametrize("index", ["node", "L1", "files"])
def test_an_answer_may_go_by_what_a_file_may(index: str) -> None:
    """By the node as well as by a loop: an edited workload is read with it, and an answer is, too."""
    workload = _asking()
    (question,) = workload.questions
    text = f'{{"index": "{index}", "first": "/a", "otherwise": "/b"}}'
    rule = read_answer(workload, question, text, "--set")
    assert rule == Cases(index, Constant("/a"), None, Constant("/b"))
    assert list(uncounted(answer(workload, question, rule))) == []


def test_an_answer_about_a_number_or_a_user_takes_its_place() -> None:
    """The second candidate of a count, a whole number of iterations, a name; what is no number is refused."""
    call = CallTemplate("client.c1", "p", "create", {})
    loop = Repeat("L1", Count(0, {"files": 1}), (call,), Generated("gauge", {"low": 1, "high": 2}))
    node_type = NodeType("client", Count(0, {"files": 1}), (Repeat("L0", Count(2), (loop,)),))
    twice = Scaled(Count(0, {"files": 2}))
    questions = (
        Question("client:number of client nodes", "?", "client", candidates=(Scaled(node_type.count), twice)),
        Question("client:iterations of L1 in client", "?", "client"),
        Question("client:user", "?", "client", path="user"),
    )
    workload = Workload((node_type,), Recorded((), ()), questions)
    with pytest.raises(InputError, match="not a number of nodes"):
        answer(workload, questions[0], Constant("many"))
    for question, rule in zip(questions, (twice, Constant(3), Constant("alice")), strict=True):
        workload = answer(workload, question, rule)
    (settled,) = workload.node_types
    assert settled.count == twice.count
    assert settled.user == "alice"
    (outer,) = settled.steps
    assert isinstance(outer, Repeat)
    (inner,) = outer.steps
    assert isinstance(inner, Repeat)
    assert (inner.times, inner.drawn, outer.times) == (Count(3.0), None, Count(2))
    assert not open_questions(workload)


@pytest.mark.parametrize(("answered", "follows"), [("each", "put"), ("all", None)])
def test_an_answer_about_starts_keeps_one_of_the_two(answered: str, follows: str | None) -> None:
    """And no third one."""
    each, every = StartRule("put", every=False, pause_s=1.0, follows="put"), StartRule("put", spacing_s=0.1)
    question = Question("mv:start", "?", "mv", path=START, candidates=(Constant("each"), Constant("all")))
    node = NodeType("mv", Count(2.0), (), start=each, or_start=every)
    workload = Workload((NodeType("put", Count(2.0), ()), node), Recorded((), ()), (question,))
    settled = answer(workload, question, Constant(answered))
    assert (settled.node_types[1].start.follows, settled.node_types[1].or_start) == (follows, None)
    assert settled.questions[0].answered
    with pytest.raises(InputError, match="allowed: each or all"):
        answer(workload, question, Constant("some"))


@pytest.mark.parametrize(
    ("rule", "times", "drawn"),
    [
        (Constant("12"), 12.0, None),
        (Constant(0), 0.0, None),
        (Generated("gauge", {"low": 1, "high": 9}), 2.0, Generated("gauge", {"low": 1, "high": 9})),
    ],
)
def test_an_answer_about_iterations_is_a_number_or_a_range(
    rule: Rule, times: float, drawn: Generated | None
) -> None:
    """A number as text, too: so `--set q1=#12` gives it."""
    seen = Generated("gauge", {"low": 1, "high": 3})
    question = Question("c:iterations of L1 in c", "?", "c", candidates=(seen,))
    node = NodeType("c", Count(1.0), (Repeat("L1", Count(2.0), (), seen),))
    (settled,) = answer(Workload((node,), Recorded((), ()), (question,)), question, rule).node_types
    assert settled.steps == (Repeat("L1", Count(times), (), drawn),)


@pytest.mark.parametrize("rule", [Constant(-1), Constant("x"), Generated("uuid", {})])
def test_what_is_not_a_number_answers_nothing_about_iterations(rule: Rule) -> None:
    """One error, and the question stays open."""
    question = Question("c:iterations of L1 in c", "?", "c", candidates=(Scaled(Count(2.0)),))
    node = NodeType("c", Count(1.0), (Repeat("L1", Count(2.0), ()),))
    with pytest.raises(InputError, match="whole number"):
        answer(Workload((node,), Recorded((), ()), (question,)), question, rule)
