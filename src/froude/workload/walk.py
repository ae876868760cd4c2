"""Walks over a workload's steps and rules: the one place that knows how they nest.

Everything that counts, lists, renames or shows steps is a `fold` or one of the lists below, so that a new kind of
step or rule is added here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from froude.workload.types import CallTemplate, Cases, Cycle, Flow, NodeType, Repeat, Rule, Step, Template

T = TypeVar("T")


def fold(
    steps: Sequence[Step],
    call: Callable[[CallTemplate], T],
    repeat: Callable[[Repeat, list[T]], T],
) -> list[T]:
    """One value a step, those of a repeated segment made from the values of its body.

    Args:
        steps: of a node type, or of a segment.
        call: the value of a call template.
        repeat: the value of a repeated segment, from the segment and the values of its steps.
    """
    return [
        repeat(step, fold(step.steps, call, repeat)) if isinstance(step, Repeat) else call(step)
        for step in steps
    ]


def calls(steps: Sequence[Step]) -> Iterator[CallTemplate]:
    """Every call template, in order; one of a repeated segment comes once."""
    for step in steps:
        if isinstance(step, Repeat):
            yield from calls(step.steps)
        else:
            yield step


def repeats(steps: Sequence[Step]) -> Iterator[Repeat]:
    """Every repeated segment, outer ones before those within."""
    for step in steps:
        if isinstance(step, Repeat):
            yield step
            yield from repeats(step.steps)


def loops_around(
    steps: Sequence[Step], around: tuple[str, ...] = ()
) -> Iterator[tuple[CallTemplate, tuple[str, ...]]]:
    """Each call template of steps, with the ids of the loops around it, outermost first.

    Args:
        around: the loops that the steps are in.
    """
    for step in steps:
        if isinstance(step, Repeat):
            yield from loops_around(step.steps, (*around, step.id))
        else:
            yield step, around


def templates(node_type: NodeType) -> Iterator[CallTemplate]:
    """Every call template of a node type: steps in order, then periodic calls, then effects."""
    yield from calls(node_type.steps)
    yield from (periodic.call for periodic in node_type.periodic)
    yield from (effect.call for effect in node_type.effects)


def map_calls(node_type: NodeType, change: Callable[[CallTemplate], CallTemplate]) -> NodeType:
    """The node type with every call template changed by a function.

    Args:
        node_type: what to change; it stays as it is.
        change: gives the new template for one of the steps, periodic calls or effects.
    """
    steps: list[Step] = fold(
        node_type.steps, change, lambda segment, body: replace(segment, steps=tuple(body))
    )
    return replace(
        node_type,
        steps=tuple(steps),
        periodic=tuple(replace(p, call=change(p.call)) for p in node_type.periodic),
        effects=tuple(replace(e, call=change(e.call)) for e in node_type.effects),
    )


def parts(rule: Rule) -> Iterator[Rule]:
    """The rules that a rule is directly made of: cases, pieces of a `Template` that are no text, a number's counter."""
    if isinstance(rule, Cases):
        yield from (case for case in (rule.first, rule.last, rule.otherwise) if case is not None)
    elif isinstance(rule, Template):
        yield from (part for part in rule.parts if not isinstance(part, str))
    elif isinstance(rule, Cycle):
        yield rule.counter
    elif isinstance(rule, Flow) and rule.element is not None:
        yield rule.element


def within(rule: Rule) -> Iterator[Rule]:
    """The rule and every rule in it, outer ones first."""
    yield rule
    for part in parts(rule):
        yield from within(part)


def flows(rule: Rule) -> Iterator[Flow]:
    """Every information flow in a rule."""
    return (inner for inner in within(rule) if isinstance(inner, Flow))


def rules(node_type: NodeType) -> Iterator[Rule]:
    """Every rule of a node type: user, context, lists that loops go through, each template's arguments, callee."""
    yield from (rule for rule in (node_type.user, node_type.caller_context) if isinstance(rule, Rule))
    yield from (segment.each for segment in repeats(node_type.steps) if segment.each is not None)
    for call in templates(node_type):
        yield from call.arguments.values()
        if call.callee is not None:
            yield call.callee
