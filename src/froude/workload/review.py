"""Answering what mining could not settle: an answer is a rule put in place of the doubtful one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from froude.base.errors import InputError
from froude.documents.plain import Fields, parse_yaml
from froude.documents.reading import Section
from froude.workload.references import names_for, unknown_names
from froude.workload.scale import Count
from froude.workload.types import (
    CALLEE,
    NODES,
    START,
    STEPS,
    CallTemplate,
    Constant,
    Generated,
    NodeType,
    Question,
    Repeat,
    Rule,
    Scaled,
    Step,
    Unknown,
    Workload,
)
from froude.workload.walk import fold, loops_around, map_calls, within
from froude.workload.yaml_rules import read_rule


def open_questions(workload: Workload) -> tuple[Question, ...]:
    """The questions without an answer, in the workload's order."""
    return tuple(question for question in workload.questions if not question.answered)


def likeliest(question: Question) -> Rule | None:
    """The first candidate; None where there is none, or where it says itself that no rule is known."""
    first = question.candidates[0] if question.candidates else None
    return None if first is None or any(isinstance(rule, Unknown) for rule in within(first)) else first


def accept(workload: Workload) -> Workload:
    """Answer every open question with its likeliest rule; those for which none is known stay open."""
    for question in open_questions(workload):
        rule = likeliest(question)
        if rule is not None:
            workload = answer(workload, question, rule)
    return workload


def read_answer(workload: Workload, question: Question, text: str, place: str) -> Rule:
    """A rule from the text form that a workload's file has, such as `{"template": "/tmp/c{node}"}`.

    Args:
        text: a YAML mapping in braces; JSON is one, too.
        place: where the text comes from, for errors.

    Raises:
        InputError: no mapping, no rule, or one that names what is not there.
    """
    rule = read_rule(parse_yaml(text.encode(), place), Section(Fields(), place), question.id)
    own = next((each for each in workload.node_types if each.name == question.node_type), None)
    if own is not None:
        around = {
            loop for call, loops in loops_around(own.steps) if call.id == question.call for loop in loops
        }
        known = names_for(workload, own, around)
        for what, name in unknown_names(rule, known):
            allowed = sorted(known[what])
            raise InputError(
                f"there is no such {what}", file=place, place=question.id, found=name, allowed=allowed
            )
    return rule


def answer(workload: Workload, question: Question | str, rule: Rule) -> Workload:
    """Settle a question.

    Args:
        rule: the rule of what it asks about: of an argument, of the users' names, of a number of nodes or
            iterations, for which it is a formula, a whole number or the range of a draw, or of what nodes wait for or
            of their steps, for which it is one of the candidates.

    Returns:
        A workload with the rule in place and the question marked as answered.

    Raises:
        KeyError: the workload has no such question.
        InputError: the rule is none of a number, where one is asked for.
    """
    wanted = question if isinstance(question, str) else question.id
    asked = next((q for q in workload.questions if q.id == wanted), None)
    if asked is None:
        raise KeyError(wanted)
    questions = tuple(replace(q, answered=True) if q.id == wanted else q for q in workload.questions)
    node_types = workload.node_types
    if asked.call is None:
        node_types = tuple(
            _settled_type(each, asked, rule) if each.name == asked.node_type else each for each in node_types
        )
    elif asked.path is not None:
        path, call_id = asked.path, asked.call

        def settle(call: CallTemplate) -> CallTemplate:
            if call.id != call_id:
                return call
            if path == CALLEE:
                return replace(call, callee=rule)
            return replace(call, arguments={**call.arguments, path: rule})

        node_types = tuple(map_calls(node_type, settle) for node_type in node_types)
    return replace(workload, node_types=node_types, questions=questions)


def _settled_type(node_type: NodeType, asked: Question, rule: Rule) -> NodeType:
    """A node type with the answer to a question about none of its calls."""
    if asked.path == "user":
        return replace(node_type, user=str(rule.value) if isinstance(rule, Constant) else rule)
    if asked.path in {START, STEPS}:
        if rule not in asked.candidates:
            allowed = " or ".join(str(each.value) for each in asked.candidates if isinstance(each, Constant))
            raise InputError("is not among the candidates", place=asked.id, found=str(rule), allowed=allowed)
        if asked.path == STEPS:
            return node_type
        other = node_type.or_start if rule != asked.candidates[0] else None
        return replace(node_type, start=other or node_type.start, or_start=None)
    if asked.number == NODES:
        return replace(node_type, count=_number(asked, rule), rivals=())

    def settle(segment: Repeat, body: Sequence[Step]) -> Step:
        if segment.id != asked.number:
            return replace(segment, steps=tuple(body))
        if (
            isinstance(rule, Generated)
            and rule.generator == "gauge"
            and {*rule.parameters} == {"low", "high"}
        ):
            return replace(segment, drawn=rule, steps=tuple(body))
        return replace(segment, times=_number(asked, rule), drawn=None, rivals=(), steps=tuple(body))

    return replace(node_type, steps=tuple(fold(node_type.steps, lambda call: call, settle)))


def _number(asked: Question, rule: Rule) -> Count:
    if isinstance(rule, Scaled):
        return rule.count
    if isinstance(rule, Constant) and str(rule.value).isdecimal():
        return Count(float(str(rule.value)))
    allowed = "one of its candidates, a formula, or a whole number"
    raise InputError(
        "is not a number of nodes or iterations", place=asked.id, found=str(rule), allowed=allowed
    )
