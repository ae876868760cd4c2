"""Traces and audit logs as sources of a draft."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.hadoop.audit.lines import parse_line
from froude.hadoop.release.distribution import Hadoop
from froude.provision.draft.files import HdfsCalls, read_source, take_line
from froude.provision.draft.jobs import Jobs
from froude.provision.draft.log import AccessLog
from froude.provision.draft.paths import Folders
from froude.provision.draft.types import Caller
from froude.trace.files import write_trace
from froude.trace.importers.audit_log import import_audit
from froude.trace.types import Loss, Status
from tests.support.provision.draft.making import START_S, Recording, audit_line
from tests.support.trace.making import small_trace


def empty() -> AccessLog:
    """A log of nothing."""
    return AccessLog(Folders(), Jobs())


def test_a_trace_and_an_audit_log(tmp_path: Path, hadoop: Hadoop) -> None:
    """Both go into one log; each has its window."""
    recording = Recording(hadoop.schema())
    recording.write("/a/f", 10)
    recording.read("/a/f", 10)
    write_trace(tmp_path / "run.trace", recording.trace())
    (tmp_path / "audit.log.gz").write_bytes(
        gzip.compress(audit_line(7, "open", "/b/f").encode() * 3 + b"junk\n")
    )
    log = empty()
    first, second = (read_source(tmp_path / name, log) for name in ("run.trace", "audit.log.gz"))
    assert first == "run.trace: 5 calls"
    recognised, left_out = second.split("; ")
    assert recognised == "audit.log.gz: recognised audit log: 3 lines"
    assert left_out == "1 line left out: not an audit line, first at audit.log.gz:4 ('junk')"
    assert len(log) == 5
    assert (log.windows[0].start_s, log.windows[0].end_s) == (START_S + 1, START_S + 5)
    assert log.windows[1].length_s == 0


def test_an_audit_log_that_was_imported(tmp_path: Path) -> None:
    """It is the same as the log itself."""
    lines = "".join(audit_line(n, "open", "/b/f") for n in range(7))
    (tmp_path / "a.log").write_text(lines)
    import_audit([tmp_path / "a.log"], tmp_path / "a")
    logs = [empty(), empty()]
    said = [read_source(tmp_path / name, log) for name, log in zip(("a", "a.log"), logs, strict=True)]
    assert said[1] == said[0].replace("a:", "a.log:")
    assert [len(log) for log in logs] == [7, 7]
    assert logs[0].windows == logs[1].windows


def test_lines_of_a_log_without_dates_are_named(tmp_path: Path) -> None:
    """With how they can be read."""
    undated = audit_line(1, "open", "/b/f").partition(" INFO ")[2]
    (tmp_path / "a.log").write_text(audit_line(1, "open", "/b/f") + undated * 2)
    log = empty()
    assert "; 2 lines without a date that is read, which give no rate" in read_source(tmp_path / "a.log", log)


def test_calls_that_failed_or_are_others_do_not_count(tmp_path: Path, hadoop: Hadoop) -> None:
    """What was lost while recording is said."""
    from dataclasses import replace

    recording = Recording(hadoop.schema())
    recording.read("/a/f", 10)
    recording.read("/a/g", 10)
    recording.calls[0] = replace(recording.calls[0], status=Status.ERROR, response=None)
    trace = recording.trace()
    write_trace(tmp_path / "t", replace(trace, meta=replace(trace.meta, loss=Loss(torn_connections=2))))
    log = empty()
    assert read_source(tmp_path / "t", log) == "t: 2 calls, incomplete: 2 losses while recording"
    assert (len(log), log.others) == (1, 1)
    write_trace(tmp_path / "echo", small_trace())
    read_source(tmp_path / "echo", log)
    assert (len(log), log.others) == (1, 5)


def test_what_is_no_source_is_refused(tmp_path: Path, hadoop: Hadoop) -> None:
    """Absent, of another kind, damaged, without payload."""
    (tmp_path / "text").write_text("hello\n")
    (tmp_path / "damaged.gz").write_bytes(
        gzip.compress(audit_line(7, "open", "/b").encode() * 99)[:-8] + bytes(8)
    )
    (tmp_path / "long").write_text("x" * (1 << 21))
    (tmp_path / "folder").mkdir()
    recording = Recording(hadoop.schema())
    recording.read("/a/f", 10)
    write_trace(tmp_path / "blind", recording.trace(payload=False))
    write_trace(tmp_path / "torn", recording.trace())
    whole = (tmp_path / "torn" / "calls.parquet").read_bytes()
    (tmp_path / "torn" / "calls.parquet").write_bytes(whole[: len(whole) // 2])
    said = {
        "absent": "does not exist",
        "text": "holds no line of an audit log",
        "damaged.gz": "is a damaged gzip file",
        "long": "longer than",
        "folder": "is not a trace",
        "blind": "has no request bytes",
        "torn": "is not what was written",
    }
    for name, message in said.items():
        with pytest.raises(InputError, match=message):
            read_source(tmp_path / name, empty())


def test_open_reads_and_create_writes() -> None:
    """Lengths are unknown; denied and other commands carry no data."""
    log = AccessLog(Folders(), Jobs())
    lines = [
        audit_line(1, "open", "/a/f"),
        audit_line(2, "create", "/a/g", user="ann@REALM"),
        audit_line(3, "append", "/a/g"),
        audit_line(4, "listStatus", "/a"),
        audit_line(5, "open", "/secret", allowed="false"),
    ]
    for line in lines:
        take_line(parse_line(line), log)
    assert log.column("write").tolist() == [0, 1, 1]
    assert all(math.isnan(size) for size in log.column("bytes"))
    assert log.others == 2
    assert [label.text for label in log.jobs.labels] == ["alice", "ann"]


def test_a_finished_job_s_file_tells_its_name() -> None:
    """When it is renamed to its place."""
    log = AccessLog(Folders(), Jobs())
    job = "job_1699999999999_0001"
    take_line(parse_line(audit_line(1, "open", "/in/f", context=f"mr_attempt_{job[4:]}_m_000000_0")), log)
    done = f"/done/alice/{job}-1-alice-TeraSort-2-4-1-SUCCEEDED-q-1.jhist"
    take_line(parse_line(audit_line(2, "rename", f"{done}_tmp", dst=done)), log)
    assert log.jobs.task(log.jobs.labels[0]) == "TeraSort"


def test_what_a_router_adds_to_the_context_names_no_task() -> None:
    """In front of the client's own context, or behind it."""
    log = AccessLog(Folders(), Jobs())
    for context in (
        "clientIp:10.0.0.7,clientPort:40001,nightly",
        "nightly,clientIp:10.0.0.7,clientPort:40001",
    ):
        take_line(parse_line(audit_line(1, "open", "/in/f", context=context)), log)
    assert [log.jobs.task(label) for label in log.jobs.labels] == ["nightly"]


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
