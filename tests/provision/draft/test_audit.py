"""Audit lines as accesses."""

from __future__ import annotations

import math

from froude.hadoop.audit.lines import parse_line
from froude.provision.draft.audit import take_line
from froude.provision.draft.jobs import Jobs
from froude.provision.draft.log import AccessLog
from froude.provision.draft.paths import Folders
from tests.support.provision.draft.making import audit_line


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
