"""Locks between processes: the kernel gives one back when its holder ends, whatever ended it.

filelock leaves its file behind, follows a link in its place, and cannot be asked whether another process holds it.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from froude.base.errors import GuardError, InputError
from froude.base.files import next_to, stated_os_errors, take

_LOOKS, _LOOK_S = 20, 0.01


@contextmanager
def alone(path: Path, *, of: Path, other: str) -> Iterator[None]:
    """Hold a lock while the block runs, or refuse.

    Args:
        path: of the lock's file, which is removed by whoever held it; its folder is there.
        other: who those are, such as `controller`.

    Raises:
        GuardError: another holds it.
        InputError: something else stands in its place.
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


def beside(path: Path) -> Path:
    """Where the lock of a file lies, which is written anew and so cannot be one itself.

    Raises:
        InputError: the path names no file, such as `.`.
    """
    return next_to(path, f".{path.name}.lock")


def held(path: Path) -> bool:
    """Whether somebody holds a lock now.

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
    holder = os.getpid()
    try:
        yield ours
    finally:
        with suppress(OSError):  # a lock file that stays is no harm
            # one that somebody else has put there is that one's, and a child that was forked holds nothing
            if ours and holder == os.getpid() and _is(path, handle):
                path.unlink()
        os.close(handle)


def _open(path: Path, *, wait: bool) -> tuple[int, bool]:
    """The file, and whether it is locked."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size:
            raise InputError("is no lock, and stands in its place", file=path)
        if not wait:
            return handle, _soon(handle)
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


def _soon(handle: int) -> bool:
    """Take it, if not now then once those who only look whether it is held have looked."""
    for _ in range(_LOOKS):
        if take(handle):
            return True
        time.sleep(_LOOK_S)
    return False
