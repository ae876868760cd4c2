"""What was mined, as numbers for a table: types, loops, arguments by kind (PatternMiner, Table IV)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from froude.workload.types import (
    Absent,
    Cases,
    Constant,
    Flow,
    Generated,
    NodeFact,
    NodeType,
    Repeat,
    Rule,
    Step,
    Template,
    Unknown,
    Workload,
)


class Kind(Enum):
    """Kinds of argument rules, as the paper counts them; generators are ours."""

    CONSTANT = "constant"
    REGULAR = "regular"
    FLOW = "flow"
    GENERATED = "generated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TypeSummary:
    """One node type in numbers."""

    name: str
    count: str
    """Number of nodes, as a formula."""
    calls: int
    """Call templates of its steps."""
    loops: tuple[str, ...]
    """Numbers of repetition, as formulas, outer loops first."""
    periodic: int
    effects: int
    arguments: dict[Kind, int]
    """Arguments of all its templates, by kind."""


def summarise(workload: Workload) -> tuple[TypeSummary, ...]:
    """Every node type in numbers."""
    return tuple(_summary(node) for node in workload.node_types)


def kind_of(rule: Rule) -> Kind:
    """A rule's kind; of several cases the least certain one counts."""
    match rule:
        case Unknown():
            return Kind.UNKNOWN
        case Generated() | NodeFact():
            return Kind.GENERATED
        case Flow():
            return Kind.FLOW
        case Constant() | Absent():
            return Kind.CONSTANT
        case Template(parts):
            return _worst([Kind.REGULAR, *(kind_of(part) for part in parts if not isinstance(part, str))])
        case Cases():
            return _worst(
                kind_of(part) for part in (rule.first, rule.last, rule.otherwise) if part is not None
            )
        case _:
            return Kind.REGULAR


def _worst(kinds: Iterable[Kind]) -> Kind:
    order = list(Kind)
    return order[max((order.index(kind) for kind in kinds), default=0)]


def _summary(node: NodeType) -> TypeSummary:
    templates = list(node.templates())
    kinds = Counter(kind_of(rule) for call in templates for rule in call.arguments.values())
    return TypeSummary(
        name=node.name,
        count=str(node.count),
        calls=len(templates) - len(node.periodic) - len(node.effects),
        loops=tuple(_loops(node.steps)),
        periodic=len(node.periodic),
        effects=len(node.effects),
        arguments={kind: kinds[kind] for kind in Kind},
    )


def _loops(steps: Sequence[Step]) -> Iterable[str]:
    for step in steps:
        if isinstance(step, Repeat):
            yield str(step.times)
            yield from _loops(step.steps)
