"""Locks between processes: the kernel gives one back when its holder ends, whatever ended it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from froude.base.errors import GuardError
from froude.base.files import stated_os_errors


def take(handle: int) -> bool:
    """Lock an open file or folder until it is closed; False where another has it.

    Args:
        handle: its descriptor.

    Raises:
        OSError: its file system has no locks.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def alone(path: Path, *, of: Path, other: str) -> Iterator[None]:
    """Hold a lock while the block runs, or refuse.

    Args:
        path: of the lock's file, which is there only while somebody holds it; its folder is.
        of: what it keeps others off.
        other: who those are, such as `controller`.

    Raises:
        GuardError: another holds it.
        MissingError: no right to write there, or no locks.
    """
    with _locked(path, wait=False) as ours:
        if not ours:
            raise GuardError(f"is in use by another {other}", file=of, remedy="Wait until it ends")
        yield


@contextmanager
def in_turn(path: Path) -> Iterator[None]:
    """Hold a lock while the block runs, after all who came before.

    Args:
        path: of the lock's file, as in `alone`.

    Raises:
        MissingError: no right to write there, or no locks.
    """
    with _locked(path, wait=True):
        yield


def held(path: Path) -> bool:
    """Whether somebody holds a lock now.

    Args:
        path: of the lock's file.

    Raises:
        MissingError: no right to look.
    """
    with stated_os_errors(path):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return False
        try:
            return not take(handle)
        finally:
            os.close(handle)


@contextmanager
def _locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock; False where another has it and nobody waits."""
    with stated_os_errors(path):
        handle, ours = _open(path, wait=wait)
        while ours and not _is(path, handle):  # who had it has just removed it
            os.close(handle)
            handle, ours = _open(path, wait=wait)
    try:
        yield ours
    finally:
        if ours:
            path.unlink(missing_ok=True)
        os.close(handle)


def _open(path: Path, *, wait: bool) -> tuple[int, bool]:
    """The file, and whether it is locked."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if not wait:
            return handle, take(handle)
        fcntl.flock(handle, fcntl.LOCK_EX)
    except BaseException:
        os.close(handle)
        raise
    return handle, True


def _is(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
