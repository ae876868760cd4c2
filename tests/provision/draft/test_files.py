"""Traces and audit logs as sources of a draft."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.hadoop.release.distribution import Hadoop
from froude.provision.draft.files import read_source, read_sources
from froude.provision.draft.jobs import Jobs
from froude.provision.draft.log import AccessLog
from froude.provision.draft.paths import Folders
from froude.trace.files import write_trace
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
    source = read_sources([tmp_path / "run.trace", tmp_path / "audit.log.gz"], log)
    assert source == (
        "run.trace: 5 calls",
        "audit.log.gz: 3 lines of an audit log, 1 of another kind left out",
    )
    assert len(log) == 5
    assert (log.windows[0].start_s, log.windows[0].end_s) == (START_S + 1, START_S + 5)
    assert log.windows[1].length_s == 0


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
    (tmp_path / "cut.gz").write_bytes(gzip.compress(audit_line(7, "open", "/b").encode() * 99)[:-20])
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
        "cut.gz": "is a damaged gzip file",
        "long": "too long",
        "folder": "is not a trace",
        "blind": "has no request bytes",
        "torn": "is not what was written",
    }
    for name, message in said.items():
        with pytest.raises(InputError, match=message):
            read_source(tmp_path / name, empty())
