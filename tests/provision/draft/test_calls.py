"""Calls about files become reads and writes with their lengths."""

from __future__ import annotations

import math

import pytest

from froude.hadoop.release.distribution import Hadoop
from froude.provision.draft.calls import HdfsCalls
from froude.provision.draft.jobs import Jobs
from froude.provision.draft.log import AccessLog
from froude.provision.draft.paths import Folders
from froude.provision.draft.types import Caller
from tests.support.provision.draft.making import Recording


@pytest.fixture
def recording(hadoop: Hadoop) -> Recording:
    """An empty one."""
    return Recording(hadoop.schema())


def taken(recording: Recording, *, answers: bool = True) -> AccessLog:
    """What its calls come to."""
    log = AccessLog(Folders(), Jobs())
    calls = HdfsCalls(recording.schema, log)
    for call in recording.calls:
        response = call.response if answers else None
        calls.take(call.start_s, Caller("ann", None, "s"), call.method, call.request, response)
    calls.finish()
    return log


def seen(log: AccessLog) -> list[tuple[int, float]]:
    """Whether each is a write, and its bytes."""
    return list(zip(log.column("write").tolist(), log.column("bytes").tolist(), strict=True))


def test_a_write_is_as_long_as_its_blocks(recording: Recording) -> None:
    """Those before tell theirs when the next is asked for; the answer that asks for patience counts nothing."""
    recording.write("/a/f", 250)
    recording.write("/a/empty", 0)
    log = taken(recording)
    assert seen(log) == [(1, 250.0), (1, 0.0)]
    assert dict(log.space.files()) == {"/a/f": 250.0, "/a/empty": 0.0}
    assert log.column("time").tolist() == [1.0, 7.0]
    assert log.column("copies").tolist() == [2, 2]


def test_an_append_counts_what_it_adds(recording: Recording) -> None:
    """The rest of the last block was there."""
    recording.append("/a/f", 60, 30)
    assert seen(taken(recording)) == [(1, 30.0)]


def test_a_read_is_counted_once(recording: Recording) -> None:
    """Where the same reader asks for further blocks it is no other read."""
    recording.read("/a/f", 250)
    recording.read("/a/f", 250, offset=200)
    log = taken(recording)
    assert seen(log) == [(0, 250.0)]
    assert log.column("copies").tolist() == [3]
    assert log.column("blocks").tolist() == [3]


def test_what_is_not_seen_is_not_made_up(recording: Recording) -> None:
    """A file still open at the end, one created before the beginning, and answers that were not kept."""
    recording.write("/a/open", 50, complete=False)
    recording.write("/a/f", 50)
    del recording.calls[2]
    recording.read("/a/g", 50)
    accesses = seen(taken(recording, answers=False))
    assert [write for write, _ in accesses[-2:]] == [0, 1]
    assert all(math.isnan(size) for write, size in seen(taken(recording)) if write)
    assert all(math.isnan(size) for write, size in accesses if not write)


def test_a_file_created_again_is_another_write(recording: Recording) -> None:
    """The first one's length is not known."""
    recording.write("/a/f", 50, complete=False)
    recording.write("/a/f", 70)
    accesses = seen(taken(recording))
    assert len(accesses) == 2
    assert math.isnan(accesses[0][1])
    assert accesses[1] == (1, 70.0)


def test_answers_tell_what_there_is(recording: Recording) -> None:
    """Status, listing and summary; renaming and deleting change it."""
    recording.info("/a/f", 10)
    recording.listing("/b", x=1, y=2)
    recording.summary("/b", 99)
    recording.rename("/b/x", "/c")
    recording.delete("/b/y")
    log = taken(recording)
    assert len(log) == 0
    assert dict(log.space.files()) == {"/a/f": 10.0, "/c": 1.0}
    assert log.totals == {"/b": 99.0}
