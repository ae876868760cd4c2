"""The load's own process."""

from __future__ import annotations

from pathlib import Path

from froude.cache.backends import _reader


def test_it_joins_its_group_and_counts(tmp_path: Path) -> None:
    """Its id is in the group's list; whole blocks are counted."""
    (tmp_path / "cgroup.procs").touch()
    data = tmp_path / "data"
    data.write_bytes(bytes(1 << 16))
    done = _reader.main(str(tmp_path), str(data), 4096, 0.02)
    assert int((tmp_path / "cgroup.procs").read_text()) > 0
    assert done["bytes"] == done["requests"] * 4096
    assert done["seconds"] >= 0.02


def test_buffered_writes(tmp_path: Path) -> None:
    """They are as many as fit the page cache for a while, and the file holds them."""
    data = tmp_path / "data"
    data.touch()
    done = _reader.main("", str(data), 1 << 20, 0.0, buffered=True)
    assert data.stat().st_size == done["bytes"] == 64 << 20
