"""Files that are whole or absent: written beside, then renamed; read within a bound.

Artifacts are readable by their owner only (0600, folders 0700): a trace tells what a cluster stores.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from froude.base.errors import InputError, MissingError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def atomic_write_bytes(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file that is either whole or not there, whatever happens meanwhile.

    Raises:
        MissingError: no space, a file-size limit, or no right to write there.
    """
    path = Path(path)
    with stated_os_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            Path(beside).chmod(mode)
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise


def atomic_write_text(path: Path, text: str, *, mode: int = 0o600) -> None:
    """`atomic_write_bytes` for text, as UTF-8."""
    atomic_write_bytes(path, text.encode(), mode=mode)


@contextmanager
def atomic_folder(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """Fill a folder beside its final place and rename it there when the block ends well.

    Args:
        path: where the folder shall be.
        replace: whether a folder already there may be replaced.

    Yields:
        The folder to fill; removed again if the block raises.

    Raises:
        InputError: the place is taken and `replace` is false.
        MissingError: no space or no right to write there.
    """
    path = Path(path)
    if path.exists() and not replace:
        raise InputError("already exists", file=path, remedy="Choose another name or remove it first")
    with stated_os_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        try:
            yield beside
            if path.exists():
                shutil.rmtree(path)
            beside.replace(path)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise


def read_bounded(path: Path, *, limit_bytes: int) -> bytes:
    """Read a whole file, refusing one that is larger than it can honestly be.

    Raises:
        InputError: absent, unreadable, not a file, or over the limit.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError("is a folder where a file is needed", file=path)
        size = path.stat().st_size
        if size > limit_bytes:
            found, allowed = f"{size} bytes", f"at most {limit_bytes} bytes"
            raise InputError("is too large", file=path, found=found, allowed=allowed)
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from error


@contextmanager
def stated_os_errors(path: Path) -> Iterator[None]:
    """Turn what the system says of a write into an error that names the file and the remedy.

    Raises:
        MissingError: in place of any `OSError` of the block.
    """
    try:
        yield
    except OSError as error:
        remedy = "Free some space or choose another folder" if error.errno in _FULL else None
        raise MissingError(f"cannot be written ({error.strerror})", file=path, remedy=remedy) from error
