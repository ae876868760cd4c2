"""Scratch folders: gone at the end, kept when wanted, and swept after a process that was killed."""

from __future__ import annotations

import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from froude.base.errors import MissingError
from froude.base.scratch import Scratch, sweep

_HOLDER = """
import sys, time
from froude.base.scratch import Scratch
scratch = Scratch("play")
(scratch.folder / "spool").write_bytes(b"calls")
print(scratch.folder, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def held() -> tuple[subprocess.Popen[str], Path]:
    """A process that lives, and its folder."""
    process = subprocess.Popen([sys.executable, "-c", _HOLDER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_folder_is_its_owners_and_goes_with_the_block(temporary: Path) -> None:
    """Nobody else reads what lies there, and nothing stays."""
    with Scratch("cluster") as folder:
        assert folder.parent == temporary
        assert folder.name.startswith("froude-cluster-")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "deep").mkdir()
    assert list(temporary.iterdir()) == []


def test_what_is_kept_is_never_swept(temporary: Path) -> None:
    """A folder left for people to look at stays, whoever starts next, and removing it again does nothing."""
    scratch = Scratch("cluster")
    scratch.keep()
    scratch.remove()
    assert sweep(temporary) == []
    assert scratch.folder.is_dir()


def test_the_next_start_sweeps_what_a_killed_process_left(temporary: Path) -> None:
    """While it lives its folder stays; killed outright, its folder goes at the next start of anything."""
    process, folder = held()
    try:
        with Scratch("other"):
            assert (folder / "spool").is_file()
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert folder.is_dir()
    with Scratch("other") as mine:
        assert list(temporary.iterdir()) == [mine]


def test_an_interrupted_removal_is_made_up_for(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock goes last: the rest is known for a dead process's, not for a folder that was kept on purpose."""
    process, folder = held()
    for name in ("a", "z"):
        (folder / name).mkdir()
    process.send_signal(signal.SIGKILL)
    process.communicate()

    def interrupted(place: Path, **_: object) -> None:
        for each in sorted(place.iterdir()):
            if each.is_file():
                each.unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sweep(temporary)
    assert (folder / ".lock").is_file()
    assert sweep(temporary) == [folder]
    assert list(temporary.iterdir()) == []


def test_foreign_folders_stay(temporary: Path) -> None:
    """Whatever has no lock, or another name, or a link for a lock, is nobody's leftover."""
    (temporary / "froude-mine").mkdir()
    (temporary / "other").mkdir()
    (temporary / "other" / ".lock").touch()
    (temporary / "froude-link").mkdir()
    (temporary / "froude-link" / ".lock").symlink_to(temporary / "other" / ".lock")
    assert sweep(temporary) == []
    assert len(list(temporary.iterdir())) == 3


def test_folders_of_other_users_stay(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The superuser could lock and remove them."""
    folder = temporary / "froude-theirs"
    folder.mkdir()
    (folder / ".lock").touch()
    monkeypatch.setattr("os.geteuid", lambda: 1 + folder.stat().st_uid)
    assert sweep(temporary) == []
    assert folder.exists()


def test_no_place_is_stated(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A temporary folder that is not there is one clear error."""
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "absent"))
    with pytest.raises(MissingError, match="absent"):
        Scratch("play")
