"""What emulated DataNodes are as a family: their facts, and the blocks that clients write to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.events import Instruction, NodeId, Note, SendMessage
from froude.emulation.programs.family import Step
from froude.emulation.programs.hdfs.blocks import Block
from froude.emulation.programs.hdfs.datanode import BlockWritten, EmulatedDatanode
from froude.emulation.programs.hdfs.datanodes import Datanodes
from froude.emulation.programs.hdfs.family import DatanodeFamily, DatanodeKind
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.settings import DatanodeSettings
from froude.hadoop.release.distribution import Hadoop
from froude.workload.rules import Special, Value
from froude.workload.types import Absent, CallTemplate, Constant, Periodic, Rule, Unknown
from testbed.plans import CLIENT, call_template, plan


@pytest.fixture(scope="module")
def family(hadoop: Hadoop) -> DatanodeFamily:
    """DataNodes of which two share an address."""
    return DatanodeFamily(Datanodes(hadoop.schema(), DatanodeSettings(per_address=2), seeds=Seeds(1)))


class Client:
    """A scripted node, as a family sees it, with these calls ahead."""

    id = NodeId("client", 0)

    def __init__(self, *calls: CallTemplate) -> None:
        self._calls = calls
        self.promised: list[tuple[str, str, Value]] = []

    def ahead(self) -> Iterator[Step]:
        for call in self._calls:
            yield Step(call, None)  # type: ignore[arg-type]

    def promise(self, call: CallTemplate, path: str, value: Value) -> None:
        self.promised.append((call.id, path, value))


ADD = call_template("add", "addBlock", {})
LOOK = call_template("look", "getFileInfo", {"last.numBytes": Constant(5)})


def add(length: Rule) -> CallTemplate:
    """The addBlock that tells the length of the block before."""
    return call_template("next", "addBlock", {"previous.numBytes": length})


def complete(length: Rule) -> CallTemplate:
    """The complete that tells the length of the last block."""
    return call_template("done", "complete", {"last.numBytes": length})


def placed(hadoop: Hadoop, *uuids: str, storages: int | None = None) -> Any:
    """An answer to addBlock: block 7 on these DataNodes."""
    response: Any = hadoop.schema().method(CLIENT, "addBlock").response()
    located = response.block
    located.b.blockId, located.b.generationStamp = 7, 1007
    for number, uuid in enumerate(uuids):
        located.locs.add().id.datanodeUuid = uuid
        if storages is None or number < storages:
            located.storageIDs.append(f"DS-{number}")
    return response


def written(number: int, length: int, storage: str) -> Instruction:
    """A replica of block 7 for a DataNode."""
    return SendMessage(NodeId("datanode", number), BlockWritten(Block(7, length, 1007), storage))


def test_each_holder_gets_the_block_at_the_length_it_will_be_closed_with(
    hadoop: Hadoop, family: DatanodeFamily
) -> None:
    """The next addBlock or complete is bound to that length; other calls in between have no say."""
    uuids = [family.datanodes.uuid(number) for number in (4, 2)]
    for call, path in ((add(Constant(99)), "previous.numBytes"), (complete(Constant(99)), "last.numBytes")):
        client = Client(LOOK, call, complete(Constant(1)))
        said = family.answered(client, ADD, placed(hadoop, *uuids))
        assert said == [written(4, 99, "DS-0"), written(2, 99, "DS-1")]
        assert client.promised == [(call.id, path, 99)]


def test_an_example_stands_in_for_an_unknown_length(hadoop: Hadoop, family: DatanodeFamily) -> None:
    """The client will send the same."""
    client = Client(complete(Unknown((33, 44))))
    assert family.answered(client, ADD, placed(hadoop, family.datanodes.uuid(0))) == [written(0, 33, "DS-0")]
    assert client.promised == [("client.done", "last.numBytes", 33)]


@pytest.mark.parametrize("calls", [(), (LOOK,), (ADD,), (complete(Absent()),), (complete(Constant("x")),)])
def test_a_block_without_a_length_is_empty_and_noted(
    hadoop: Hadoop, family: DatanodeFamily, calls: tuple[CallTemplate, ...]
) -> None:
    """No call ahead tells it, or tells no number."""
    client = Client(*calls)
    said = family.answered(client, ADD, placed(hadoop, family.datanodes.uuid(0)))
    assert said == [Note("length of a block unknown"), written(0, 0, "DS-0")]
    assert client.promised == []


def test_a_holder_that_is_not_emulated_is_noted(hadoop: Hadoop, family: DatanodeFamily) -> None:
    """The others get their replicas, each for the storage that was named beside it."""
    response = placed(hadoop, "f27a0b4e-0000-4000-8000-000000000001", family.datanodes.uuid(1))
    said = family.answered(Client(add(Constant(9))), ADD, response)
    assert said == [Note("block placed on a node that is not emulated"), written(1, 9, "DS-1")]


def test_a_namenode_that_names_no_storage_leaves_it_to_the_node(
    hadoop: Hadoop, family: DatanodeFamily
) -> None:
    """The field is a repeated one, which may be shorter than the list of holders."""
    response = placed(hadoop, family.datanodes.uuid(4), family.datanodes.uuid(2), storages=1)
    said = family.answered(Client(add(Constant(9))), ADD, response)
    assert said == [written(4, 9, "DS-0"), written(2, 9, family.datanodes.storage(2))]


def test_facts_are_those_that_its_messages_name(family: DatanodeFamily) -> None:
    """What no DataNode has is not made up."""
    datanodes = family.datanodes
    facts = {name: family.fact(3, name) for name in ("uuid", "storage", "port", "ipc_port", "info_port")}
    assert facts == {
        "uuid": datanodes.uuid(3),
        "storage": datanodes.storage(3),
        "port": datanodes.port(3),
        "ipc_port": datanodes.port(3),
        "info_port": 0,
    }
    assert (family.fact(1, "address"), family.fact(3, "hostname")) == ("127.0.0.1", "127.16.0.2")
    assert (family.source(1), family.source(3)) == (None, "127.16.0.2")
    assert family.fact(3, "shoe size") is Special.UNRESOLVED
    assert family.identity(3, Constant("alice")) is None
    assert (family.owner(datanodes.uuid(3)), family.owner("nobody")) == (3, None)


def test_a_program_is_fresh_every_time(family: DatanodeFamily) -> None:
    """Two nodes share their messages, not what they hold."""
    first, second = family.program(1), family.program(1)
    assert isinstance(first, EmulatedDatanode)
    assert first is not second


@pytest.mark.parametrize(
    ("every_s", "settings", "period"),
    [
        ((), None, 3.0),
        ((2.96,), None, 3.0),
        ((0.02,), None, 0.1),
        ((2.96,), DatanodeSettings(heartbeat_s=0.5), 0.5),
        ((2.0,), "of another kind", 2.0),
    ],
)
def test_the_kind_takes_the_recorded_period(
    hadoop: Hadoop, every_s: tuple[float, ...], settings: object, period: float
) -> None:
    """Rounded to a tenth, as what was configured; the play's own settings come first."""
    played = plan()
    beats = [Periodic(call_template("other", "blockReport", {}), 9.0)]
    beats += [Periodic(call_template("beat", "sendHeartbeat", {}), each) for each in every_s]
    node_type = replace(played.workload.node_type("datanode"), periodic=tuple(beats))
    asked = PlaySettings(programs={"datanode": settings})
    population = Population(played, hadoop.schema(), seeds=Seeds(1), settings=asked)
    family = DatanodeKind().family(node_type, population)
    assert isinstance(family, DatanodeFamily)
    assert family.datanodes.heartbeat_s == period
    assert family.datanodes.type_name == "datanode"
