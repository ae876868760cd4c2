"""What a target gives in place of what was recorded."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.emulation.programs.audit.commands import CLIENT
from froude.emulation.programs.audit.ids import Ids
from froude.messages.schema import Schema
from tests.support.emulation.programs.audit.ids import message, placed


@pytest.fixture
def ids(schema: Schema) -> Ids:
    """After a file was created, and got a block on two of the recorded nodes."""
    ids = Ids(schema)
    then, now = message(schema, "create"), message(schema, "create")
    then.fs.fileId, now.fs.fileId = 100, 200
    ids.learn(then, now)
    ids.learn(placed(schema, 7, 1001, "BP-then", "a", "b"), placed(schema, 9, 2002, "BP-now", "x", "y"))
    return ids


def test_a_block_a_file_and_nodes_are_replaced(schema: Schema, ids: Ids) -> None:
    """What the client said of them, such as the length, stays."""
    asked = message(schema, "updatePipeline", request=True)
    for name, stamp, length in (("oldBlock", 1001, 5), ("newBlock", 1003, 6)):
        block = getattr(asked, name)
        block.poolId, block.blockId, block.generationStamp, block.numBytes = "BP-then", 7, stamp, length
    asked.clientName = "c"
    for node in ("b", "gone"):
        identity = asked.newNodes.add()
        identity.ipAddr = identity.hostName = identity.datanodeUuid = node
        identity.xferPort = identity.infoPort = identity.ipcPort = 1
        asked.storageIDs.append(f"DS-{node}")
    sent, body = ids.request(CLIENT, "updatePipeline", asked.SerializeToString())
    assert body == sent.SerializeToString()
    old, new = sent.oldBlock, sent.newBlock
    assert (old.poolId, old.blockId, old.generationStamp, old.numBytes) == ("BP-now", 9, 2002, 5)
    assert (new.blockId, new.generationStamp, new.numBytes) == (9, 1003, 6)
    assert [node.datanodeUuid for node in sent.newNodes] == ["y"]
    assert list(sent.storageIDs) == ["DS-y"]


def test_the_files_id_and_nodes_that_failed(schema: Schema, ids: Ids) -> None:
    """A block that is asked for is kept off the nodes that stand for those it was kept off."""
    asked = message(schema, "addBlock", request=True)
    asked.src, asked.clientName, asked.fileId = "/a", "c", 100
    asked.excludeNodes.add().CopyFrom(placed(schema, 7, 1001, "", "a").block.locs[0])
    sent, _ = ids.request(CLIENT, "addBlock", asked.SerializeToString())
    assert (sent.fileId, [node.id.datanodeUuid for node in sent.excludeNodes]) == (200, ["x"])


def test_what_nobody_gave_stays(schema: Schema, ids: Ids) -> None:
    """Files and blocks of the image have its ids; a request without any is not touched."""
    asked = message(schema, "complete", request=True)
    asked.src, asked.clientName, asked.fileId = "/a", "c", 16_400
    asked.last.poolId, asked.last.blockId, asked.last.generationStamp = "BP-then", 3, 1002
    sent, _ = ids.request(CLIENT, "complete", asked.SerializeToString())
    assert (sent.fileId, sent.last.blockId, sent.last.generationStamp) == (16_400, 3, 1002)
    assert sent.last.poolId == "BP-now"
    asked = message(schema, "getFileInfo", request=True)
    asked.src = "/a"
    assert ids.request(CLIENT, "getFileInfo", asked.SerializeToString())[1] == asked.SerializeToString()


def test_a_request_that_is_none(ids: Ids) -> None:
    """Of another message, or damaged."""
    with pytest.raises(InputError):
        ids.request(CLIENT, "addBlock", b"\xff")
