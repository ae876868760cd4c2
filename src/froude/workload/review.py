"""Answering what mining could not settle: an answer is a rule put in place of the doubtful one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from froude.workload.types import CallTemplate, NodeType, Question, Repeat, Rule, Step, Workload


def open_questions(workload: Workload) -> tuple[Question, ...]:
    """The questions without an answer, in the workload's order."""
    return tuple(question for question in workload.questions if not question.answered)


def answer(workload: Workload, question: Question | str, rule: Rule) -> Workload:
    """Settle a question.

    Args:
        workload: where it stands.
        question: the question, or its id.
        rule: the rule of the argument it asks about; for a question about no argument it only confirms.

    Returns:
        A workload with the rule in place and the question marked as answered.

    Raises:
        KeyError: the workload has no such question.
    """
    wanted = question if isinstance(question, str) else question.id
    found = next((q for q in workload.questions if q.id == wanted), None)
    if found is None:
        raise KeyError(wanted)
    questions = tuple(replace(q, answered=True) if q.id == wanted else q for q in workload.questions)
    node_types = workload.node_types
    if found.call is not None and found.path is not None:
        path, call_id = found.path, found.call

        def settle(call: CallTemplate) -> CallTemplate:
            return replace(call, arguments={**call.arguments, path: rule}) if call.id == call_id else call

        node_types = tuple(map_calls(node_type, settle) for node_type in node_types)
    return replace(workload, node_types=node_types, questions=questions)


def map_calls(node_type: NodeType, change: Callable[[CallTemplate], CallTemplate]) -> NodeType:
    """The node type with every call template changed by a function."""

    def steps(old: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(replace(s, steps=steps(s.steps)) if isinstance(s, Repeat) else change(s) for s in old)

    return replace(
        node_type,
        steps=steps(node_type.steps),
        periodic=tuple(replace(p, call=change(p.call)) for p in node_type.periodic),
        effects=tuple(replace(e, call=change(e.call)) for e in node_type.effects),
    )
