"""Workloads in numbers."""

from __future__ import annotations

from froude.mining.check.summary import RuleKind, kind_of, summarise
from froude.workload.generators import CONTAINER_ASKS
from froude.workload.scale import Count
from froude.workload.types import (
    Absent,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Generated,
    NodeType,
    Recorded,
    Repeat,
    Template,
    Unknown,
    Workload,
)


def test_kinds_of_rules() -> None:
    """The least certain part decides."""
    assert kind_of(Constant(1)) is RuleKind.CONSTANT
    assert kind_of(Template(("/f", Counter(0, {"L1": 1})))) is RuleKind.REGULAR
    assert kind_of(Cases("L1", Absent(), None, Generated("uuid"))) is RuleKind.GENERATED
    assert kind_of(Unknown(())) is RuleKind.UNKNOWN
    assert kind_of(Generated(CONTAINER_ASKS, {"value": 1})) is RuleKind.REGULAR
    assert kind_of(Generated(CONTAINER_ASKS)) is RuleKind.GENERATED


def test_a_type_in_numbers() -> None:
    """Calls, loops and arguments are counted."""
    call = CallTemplate("client.c1", "p", "create", {"src": Constant("/a"), "id": Unknown(())})
    node = NodeType("client", Count.parse("clients"), (Repeat("L1", Count.parse("files"), (call,)),))
    (summary,) = summarise(Workload((node,), Recorded((), ())))
    assert (summary.count, summary.calls, summary.loops) == ("clients", 1, ("files",))
    assert (summary.arguments[RuleKind.CONSTANT], summary.arguments[RuleKind.UNKNOWN]) == (1, 1)
