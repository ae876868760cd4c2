"""How many calls hang on what."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.workload.load import calls_by_template
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Actor,
    CallTemplate,
    Effect,
    NodeType,
    Periodic,
    Recorded,
    Repeat,
    Timing,
    Workload,
)


def _call(name: str, seconds: float = 0.0) -> CallTemplate:
    return CallTemplate(name, "p.P", "m", {}, Timing(Count(seconds)))


CLIENT = NodeType(
    "c",
    Count.parse("clients"),
    (_call("c.c1"), Repeat("L1", Count.parse("files"), (_call("c.c2", 0.5),))),
    (Periodic(_call("c.p1"), 2.0),),
)
NODE = NodeType(
    "d",
    Count.parse("nodes"),
    (),
    effects=(Effect(_call("d.e1"), "c.c2", "c", None, Actor.CALLEE, share=0.5),),
)
WORKLOAD = Workload((CLIENT, NODE), Recorded((), ()))


def test_calls_of_all_nodes_are_counted() -> None:
    """Steps by their loops, beats by how long the clients take, effects by their causes."""
    calls = calls_by_template(WORKLOAD, Scale.of(clients=3, files=8, nodes=2))
    assert calls == {"c.c1": 3, "c.c2": 24, "c.p1": 3 * 4 / 2, "d.e1": 12}


def test_a_scale_that_lacks_a_variable_counts_nothing() -> None:
    """One clear error."""
    with pytest.raises(InputError, match="lacks"):
        calls_by_template(WORKLOAD, Scale.of(clients=3, files=8))
