"""Values by leaf path."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

from froude.base.errors import InputError
from froude.hadoop.release.distribution import Hadoop
from froude.messages.encoder import compiled
from froude.messages.leaves import leaves
from froude.messages.schema import Schema
from froude.workload.paths import elements_at, reader, taken, value_at
from froude.workload.rules import Special
from froude.workload.types import CALLEE_HOST
from testbed.plans import CLIENT
from testbed.recorded import schema

DATANODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"


@pytest.fixture
def response(hadoop: Hadoop) -> Any:
    """An answer to addBlock with two locations."""
    message: Any = hadoop.schema().method(CLIENT, "addBlock").response()
    message.block.offset, message.block.b.blockId = 5, 71
    for name in ("u0", "u1"):
        message.block.locs.add().id.datanodeUuid = name
    message.block.storageIDs.append("DS-0")
    message.block.blockToken.SetInParent()
    return message


def test_every_leaf_is_found_at_its_path(response: Any) -> None:
    """`value_at` and `leaves` mean the same by a path."""
    flat = leaves(response)
    assert flat["block.blockToken{}"] is None
    assert {path: value_at(response, path) for path in flat} == flat


def test_each_stands_for_an_element(response: Any) -> None:
    """The place of an effect's element is put in when it is known."""
    assert elements_at(response, "block.locs") == [(0,), (1,)]
    assert value_at(response, "block.locs[{each}].id.datanodeUuid", (1,)) == "u1"


def test_each_stands_for_the_elements_around_it_first(hadoop: Hadoop) -> None:
    """A command's blocks, the targets beside them, and the nodes of each target."""
    beat: Any = hadoop.schema().method(DATANODE, "sendHeartbeat").response()
    command = beat.cmds.add().blkCmd
    for block, names in ((71, ("u0",)), (72, ("u1", "u2"))):
        command.blocks.add().blockId = block
        targets = command.targets.add()
        for name in names:
            targets.datanodes.add().id.datanodeUuid = name
    listed = "cmds[].blkCmd.targets[].datanodes"
    assert elements_at(beat, listed) == [(0, 0, 0), (0, 1, 0), (0, 1, 1)]
    assert elements_at(beat, "cmds[0].blkCmd.targets[1].datanodes") == [(0,), (1,)]
    assert elements_at(beat, "cmds[0].blkCmd.targets[2].datanodes") == []
    assert elements_at(beat, "cmds[1].blkCmd.targets[].datanodes") == []
    inner = "cmds[{each}].blkCmd.targets[{each}].datanodes[{each}].id.datanodeUuid"
    assert [value_at(beat, inner, each) for each in elements_at(beat, listed)] == ["u0", "u1", "u2"]
    assert value_at(beat, "cmds[{each}].blkCmd.blocks[{each}].blockId", (0, 1, 1)) == 72
    assert value_at(beat, inner, (0, 1)) is Special.ABSENT


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("block.locs[7].id.datanodeUuid", Special.ABSENT),
        ("block.b.poolId", Special.ABSENT),
        ("block.storageIDs[1]", Special.ABSENT),
        ("nothing", Special.UNRESOLVED),
        ("block", Special.UNRESOLVED),
    ],
)
def test_what_is_not_there_has_no_value(response: Any, path: str, expected: Special) -> None:
    """Fields and elements that are not set are absent, as in a recorded run, and get no default."""
    assert value_at(response, path) is expected


def test_an_element_of_a_map_is_found_by_its_key(hadoop: Hadoop) -> None:
    """Whatever its place; what no element is called is absent."""
    kind = hadoop.schema().method(CLIENT, "create").request
    entries = Schema({"k.proto": pairs().SerializeToString()}, {}).message("test.Pairs")()
    for key in ("dir/a.b", "c"):
        entries.pairs.add(key=key, value=len(key))  # type: ignore[attr-defined]
    assert value_at(entries, "pairs[c].value") == 1
    assert value_at(entries, "pairs[dir/a.b].value") == 7
    assert value_at(entries, "pairs[d].value") is Special.ABSENT
    with pytest.raises(InputError, match="is not a path of a leaf"):
        value_at(kind(), "a..b")
    assert (
        value_at(kind(), "cryptoProtocolVersion[\u00b2]") is Special.ABSENT
    )  # not a number, as int() has it


def test_counting_what_is_not_there() -> None:
    """No message, no elements."""
    from froude.hadoop.rpc.headers import RequestHeader

    assert elements_at(RequestHeader(), "callerContext.nothing") == []


def pairs() -> FileDescriptorProto:
    """A list of keys and values."""
    field = FieldDescriptorProto
    file = FileDescriptorProto(name="k.proto", package="test", syntax="proto2")
    pair = file.message_type.add(name="Pair")
    pair.field.add(name="key", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    pair.field.add(name="value", number=2, type=field.TYPE_INT32, label=field.LABEL_OPTIONAL)
    whole = file.message_type.add(name="Pairs")
    whole.field.add(
        name="pairs", number=1, type=field.TYPE_MESSAGE, type_name=".test.Pair", label=field.LABEL_REPEATED
    )
    return file


PATHS = (
    "block.b.blockId", "block.b.poolId", "block.offset", "block.locs[0].id.ipAddr", "block.locs[1].id.ipAddr",
    "block.locs[{each}].id.ipAddr", "block.locs[{each}].location", "block.storageIDs[0]", "block.storageIDs[{each}]",
    "block.blockToken{}", "block.b", "block.b.nonsense", "nonsense", CALLEE_HOST,
)  # fmt: skip


@pytest.mark.parametrize("nodes", [None, 0, 1, 2])
def test_a_generated_reader_takes_what_is_taken_path_by_path(nodes: int | None) -> None:
    """Of messages that lack submessages, elements and fields, too."""
    kind = schema().method("org.apache.hadoop.hdfs.protocol.ClientProtocol", "addBlock").response
    message: Any = kind()
    if nodes is not None:
        message.block.b.blockId, message.block.storageIDs[:] = 7, ["s"] * nodes
        for number in range(nodes):
            message.block.locs.add(location=f"/r{number}").id.ipAddr = f"10.0.0.{number}"
        message.block.locs.add()
    read = compiled(*reader(kind.DESCRIPTOR, PATHS))
    assert read(message) == {path: taken(message, path) for path in PATHS}
