"""The emulated DataNode, by playbooks of events and instructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.events import (
    Failed,
    Instruction,
    Interrupted,
    MessageReceived,
    NodeId,
    Note,
    Reached,
    Repeat,
    Reply,
    Send,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.hdfs.blocks import Block, Inventory
from froude.emulation.programs.hdfs.datanode import BlockWritten, EmulatedDatanode, ReplicaRecovered
from froude.emulation.programs.hdfs.datanodes import PROTOCOL, Datanodes
from froude.emulation.settings import DatanodeSettings
from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema
from froude.workload.types import Moment
from tests.support.emulation.programs.block_reports import read_buffers


@pytest.fixture(scope="module")
def schema(hadoop: Hadoop) -> Schema:
    """The default release's messages."""
    return hadoop.schema()


@pytest.fixture
def fleet(schema: Schema) -> Datanodes:
    """DataNodes with one storage."""
    return Datanodes(schema, seeds=Seeds(1))


class Stage:
    """One node and the NameNode's side of the talk."""

    def __init__(self, schema: Schema, fleet: Datanodes, number: int = 0, **options: Any) -> None:
        self.schema, self.fleet = schema, fleet
        self.node = EmulatedDatanode(fleet, number, **{"repeats": False, **options})
        self.now_s = 0.0

    def response(self, method: str, fill: Callable[[Any], None] | None = None) -> bytes:
        message: Any = self.schema.method(PROTOCOL, method).response()
        if fill is not None:
            fill(message)
        return message.SerializePartialToString()

    def request(self, send: Send) -> Any:
        return self.schema.decode_request(send.protocol, send.method, send.body)

    def version(self) -> bytes:
        def fill(message: Any) -> None:
            info = message.info
            info.buildVersion, info.unused, info.blockPoolID, info.softwareVersion = "b", 0, "BP-1", "3.5.0"
            info.storageInfo.layoutVersion, info.storageInfo.namespceID = 1, 7
            info.storageInfo.clusterID, info.storageInfo.cTime = "CID-1", 0

        return self.response("versionRequest", fill)

    def heartbeat(self, *commands: Callable[[Any], None]) -> bytes:
        def fill(message: Any) -> None:
            message.haStatus.state, message.haStatus.txid = 0, 1
            for command in commands:
                command(message.cmds.add())

        return self.response("sendHeartbeat", fill)

    def tell(self, event: Any) -> list[Instruction]:
        return list(self.node.handle(event, self.now_s))

    def answer(self, said: Sequence[Instruction], body: bytes) -> list[Instruction]:
        return self.tell(Reply(sent(said).token, body))

    def live(self) -> list[Instruction]:
        """Go through the start: version, registration, heartbeat, report."""
        said = self.tell(Started(0.0))
        said = self.answer(said, self.version())
        said = self.answer(said, b"")
        said = self.answer(said, self.heartbeat())
        return self.answer(said, b"")


def sent(said: Sequence[Instruction]) -> Send:
    """The one call among instructions."""
    (send,) = [each for each in said if isinstance(each, Send)]
    return send


def methods(said: Sequence[Instruction]) -> list[str]:
    """The calls among instructions."""
    return [each.method for each in said if isinstance(each, Send)]


def fill_identity(identity: Any, fleet: Datanodes, number: int) -> None:
    """A DatanodeIDProto of one of ours."""
    identity.ipAddr = identity.hostName = "127.0.0.1"
    identity.datanodeUuid = fleet.uuid(number)
    identity.xferPort = identity.infoPort = identity.ipcPort = 1


@pytest.fixture
def stage(schema: Schema, fleet: Datanodes) -> Stage:
    """A node that has not begun."""
    return Stage(schema, fleet)


def test_a_node_registers_beats_and_reports_in_order(stage: Stage) -> None:
    """versionRequest, registration with the NameNode's own ids, heartbeat, full report; then it has started."""
    said = stage.tell(Started(0.0))
    assert methods(said) == ["versionRequest"]
    said = stage.answer(said, stage.version())
    registration = stage.request(sent(said)).registration
    assert registration.storageInfo.clusterID == "CID-1"
    assert registration.storageInfo.namespceID == 7
    assert registration.datanodeID.datanodeUuid == stage.fleet.uuid(0)
    said = stage.answer(said, b"")
    assert methods(said) == ["sendHeartbeat"]
    assert any(isinstance(each, WakeAt) for each in said)
    said = stage.answer(said, stage.heartbeat())
    assert methods(said) == ["blockReport"]
    assert Reached(Moment.STARTED) in stage.answer(said, b"")


def test_first_heartbeats_are_spread_over_the_interval(schema: Schema, fleet: Datanodes) -> None:
    """Nodes that register together do not beat together."""
    times = set()
    for number in range(40):
        stage = Stage(schema, fleet, number)
        said = stage.answer(stage.answer(stage.tell(Started(0.0)), stage.version()), b"")
        times |= {each.time_s for each in said if isinstance(each, WakeAt)}
    assert len(times) > 30
    assert all(0 <= time <= 3.1 for time in times)


def test_a_written_block_is_reported_received_with_length_and_stamp(stage: Stage) -> None:
    """What a client wrote goes out at once, for the storage the NameNode chose, and counts as used."""
    stage.live()
    said = stage.tell(MessageReceived(BlockWritten(Block(7, 100, 1001), stage.fleet.storage(0))))
    (part,) = stage.request(sent(said)).blocks
    (entry,) = part.blocks
    assert (entry.block.blockId, entry.block.numBytes, entry.block.genStamp, entry.status) == (
        7,
        100,
        1001,
        2,
    )
    assert part.storage.storageUuid == stage.fleet.storage(0)
    stage.answer(said, b"")
    beat = stage.request(sent(stage.tell(Timer(1, 3.0))))
    assert beat.reports[0].dfsUsed == 100


def test_one_call_at_a_time_and_the_rest_in_one_batch(stage: Stage) -> None:
    """Blocks that arrive while a call is under way travel together in the next report."""
    stage.live()
    first = stage.tell(MessageReceived(BlockWritten(Block(1, 1, 1), stage.fleet.storage(0))))
    for number in (2, 3):
        assert stage.tell(MessageReceived(BlockWritten(Block(number, 1, 1), stage.fleet.storage(0)))) == []
    entries = stage.request(sent(stage.answer(first, b""))).blocks[0].blocks
    assert [entry.block.blockId for entry in entries] == [2, 3]


def test_invalidate_deletes_and_says_so(stage: Stage) -> None:
    """INVALIDATE takes the replica out and reports it deleted; a block that is not here is passed over."""
    stage.live()
    stage.answer(stage.tell(MessageReceived(BlockWritten(Block(7, 100, 1001), stage.fleet.storage(0)))), b"")

    def invalidate(command: Any) -> None:
        command.cmdType, command.blkCmd.action, command.blkCmd.blockPoolId = 1, 2, "BP-1"
        for block_id in (7, 8):
            command.blkCmd.blocks.add(blockId=block_id, genStamp=1001, numBytes=100)

    said = stage.answer(stage.tell(Timer(1, 3.0)), stage.heartbeat(invalidate))
    (entry,) = stage.request(sent(said)).blocks[0].blocks
    assert (entry.block.blockId, entry.status) == (7, 3)
    assert stage.node.blocks == 0


def test_a_block_of_a_deleted_file_is_dropped_without_a_word(stage: Stage) -> None:
    """The NameNode wants no report of it (BlockCommand.NO_ACK), but the next heartbeat says what is free again."""
    stage.live()
    for number in (7, 8):
        block = Block(number, 100, 1001)
        stage.answer(stage.tell(MessageReceived(BlockWritten(block, stage.fleet.storage(0)))), b"")

    def invalidate(command: Any) -> None:
        command.cmdType, command.blkCmd.action, command.blkCmd.blockPoolId = 1, 2, "BP-1"
        command.blkCmd.blocks.add(blockId=7, genStamp=1001, numBytes=(1 << 63) - 1)

    beat = stage.tell(Timer(1, 3.0))
    assert stage.request(sent(beat)).reports[0].dfsUsed == 200
    assert methods(stage.answer(beat, stage.heartbeat(invalidate))) == []
    assert stage.node.blocks == 1
    beat = stage.tell(Timer(1, 6.0))
    assert stage.request(sent(beat)).reports[0].dfsUsed == 100
    assert methods(stage.answer(beat, stage.heartbeat())) == []


def test_transfer_gives_the_replica_to_each_target(stage: Stage) -> None:
    """TRANSFER makes the targets receive this node's replica, into the storages the NameNode chose."""
    stage.live()
    block = Block(7, 100, 1001)
    stage.answer(stage.tell(MessageReceived(BlockWritten(block, stage.fleet.storage(0)))), b"")

    def transfer(command: Any) -> None:
        command.cmdType, command.blkCmd.action, command.blkCmd.blockPoolId = 1, 1, "BP-1"
        command.blkCmd.blocks.add(blockId=7, genStamp=1001, numBytes=100)
        nodes, storages = command.blkCmd.targets.add(), command.blkCmd.targetStorageUuids.add()
        for number in (4, 5):
            location = nodes.datanodes.add(location="/r")
            fill_identity(location.id, stage.fleet, number)
            storages.storageUuids.append(stage.fleet.storage(number))

    said = stage.answer(stage.tell(Timer(1, 3.0)), stage.heartbeat(transfer))
    assert [each for each in said if isinstance(each, SendMessage)] == [
        SendMessage(NodeId("datanode", number), BlockWritten(block, stage.fleet.storage(number)))
        for number in (4, 5)
    ]


@pytest.mark.parametrize(
    ("truncated", "recovered"), [(None, (7, 100)), ((7, 40), (7, 40)), ((9, 40), (9, 40))]
)
def test_recovery_is_led_and_committed(
    stage: Stage, truncated: tuple[int, int] | None, recovered: tuple[int, int]
) -> None:
    """RECOVERY commits this node's length, or that of a truncation, under the new stamp and tells the other holders."""
    stage.live()
    stage.answer(stage.tell(MessageReceived(BlockWritten(Block(7, 100, 1001), stage.fleet.storage(0)))), b"")

    def recover(command: Any) -> None:
        command.cmdType = 2
        recovering = command.recoveryCmd.blocks.add(newGenStamp=1009)
        located = recovering.block
        located.offset, located.corrupt = 0, False
        located.b.poolId, located.b.blockId, located.b.generationStamp, located.b.numBytes = (
            "BP-1",
            7,
            1001,
            0,
        )
        token = located.blockToken
        token.identifier, token.password, token.kind, token.service = b"", b"", "", ""
        for number in (0, 3):
            fill_identity(located.locs.add(location="/r").id, stage.fleet, number)
            located.storageIDs.append(stage.fleet.storage(number))
        if truncated is not None:
            cut = recovering.truncateBlock
            cut.blockId, cut.numBytes, cut.genStamp = *truncated, 1009

    said = stage.answer(stage.tell(Timer(1, 3.0)), stage.heartbeat(recover))
    commit = stage.request(sent(said))
    assert (commit.newGenStamp, commit.newLength, commit.closeFile, commit.deleteBlock) == (
        1009,
        recovered[1],
        True,
        False,
    )
    assert [identity.datanodeUuid for identity in commit.newTaragets] == [stage.fleet.uuid(n) for n in (0, 3)]
    messages = [each for each in said if isinstance(each, SendMessage)]
    assert messages == [
        SendMessage(NodeId("datanode", n), ReplicaRecovered(Block(*recovered, 1009), 7)) for n in (0, 3)
    ]


def test_register_makes_it_register_and_report_again(stage: Stage) -> None:
    """REGISTER, also after a refused registration, is obeyed: version, registration, heartbeat, full report."""
    stage.live()
    said = stage.answer(
        stage.tell(Timer(1, 3.0)), stage.heartbeat(lambda command: setattr(command, "cmdType", 5))
    )
    assert methods(said) == ["versionRequest"]
    said = stage.answer(said, stage.version())
    assert methods(said) == ["registerDatanode"]
    said = stage.answer(said, b"")
    said = stage.answer(said, stage.heartbeat())
    assert methods(said) == ["blockReport"]


def test_commands_that_mean_nothing_here_are_counted(stage: Stage) -> None:
    """Key updates are ignored knowingly; a kind nobody knows is counted as unknown."""
    stage.live()
    kinds = [lambda command, k=kind: setattr(command, "cmdType", k) for kind in (4, 9)]
    said = stage.answer(stage.tell(Timer(1, 3.0)), stage.heartbeat(*kinds))
    assert said == [Note("command ignored: key update"), Note("command unknown: 9")]


def test_a_refused_node_falls_silent(stage: Stage) -> None:
    """A registration that is refused ends the node, and says why."""
    said = stage.answer(stage.tell(Started(0.0)), stage.version())
    ended = stage.tell(Failed(sent(said).token, "org.x.DisallowedDatanodeException", "no"))
    assert ended == [Note("datanode refused: DisallowedDatanodeException"), Reached(Moment.FINISHED)]
    assert stage.tell(MessageReceived(BlockWritten(Block(1, 1, 1), ""))) == []


def test_a_stalled_heartbeat_keeps_its_intended_time(stage: Stage) -> None:
    """A heartbeat due while another call is unanswered goes out later, dated when it was due."""
    stage.live()
    waiting = stage.tell(MessageReceived(BlockWritten(Block(1, 1, 1), stage.fleet.storage(0))))
    assert methods(stage.tell(Timer(1, 3.0))) == []
    stage.now_s = 8.0
    assert list(stage.node.overdue(8.0)) == [("sendHeartbeat", 3.0)]
    assert sent(stage.answer(waiting, b"")).intended_s == 3.0
    assert list(stage.node.overdue(8.0)) == []


def test_a_report_is_sent_where_a_heartbeat_is_always_due(stage: Stage) -> None:
    """A NameNode that takes longer than an interval for every answer hears of the replicas all the same."""
    stage.live()
    said = stage.tell(MessageReceived(BlockWritten(Block(5, 9, 1), stage.fleet.storage(0))))
    stage.tell(Timer(2, 3.0))
    order: list[str] = []
    for number in range(1, 5):
        stage.now_s = 3.0 + 4 * number
        stage.tell(Timer(1, stage.now_s))
        order += methods(said)
        body = stage.heartbeat() if order[-1] == "sendHeartbeat" else b""
        said = stage.answer(said, body)
    assert order == ["blockReceivedAndDeleted", "sendHeartbeat", "blockReport", "sendHeartbeat"]


def test_what_failed_is_tried_after_the_next_heartbeat(stage: Stage) -> None:
    """A full report that failed is not repeated at once."""
    said = stage.tell(Started(0.0))
    for body in (stage.version(), b"", stage.heartbeat()):
        said = stage.answer(said, body)
    assert stage.tell(Failed(sent(said).token, "java.io.IOException", "busy")) == []
    beat = stage.tell(Timer(1, 3.0))
    assert methods(beat) == ["sendHeartbeat"]
    assert methods(stage.answer(beat, stage.heartbeat())) == ["blockReport"]


def test_large_reports_are_split_by_storage(schema: Schema) -> None:
    """Above the limit each storage travels in a call of its own, numbered within the whole."""
    fleet = Datanodes(schema, DatanodeSettings(storages=2, split_blocks=3), seeds=Seeds(1))
    stored = [[Block(n, 1, 1) for n in range(4)], [Block(9, 1, 1)]]
    stage = Stage(schema, fleet, stored=[Inventory(blocks) for blocks in stored])
    said = stage.tell(Started(0.0))
    reports = []
    for body in (stage.version(), b"", stage.heartbeat(), b"", b""):
        said = stage.answer(said, body)
        reports += [
            stage.request(each) for each in said if isinstance(each, Send) and each.method == "blockReport"
        ]
    assert [(r.context.curRpc, r.context.totalRpcs, len(r.reports)) for r in reports] == [
        (0, 2, 1),
        (1, 2, 1),
    ]
    assert [read_buffers(r.reports[0].blocksBuffers) for r in reports] == stored


@pytest.fixture
def repeating(schema: Schema, fleet: Datanodes) -> Stage:
    """A node whose heartbeats the player repeats."""
    return Stage(schema, fleet, repeats=True)


def test_an_idle_node_has_its_heartbeats_repeated(repeating: Stage) -> None:
    """From the first one that is due when there is nothing else to do, at the interval of all its type."""
    repeating.live()
    (repeat,) = repeating.tell(Timer(1, 3.0))
    assert isinstance(repeat, Repeat)
    assert repeat.send.method == "sendHeartbeat"
    assert repeat.send.intended_s == 3.0
    assert repeat.every_s == repeating.fleet.heartbeat_s
    assert repeat.again(repeat.send, repeating.heartbeat()) is repeat.send
    for _ in range(2):
        command = repeating.heartbeat(lambda command: setattr(command, "cmdType", 5))
        assert repeat.again(repeat.send, command) is None


@pytest.mark.parametrize("calling", [True, False])
def test_a_node_goes_on_by_itself_when_its_heartbeats_are_interrupted(
    repeating: Stage, calling: bool
) -> None:
    """A report waits for a heartbeat that is on its way; the next one is due as it was."""
    repeating.live()
    repeating.tell(Timer(1, 3.0))
    assert repeating.tell(Interrupted(6.0, calling)) == [WakeAt(6.0, 1)]
    said = repeating.tell(MessageReceived(BlockWritten(Block(7, 10, 1), repeating.fleet.storage(0))))
    if calling:
        assert methods(said) == []
        said = repeating.tell(Reply(3, repeating.heartbeat()))
    assert methods(said) == ["blockReceivedAndDeleted"]
    assert methods(repeating.tell(Timer(1, 6.0))) == []
    assert methods(repeating.answer(said, b"")) == ["sendHeartbeat"]


def test_a_node_with_something_to_do_sends_its_heartbeat_itself(repeating: Stage) -> None:
    """A node that has not registered, one whose report failed, and one whose heartbeat is late."""
    said = repeating.tell(Started(0.0))
    assert repeating.tell(Timer(1, 0.0))[-1:] == [WakeAt(3.0, 1)]
    said = repeating.answer(repeating.answer(said, repeating.version()), b"")
    said = repeating.answer(said, repeating.heartbeat())
    assert methods(said) == ["blockReport"]
    assert not any(isinstance(each, Repeat) for each in repeating.tell(Timer(1, 3.0)))
    said = repeating.tell(Failed(5, "java.io.IOException", "later"))
    assert methods(said) == ["sendHeartbeat"]
    said = repeating.answer(said, repeating.heartbeat())
    assert methods(said) == ["blockReport"]
    said = repeating.tell(Failed(5, "java.io.IOException", "later"))
    assert methods(said) == []
    assert methods(repeating.tell(Timer(1, 6.0))) == ["sendHeartbeat"]
