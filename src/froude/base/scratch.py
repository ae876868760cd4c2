"""Scratch folders that do not stay behind: each is locked while its process lives, and swept by a later one.

A process that is killed leaves its folders. Whoever makes the next one removes those whose lock nobody holds any more:
the kernel gives a lock back with its process, whatever ended it. A folder that was kept on purpose has no lock file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from froude.base.files import locked, stated_os_errors, take

PREFIX = "froude-"
_LOCK = ".lock"


class Scratch:
    """A folder of this process's own under the system's temporary one; `with Scratch("play") as folder:`."""

    def __init__(self, purpose: str) -> None:
        """Make the folder, readable by its owner only, and sweep what dead processes left.

        Args:
            purpose: a word in its name, such as `cluster`.

        Raises:
            MissingError: no space, or no right to write there.
        """
        parent = Path(tempfile.gettempdir())
        sweep(parent)
        with stated_os_errors(parent):
            self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-", dir=parent))
            unlocked = self.folder / f"{_LOCK}.new"
            self._lock: int | None = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            take(self._lock)
            unlocked.rename(self.folder / _LOCK)  # never seen without its lock

    def keep(self) -> None:
        """Leave the folder for people to look at: nothing removes it."""
        (self.folder / _LOCK).unlink(missing_ok=True)
        self._unlock()

    def remove(self) -> None:
        """Remove the folder; a second time, or after `keep`, nothing happens."""
        if self._lock is not None:
            _remove(self.folder)
            self._unlock()

    def __enter__(self) -> Path:
        return self.folder

    def __exit__(self, *_: object) -> None:
        self.remove()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def sweep(parent: Path) -> list[Path]:
    """Remove the scratch folders of dead processes of this user; gives those that it removed."""
    removed = []
    for lock in sorted(parent.glob(f"{PREFIX}*/{_LOCK}")):
        with suppress(OSError), locked(lock) as free:
            if free and lock.stat().st_uid == os.geteuid():
                _remove(lock.parent)
                removed.append(lock.parent)
    return removed


def _remove(folder: Path) -> None:
    """Remove a scratch folder, its lock last: what an interrupted or a failed removal leaves is swept later."""
    with suppress(OSError):
        for each in folder.iterdir():
            if each.name == _LOCK:
                continue
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)
        if [each.name for each in folder.iterdir()] == [_LOCK]:
            shutil.rmtree(folder, ignore_errors=True)
