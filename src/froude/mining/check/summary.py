"""What was mined, as numbers for a table: types, loops, arguments by kind (PatternMiner, Table IV)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from froude.workload.generators import CONTAINER_ASKS
from froude.workload.rounds import how_often
from froude.workload.types import (
    Absent,
    Cases,
    Constant,
    Flow,
    Generated,
    NodeFact,
    NodeType,
    Rule,
    Template,
    Unknown,
    Workload,
)
from froude.workload.walk import parts, repeats, templates


class RuleKind(Enum):
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
    arguments: dict[RuleKind, int]
    """Arguments of all its templates, by kind."""


def summarise(workload: Workload) -> tuple[TypeSummary, ...]:
    """Every node type in numbers."""
    return tuple(_summary(node) for node in workload.node_types)


def kind_of(rule: Rule) -> RuleKind:
    """A rule's kind; of several cases the least certain one counts."""
    match rule:
        case Unknown():
            return RuleKind.UNKNOWN
        case Generated(generator, parameters) if generator == CONTAINER_ASKS and parameters:
            return RuleKind.REGULAR  # what every ask of its kind has, or begins with
        case Generated() | NodeFact():
            return RuleKind.GENERATED
        case Flow():
            return RuleKind.FLOW
        case Constant() | Absent():
            return RuleKind.CONSTANT
        case Template():
            return _worst([RuleKind.REGULAR, *(kind_of(part) for part in parts(rule))])
        case Cases():
            return _worst(kind_of(part) for part in parts(rule))
        case _:
            return RuleKind.REGULAR


def _worst(kinds: Iterable[RuleKind]) -> RuleKind:
    order = list(RuleKind)
    return order[max((order.index(kind) for kind in kinds), default=0)]


def _summary(node: NodeType) -> TypeSummary:
    calls = list(templates(node))
    kinds = Counter(kind_of(rule) for call in calls for rule in call.arguments.values())
    return TypeSummary(
        name=node.name,
        count=str(node.count),
        calls=len(calls) - len(node.periodic) - len(node.effects),
        loops=tuple(how_often(segment) for segment in repeats(node.steps)),
        periodic=len(node.periodic),
        effects=len(node.effects),
        arguments={kind: kinds[kind] for kind in RuleKind},
    )
