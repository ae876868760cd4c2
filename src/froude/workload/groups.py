"""Open questions by what they have in common, so that one answer serves all places of one cause.

A list that differs in length or content from call to call raises a question for every leaf of every element: that
is one cause. A value that has one name in several calls is one, too, and so are the steps of a node type with all that
no rule is known for in them. A group is answered as a whole; each
of its questions keeps candidates of its own. Groups are in order of the calls at a Scale that depend on them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from froude.base.errors import InputError
from froude.base.summary import counted
from froude.base.units import Quantity
from froude.workload.plan import Plan, expected_s
from froude.workload.review import answer, likeliest
from froude.workload.rounds import count_calls
from froude.workload.scale import Scale, at_node
from froude.workload.types import STEPS, Absent, CallTemplate, Constant, Question, Rule, Scalar, Workload
from froude.workload.walk import calls as calls_within
from froude.workload.walk import repeats, templates

_ENDLESS_S = 60.0
"""How long periodic calls are counted for where nothing in the workload ends, seconds."""
_INDEX = re.compile(r"\[(\d+)\]")
_PART = re.compile(r"\[[^\]]*\]|[^.\[\]]+")
_LONG = re.compile(r"\d{6,}")
_LENGTH = "may be the length of a text"
_SMALLEST_ID = 1000
_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """Questions of one cause."""

    questions: tuple[Question, ...]
    """In the workload's order."""
    text: str
    """One question for all."""
    share: float
    """Of all calls at the Scale looked at, those whose arguments or number hang on the answer: 0 to 1."""

    @property
    def examples(self) -> tuple[Scalar, ...]:
        """Some of the values seen."""
        seen = {(type(value), value): value for question in self.questions for value in question.examples}
        return tuple(seen.values())[:_EXAMPLES]

    @property
    def alike(self) -> bool:
        """Whether all questions have the same candidates."""
        return all(question.candidates == self.questions[0].candidates for question in self.questions)

    @property
    def choices(self) -> int:
        """How many candidates every question has."""
        return min(len(question.candidates) for question in self.questions)


def groups(workload: Workload, scale: Mapping[str, Quantity] | None = None) -> tuple[QuestionGroup, ...]:
    """The open questions by cause, the one that most calls hang on first.

    Args:
        scale: at which calls are counted; by default the largest that was recorded. Shares are 0 where none fits.
    """
    by_id = _by_id(workload)
    lists = _lists([question for question in workload.questions if not question.answered], by_id)
    calls = _calls(workload, scale or _largest(workload))
    total = sum(calls.values()) or 1.0
    grouped = [
        QuestionGroup(tuple(listed), _text(listed, by_id, lists), _hanging(listed, workload, calls) / total)
        for listed in open_by_cause(workload)
    ]
    return tuple(sorted(grouped, key=lambda group: -group.share))


def open_by_cause(workload: Workload) -> list[list[Question]]:
    """The open questions, those of one cause together: as many are asked as there are lists."""
    return by_cause(workload, [question for question in workload.questions if not question.answered])


def by_cause(workload: Workload, questions: Sequence[Question]) -> list[list[Question]]:
    """Questions of a workload, those of one cause together."""
    lists = _lists(questions, _by_id(workload))
    steps = {question.node_type: question for question in questions if question.path == STEPS}
    causes: dict[Hashable, list[Question]] = {question.id: [question] for question in steps.values()}
    for question in questions:
        about = steps.get(question.node_type)
        if about is not None and likeliest(question) is None:
            causes[about.id].append(question)
        elif question is not about:
            causes.setdefault(lists.get(question.id) or _cause(question), []).append(question)
    return list(causes.values())


def _by_id(workload: Workload) -> dict[str, CallTemplate]:
    return {call.id: call for node_type in workload.node_types for call in templates(node_type)}


def number(workload: Workload, question: Question) -> str:
    """A question's short name, which stays when others are answered; that of its first question names a group."""
    return f"q{1 + [q.id for q in workload.questions].index(question.id)}"


def answer_group(workload: Workload, group: QuestionGroup, choice: Callable[[Question], Rule]) -> Workload:
    """Settle every question of a group.

    Args:
        choice: the rule for each of the questions.
    """
    for question in group.questions:
        workload = answer(workload, question, choice(question))
    return workload


def _calls(workload: Workload, scale: Mapping[str, Quantity]) -> Mapping[str, float]:
    """Calls by template; none where a workload written by hand says no Scale at which they could be counted."""
    try:
        return calls_by_template(workload, scale)
    except InputError:
        return {}


def _largest(workload: Workload) -> Mapping[str, Quantity]:
    scales = workload.recorded.scales
    largest: dict[str, Quantity] = {}
    for scale in sorted(scales, key=lambda scale: sum(q.value for q in scale.values()), reverse=True):
        largest = {**scale, **largest}  # in a mixture the runs of each workload have variables of their own
    return largest


def _cause(question: Question) -> Hashable:
    """What questions of one cause have in common; what is no argument and no number stands alone.

    Numbers have the same candidates. Arguments of unknown value have the same examples under one name, or texts around
    the same middles; ids that answers gave belong to one call. Of others it is asked in the same words: of a name, or
    of all that stands in one message where that is not always set; in whichever calls where all candidates are the
    same values, else in calls of one method.
    """
    if question.number is not None:
        return str(question.candidates)
    if question.call is None or question.path is None:
        return question.id
    name = question.path.rpartition(".")[2]
    if question.examples:
        if all(type(value) is int and value >= _SMALLEST_ID for value in question.examples):
            return question.call
        values = frozenset((type(value).__name__, value) for value in question.examples)
        return frozenset(_middles(question)) or (name, values)
    method, words = _asked(question)
    if Absent() in question.candidates:
        return _message(question.path), words, method
    plain = all(isinstance(rule, Constant) for rule in question.candidates) and not words.startswith(_LENGTH)
    return name, words, question.candidates if plain else method


def _message(path: str) -> tuple[str, ...]:
    """The parts of the message, or of the map, that a leaf stands in, whatever the numbers of elements."""
    parts = _parts(path)[:-1]
    return tuple(takewhile(lambda part: not part.startswith("[") or part == "[]", parts))


def _parts(path: str) -> list[str]:
    """The names and elements that a leaf path goes through, without the numbers of elements."""
    return _PART.findall(_INDEX.sub("[]", path))


def _asked(question: Question) -> tuple[str, str]:
    """The method, and what is asked, of a question about an argument; the whole text where it is in other words."""
    method, _, words = question.text.partition(f"{question.path} of ")[2].partition(" ")
    return (method, words) if words else ("", question.text)


def _middles(question: Question) -> list[str]:
    """What differs in the texts seen: long numbers within, else all between what is the same before and behind."""
    texts = [value for value in question.examples if isinstance(value, str)]
    if len(texts) < max(2, len(question.examples)):
        return []
    numbers = [set(_LONG.findall(text)) for text in texts]
    differing = set.union(*numbers) - set.intersection(*numbers)
    parts = [text.split("/") for text in texts]
    before = _common(parts)
    behind = _common([listed[before:][::-1] for listed in parts])
    return sorted(differing or {"/".join(listed[before : len(listed) - behind]) for listed in parts})


def _common(listed: Sequence[Sequence[str]]) -> int:
    """How many parts all have at their beginning."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*listed, strict=False)))


def _lists(questions: Iterable[Question], by_id: Mapping[str, CallTemplate]) -> dict[str, tuple[str, str]]:
    """The method and list of each question about an element: the outermost of which several elements are asked about."""
    by_method: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        call = by_id.get(question.call or "")
        if call is not None and _INDEX.search(question.path or ""):
            by_method[call.method].append(question)
    lists: dict[str, tuple[str, str]] = {}
    for method, listed in by_method.items():
        elements: dict[str, set[str]] = defaultdict(set)
        for question in listed:
            for name, number in _steps(question.path or ""):
                elements[name].add(number)
        for question in listed:
            several = [name for name, _ in _steps(question.path or "") if len(elements[name]) > 1]
            if several:
                lists[question.id] = (method, several[0])
    return lists


def _steps(path: str) -> list[tuple[str, str]]:
    """Each list that a path goes through, without indices, and the number of the element."""
    return [(_INDEX.sub("", path[: at.start()]), at[1]) for at in _INDEX.finditer(path)]


def _text(
    questions: Sequence[Question], by_id: Mapping[str, CallTemplate], lists: Mapping[str, tuple[str, str]]
) -> str:
    first = questions[0]
    if len(questions) == 1:
        return first.text
    if first.path == STEPS:
        return f"{first.text} And what gives {counted(len(questions) - 1, 'argument')} of theirs a value?"
    if first.call is None:
        named = dict.fromkeys(question.text.partition(": ")[0] for question in questions)
        return f"{', '.join(named)}: {first.text.partition(': ')[2]}"
    types = ", ".join(dict.fromkeys(question.node_type for question in questions))
    if first.id in lists:
        method, name = lists[first.id]
        return f"{types}: which elements has {name} of {method}, and what is in them?"
    methods = ", ".join(dict.fromkeys(by_id[question.call].method for question in questions if question.call))
    names = ", ".join(dict.fromkeys((question.path or "").rpartition(".")[2] for question in questions))
    middles = _middles(first)
    asked = {_asked(question)[1] for question in questions}
    if len(asked) == 1 and not first.examples and len(first.text) > len(words := asked.pop()):
        paths = [_parts(question.path or "") for question in questions]
        around = paths[0][: _common(paths)]
        names = "".join(part if part.startswith("[") else f".{part}" for part in around).lstrip(".") or names
        return f"{types}: {names} of {methods} {words}"
    return f"{types}: what gives {f'{middles[0]} within ' if middles else ''}{names} of {methods} its value?"


def _hanging(questions: Sequence[Question], workload: Workload, calls: Mapping[str, float]) -> float:
    """The calls of the templates that are asked about; of a number of iterations those within, of nodes all."""
    about = {name for question in questions for name in _about(question, workload)}
    return sum(number for name, number in calls.items() if name in about)


def _about(question: Question, workload: Workload) -> list[str]:
    if question.call is not None:
        return [question.call]
    steps = [node_type for node_type in workload.node_types if node_type.name == question.node_type]
    loops = [segment for node_type in steps for segment in repeats(node_type.steps)]
    for segment in loops:
        if question.id.startswith(f"{question.node_type}:iterations of {segment.id} "):
            return [call.id for call in calls_within(segment.steps)]
    return [call.id for node_type in steps for call in templates(node_type)]


def calls_by_template(workload: Workload, scale: Mapping[str, Quantity]) -> dict[str, float]:
    """The calls of each template, by its id, of all nodes: steps, periodic calls until the last node has ended, effects.

    An effect counts once for each call of its cause, times its share: how many elements an answer has is the target's.

    Args:
        workload: with or without open questions.
        scale: with every variable of the workload.

    Raises:
        InputError: the Scale lacks a variable.
    """
    counts = {node_type.name: node_type.count.whole_at(scale) for node_type in workload.node_types}
    plan = Plan(workload, Scale(dict(scale)), counts, ())
    duration_s = expected_s(plan) or _ENDLESS_S
    calls: dict[str, float] = defaultdict(float)

    def add(call: CallTemplate, times: int) -> None:
        calls[call.id] += times

    for node_type in workload.node_types:
        number = counts[node_type.name]
        # Where loops depend on the node's number those of the middle node stand for all.
        count_calls(node_type.steps, at_node(scale, number // 2), add, number)
        for periodic in node_type.periodic:
            calls[periodic.call.id] += number * duration_s / periodic.every_s
    for node_type in workload.node_types:
        for effect in node_type.effects:
            calls[effect.call.id] += effect.share * calls[effect.cause]
    return dict(calls)
