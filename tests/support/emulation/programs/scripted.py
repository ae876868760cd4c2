"""Small populations of scripted nodes, played by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from froude.base.seeds import Seeds
from froude.emulation.programs.events import Instruction, NodeId, Reply, Send, Started, Timer, WakeAt
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import populate
from froude.emulation.programs.scripted_family import ScriptedFamily
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.target import Target
from froude.workload.plan import Plan
from froude.workload.types import CallTemplate, Constant, Flow, NodeType, Rule, Side, Which
from testbed.plans import call_template, plan

SETTINGS = PlaySettings({"": Target("namenode", "nn:1", "CID-1")})


class Stage:
    """One client and the NameNode's side of the talk."""

    def __init__(self, population: Population, number: int = 0, node_type: str = "client") -> None:
        self.population, self.now_s = population, 0.0
        family = population.families[node_type]
        assert isinstance(family, ScriptedFamily)
        self.node = family.program(number)

    @property
    def uuid(self) -> str:
        """The name of the DataNode that blocks are placed on."""
        return str(self.population.fact(NodeId("datanode", 1), "uuid"))

    def tell(self, event: Any) -> list[Instruction]:
        return list(self.node.handle(event, self.now_s))

    def ring(self, said: Sequence[Instruction], token: int = 0) -> list[Instruction]:
        """Let the timer of the next step ring."""
        at_s = next(each.time_s for each in said if isinstance(each, WakeAt) and each.token == token)
        self.now_s = max(self.now_s, at_s)
        return self.tell(Timer(token, at_s))

    def answer(self, said: Sequence[Instruction], fill: Any = None) -> list[Instruction]:
        send = sent(said)
        response: Any = self.population.schema.method(send.protocol, send.method).response()
        if fill is not None:
            fill(response)
        return self.tell(Reply(send.token, response.SerializePartialToString()))

    def request(self, said: Sequence[Instruction]) -> Any:
        send = sent(said)
        return self.population.schema.decode_request(send.protocol, send.method, send.body)

    def block(self, number: int) -> Any:
        def fill(response: Any) -> None:
            located = response.block
            located.b.poolId, located.b.blockId, located.b.generationStamp = "BP-1", number, number + 1000
            located.offset, located.corrupt = 0, False
            token = located.blockToken
            token.identifier, token.password, token.kind, token.service = b"", b"", "", ""
            identity = located.locs.add(location="/r").id
            identity.ipAddr = identity.hostName = "127.0.0.1"
            identity.datanodeUuid = self.uuid
            identity.xferPort = identity.infoPort = identity.ipcPort = 1
            located.storageIDs.append("DS-x")

        return fill

    def created(self) -> list[Instruction]:
        """Up to the moment that create is answered."""
        said = self.ring(self.tell(Started(0.0)))

        def fill(response: Any) -> None:
            status = response.fs
            status.fileType, status.path, status.length, status.owner, status.group = 2, b"", 0, "a", "b"
            status.permission.perm, status.modification_time, status.access_time, status.fileId = (
                420,
                0,
                0,
                16999,
            )

        return self.answer(said, fill)


def sent(said: Sequence[Instruction]) -> Send:
    """The one call among instructions."""
    (send,) = [each for each in said if isinstance(each, Send)]
    return send


class Named(Stage):
    """Blocks are placed on a node called DN-1."""

    uuid = "DN-1"


def alone(hadoop: Hadoop, client: NodeType) -> Stage:
    """One node, of a workload of its own."""
    made = plan(datanodes=0, clients=1)
    workload = replace(made.workload, node_types=(client,))
    return Named(
        populate(
            Plan(workload, made.scale, {"client": 1}), hadoop.schema(), seeds=Seeds(1), settings=SETTINGS
        )
    )


def adding(name: str, source: str | None = None, which: Which = Which.LAST) -> CallTemplate:
    """A call that is answered with a block; its fileId is the number of the block that another was answered with."""
    arguments: dict[str, Rule] = {"src": Constant("/a"), "clientName": Constant("me")}
    if source is not None:
        arguments["fileId"] = Flow(source, Side.RESPONSE, "block.b.blockId", which)
    return call_template(name, "addBlock", arguments)
