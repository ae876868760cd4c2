"""Pieces of logs: read in any cuts they give the same lines, and what was read before an interrupt is not read again."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.trace.importers import audit_pieces
from froude.trace.importers.audit_log import import_audit
from froude.trace.importers.audit_pieces import Options, mapped
from testbed.audit_lines import calls, written
from tests.support.trace.importers.audit_log import texts

_NUMBERS = itertools.count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    st.integers(90, 4000), st.integers(1, 300), st.sampled_from([(False, True), (False, False), (True, True)])
)
def test_however_a_log_is_read_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int, read: int, how: tuple[bool, bool]
) -> None:
    """Ranges that begin and end within lines, reads that do, a packed log, one without a last line feed."""
    monkeypatch.setattr(audit_pieces, "_READ_BYTES", read)
    packed, ended = how
    folder = tmp_path / str(next(_NUMBERS))
    folder.mkdir()
    lines = calls(12)
    data = (texts(lines[:5]) + "x\n\n" + texts(lines[5:])).removesuffix("" if ended else "\n").encode()
    (folder / "l").write_bytes(gzip.compress(data) if packed else data)
    log = import_audit([folder / "l"], folder / "al", Options(piece_bytes=piece))
    assert list(log.lines()) == lines
    assert log.meta.bad_places == ("1 line left out: not an audit line, first at l:6 ('x')",)
    assert (log.meta.sources[0].lines, log.meta.counts.bad) == (13, 1)
    assert not (folder / "al.partial").exists()


def test_an_interrupted_import_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces that were read are not read again, unless the log or the way to read it is another."""
    lines = calls(12)
    (tmp_path / "l").write_text(texts(lines))
    done: list[int] = []
    read = audit_pieces._read

    def interrupted(piece: audit_pieces._Piece, **options: object) -> object:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(piece.number)
        return read(piece, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(audit_pieces, "_read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        import_audit([tmp_path / "l"], tmp_path / "al", Options(piece_bytes=400))
    assert not (tmp_path / "al").exists()
    partial = tmp_path / "al.partial"
    (partial / "run-0-1.json").write_text("{")  # this one is damaged
    again: list[int] = []
    monkeypatch.setattr(
        audit_pieces, "_read", lambda piece, **o: again.append(piece.number) or read(piece, **o)
    )
    log = import_audit([tmp_path / "l"], tmp_path / "al", Options(piece_bytes=400))
    assert list(log.lines()) == lines
    assert again[:3] == [1, 3, 4]
    assert not partial.exists()
    partial.mkdir()
    (partial / "import.key").write_text("another")
    (partial / "run-0-0.json").write_text("[]")
    import_audit([tmp_path / "l"], tmp_path / "al2")
    assert list(import_audit([tmp_path / "l"], tmp_path / "al3").lines()) == lines


def test_a_foreign_folder_is_not_gone_on_with(tmp_path: Path) -> None:
    """Nor is anything in it removed."""
    (tmp_path / "l").write_text(texts(calls(1)))
    (tmp_path / "al.partial").mkdir()
    (tmp_path / "al.partial" / "notes").write_text("mine")
    with pytest.raises(InputError, match="notes"):
        import_audit([tmp_path / "l"], tmp_path / "al")
    assert (tmp_path / "al.partial" / "notes").read_text() == "mine"


def test_lines_too_long_for_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Are bad lines: they cost no more memory than others."""
    monkeypatch.setattr(audit_pieces, "_LONGEST_LINE", 600)
    monkeypatch.setattr(audit_pieces, "_READ_BYTES", 100)
    lines = calls(2)
    (tmp_path / "l").write_text(written(lines[0]) + "x" * 5000 + "\n" + written(lines[1]))
    log = import_audit([tmp_path / "l"], tmp_path / "al")
    assert list(log.lines()) == lines
    (note,) = log.meta.bad_places
    assert note.startswith("1 line left out: longer than 600 bytes, first at l:2 ('xxx")


def test_items_go_in_rounds() -> None:
    """Results in order; after each round it is told how many are done."""
    done: list[float] = []
    assert mapped(str, range(10), 1, done.append) == [str(n) for n in range(10)]
    assert done == [8, 2]
    assert mapped(str, [], 1, done.append) == []
