"""Files are whole or absent."""

import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from froude.base.errors import InputError, MissingError
from froude.base.files import atomic_folder, atomic_write_bytes, atomic_write_text, read_bounded


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    """Artifacts tell what a cluster stores."""
    atomic_write_text(tmp_path / "a", "x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_a_failed_folder_leaves_nothing(tmp_path: Path) -> None:
    """An error while filling keeps the old folder and leaves no litter."""
    with atomic_folder(tmp_path / "t") as beside:
        (beside / "old").write_text("1")
    with pytest.raises(RuntimeError), atomic_folder(tmp_path / "t", replace=True) as beside:  # noqa: PT012
        (beside / "new").write_text("2")
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == ["t"]
    assert [p.name for p in (tmp_path / "t").iterdir()] == ["old"]


def test_a_folder_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    """Replacing must be asked for."""
    with pytest.raises(InputError, match="already exists"), atomic_folder(tmp_path):
        pass


def test_read_is_bounded(tmp_path: Path) -> None:
    """A file larger than it can honestly be is refused before memory is spent."""
    (tmp_path / "big").write_bytes(b"x" * 100)
    with pytest.raises(InputError, match="100 bytes; allowed: at most 10 bytes"):
        read_bounded(tmp_path / "big", limit_bytes=10)


def test_a_full_disk_is_stated_and_leaves_nothing(tmp_path: Path) -> None:
    """Under a file-size limit the write fails with one error and no half file."""
    code = (
        "import sys, pathlib\nfrom froude.base.files import atomic_write_bytes\n"
        "from froude.base.errors import MissingError\n"
        "try:\n    atomic_write_bytes(pathlib.Path(sys.argv[1]), b'x' * 100_000)\n"
        "except MissingError as error:\n    print(error)\n"
    )

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    target = tmp_path / "out"
    command = [sys.executable, "-c", code, target]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=True)
    assert "cannot be written (File too large)" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_no_right_to_write_is_stated() -> None:
    """A place that cannot be written names itself."""
    with pytest.raises(MissingError, match="/proc/froude/x: cannot be written"):
        atomic_write_bytes(Path("/proc/froude/x"), b"")
