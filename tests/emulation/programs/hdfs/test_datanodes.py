"""The names of emulated DataNodes, and the messages they send and read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.hdfs.blocks import Block, Inventory
from froude.emulation.programs.hdfs.datanodes import DELETED, PROTOCOL, RECEIVED, Datanodes
from froude.emulation.settings import DatanodeSettings
from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema
from tests.support.emulation.programs.block_reports import read_buffers

NUMBERS = st.integers(0, 2**48 - 1)
"""All that fit into the last part of a uuid."""


@pytest.fixture(scope="module")
def schema(hadoop: Hadoop) -> Schema:
    """The default release's messages."""
    return hadoop.schema()


@pytest.fixture(scope="module")
def fleet(schema: Schema) -> Datanodes:
    """DataNodes with two storages, that know their NameNode."""
    datanodes = Datanodes(schema, DatanodeSettings(storages=2, capacity_bytes=1000), seeds=Seeds(1))
    datanodes.learn_namespace(namespace(schema))
    return datanodes


def namespace(schema: Schema) -> bytes:
    """A NameNode's answer to versionRequest."""
    message: Any = schema.method(PROTOCOL, "versionRequest").response()
    info = message.info
    info.buildVersion, info.unused, info.blockPoolID, info.softwareVersion = "b", 0, "BP-1", "3.5.0"
    storage = info.storageInfo
    storage.layoutVersion, storage.namespceID, storage.clusterID, storage.cTime = 1, 7, "CID-1", 9
    body: bytes = message.SerializeToString()
    return body


def decoded(schema: Schema, method: str, body: bytes) -> Any:
    """A request."""
    return schema.decode_request(PROTOCOL, method, body)


def test_names_read_back(fleet: Datanodes) -> None:
    """A node's number can be read from its uuid and a storage's place from its id; others are none of ours."""
    assert fleet.number(fleet.uuid(40_000)) == 40_000
    assert fleet.number("f27a0b4e-0000-4000-8000-000000000001") is None
    assert fleet.source(0) is None
    assert (fleet.source(60_000), fleet.port(60_000)) == ("127.16.0.2", fleet.port(0))


@given(number=NUMBERS)
def test_every_number_reads_back_from_its_uuid(fleet: Datanodes, number: int) -> None:
    """And a uuid that is cut, changed or another family's is none of these."""
    name = fleet.uuid(number)
    assert (len(name), fleet.number(name)) == (36, number)
    for other in (name[:-1], name + "0", name[:-1] + "g", name[:-2] + " 1", "", name[:24] + "-00000000001"):
        assert fleet.number(other) is None


@given(number=NUMBERS, other=NUMBERS, index=st.integers(0, 1))
def test_storages_have_ids_of_their_own(fleet: Datanodes, number: int, other: int, index: int) -> None:
    """The place of a storage reads back; no two storages share an id."""
    name = fleet.storage(number, index)
    assert fleet.storage_index(name) == index
    assert name != fleet.storage(number, 1 - index)
    assert (name == fleet.storage(other, index)) == (number == other)


@pytest.mark.parametrize("name", ["", "DS-x", "DS-00000000-0000-0000-0002-000000000000"])
def test_an_unknown_storage_is_the_first(fleet: Datanodes, name: str) -> None:
    """A NameNode that names another gets its replica all the same."""
    assert fleet.storage_index(name) == 0


def test_families_of_other_seeds_and_types_have_other_names(schema: Schema) -> None:
    """One seed and one type give the same names."""
    one, same, other_seed = (Datanodes(schema, seeds=Seeds(seed)) for seed in (1, 1, 2))
    other_type = Datanodes(schema, seeds=Seeds(1), type_name="archive")
    assert one.uuid(5) == same.uuid(5)
    assert len({each.uuid(5) for each in (one, other_seed, other_type)}) == 3
    assert other_seed.number(one.uuid(5)) is None
    assert one.first_beat_s(5, 0.0) == same.first_beat_s(5, 0.0) != other_seed.first_beat_s(5, 0.0)


@given(number=NUMBERS)
def test_first_heartbeats_are_within_the_interval(fleet: Datanodes, number: int) -> None:
    """Of three seconds, and the 20 ms in which heartbeats travel together."""
    assert 0 <= fleet.first_beat_s(number, 100.0) - 100.0 < 3.03


def test_without_stagger_all_heartbeats_fall_at_the_same_moments(schema: Schema) -> None:
    """Whenever a node registered."""
    fleet = Datanodes(schema, DatanodeSettings(stagger=False), seeds=Seeds(1))
    assert {fleet.first_beat_s(number, 99.5 + number / 10) for number in range(20)} == {102.0}


def test_address_and_port_tell_nodes_apart(schema: Schema) -> None:
    """So a NameNode counts each; where each has an address, ports are alike."""
    fleet = Datanodes(schema, DatanodeSettings(per_address=3), seeds=Seeds(1))
    places = [(fleet.source(number), fleet.port(number)) for number in range(2000)]
    assert len(set(places)) == 2000
    assert places[:4] == [(None, 1024), (None, 1025), (None, 1026), ("127.16.0.2", 1024)]
    single = Datanodes(schema, DatanodeSettings(per_address=1), seeds=Seeds(1))
    assert [(single.source(n), single.port(n)) for n in (0, 254, 255, 65535)] == [
        ("127.16.0.1", 1024),
        ("127.16.0.255", 1024),
        ("127.16.1.0", 1024),
        ("127.17.0.0", 1024),
    ]


@pytest.mark.parametrize(
    ("asked", "recorded", "period"), [(None, None, 3.0), (None, 1.5, 1.5), (0.5, 1.5, 0.5), (0.5, None, 0.5)]
)
def test_heartbeats_come_as_asked_else_as_recorded(
    schema: Schema, asked: float | None, recorded: float | None, period: float
) -> None:
    """Else as Hadoop's own do."""
    settings = DatanodeSettings(heartbeat_s=asked)
    assert Datanodes(schema, settings, seeds=Seeds(1), recorded_s=recorded).heartbeat_s == period


def test_a_registration_names_node_and_namespace(schema: Schema, fleet: Datanodes) -> None:
    """The NameNode's own ids, with the DataNode's layout."""
    registration = decoded(schema, "registerDatanode", fleet.register(3)).registration
    identity, storage = registration.datanodeID, registration.storageInfo
    assert (identity.datanodeUuid, identity.ipAddr, identity.hostName) == (
        fleet.uuid(3),
        "127.0.0.1",
        "127.0.0.1",
    )
    assert identity.xferPort == identity.ipcPort == fleet.port(3)
    assert (storage.clusterID, storage.namespceID, storage.cTime) == ("CID-1", 7, 9)
    assert storage.layoutVersion == 2**32 - 57
    assert registration.softwareVersion == "3.5.0"


def test_a_node_goes_by_the_address_that_the_namenode_saw(schema: Schema) -> None:
    """Of a NameNode on another machine; nodes that have a loopback address each keep theirs."""
    datanodes = Datanodes(schema, DatanodeSettings(), seeds=Seeds(1))
    datanodes.learn_namespace(namespace(schema))
    before = datanodes.incremental_report(3, [])
    answer: Any = schema.method(PROTOCOL, "registerDatanode").response()
    answer.registration.CopyFrom(decoded(schema, "registerDatanode", datanodes.register(3)).registration)
    datanodes.learn_address(3, answer.SerializeToString())
    assert datanodes.incremental_report(3, []) == before
    answer.registration.datanodeID.ipAddr = "10.0.0.7"
    datanodes.learn_address(60_000, answer.SerializeToString())
    assert datanodes.incremental_report(3, []) == before
    datanodes.learn_address(3, answer.SerializeToString())
    for number, address in ((3, "10.0.0.7"), (60_000, "127.16.0.2")):
        for method, body in (
            ("sendHeartbeat", datanodes.heartbeat(number, [0])),
            ("blockReceivedAndDeleted", datanodes.incremental_report(number, [])),
        ):
            assert decoded(schema, method, body).registration.datanodeID.ipAddr == address


def test_a_heartbeat_tells_of_every_storage(schema: Schema, fleet: Datanodes) -> None:
    """What is used and what is left; a storage that is over full has nothing left."""
    message = decoded(schema, "sendHeartbeat", fleet.heartbeat(3, [400, 1200]))
    assert [
        (r.storageUuid, r.capacity, r.dfsUsed, r.remaining, r.blockPoolUsed) for r in message.reports
    ] == [
        (fleet.storage(3, 0), 1000, 400, 600, 400),
        (fleet.storage(3, 1), 1000, 1200, 0, 1200),
    ]
    assert message.registration.datanodeID.datanodeUuid == fleet.uuid(3)


def test_a_full_report_holds_the_replicas_of_each_storage(schema: Schema, fleet: Datanodes) -> None:
    """In one call; a storage that has none says so."""
    blocks = [Block(1, 10, 1001), Block(2, 20, 1002)]
    (body,) = fleet.full_reports(3, [Inventory(blocks), None], 77)
    message = decoded(schema, "blockReport", body)
    assert (message.blockPoolId, message.context.id) == ("BP-1", 77)
    assert (message.context.totalRpcs, message.context.curRpc) == (1, 0)
    assert [
        (r.storage.storageUuid, r.numberOfBlocks, read_buffers(r.blocksBuffers)) for r in message.reports
    ] == [
        (fleet.storage(3, 0), 2, blocks),
        (fleet.storage(3, 1), 0, []),
    ]


@pytest.mark.parametrize(("limit", "calls"), [(2, 1), (1, 2)])
def test_a_full_report_is_split_only_above_its_limit(schema: Schema, limit: int, calls: int) -> None:
    """Replicas of all storages count."""
    fleet = Datanodes(schema, DatanodeSettings(storages=2, split_blocks=limit), seeds=Seeds(1))
    fleet.learn_namespace(namespace(schema))
    stored = [Inventory([Block(n, 1, 1)]) for n in (1, 2)]
    assert len(fleet.full_reports(0, stored, 1)) == calls


def test_an_incremental_report_gathers_changes_by_storage(schema: Schema, fleet: Datanodes) -> None:
    """In the order in which they happened."""
    changes = [
        (1, Block(7, 70, 1007), RECEIVED),
        (0, Block(8, 80, 1008), RECEIVED),
        (1, Block(7, 70, 1007), DELETED),
    ]
    message = decoded(schema, "blockReceivedAndDeleted", fleet.incremental_report(3, changes))
    assert message.blockPoolId == "BP-1"
    reported = [
        (
            part.storageUuid,
            [(e.block.blockId, e.block.numBytes, e.block.genStamp, e.status) for e in part.blocks],
        )
        for part in message.blocks
    ]
    assert reported == [
        (fleet.storage(3, 1), [(7, 70, 1007, 2), (7, 70, 1007, 3)]),
        (fleet.storage(3, 0), [(8, 80, 1008, 2)]),
    ]


@pytest.mark.parametrize("changes", [1, 3, 200])
def test_an_incremental_report_is_what_protobuf_writes(
    schema: Schema, fleet: Datanodes, changes: int
) -> None:
    """However many changes there are; of a striped block with its negative id as the wire has it."""
    made = [(0, Block(-8 - n, n, 1000 + n), RECEIVED) for n in range(changes)]
    body = fleet.incremental_report(3, made)
    message = decoded(schema, "blockReceivedAndDeleted", body)
    assert message.SerializeToString() == body
    assert [each.block.blockId for each in message.blocks[0].blocks] == [
        (1 << 64) - 8 - n for n in range(changes)
    ]
    assert message.registration == fleet.registration(3)


def recovering(schema: Schema, fleet: Datanodes, storages: list[str]) -> Any:
    """A block that nodes 4 and 5 hold, to be recovered."""
    response: Any = schema.method(PROTOCOL, "sendHeartbeat").response()
    block = response.cmds.add().recoveryCmd.blocks.add(newGenStamp=1009)
    block.block.b.blockId, block.block.b.generationStamp, block.block.b.poolId = 7, 1001, "BP-1"
    for number in (4, 5):
        identity = block.block.locs.add(location="/r").id
        identity.ipAddr = identity.hostName = "127.0.0.1"
        identity.xferPort = identity.infoPort = identity.ipcPort = 1
        identity.datanodeUuid = fleet.uuid(number)
    block.block.storageIDs.extend(storages)
    return block


def test_a_commit_names_all_holders_and_their_storages(schema: Schema, fleet: Datanodes) -> None:
    """The storage that was not named is that of the node that commits."""
    body = fleet.synchronization(3, recovering(schema, fleet, ["DS-4"]), 100)
    message = decoded(schema, "commitBlockSynchronization", body)
    assert (message.newGenStamp, message.newLength) == (1009, 100)
    assert (message.closeFile, message.deleteBlock) == (True, False)
    assert [target.datanodeUuid for target in message.newTaragets] == [fleet.uuid(4), fleet.uuid(5)]
    assert list(message.newTargetStorages) == ["DS-4", fleet.storage(3)]


def test_a_commit_without_a_replica_gives_the_block_up(schema: Schema, fleet: Datanodes) -> None:
    """It has no length and no holders."""
    body = fleet.synchronization(3, recovering(schema, fleet, ["DS-4"]), None)
    message = decoded(schema, "commitBlockSynchronization", body)
    assert (message.newLength, message.deleteBlock) == (0, True)
    assert len(message.newTaragets) == len(message.newTargetStorages) == 0


def test_commands_come_with_heartbeats_and_reports(schema: Schema, fleet: Datanodes) -> None:
    """Many with the one, at most one with the other."""
    beat: Any = schema.method(PROTOCOL, "sendHeartbeat").response()
    for kind in (4, 5):
        beat.cmds.add(cmdType=kind)
    commands = fleet.commands("sendHeartbeat", beat.SerializePartialToString())
    assert [command.cmdType for command in commands] == [4, 5]
    report: Any = schema.method(PROTOCOL, "blockReport").response()
    assert fleet.commands("blockReport", report.SerializePartialToString()) == ()
    report.cmd.cmdType = 5
    (command,) = fleet.commands("blockReport", report.SerializePartialToString())
    assert command.cmdType == 5


@pytest.mark.parametrize("body", [b"\xff", b"\x0a\x7f"])
def test_an_answer_that_does_not_decode_is_a_clear_error(fleet: Datanodes, body: bytes) -> None:
    """As for any other call."""
    for method in ("sendHeartbeat", "blockReport"):
        with pytest.raises(InputError, match="ResponseProto: "):
            fleet.commands(method, body)
    with pytest.raises(InputError, match="VersionResponseProto: a message does not decode"):
        fleet.learn_namespace(body)


@pytest.mark.parametrize("body", [b"", b"\x0a\x00"])
def test_a_namenode_that_does_not_say_its_ids_is_refused(schema: Schema, body: bytes) -> None:
    """No registration could be made of them."""
    with pytest.raises(InputError, match=r"versionRequest: an answer lacks a field; found info"):
        Datanodes(schema, seeds=Seeds(1)).learn_namespace(body)
