"""Fixtures of the guard's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.storage.machine import ROOT_MOUNT


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A machine with a disk sdx that nobody uses."""
    disk = tmp_path / "sys/devices/block/sdx"
    (disk / "holders").mkdir(parents=True)
    (disk / "queue").mkdir()
    for name, text in {"size": "2097152", "ro": "0", "dev": "8:16"}.items():
        (disk / name).write_text(text + "\n")
    for folder, name in (("dev/block", "8:16"), ("class/block", "sdx")):
        (tmp_path / "sys" / folder).mkdir(parents=True)
        (tmp_path / "sys" / folder / name).symlink_to(disk)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(ROOT_MOUNT)
    (tmp_path / "proc/swaps").write_text("Filename Type Size Used Priority\n")
    return tmp_path
