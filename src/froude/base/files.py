"""Files that are whole or absent: written beside, then renamed; read within a bound.

Artifacts are readable by their owner only (0600, folders 0700): a trace tells what a cluster stores. What is no
regular file (a pipe, a device, a link in the place of an output) is neither read nor replaced.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from froude.base.errors import FroudeError, InputError, MissingError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NAMES = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISSOCK, "a socket"),
)
_STAGED = ".froude-staged"
"""How the names of files and folders end that are written next to their places, once they are locked."""
_FORMER = ".froude-former"
"""How the name of a folder ends while another takes its place."""
_PREFIX_CHARACTERS = 100
_LEFT = re.compile(rf"\.(?P<name>.+)\.[a-z0-9_]{{8}}(?:{_STAGED}|(?P<former>{_FORMER}))", re.DOTALL)
"""A name as `tempfile` makes it, so that no file of a user has one."""
_PIECE_BYTES = 1 << 20
T = TypeVar("T")
_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def atomic_write_bytes(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file that is either whole or not there, whatever happens meanwhile.

    Args:
        path: where it shall be; folders above are made, a file there is replaced.

    Raises:
        InputError: what stands there is no regular file.
        MissingError: no space, a file-size limit, or no right to write there.
    """
    atomic_write_all({Path(path): data}, mode=mode)


def atomic_write_text(path: Path, text: str, *, mode: int = 0o600) -> None:
    """`atomic_write_bytes` for text, as UTF-8.

    Args:
        path: where it shall be; folders above are made, a file there is replaced.

    Raises:
        InputError: also where the text holds what UTF-8 cannot say, such as a file name of other bytes.
        MissingError: as there.
    """
    atomic_write_bytes(path, encoded(text, path), mode=mode)


def encoded(text: str, path: Path) -> bytes:
    """A text as UTF-8, for a file.

    Raises:
        InputError: it holds what UTF-8 cannot say.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        found = repr(text[error.start : error.end][:40])
        raise InputError(
            "cannot be written: a text of it is not Unicode", file=path, found=found, allowed="UTF-8"
        ) from error


def atomic_write_all(files: Mapping[Path, bytes], *, mode: int = 0o600) -> None:
    """Write files that belong together: all are beside their places before the first takes its own.

    Args:
        files: the content of each, by its place; folders above are made, files there are replaced.
        mode: the permission bits of each.

    Raises:
        InputError: what stands at a place is no regular file.
        MissingError: no space, a file-size limit, or no right to write there; nothing was replaced.
    """
    for path in files:
        refuse_special(path)
    with ExitStack() as stack:
        for path, data in files.items():
            out, staged = stack.enter_context(file_beside(path))
            with stated_os_errors(path):
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
                staged.chmod(mode)


@contextmanager
def file_beside(path: Path, folder: Path | None = None) -> Iterator[tuple[io.BufferedWriter, Path]]:
    """A new file next to a place, which it takes when the block ends well; else it is removed.

    Args:
        path: the place; folders above are made, a file there is replaced.
        folder: where it is until then, on the same disk; None for that of the place.

    Yields:
        The open file, for its owner only, and where it is until then.

    Raises:
        MissingError: no space, or no right to write there.
    """
    with stated_os_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(folder or path.parent)
        handle, name = tempfile.mkstemp(prefix=_prefix(path), dir=folder or path.parent)
    out, staged = os.fdopen(handle, "wb"), Path(name)
    try:
        with locked(staged):
            with stated_os_errors(path):
                staged = staged.rename(f"{name}{_STAGED}")
            yield out, staged
            with stated_os_errors(path):
                out.flush()
                staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)
        with suppress(OSError):  # after an error it tries to write the rest again
            out.close()


@contextmanager
def atomic_folder(path: Path, *, replaces: Collection[str] | None = None) -> Iterator[Path]:
    """Fill a folder beside its final place and rename it there when the block ends well.

    Args:
        replaces: names of the files that a folder already there may hold, to be replaced with it; None where no
            folder may stand there.

    Yields:
        The folder to fill; removed again if the block raises.

    Raises:
        InputError: the place is taken and nothing may be replaced, it is taken by what is no folder, or the folder
            there holds anything else.
        MissingError: no space or no right to write there.
    """
    path = Path(path)
    if kind_of_place(path) is not None and replaces is None:
        raise InputError("already exists", file=path, remedy="Choose another name or remove it first")
    refuse_foreign(path, replaces or ())
    with folder_beside(path) as beside:
        yield beside
        refuse_foreign(path, replaces or ())  # it may have come meanwhile
        _put_in_place(beside, path)


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """A new folder beside a place, on the same disk, so that what is made in it can be renamed to that place.

    Yields:
        The folder, whose name nothing else has; removed when the block ends.

    Raises:
        MissingError: no space or no right to write there.
    """
    with stated_os_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        beside = Path(tempfile.mkdtemp(prefix=_prefix(path), dir=path.parent))
        with locked(beside):
            beside = beside.rename(f"{beside}{_STAGED}")
            try:
                yield beside
            except FroudeError as error:  # names the place that the user knows
                error.file = error.file and error.file.replace(str(beside), str(path), 1)
                raise
            finally:
                shutil.rmtree(beside, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove what killed processes left next to its place: no process has it locked.

    A folder whose successor did not come goes back to its place.
    """
    for left in folder.glob(".*.froude-*"):
        found = _LEFT.fullmatch(left.name)
        if found is None:
            continue
        with suppress(OSError), locked(left) as ours:
            name, former = found["name"], found["former"] is not None
            if not ours or (former and len(name) == _PREFIX_CHARACTERS):
                continue  # in use, or of a name that was cut, so that its place is not known
            if former and not (folder / name).exists():
                left.rename(folder / name)
            else:
                shutil.rmtree(left) if left.is_dir() else left.unlink()


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Lock a file or folder while the block runs, so that no other process takes it for the rest of a killed one.

    Yields:
        Whether it is locked; False where another process has it, and where the file system has no locks.

    Raises:
        OSError: it cannot be opened.
    """
    handle = os.open(path, _OPEN_FLAGS | os.O_NOFOLLOW)
    try:
        try:
            ours = take(handle)
        except OSError:
            ours = False
        yield ours
    finally:
        os.close(handle)


def take(handle: int) -> bool:
    """Lock an open file or folder until it is closed; False where another has it.

    Raises:
        OSError: its file system has no locks.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _prefix(path: Path) -> str:
    return f".{path.name[:_PREFIX_CHARACTERS]}."


def remove_folder(path: Path) -> None:
    """Remove a folder with all in it, as far as that is allowed; harmless where there is none."""
    shutil.rmtree(path, ignore_errors=True)


def refuse_foreign(folder: Path, names: Collection[str]) -> None:
    """Refuse to replace a folder with anything in it that was not written there as a part of it.

    Args:
        folder: the place; nothing may stand there yet.
        names: of the files that are its parts.

    Raises:
        InputError: what stands there is no folder, or it holds anything else, or cannot be looked into.
    """
    refuse_special(folder, folder=True)
    try:
        inside = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"cannot be looked at ({_why(error)})", file=folder) from error
    for each in inside:
        if each.name not in names or kind_of_place(each) != "a file":
            remedy = "Choose another place, or move that elsewhere first; --force never removes it"
            message = "is not replaced: it holds what Froude did not write there"
            raise InputError(message, file=folder, found=each.name, remedy=remedy)


def _put_in_place(beside: Path, path: Path) -> None:
    """Rename a folder to its place; one that stood there goes only once the new one has come."""
    if not path.exists():
        beside.replace(path)
        return
    former = Path(tempfile.mkdtemp(_FORMER, _prefix(path), path.parent))
    with locked(path):
        path.replace(former)  # onto an empty folder, which it takes the place of
        try:
            beside.replace(path)
        except BaseException:
            former.replace(path)
            raise
        # From here on it may be removed in part, so that it must not go back to its place.
        shutil.rmtree(former.rename(f"{str(former).removesuffix(_FORMER)}{_STAGED}"), ignore_errors=True)


def kind_of_place(path: Path) -> str | None:
    """What stands at a path, in words (`a file`, `a folder`, `a link`, `a device`, …); None for nothing.

    Raises:
        InputError: the system does not let one look.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be looked at ({_why(error)})", file=path) from error
    return next((name for test, name in _NAMES if test(mode)), "something unknown")


def refuse_special(path: Path, *, folder: bool = False) -> None:
    """Refuse to write where a link, a device, a pipe, or a folder in the place of a file stands.

    Args:
        folder: whether a folder shall be.

    Raises:
        InputError: with what stands there.
    """
    wanted = "a folder" if folder else "a file"
    kind = kind_of_place(path)
    if kind in {None, wanted}:
        return
    if kind == "a link":
        kind = f"a link to {Path(os.path.realpath(path))}"
        raise InputError("is not replaced", file=path, found=kind, remedy="Name the place that is meant")
    raise InputError("is not replaced", file=path, found=kind, allowed=f"{wanted}, or a free place")


def next_to(path: Path, name: str) -> Path:
    """A place in the folder of a file.

    Raises:
        InputError: the path names no file, such as `.` and `/`.
    """
    if not path.name:
        raise InputError("is a folder where a file is needed", file=path)
    return path.with_name(name)


def refuse_taken(path: Path) -> None:
    """Refuse a place where anything stands, also a link to nothing.

    Raises:
        InputError: with what stands there.
    """
    kind = kind_of_place(path)
    if kind is not None:
        found = None if kind == "a file" else kind
        raise InputError(
            "already exists", file=path, found=found, remedy="Choose another name or remove it first"
        )


@contextmanager
def create_file(path: Path) -> Iterator[io.BufferedWriter]:
    """Open a new file for writing, its owner's only; a link is never followed, and nothing there written over.

    Closing it writes the end of its buffer, so errors of that are stated here as well.

    Yields:
        The open file.

    Raises:
        InputError: something stands there.
        MissingError: no space, or no right to write there; also from the block.
    """
    refuse_taken(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with stated_os_errors(path), os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        yield file


@contextmanager
def open_regular(path: Path, *, limit_bytes: int | None = None) -> Iterator[io.BufferedReader]:
    """Open a regular file for reading; a pipe is never waited for, a device never opened.

    Args:
        path: the file; a link to one is followed.
        limit_bytes: the largest that it can honestly be; None for no bound.

    Yields:
        The open file.

    Raises:
        InputError: absent, unreadable, not a regular file, without a size, or over the limit.
    """
    path = Path(path)
    try:
        check_regular(path, limit_bytes=limit_bytes)  # some devices act when they are opened
        descriptor = os.open(path, _OPEN_FLAGS)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({_why(error)})", file=path) from error
    named: Any = _NamedFile(descriptor, path)
    with io.BufferedReader(named) as file:
        _check(os.fstat(descriptor), path, limit_bytes)
        if not os.fstat(descriptor).st_size and file.peek() and not os.fstat(descriptor).st_size:
            raise InputError(
                "has no size but content, as files of the kernel, which may have no end", file=path
            )
        yield file


class _NamedFile(io.FileIO):
    """A file whose errors are stated with its name: those of the system about an open file have none."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor)
        self._path = path

    def readinto(self, buffer: Any, /) -> int:
        return self._read(super().readinto, buffer)

    def readall(self) -> bytes:
        return self._read(super().readall)

    def _read(self, read: Callable[..., T], *buffer: Any) -> T:
        try:
            return read(*buffer)
        except OSError as error:
            raise InputError(f"cannot be read ({_why(error)})", file=self._path) from error


def check_regular(path: Path, *, limit_bytes: int | None = None) -> None:
    """Refuse what cannot be read as a file, for a reader that opens it itself.

    Args:
        path: the file; a link to one is followed.
        limit_bytes: the largest that it can honestly be; None for no bound.

    Raises:
        InputError: absent, not a regular file, or over the limit.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({_why(error)})", file=path) from error
    _check(status, path, limit_bytes)


def read_bounded(path: Path, *, limit_bytes: int) -> bytes:
    """Read a whole file, refusing one that is larger than it can honestly be.

    Args:
        limit_bytes: the most that it may hold; a byte more is refused.

    Raises:
        InputError: absent, unreadable, not a regular file, or over the limit.
    """
    with open_regular(path, limit_bytes=limit_bytes) as file:
        return read_at_most(file, path, limit_bytes)


def read_at_most(file: io.BufferedIOBase, path: Path, limit_bytes: int) -> bytes:
    """The rest of an open file, piece by piece: `read(n)` of a buffered file sets n bytes aside at once.

    Args:
        limit_bytes: the most that it may hold; a byte more is refused.

    Raises:
        InputError: it holds more.
    """
    data = io.BytesIO()
    while piece := file.read(_PIECE_BYTES):
        if data.tell() + len(piece) > limit_bytes:
            raise _too_large(Path(path), "more", limit_bytes)
        data.write(piece)
    return data.getvalue()


def _check(status: os.stat_result, path: Path, limit_bytes: int | None) -> None:
    if not stat.S_ISREG(status.st_mode):
        what = next((name for test, name in _NAMES if test(status.st_mode)), "something unknown")
        raise InputError(f"is {what} where a file is needed", file=path)
    if limit_bytes is not None and status.st_size > limit_bytes:
        raise _too_large(path, f"{status.st_size} bytes", limit_bytes)


def _too_large(path: Path, found: str, limit_bytes: int) -> InputError:
    return InputError("is too large", file=path, found=found, allowed=f"at most {limit_bytes} bytes")


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


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
