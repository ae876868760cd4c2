"""Which nodes act because of a call."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from froude.emulation.programs.context import Cause
from froude.emulation.programs.effects import Said, caused
from froude.emulation.programs.events import Instruction, NodeId, Note, SendMessage
from froude.hadoop.release.distribution import Hadoop
from froude.workload.types import Actor, CallTemplate, Constant, Effect

CALL = CallTemplate("client.c1", "p", "m", {}, callee=Constant("10.0.0.2:8041"))
CALLER = NodeId("client", 3)
NAMED = {"a": NodeId("worker", 0), "b": NodeId("worker", 1)}


class Context:
    """Stands in the last iteration of its one loop."""

    loops = {"L1": 4}

    @staticmethod
    def is_last(loop: str) -> bool:
        """Whether it is."""
        return loop == "L1"


class Everybody:
    """Workers by name, one of whom listens at an address."""

    @staticmethod
    def owner(node_type: str, name: Any) -> NodeId | None:
        """By name."""
        return NAMED.get(name) if node_type == "worker" else None

    @staticmethod
    def called(address: Any) -> NodeId | None:
        """By address."""
        return NodeId("worker", 7) if address == "10.0.0.2:8041" else None


def effects_of(actor: Actor, acting: str = "worker", *, share: float = 1.0, **more: Any) -> list[Instruction]:
    """What one effect of a call brings about."""
    effect = Effect(
        CallTemplate("w.e", "p", "n", {}),
        "client.c1",
        "client",
        more.pop("each", None),
        actor,
        "id.datanodeUuid",
    )
    effect = SimpleNamespace(
        **{k: getattr(effect, k) for k in ("call", "each", "actor", "owner_path")}, share=share
    )  # type: ignore[assignment]
    said = Said(CALLER, CALL, Context(), "request", more.pop("response", None))  # type: ignore[arg-type]
    rng = Random(1)
    return list(caused([(acting, 5, effect)], said, Everybody(), rng=lambda: rng))  # type: ignore[arg-type]


def test_a_node_acts_on_its_own_call_or_its_pair_of_another_type_does() -> None:
    """The pair knows the caller's loops by the caller's type."""
    (own,) = effects_of(Actor.SELF, "client")
    assert own == SendMessage(CALLER, Cause(5, "request", None, (0,), {"L1": 4}, ("L1",)))  # type: ignore[arg-type]
    (pair,) = effects_of(Actor.SELF, "worker")
    assert pair == SendMessage(
        NodeId("worker", 3),
        Cause(5, "request", None, (0,), {"client.L1": 4}, ("client.L1",)),  # type: ignore[arg-type]
    )


def placed(hadoop: Hadoop, *names: str) -> Any:
    """An answer that names nodes."""
    response: Any = (
        hadoop.schema().method("org.apache.hadoop.hdfs.protocol.ClientProtocol", "addBlock").response()
    )
    for name in names:
        response.block.locs.add().id.datanodeUuid = name
    return response


def test_the_owner_that_an_element_names_acts_and_one_who_is_not_there_is_noted(hadoop: Hadoop) -> None:
    """One an element of the answer, in their order."""
    out = effects_of(Actor.OWNER, each="block.locs", response=placed(hadoop, "b", "nobody", "a"))
    assert [e.node for e in out if isinstance(e, SendMessage)] == [NAMED["b"], NAMED["a"]]
    assert [e.message.each for e in out if isinstance(e, SendMessage)] == [(0,), (2,)]  # type: ignore[attr-defined]
    assert [e.what for e in out if isinstance(e, Note)] == ["effect w.e names no node of the play"]


def test_every_element_of_a_list_in_a_list_names_an_owner(hadoop: Hadoop) -> None:
    """Each target of each block, with both numbers."""
    beat: Any = (
        hadoop.schema()
        .method("org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol", "sendHeartbeat")
        .response()
    )
    command = beat.cmds.add().blkCmd
    for names in (("a",), ("b", "a")):
        targets = command.targets.add()
        for name in names:
            targets.datanodes.add().id.datanodeUuid = name
    out = effects_of(Actor.OWNER, each="cmds[0].blkCmd.targets[].datanodes", response=beat)
    assert [(e.node, e.message.each) for e in out if isinstance(e, SendMessage)] == [  # type: ignore[attr-defined]
        (NAMED["a"], (0, 0)), (NAMED["b"], (1, 0)), (NAMED["a"], (1, 1)),
    ]  # fmt: skip


def test_the_callee_acts_if_it_is_of_the_acting_type() -> None:
    """Whoever listens at the address that was called."""
    (message,) = effects_of(Actor.CALLEE)
    assert isinstance(message, SendMessage)
    assert message.node == NodeId("worker", 7)
    (note,) = effects_of(Actor.CALLEE, "client")
    assert isinstance(note, Note)


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.25, 180, 320), (1.0, 1000, 1000)])
def test_a_share_of_the_causes_has_the_effect(hadoop: Hadoop, share: float, least: int, most: int) -> None:
    """By the caller's own random stream."""
    response = placed(hadoop, *["a"] * 1000)
    out = effects_of(Actor.OWNER, share=share, each="block.locs", response=response)
    assert least <= len(out) <= most
