"""Where fio may run: a new file in a folder, a block device, or a served address that the caller started.

`find_target` only looks, and refuses; `opened` holds the place meanwhile. The file has no name from its
first moment on, so nothing remains of it whatever happens to us, and nothing that exists can be overwritten. fio
reaches file and device through our own open handle (/proc/self/fd): exactly what was checked, and never a name that
has come to mean something else since.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from froude.base.block_devices import (
    ROOT,
    Device,
    Signatures,
    device_at,
    file_system,
    mounts_of,
    uses_of,
)
from froude.base.errors import GuardError, InputError, MissingError
from froude.base.files import stated_os_errors
from froude.base.units import GIB, MIB, size_text

DEFAULT_SIZE = GIB
"""Of a file, unless told otherwise."""
_MARGIN_BYTES = 256 * MIB
_MARGIN_SHARE = 0.1
"""Of the size; the larger of both stays free beside the file."""
_PAGE = 4096
_IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})


class StorageKind(Enum):
    """What is measured."""

    FILE = "file"
    DEVICE = "device"
    SERVED = "served"


@dataclass(frozen=True, slots=True)
class StorageTarget:
    """A place that may be measured, checked and not yet opened."""

    kind: StorageKind
    name: str
    """The folder, the device or the address."""
    region_bytes: int
    """How much of it is read and written, from its beginning; whole MiB."""
    capacity: int | None = None
    """Bytes of the device; None where the target does not tell."""
    number: str = ""
    """`major:minor` of a device: a name may come to mean another until it is opened."""
    read_only: bool = False
    notes: tuple[str, ...] = ()
    """What the user should know before the numbers."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A target that is held."""

    target: StorageTarget
    arguments: tuple[str, ...]
    """How fio reaches it."""
    handles: tuple[int, ...] = ()
    """Open files that fio inherits."""
    direct: bool = True
    """Whether reads and writes pass by the page cache."""
    notes: tuple[str, ...] = ()


def find_target(
    text: str,
    *,
    size: int | None = None,
    destroy: str | None = None,
    read_only: bool = False,
) -> StorageTarget:
    """What a user's word means, and whether it may be measured; nothing is opened for writing here.

    Args:
        text: a folder or a block device; symbolic links are followed first. A name that is not there is refused, as
            a mistyped mount point would be: what it lies on is another disk.
        size: bytes to read and write; for a file `DEFAULT_SIZE` unless told, for a device all of it.
        destroy: the resolved name of the device, typed by the user: what lies on it is lost.
        read_only: measure reads of a device only, and write nothing.

    Raises:
        GuardError: an existing file; a device that is used in any way, or whose name was not typed.
        InputError: not there, of another kind, too small, or flags that do not belong to its kind.
        MissingError: too little space.
    """
    path = _resolved(Path(text))
    mode = path.stat().st_mode if path.exists() else 0
    if stat.S_ISBLK(mode):
        number = path.stat().st_rdev
        device = device_at(path, f"{os.major(number)}:{os.minor(number)}")
        return device_target(device, size=size, destroy=destroy, read_only=read_only)
    if destroy is not None or read_only:
        flag = "--destroy" if destroy is not None else "--read-only"
        raise InputError("is no block device", file=path, remedy=f"{flag} is for devices: leave it out")
    if mode and not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise InputError("cannot be measured", file=path, allowed="a folder, or a block device")
    if stat.S_ISREG(mode):
        remedy = "Name a folder: the file in it is new, and is gone at the end"
        raise GuardError("already exists, and is never written to", file=path, remedy=remedy)
    if not mode:
        raise InputError("does not exist", file=path, allowed="a folder, or a block device")
    return _file_target(path, DEFAULT_SIZE if size is None else size)


def device_target(
    device: Device,
    *,
    size: int | None = None,
    destroy: str | None = None,
    read_only: bool = False,
    root: Path = ROOT,
    signatures: Signatures | None = None,
) -> StorageTarget:
    """A block device as a target; arguments and errors as of `find_target`.

    Args:
        size: bytes to read and write; None for all of it.
        destroy: its resolved name, typed by the user; None where it was not typed.
        read_only: measure reads only, and write nothing.
        root: in place of `/`, for tests.
    """
    name = str(device.path)
    region = _region(device.capacity if size is None else size, name)
    if region > device.capacity:
        seen, allowed = f"--size {size_text(region)}", f"at most {size_text(device.capacity)}"
        raise InputError("is smaller than that", file=name, found=seen, allowed=allowed)
    if read_only:
        if destroy is not None:
            raise InputError("cannot both be given", place="--destroy, --read-only")
        notes = _reading_notes(device, root)
        return StorageTarget(
            StorageKind.DEVICE, name, region, device.capacity, device.number, read_only=True, notes=notes
        )
    uses = uses_of(device, root=root, signatures=signatures)
    if uses:
        seen = "; ".join(uses)
        raise GuardError(
            "is in use and will not be written to", file=name, found=seen, remedy=_instead(uses, name)
        )
    if destroy != name:
        raise GuardError(
            "would lose all that lies on it",
            file=name,
            found=f"--destroy {destroy}" if destroy else "no --destroy",
            allowed=f"--destroy {name}, typed out",
        )
    part = region < device.capacity - MIB
    notes = (
        "only a part of the device was written and measured: short seeks, and free flash beside it",
    ) * part
    return StorageTarget(StorageKind.DEVICE, name, region, device.capacity, device.number, notes=notes)


def served(address: str, size: int) -> StorageTarget:
    """A network block device, for a server that the caller started: the guard can see nothing of others.

    Args:
        address: as fio's `nbd` engine takes it: `nbd+unix:///?socket=PATH`.
        size: bytes of it to read and write.
    """
    return StorageTarget(StorageKind.SERVED, address, _region(size, address))


@contextmanager
def opened(target: StorageTarget) -> Iterator[Opened]:
    """Hold a target while it is measured.

    Yields:
        How fio reaches it; a file is gone when the block ends, or the process, in whichever way.

    Raises:
        GuardError: the kernel says that the device is in use after all.
        MissingError: no right to open it or to create the file.
    """
    if target.kind is StorageKind.SERVED:
        yield Opened(target, ("--ioengine=nbd", f"--uri={target.name}"))
        return
    handle = _device_handle(target) if target.kind is StorageKind.DEVICE else _file_handle(target)
    try:
        _check_same(handle, target)
        direct = _takes_direct(handle, write=not target.read_only)
        note = "the page cache could not be passed by (no O_DIRECT here): these are the speeds of memory too"
        place = ("--ioengine=psync", f"--filename=/proc/self/fd/{handle}", f"--direct={int(direct)}")
        arguments = (*place, *("--readonly",) * target.read_only)
        yield Opened(target, arguments, (handle,), direct, () if direct else (note,))
    finally:
        os.close(handle)


def _resolved(path: Path) -> Path:
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"cannot be resolved ({error})", file=path) from error


def _file_target(folder: Path, size: int) -> StorageTarget:
    region = _region(size, str(folder))
    with stated_os_errors(folder):
        around = os.statvfs(folder)
    free = around.f_bavail * around.f_frsize
    needed = region + max(_MARGIN_BYTES, int(_MARGIN_SHARE * region))
    if free < needed:
        raise MissingError(
            "has too little space",
            file=folder,
            found=f"{free // MIB} MiB free",
            allowed=f"{needed // MIB} MiB: the file, and a margin that stays free",
            remedy="Choose a smaller --size or another folder",
        )
    number = folder.stat().st_dev
    kind = file_system(f"{os.major(number)}:{os.minor(number)}")
    notes = (f"the folder lies in memory ({kind}): no disk was measured",) * (kind in _IN_MEMORY)
    return StorageTarget(StorageKind.FILE, str(folder), region, notes=notes)


def _region(size: int, name: str) -> int:
    if size < MIB:
        raise InputError("is too small to measure", file=name, found=f"{size} bytes", allowed="1 MiB or more")
    return size - size % MIB


def _instead(uses: list[str], name: str) -> str:
    """What to do about a device in use; wiping is named only where nothing but old data is in the way."""
    wipe = f". If nothing on it is needed, wipe it: wipefs --all {name}"
    blankable = all(use.startswith("holds ") for use in uses)
    return "Measure a file in a folder on it instead, or its reads by --read-only" + wipe * blankable


def _reading_notes(device: Device, root: Path) -> tuple[str, ...]:
    mounts = mounts_of(device, root=root)
    notes: tuple[str, ...] = ("nothing was written: places that were never written may read faster",)
    if mounts:
        notes += (f"mounted on {', '.join(mounts)}: its other users and these reads slow each other",)
    return notes


def _device_handle(target: StorageTarget) -> int:
    flags = os.O_RDONLY if target.read_only else os.O_RDWR | os.O_EXCL
    try:
        return os.open(target.name, flags | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            holder = "the kernel holds it for a file system, RAID, LVM or swap"
            raise GuardError(
                "is in use and will not be written to", file=target.name, found=holder
            ) from error
        remedy = "Try again as root" if error.errno in {errno.EACCES, errno.EPERM} else None
        raise MissingError(f"cannot be opened ({error.strerror})", file=target.name, remedy=remedy) from error


def _check_same(handle: int, target: StorageTarget) -> None:
    """Whether what was opened is the device that was checked.

    Raises:
        GuardError: it is another one, of the same name.
    """
    number = os.fstat(handle).st_rdev
    opened = f"{os.major(number)}:{os.minor(number)}"
    if target.kind is StorageKind.DEVICE and opened != target.number:
        raise GuardError("is another device now", file=target.name, found=opened, allowed=target.number)


def _file_handle(target: StorageTarget) -> int:
    """A file without a name; its length is set, its blocks come when it is filled."""
    with stated_os_errors(Path(target.name)):
        handle, name = tempfile.mkstemp(prefix=".froude-measure-", dir=target.name)
        try:
            Path(name).unlink()
            os.ftruncate(handle, target.region_bytes)
        except BaseException:
            os.close(handle)
            raise
    return handle


def _takes_direct(handle: int, *, write: bool) -> bool:
    """Whether reading (and writing, where allowed) past the page cache works here; tried, since many only say so."""
    page = mmap.mmap(-1, _PAGE)
    flags = (os.O_RDWR if write else os.O_RDONLY) | os.O_DIRECT | os.O_CLOEXEC
    try:
        second = os.open(f"/proc/self/fd/{handle}", flags)
    except OSError:
        return False
    try:
        if write:
            os.pwritev(second, [page], 0)
        os.preadv(second, [page], 0)
    except OSError:
        return False
    finally:
        os.close(second)
    return True
