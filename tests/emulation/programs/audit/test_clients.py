"""One client's corner cases, and its conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.audit.commands import CLIENT
from froude.emulation.programs.audit.lines import Line
from froude.emulation.programs.audit.shared import KIND
from froude.emulation.programs.events import (
    Failed,
    Instruction,
    MessageReceived,
    NodeId,
    Reached,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.hdfs.datanode import BlockReported, BlockWritten
from froude.emulation.programs.registry import populate
from froude.emulation.settings import Pacing
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import Moment, NodeType, Recorded, Workload
from tests.support.emulation.programs.audit.family import Play, notes, sent

_DENIED = "org.apache.hadoop.security.AccessControlException"


def test_a_request_that_cannot_be_made_is_left_out(schema: Schema, tmp_path: Path) -> None:
    """A line that lacks what the call needs: a rename without its target."""
    play = Play(schema, tmp_path, [Line(0.0, 0, "rename", "/a")], pacing=Pacing.CLOSED)
    (note,) = notes(play.start())
    assert note.startswith("line not replayed: rename (")


def test_numbers_that_are_none(schema: Schema, tmp_path: Path) -> None:
    """A directive's texts are whatever somebody wrote; so many lines in a row are no matter."""
    odd = Line(0.0, 0, "removeCacheDirective", "{id: ²}")
    huge = Line(0.0, 0, "addCacheDirective", "{path: /a, replication: " + "9" * 40 + "}")
    many = [odd, huge] * 2500
    said = Play(schema, tmp_path, many, pacing=Pacing.CLOSED).start()
    assert len(notes(said)) == len(many)
    assert all(note.startswith("line not replayed: ") for note in notes(said))


def told(said: Sequence[Instruction]) -> list[int]:
    """Clients that are sent a message."""
    return [each.node.number for each in said if isinstance(each, SendMessage)]


def _stat(path: str, client: int = 0, at_s: float = 0.0, **changes: Any) -> Line:
    return Line(at_s, client, "getfileinfo", path)._replace(**changes)


def test_nothing_is_sent_before_the_target_serves(schema: Schema, tmp_path: Path) -> None:
    """It is asked every half second."""
    play = Play(schema, tmp_path, [_stat("/a")], pacing=Pacing.CLOSED)
    said = play.tell(0, Started(10.0))
    said = play.answer(0, said, "setSafeMode", lambda message: setattr(message, "result", True))
    assert said == [WakeAt(10.5, 3)]
    said = play.tell(0, Timer(3, 10.5))
    said = play.tell(0, Failed(sent(said).token, "ConnectionLost", "gone"))
    said = play.tell(0, Timer(3, 11.0))
    said = play.answer(0, said, "setSafeMode", lambda message: setattr(message, "result", False))
    assert play.request(said).src == "/a"


def test_a_client_keeps_its_order_and_ends(schema: Schema, tmp_path: Path) -> None:
    """One operation at a time."""
    play = Play(schema, tmp_path, [_stat("/a"), _stat("/b")], pacing=Pacing.CLOSED)
    said = play.start()
    assert play.request(said).src == "/a"
    said = play.answer(0, said, "getFileInfo")
    assert play.request(said).src == "/b"
    assert play.answer(0, said, "getFileInfo") == [Reached(Moment.FINISHED)]


def test_times_of_the_log_are_kept(schema: Schema, tmp_path: Path) -> None:
    """At twice the speed in half the time; a late call is due when it was due."""
    lines = [_stat("/a", at_s=0.0), _stat("/b", at_s=4.0)]
    play = Play(schema, tmp_path, lines, pacing=Pacing.SCHEDULED, speed=2.0)
    said = play.answer(0, play.start(), "getFileInfo")
    assert said == [WakeAt(12.0, 0)]
    play.now_s = 13.0
    assert list(play.nodes[0].overdue(13.0)) == []
    said = play.tell(0, Timer(0, 12.0))
    assert sent(said).intended_s == 12.0


def test_conflicts_wait_for_other_clients(schema: Schema, tmp_path: Path) -> None:
    """A listing waits until the folder's change is over, and is told then."""
    lines = [
        Line(0.0, 0, "delete", "/d/x"),
        Line(0.0, 1, "contentSummary", "/d"),
        _stat("/other", client=2),
    ]
    play = Play(schema, tmp_path, lines, pacing=Pacing.CLOSED)
    said = play.start()
    assert told(said) == [1, 2]
    assert play.tell(1, MessageReceived(None)) == []
    assert play.request(play.tell(2, MessageReceived(None))).src == "/other"
    said = play.answer(0, said, "delete", lambda message: setattr(message, "result", True))
    assert told(said) == [1]
    assert play.request(play.tell(1, MessageReceived(None))).path == "/d"


def test_a_file_is_written_as_clients_do(schema: Schema, tmp_path: Path) -> None:
    """Created, a block on an emulated DataNode, closed once that has reported it, asked again until it is closed."""
    play = Play(schema, tmp_path, [Line(0.0, 0, "create", "/f", perm="a:b:rw-r-----")], pacing=Pacing.CLOSED)
    said = play.start()
    assert play.request(said).masked.perm == 0o640

    def created(message: Any) -> None:
        _status(message.fs, 99)

    def placed(message: Any) -> None:
        datanodes = play.population.families["datanode"].datanodes  # type: ignore[attr-defined]
        block = message.block
        block.b.poolId, block.b.blockId, block.b.generationStamp = "BP", 5, 1001
        block.offset, block.corrupt = 0, False
        block.blockToken.identifier = block.blockToken.password = b""
        block.blockToken.kind = block.blockToken.service = ""
        identity = block.locs.add().id
        identity.ipAddr = identity.hostName = "127.0.0.1"
        identity.datanodeUuid = datanodes.uuid(0)
        identity.xferPort = identity.infoPort = identity.ipcPort = 1
        block.storageIDs.append(datanodes.storage(0))

    said = play.answer(0, said, "create", created)
    assert play.request(said).fileId == 99
    said = play.answer(0, said, "addBlock", placed)
    (message,) = [each for each in said if isinstance(each, SendMessage)]
    assert isinstance(message.message, BlockWritten)
    assert message.message.block.length == 7
    assert message.message.writer == ("client", 0)
    said = play.tell(0, MessageReceived(BlockReported(5)))
    assert play.request(said).last.numBytes == 7
    assert play.tell(0, Timer(4, 12.0)) == []  # its patience, which is not needed any more
    said = play.answer(0, said, "complete", lambda message: setattr(message, "result", False))
    assert [each.time_s for each in said if isinstance(each, WakeAt)] == [10.1]
    said = play.tell(0, Timer(2, 10.1))
    said = play.answer(0, said, "complete", lambda message: setattr(message, "result", True))
    assert said == [Reached(Moment.FINISHED)]


def _status(status: Any, file_id: int) -> None:
    status.fileType, status.path, status.length = 2, b"", 0
    status.permission.perm, status.owner, status.group = 0o644, "a", "b"
    status.modification_time = status.access_time = 0
    status.fileId = file_id


def test_pages_of_a_listing_follow_each_other(schema: Schema, tmp_path: Path) -> None:
    """The client's next line for the folder asks for what comes after; the first one again once it was whole."""
    listing = Line(0.0, 0, "listStatus", "/d")
    play = Play(schema, tmp_path, [listing] * 3, pacing=Pacing.CLOSED)
    said = play.start()
    assert play.request(said).startAfter == b""

    def page(message: Any) -> None:
        entry = message.dirList.partialListing.add()
        _status(entry, 1)
        entry.path = b"m"
        message.dirList.remainingEntries = 3

    said = play.answer(0, said, "getListing", page)
    assert play.request(said).startAfter == b"m"
    said = play.answer(0, said, "getListing")
    assert play.request(said).startAfter == b""


def test_what_the_log_refused_may_fail(schema: Schema, tmp_path: Path) -> None:
    """A refusal that was recorded, one that was not, one that does not come again, and an error that is waited out."""
    lines = [_stat("/a", allowed=False), _stat("/b"), _stat("/c", allowed=False), _stat("/d")]
    play = Play(schema, tmp_path, lines, pacing=Pacing.CLOSED)
    said = play.start()
    said = play.tell(0, Failed(sent(said).token, _DENIED, "no"))
    assert notes(said) == ["call failed as recorded: getFileInfo"]
    said = play.tell(0, Failed(sent(said).token, _DENIED, "no"))
    assert notes(said) == ["call failed: getfileinfo getFileInfo AccessControlException"]
    said = play.answer(0, said, "getFileInfo")
    assert notes(said) == ["call allowed, refused when recorded: getfileinfo"]
    said = play.tell(0, Failed(sent(said).token, "org.apache.hadoop.ipc.RetriableException", "later"))
    assert notes(said) == ["call retried: getFileInfo RetriableException"]
    said = play.tell(0, Timer(1, 10.4))
    assert play.request(said).src == "/d"


def test_a_refusal_of_several_calls_that_does_not_come_again(schema: Schema, tmp_path: Path) -> None:
    """Counted once it is over."""
    line = Line(0.0, 0, "listStatus", "/d", allowed=False)
    play = Play(schema, tmp_path, [line], pacing=Pacing.CLOSED)
    said = play.answer(0, play.start(), "getListing")
    assert notes(said) == ["call allowed, refused when recorded: listStatus"]


def test_a_target_that_never_serves_is_given_up(schema: Schema, tmp_path: Path) -> None:
    """All clients end, and it is said why."""
    play = Play(schema, tmp_path, [_stat("/a"), _stat("/b", client=1)], pacing=Pacing.CLOSED)
    said = play.tell(0, Started(10.0))
    play.tell(1, Started(10.0))
    play.now_s = 200.0
    said = play.answer(0, said, "setSafeMode", lambda message: setattr(message, "result", True))
    assert notes(said) == ["target stayed in safe mode: 180 s after the last DataNode had reported"]
    assert told(said) == [1]
    assert said[-1] == Reached(Moment.FINISHED)
    assert play.tell(1, MessageReceived(None)) == [Reached(Moment.FINISHED)]


def test_an_answer_of_false_is_noted(schema: Schema, tmp_path: Path) -> None:
    """Nothing was deleted."""
    play = Play(schema, tmp_path, [Line(0.0, 0, "delete", "/x")], pacing=Pacing.CLOSED)
    said = play.answer(0, play.start(), "delete", lambda message: setattr(message, "result", False))
    assert notes(said) == ["call answered with false: delete"]


def test_what_is_no_call_is_left_out(schema: Schema, tmp_path: Path) -> None:
    """With its reason; the client goes on."""
    lines = [Line(0.0, 0, "fsck"), Line(0.0, 0, "danceTheFoxtrot"), _stat("/a")]
    said = Play(schema, tmp_path, lines, pacing=Pacing.CLOSED).start()
    left = ["fsck (asked by HTTP, not by a call)", "danceTheFoxtrot (no command that is known)"]
    assert notes(said) == [f"line not replayed: {each}" for each in left]
    assert sent(said).method == "getFileInfo"


def test_who_calls(schema: Schema, tmp_path: Path) -> None:
    """Each as the log's user, through whoever stood in for that."""
    play = Play(schema, tmp_path, [_stat("/a")])
    first, second = (play.population.endpoint(NodeId("client", number), CLIENT) for number in (0, 1))
    assert (first.user, first.real_user) == ("user0", None)
    assert (second.user, second.real_user) == ("user1", "proxy")


def test_a_play_without_a_log_is_refused(schema: Schema) -> None:
    """The settings must say which."""
    types = (NodeType("client", Count(1, {}), (), program=KIND),)
    plan = Plan(Workload(types, Recorded((), ())), Scale.of(), {"client": 1})
    with pytest.raises(InputError, match="needs a log"):
        populate(plan, schema, seeds=Seeds(1))
