"""One client of the archive job, on a file system in memory."""

from __future__ import annotations

import pytest

from benchmarks import archive_job
from benchmarks.archive_job import ARCHIVE, BLOCK_BYTES, archive
from tests.support.experiment.fake_hdfs import FakeHdfs


@pytest.fixture
def hdfs(monkeypatch: pytest.MonkeyPatch) -> FakeHdfs:
    """Where the client works."""
    fake = FakeHdfs()
    monkeypatch.setattr(archive_job, "Client", fake)
    return fake


def test_logs_are_written_added_to_closed_off_and_moved(hdfs: FakeHdfs) -> None:
    """Day by day, each step over all days before the next; what was moved is listed to the end."""
    archive(7, uri="hdfs://127.0.0.1:1", days=2)
    days = [f"/logs/host-007/day-{day}" for day in (1, 2)]
    logs = [[f"{day}/{hour}.log" for hour in ("00", "08", "16")] for day in days]
    writes: list[tuple[object, ...]] = []
    for day, names in zip(days, logs, strict=True):
        writes += [("mkdirs", day, 0o750), *(("create", name, BLOCK_BYTES, 1) for name in names)]
    assert hdfs.calls == [
        *writes,
        *(("append", names[0]) for names in logs),
        *(("set_permission", name, 0o440) for names in logs for name in names),
        ("get_content_summary", "/logs/host-007"),
        ("rename", "/logs/host-007", "/logs/closed-007"),
        ("list_status", "/logs/closed-007", True),
    ]
    assert hdfs.made == [("hdfs://127.0.0.1:1", {"dfs.blocksize": str(BLOCK_BYTES)})]


def test_the_first_log_of_a_day_is_the_longest(hdfs: FakeHdfs) -> None:
    """Late lines were added; every log fits in one block."""
    archive(0, uri="hdfs://h:1", days=3)
    assert len(hdfs.files) == 9
    for path, text in hdfs.files.items():
        assert path.startswith("/logs/closed-000/day-")
        assert text.endswith(b"late line\n") is path.endswith("/00.log")
        assert text.startswith(b"line\n")
        assert len(text) < BLOCK_BYTES


def test_scales_can_be_told_apart() -> None:
    """Every variable varies in training, and the held-out size lies outside of it."""
    for name in ARCHIVE.held_out:
        values = {scale[name] for scale in ARCHIVE.train}
        assert len(values) >= 2, name
        assert ARCHIVE.held_out[name] not in values
