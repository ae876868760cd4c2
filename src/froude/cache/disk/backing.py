"""The image of a disk: a file, or a block device that nobody uses."""

from __future__ import annotations

import errno
import mmap
import os
import stat
from pathlib import Path

from froude.base.block_devices import device_at, loops_over, openers, users_of
from froude.base.errors import GuardError, InputError, MissingError
from froude.base.files import take
from froude.base.holes import write_all, zero
from froude.cache.disk.header import ImageState
from froude.cache.disk.seams import Data
from froude.cache.disk.table import BLOCK


class Image:
    """An open image; any thread may call."""

    def __init__(self, path: Path, *, direct: bool) -> None:
        """Open an image, and keep others from it as far as the system helps.

        Args:
            path: a file or a block device; symbolic links are followed first.
            direct: pass by the page cache, for what is whole blocks.

        Raises:
            GuardError: somebody uses it.
            InputError: it is something else, or empty.
            MissingError: it may not be opened, or not passed by the page cache.
        """
        self.path = _resolved(path)
        mode = self.path.stat().st_mode
        if stat.S_ISBLK(mode):
            self._handle, self.size = _open_device(self.path)
        elif stat.S_ISREG(mode):
            self._handle, self.size = _open_file(self.path)
        else:
            raise InputError("is no image", file=path, allowed="a file or a block device")
        self._is_device = stat.S_ISBLK(mode)
        self._direct = reopen_direct(self._handle, self.path) if direct else None

    def read(self, offset: int, length: int) -> Data:
        """See `Backing`."""
        if self._direct is not None:
            return read_direct(self._direct, offset, length)
        data = os.pread(self._handle, length, offset)
        return data if len(data) == length else _rest(self._handle, data, offset, length)

    def read_now(self, offset: int, length: int) -> Data | None:
        """See `Backing`."""
        if self._direct is not None:
            return None
        buffer = bytearray(length)
        try:
            count = os.preadv(self._handle, [buffer], offset, os.RWF_NOWAIT)
        except OSError:
            return None
        return buffer if count == length else None

    def write(self, offset: int, data: Data, *, durable: bool) -> None:
        """See `Backing`."""
        flags = os.RWF_DSYNC if durable else 0
        if self._direct is not None and offset % BLOCK == 0 and len(data) % BLOCK == 0:
            write_all(self._direct, aligned(data), offset, flags)
        else:
            write_all(self._handle, data, offset, flags)

    def zero(self, offset: int, length: int, *, hole: bool, durable: bool) -> None:
        """See `Backing`."""
        zero(self._handle, offset, length, hole=hole)
        if durable:
            os.fdatasync(self._handle)

    def flush(self) -> None:
        """See `Backing`."""
        os.fdatasync(self._handle)

    def state(self) -> ImageState:
        """See `Backing`."""
        status = os.fstat(self._handle)
        if not self._is_device:
            name = f"file {os.major(status.st_dev)}:{os.minor(status.st_dev)} {status.st_ino}"
            return ImageState(name, status.st_size, status.st_ctime_ns, dated=True)
        folder = Path(f"/sys/dev/block/{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}").resolve()
        sequence = _text(folder / "diskseq") or _text(folder.parent / "diskseq")
        counts = _text(folder / "stat").split()
        # Sectors written and sectors discarded; Documentation/block/stat.rst of Linux.
        mark = sum(int(counts[i]) for i in (6, 13)) if sequence and len(counts) > 13 else None
        return ImageState(f"device {folder.name} {sequence}", self.size, mark, dated=False)

    def close(self) -> None:
        """Let others have it."""
        for handle in (self._direct, self._handle):
            if handle is not None:
                os.close(handle)


def reopen_direct(handle: int, path: Path) -> int:
    """A second handle that passes by the page cache.

    Raises:
        MissingError: that does not work there.
    """
    try:
        second = os.open(f"/proc/self/fd/{handle}", os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
    except OSError as error:
        raise _no_direct(path, error) from error
    try:
        os.preadv(second, [mmap.mmap(-1, BLOCK)], 0)
    except OSError as error:
        os.close(second)
        raise _no_direct(path, error) from error
    return second


def read_direct(handle: int, offset: int, length: int) -> memoryview:
    """Read past the page cache; whole blocks are read, and what was asked for is given.

    Args:
        length: bytes, at least 1.

    Raises:
        OSError: the system failed, or the file ends before.
    """
    begin = offset - offset % BLOCK
    size = -(-(offset + length - begin) // BLOCK) * BLOCK
    room = mmap.mmap(-1, size)
    count = os.preadv(handle, [room], begin)
    while count < offset + length - begin and count % BLOCK == 0:
        more = os.preadv(handle, [memoryview(room)[count:]], begin + count)
        if more == 0:
            break
        count += more
    if count < offset + length - begin:
        raise OSError(errno.EIO, "the image ends before its size")
    return memoryview(room)[offset - begin : offset - begin + length]


def aligned(data: Data) -> memoryview:
    """The same bytes where direct writes can take them from: at the beginning of a page."""
    room = memoryview(mmap.mmap(-1, len(data)))
    room[:] = data
    return room


def _no_direct(path: Path, error: OSError) -> MissingError:
    return MissingError(
        f"cannot pass by the page cache there ({error.strerror})", file=path, remedy="Leave --direct out"
    )


def _rest(handle: int, data: bytes, offset: int, length: int) -> Data:
    """A read that the system cut short, to its end."""
    parts, have = [data], len(data)
    while have < length:
        more = os.pread(handle, length - have, offset + have)
        if not more:
            raise OSError(errno.EIO, "the image ends before its size")
        parts.append(more)
        have += len(more)
    return b"".join(parts)


def _resolved(path: Path) -> Path:
    try:
        return path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be opened ({reason})", file=path, allowed="an image") from error


def _open_file(path: Path) -> tuple[int, int]:
    loops = loops_over(path)
    users = [*(f"attached to {loop}" for loop in loops), *(f"open in process {who}" for who in openers(path))]
    if users:
        raise GuardError("is in use", file=path, found="; ".join(users), remedy="End that first")
    handle = _opened(path, 0)
    size = os.fstat(handle).st_size
    if size == 0:
        os.close(handle)
        raise InputError("is empty", file=path, allowed="a disk image; truncate -s 20G makes one")
    return handle, size


def _open_device(path: Path) -> tuple[int, int]:
    number = path.stat().st_rdev
    device = device_at(path, f"{os.major(number)}:{os.minor(number)}")
    users = users_of(device)
    if users:
        raise GuardError("is in use", file=path, found="; ".join(users), remedy="End that first")
    return _opened(path, os.O_EXCL), device.capacity


def _opened(path: Path, flags: int) -> int:
    """Open for reading and writing, and lock: the kernel's last word on who else has it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | flags)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise GuardError("is in use", file=path, found="the kernel holds it") from error
        raise MissingError(f"cannot be opened ({error.strerror})", file=path) from error
    if not take(handle):
        os.close(handle)
        raise GuardError("is in use", file=path, found="another program has locked it")
    return handle


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
