"""New names for the node types, calls and Scale variables of a workload, in every place that refers to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from froude.workload.scale import Scale, renamed_term

T = TypeVar("T")

_TABLE = """
type NodeType.name Flow.node_type Wait.node_type Effect.cause_type Container.of Awaited.ended
type StartRule.after StartRule.follows Question.node_type Finding.node_type LeftOut.worst
call CallTemplate.id Flow.call Effect.cause Effect.carried_by Periodic.opened_by Periodic.closed_by Question.call
index Cases.index Counter.steps Count.slopes Count.per Count.times Finding.variable Recorded.scales LeftOut.scale
beginning Question.id Question.text
parameter Generated.parameters
"""
REFERENCES = {field: kind for kind, *named in map(str.split, _TABLE.strip().splitlines()) for field in named}
"""What a field of a workload's values names: node types, calls, or what formulas count by; at the beginning of a text a
call or a node type; as a parameter a call, of the key `input`. Fields that are not here have no names."""


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
    """
    result: T = _walked(value, names)
    return result


def _walked(value: Any, names: Names) -> Any:
    if isinstance(value, tuple):
        return tuple(_walked(each, names) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value).__name__
        changed = {f.name: _field(f"{kind}.{f.name}", getattr(value, f.name), names) for f in fields(value)}
        return replace(value, **changed)
    if isinstance(value, Mapping):
        return {key: _walked(each, names) for key, each in value.items()}
    return value


def _field(field: str, value: Any, names: Names) -> Any:
    match REFERENCES.get(field):
        case "type":
            return _new(value, names.types)
        case "call":
            return _new(value, names.calls)
        case "index":
            return _new(value, names.indices)
        case "beginning":
            head, colon, rest = value.partition(":")
            return names.calls.get(head, names.types.get(head, head)) + colon + rest
        case "parameter":
            return {
                key: names.calls.get(each, each) if key == "input" else each for key, each in value.items()
            }
    return _walked(value, names)


def _new(value: Any, new: Mapping[str, str]) -> Any:
    """One name, several, or a mapping by terms in which names are."""
    if isinstance(value, tuple):
        return tuple(_new(each, new) for each in value)
    if isinstance(value, Mapping):
        terms = {renamed_term(term, new): each for term, each in value.items()}
        return Scale(terms) if isinstance(value, Scale) else terms
    return new.get(value, value)
