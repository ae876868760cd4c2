"""The artifact: read in pieces, by time and by clients; never one that is not what was written."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.recognise import kind_of
from froude.documents.store import Workspace
from froude.trace.audit import files
from froude.trace.audit.files import AuditLog, moment, open_audit
from froude.trace.importers.audit_log import import_audit
from testbed.audit_lines import START_S, calls, written

LINES = calls(40)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AuditLog:
    """Forty lines in several files and row groups."""
    monkeypatch.setattr("froude.trace.audit.order.BATCH_ROWS", 4)
    monkeypatch.setattr("froude.trace.importers.audit_log._SLICE_ROWS", 16)
    monkeypatch.setattr(files, "_ROWS_PER_GROUP", 4)
    (tmp_path / "audit.log").write_text("".join(map(written, LINES)))
    return import_audit([tmp_path / "audit.log"], tmp_path / "al")


def test_all_lines_in_order(log: AuditLog) -> None:
    """As they were; opened again as well."""
    assert list(log.lines()) == LINES
    assert len(log.parts) == 3
    again = open_audit(log.folder)
    assert again == log
    assert list(again.lines()) == LINES
    assert kind_of(log.folder) == "audit"
    assert repr(log) == (
        "<AuditLog lines: 40, from: 2026-11-20 09:43:54+00:00, to: 2026-11-20 09:44:03+00:00>"
    )


def test_some_time_of_it(log: AuditLog) -> None:
    """From a moment on, up to another; row groups that lie apart from it are not read."""
    begin = round(START_S * 1e6) + 2_000_000
    batches = list(log.batches(["src", "time"], begin_us=begin, end_us=begin + 1_000_000))
    assert [src for batch in batches for src in batch.column("src").to_pylist()] == [
        line.src for line in LINES[8:12]
    ]
    late = round(START_S * 1e6) + 9_000_000
    assert sum(batch.num_rows for batch in log.batches(begin_us=late)) == 4


def test_each_part_has_whole_clients(log: AuditLog) -> None:
    """All parts together have each line once, and no client is in two."""
    parts = [list(log.batches(["client", "src"], part=(k, 3))) for k in range(3)]
    clients = [
        {each for batch in part for each in pc.unique(batch.column("client")).to_pylist()} for part in parts
    ]
    assert sum(batch.num_rows for part in parts for batch in part) == 40
    assert sum(map(len, clients)) == len(set.union(*clients)) == 15
    with pytest.raises(ValueError, match=r"\(k, n\)"):
        next(log.batches(part=(3, 3)))


@pytest.mark.parametrize("name", ["meta.yaml", "lines-00000.parquet"])
def test_what_was_changed_is_refused(log: AuditLog, name: str) -> None:
    """With the file."""
    path = log.folder / name
    path.write_bytes(path.read_bytes().replace(b"lines: 40", b"lines: 41") + b"\n")
    if name == "meta.yaml":
        with pytest.raises(ChangedError):
            open_audit(log.folder)
        return
    with pytest.raises(ChangedError, match=name):
        open_audit(log.folder)
    path.write_bytes(b"PAR1")
    with pytest.raises(InputError, match="is cut short or damaged"):
        list(open_audit(log.folder, check=False).lines())


def test_what_is_none(tmp_path: Path) -> None:
    """Nothing, or another folder."""
    with pytest.raises(InputError, match="does not exist"):
        open_audit(tmp_path / "x")
    with pytest.raises(InputError, match="is not an imported audit log"):
        open_audit(tmp_path)


def test_a_workspace_finds_it(tmp_path: Path) -> None:
    """By its name."""
    workspace = Workspace(tmp_path / "w")
    (tmp_path / "audit.log").write_text(written(LINES[0]))
    import_audit([tmp_path / "audit.log"], workspace.new("audit"))
    assert [each.name for each in workspace.matches("audit-1")] == ["audit-1"]
    assert moment(0).isoformat() == "1970-01-01T00:00:00+00:00"
