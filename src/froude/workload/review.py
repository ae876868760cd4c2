"""Answering what mining could not settle: an answer is a rule put in place of the doubtful one."""

from __future__ import annotations

from dataclasses import replace

from froude.workload.types import CALLEE, CallTemplate, Question, Rule, Workload
from froude.workload.walk import map_calls


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
    asked = next((q for q in workload.questions if q.id == wanted), None)
    if asked is None:
        raise KeyError(wanted)
    questions = tuple(replace(q, answered=True) if q.id == wanted else q for q in workload.questions)
    node_types = workload.node_types
    if asked.call is not None and asked.path is not None:
        path, call_id = asked.path, asked.call

        def settle(call: CallTemplate) -> CallTemplate:
            if call.id != call_id:
                return call
            if path == CALLEE:
                return replace(call, callee=rule)
            return replace(call, arguments={**call.arguments, path: rule})

        node_types = tuple(map_calls(node_type, settle) for node_type in node_types)
    return replace(workload, node_types=node_types, questions=questions)
