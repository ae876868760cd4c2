"""New names for the node types, calls and Scale variables of a workload, in every place that refers to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from froude.workload.container import Awaited, Container
from froude.workload.scale import Count, Scale, renamed_term
from froude.workload.start import StartRule
from froude.workload.types import (
    CallTemplate,
    Cases,
    Counter,
    Effect,
    Finding,
    Flow,
    Generated,
    NodeType,
    Periodic,
    Question,
    Recorded,
    Wait,
)

T = TypeVar("T")

TYPE, CALL, INDEX, INPUT = "type", "call", "index", "input"
"""What a field names: node types, calls, what formulas count by; or, of a generator's parameters, one call."""
REFERENCES: Mapping[tuple[type, str], str] = {
    (NodeType, "name"): TYPE,
    (Flow, "node_type"): TYPE,
    (Wait, "node_type"): TYPE,
    (Effect, "cause_type"): TYPE,
    (StartRule, "after"): TYPE,
    (StartRule, "follows"): TYPE,
    (Container, "of"): TYPE,
    (Awaited, "ended"): TYPE,
    (Question, "node_type"): TYPE,
    (Finding, "node_type"): TYPE,
    (CallTemplate, "id"): CALL,
    (Flow, "call"): CALL,
    (Effect, "cause"): CALL,
    (Effect, "carried_by"): CALL,
    (Periodic, "opened_by"): CALL,
    (Periodic, "closed_by"): CALL,
    (Question, "call"): CALL,
    (Generated, "parameters"): INPUT,
    (Cases, "index"): INDEX,
    (Counter, "steps"): INDEX,
    (Count, "slopes"): INDEX,
    (Count, "per"): INDEX,
    (Finding, "variable"): INDEX,
    (Recorded, "scales"): INDEX,
}
"""Every field of a workload's values that has names, and what they name."""


@dataclass(frozen=True, slots=True)
class Names:
    """New names by old ones; what is not there keeps its name."""

    types: Mapping[str, str]
    calls: Mapping[str, str]
    indices: Mapping[str, str]
    """Scale variables, loops of other types (`client.L1`), and ids of calls by which rules count."""


def renamed(value: T, names: Names) -> T:
    """A value of a workload with other names.

    Args:
        value: a workload, or a value in it; it stays as it is.
        names: the new names.
    """
    result: T = _walked(value, names)
    return result


def _walked(value: Any, names: Names) -> Any:
    if isinstance(value, tuple):
        return tuple(_walked(each, names) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {field.name: _field(value, field.name, names) for field in fields(value)}
        return replace(value, **changes)
    if isinstance(value, Mapping):
        return {key: _walked(each, names) for key, each in value.items()}
    return value


def _field(owner: Any, name: str, names: Names) -> Any:
    value, kind = getattr(owner, name), REFERENCES.get((type(owner), name))
    if kind is None:
        return _walked(value, names)
    if kind == INPUT:
        return {key: names.calls.get(each, each) if key == INPUT else each for key, each in value.items()}
    new = {TYPE: names.types, CALL: names.calls, INDEX: names.indices}[kind]
    return _new(value, new)


def _new(value: Any, new: Mapping[str, str]) -> Any:
    """One name, several, or, of what formulas count by, a mapping by terms in which names are."""
    if isinstance(value, tuple):
        return tuple(_new(each, new) for each in value)
    if isinstance(value, Mapping):
        terms = {renamed_term(term, new): each for term, each in value.items()}
        return Scale(terms) if isinstance(value, Scale) else terms
    return new.get(value, value)
