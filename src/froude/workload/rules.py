"""What a rule gives in a context: the one evaluator that prediction and play share.

A prediction asks with the responses of a recorded run, a player with those of its own; both mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Protocol

from froude.base.units import Quantity
from froude.workload.scale import term_of, variable_at
from froude.workload.types import (
    Absent,
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    Generated,
    NodeFact,
    Rule,
    Scalar,
    Scaled,
    Template,
    Unknown,
)


class Special(Enum):
    """What a rule gives when it gives no value."""

    ABSENT = "absent"
    """The field is to be left out."""
    UNRESOLVED = "unresolved"
    """The value it flows from is not there, or no rule is known."""


Value = Scalar | Special


class Context(Protocol):
    """Where and when a call is made."""

    @property
    def scale(self) -> Mapping[str, Quantity]:
        """The Scale of the run."""
        ...

    def index(self, name: str) -> int:
        """The number of this node (`node`) or the current iteration of the loop of that id, from 0."""
        ...

    def is_last(self, name: str) -> bool:
        """Whether the current iteration of that loop is its last."""
        ...

    def flow(self, rule: Flow) -> Value:
        """The value that flows from an earlier call; UNRESOLVED if there is none."""
        ...

    def fact(self, name: str) -> Value:
        """A fact of the emulated node."""
        ...

    def generated(self, rule: Generated) -> Value:
        """The next value of a named generator."""
        ...


def evaluate(rule: Rule, context: Context) -> Value:
    """The value of an argument.

    Returns:
        A scalar, ABSENT, or UNRESOLVED (an unknown, or a flow whose source is missing).
    """
    match rule:
        case Constant(value):
            return value
        case Absent():
            return Special.ABSENT
        case Counter():
            return count(rule, context)
        case Scaled(formula, _):
            return formula.whole_at(context.scale)
        case Template(parts):
            return _joined(parts, context)
        case Flow():
            return context.flow(rule)
        case NodeFact(fact):
            return context.fact(fact)
        case Generated():
            return context.generated(rule)
        case Cases() | Cycle():
            return evaluate(active(rule, context), context)
        case Unknown():
            return Special.UNRESOLVED


def stand_in(rule: Rule, context: Context) -> Value:
    """What a rule gives, or the first example where no rule is known."""
    value = evaluate(rule, context)
    if value is Special.UNRESOLVED:
        deciding = active(rule, context)
        if isinstance(deciding, Unknown) and deciding.examples:
            return deciding.examples[0]
    return value


def picked(values: Mapping[str, Value | tuple[Value, ...]] | None, path: str, element: int | None) -> Value:
    """A leaf's value of an occurrence, or that of one element; UNRESOLVED where there is no occurrence.

    Args:
        element: number of the element; an element that is not there is absent.
    """
    if values is None:
        return Special.UNRESOLVED
    value = values[path]
    if isinstance(value, tuple):
        return value[element] if element is not None and 0 <= element < len(value) else Special.ABSENT
    return value


def derived(value: Value, flow: Flow) -> Value:
    """What a flow makes of the value at its source: a part of a text, a number with another added.

    Args:
        flow: with neither a part nor a number to add it leaves every value as it is.

    Returns:
        ABSENT stays; UNRESOLVED where a text has no such part, or what is added to is no whole number.
    """
    if value is Special.ABSENT:
        return value
    if flow.part is not None:
        parts = value.split(flow.part.separator) if isinstance(value, str) else []
        value = parts[flow.part.number] if flow.part.number < len(parts) else Special.UNRESOLVED
    if not flow.plus:
        return value
    return value + flow.plus if isinstance(value, int) else Special.UNRESOLVED


def count(rule: Counter, context: Context) -> int:
    """A counter's number in a context.

    Args:
        rule: base and steps, each by the name of an index (`workload.scale.Term`).

    Raises:
        InputError: a group that it counts by has no size at the Scale.
    """
    return number_at(rule, context.index, context.scale)


def element_at(rule: Flow, context: Context) -> int | None:
    """The number of the element that a flow takes in a context; None for a flow of no list."""
    number = None if rule.element is None else evaluate(rule.element, context)
    return number if isinstance(number, int) else None


def number_at(rule: Counter, index: Callable[[str], int], scale: Mapping[str, Quantity]) -> int:
    """A counter's number where indices have these values.

    Args:
        index: the value of an index by its name.
        scale: the Scale. An index may count by one of its variables, and a variable may stand for itself.
    """
    total = rule.base
    for name, step in rule.steps.items():
        term = term_of(name)
        each = round(variable_at(term.names[0], scale)) if len(term.names) > 1 else 1
        last = term.names[-1]
        number = round(variable_at(last, scale)) if last in scale else index(last)
        total += step * int(term.folded(each * number, scale))
    return total


def active(rule: Rule, context: Context) -> Rule:
    """The rule that decides in a context, its cases settled, and whose turn it is.

    Args:
        rule: any; what is no `Cases` and no `Cycle` decides itself.
    """
    while isinstance(rule, Cases | Cycle):
        if isinstance(rule, Cycle):
            rule = Constant(rule.values[count(rule.counter, context) % len(rule.values)])
        elif rule.first is not None and context.index(rule.index) == 0:
            rule = rule.first
        elif rule.last is not None and context.is_last(rule.index):
            rule = rule.last
        else:
            rule = rule.otherwise
    return rule


def _joined(parts: tuple[str | Rule, ...], context: Context) -> Value:
    return joined(
        [part if isinstance(part, str) else as_text(part, evaluate(part, context)) for part in parts]
    )


def joined(texts: Sequence[str | None]) -> Value:
    """A text of its parts; UNRESOLVED where one is not known."""
    known = [text for text in texts if text is not None]
    return "".join(known) if len(known) == len(texts) else Special.UNRESOLVED


def as_text(part: Rule, value: Value) -> str | None:
    """The value of a part of a text as it stands in there; None for one that is not known."""
    if isinstance(value, bytes):  # HDFS has the names of files as bytes in listings, as text elsewhere
        value = _decoded(value)
    if isinstance(value, Special):
        return None
    if isinstance(part, Counter) and isinstance(value, int):
        return part.digits(value)
    return str(value).zfill(part.width) if isinstance(part, Scaled) else str(value)


def _decoded(value: bytes) -> Value:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return Special.UNRESOLVED
