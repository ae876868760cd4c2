"""Calls of a Trace, played by hand: as they were recorded, with the target's ids."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from froude.emulation.programs.audit.commands import CLIENT
from froude.emulation.programs.audit.lines import Line
from froude.emulation.programs.audit.recorded import FALSE, Recorded, command_of, recorded_error
from froude.emulation.programs.events import Failed, MessageReceived, Reached, SendMessage, Timer, WakeAt
from froude.emulation.programs.hdfs.blocks import Block
from froude.emulation.programs.hdfs.datanode import BlockReported, BlockWritten
from froude.emulation.settings import Pacing
from froude.messages.schema import Schema
from froude.workload.types import Moment
from tests.support.emulation.programs.audit.family import Play, notes, sent
from tests.support.emulation.programs.audit.ids import message, placed

DENIED = "AccessControlException"


def line(
    schema: Schema, method: str, fields: dict[str, Any], answer: bytes | None = None, **rest: Any
) -> Line:
    """A call of a Trace.

    Args:
        schema: of the release.
        method: that was called.
        fields: of the request.
        answer: the response's bytes, where they matter.
        rest: of `Recorded`.
    """
    request = schema.method(CLIENT, method).request(**fields).SerializeToString()
    told = None if answer is None else b64encode(answer).decode()
    recorded = Recorded(CLIENT, b64encode(request).decode(), told, **rest)
    return Line(
        0.0,
        0,
        method,
        fields.get("src"),
        (),
        fields.get("dst"),
        allowed="error" not in rest,
        recorded=[*recorded],
    )


def played(schema: Schema, folder: Path, *lines: Line) -> Play:
    """As fast as answers come."""
    return Play(schema, folder, lines, pacing=Pacing.CLOSED)


def test_a_file_is_written_as_it_was(schema: Schema, tmp_path: Path) -> None:
    """Its block goes to the DataNodes at the length with which it was closed, and is awaited."""
    at = {"src": "/a", "clientName": "DFSClient_1"}
    made = {
        **at,
        "masked": {"perm": 0o600},
        "createFlag": 1,
        "createParent": True,
        "replication": 2,
        "blockSize": 99,
    }
    created = message(schema, "create")
    created.fs.fileId = 100
    last = {"poolId": "BP-then", "blockId": 7, "generationStamp": 1001, "numBytes": 42}
    play = played(
        schema,
        tmp_path,
        line(schema, "create", made, created.SerializePartialToString()),
        line(
            schema, "addBlock", {**at, "fileId": 100}, placed(schema, 7, 1001, "BP-then", "a").SerializeToString(),
            length=42,
        ),
        line(schema, "complete", {**at, "fileId": 100, "last": last}),
    )  # fmt: skip
    said = play.start()
    assert (play.request(said).replication, play.request(said).clientName) == (2, "DFSClient_1")
    play.response = lambda method, fill: _partial(schema, method, fill)  # type: ignore[method-assign]
    said = play.answer(0, said, "create", lambda answer: setattr(answer.fs, "fileId", 200))
    assert play.request(said).fileId == 200
    node = play.population.families["datanode"].datanodes.uuid(0)  # type: ignore[attr-defined]
    given = placed(schema, 9, 2002, "BP-now", node)
    said = play.answer(0, said, "addBlock", lambda answer: answer.CopyFrom(given))
    (written,) = [each.message for each in said if isinstance(each, SendMessage)]
    assert isinstance(written, BlockWritten)
    assert written.block == Block(9, 42, 2002)
    said = play.tell(0, MessageReceived(BlockReported(9)))
    asked = play.request(said)
    assert (asked.fileId, asked.last.blockId, asked.last.generationStamp, asked.last.numBytes) == (
        200,
        9,
        2002,
        42,
    )
    # it was closed at once when it was recorded: asked again, as its client would
    said = play.answer(0, said, "complete", lambda answer: setattr(answer, "result", False))
    (again,) = said
    assert isinstance(again, WakeAt)
    said = play.tell(0, Timer(again.token, again.time_s))
    said = play.answer(0, said, "complete", lambda answer: setattr(answer, "result", True))
    assert said == [Reached(Moment.FINISHED)]


def _partial(schema: Schema, method: str, fill: Any) -> bytes:
    answer = message(schema, method)
    fill(answer)
    return bytes(answer.SerializePartialToString())


def test_a_pipeline_that_is_set_up_anew(schema: Schema, tmp_path: Path) -> None:
    """The nodes that the client names get the block, under its new stamp."""
    block = {"poolId": "BP", "blockId": 7, "generationStamp": 1001, "numBytes": 5}
    fields = {"clientName": "c", "oldBlock": block, "newBlock": {**block, "generationStamp": 1002}}
    play = played(schema, tmp_path, line(schema, "updatePipeline", fields, length=50))
    said = play.start()
    said = play.answer(0, said, "updatePipeline")
    assert not [each for each in said if isinstance(each, SendMessage)]  # no node is known here
    assert any(isinstance(each, WakeAt) for each in said)


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        (None, False, ["call answered with false: delete"]),
        (FALSE, False, []),
        (None, True, []),
    ],
)
def test_an_answer_of_false(
    schema: Schema, tmp_path: Path, then: bytes | None, now: bool, said: list[str]
) -> None:
    """Counts where it was another when it was recorded."""
    play = played(schema, tmp_path, line(schema, "delete", {"src": "/a", "recursive": False}, then))
    begun = play.start()
    assert play.request(begun).recursive is False
    assert notes(play.answer(0, begun, "delete", lambda answer: setattr(answer, "result", now))) == said


def test_errors_beside_those_that_were_recorded(schema: Schema, tmp_path: Path) -> None:
    """The same one is as recorded; another one is not, and neither is made again."""
    one = line(schema, "getFileInfo", {"src": "/a"}, error="SafeModeException")
    play = played(schema, tmp_path, one, one, one)
    said = play.start()
    said = play.tell(0, Failed(sent(said).token, "org.apache.hadoop.SafeModeException", ""))
    assert notes(said) == ["call failed as recorded: getFileInfo"]
    said = play.tell(0, Failed(sent(said).token, "java.io.FileNotFoundException", ""))
    assert notes(said) == ["call failed: getFileInfo getFileInfo FileNotFoundException"]
    said = play.answer(0, said, "getFileInfo")
    assert notes(said) == ["call allowed, refused when recorded: getFileInfo"]
    assert recorded_error(one) == "SafeModeException"
    assert recorded_error(Line(0.0, 0, "open", "/a", allowed=False)) == DENIED
    assert recorded_error(Line(0.0, 0, "open", "/a")) is None


@pytest.mark.parametrize(
    ("method", "fields", "changes"),
    [
        ("rename", {"src": "/a/b", "dst": "/c"}, True),
        ("addBlock", {"src": "/a/b", "clientName": "c"}, True),
        ("getBlockLocations", {"src": "/a/b", "offset": 0, "length": 1}, False),
        ("msync", {}, False),
    ],
)
def test_what_a_method_changes(schema: Schema, method: str, fields: dict[str, Any], changes: bool) -> None:
    """As its command of a log does; of those that no log holds it is said."""
    one = line(schema, method, fields)
    command = command_of(one)
    assert command is not None
    assert command.changes is changes
    assert command.paths(one) == tuple(str(fields[key]) for key in ("src", "dst") if key in fields)


def test_a_call_that_the_release_does_not_have(schema: Schema, tmp_path: Path) -> None:
    """Is left out, with its name, and nothing is said to be allowed now."""
    one = line(schema, "getFileInfo", {"src": "/a"}, error="IOException")._replace(command="danceTheFoxtrot")
    said = played(schema, tmp_path, one).start()
    (note,) = notes(said)
    assert note.startswith("line not replayed: danceTheFoxtrot (")
    assert said[-1] == Reached(Moment.FINISHED)
