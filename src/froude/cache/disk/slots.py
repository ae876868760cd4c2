"""The cache on the SSD: a file of slots, and beside it the index of what they hold, mapped into memory.

The file is locked while it is used. Its index is given its space before it is stored to: a full SSD is an error that
can be handled, and not a signal.
"""

from __future__ import annotations

import mmap
import os
import stat
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from froude.base.errors import FroudeError, GuardError, InputError, MissingError
from froude.base.files import refuse_special, stated_os_errors, take
from froude.base.holes import punch, write_all
from froude.base.units import MIB
from froude.cache.disk.backing import aligned, reopen_direct
from froude.cache.disk.header import (
    HEADER_BYTES,
    MAGIC,
    Granted,
    Header,
    ImageState,
    cold_reason,
    explain,
    keep,
    kept,
    read_header,
    read_until,
    write_header,
)
from froude.cache.disk.seams import Data
from froude.cache.disk.status import Limits
from froude.cache.disk.table import BLOCK, Geometry, Restored, Table

_MAGIC = b"froude disk cache 1\n"
_DATA_AT = BLOCK
"""Where the first slot begins."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")
INDEX_SUFFIX = ".index"


class CacheFile:
    """An open cache file with its index; any thread may read, write and punch slots.

    After `start` it has `table`, and tells what it `restored`.
    """

    def __init__(self, path: Path, *, direct: bool) -> None:
        """Open or make it, and lock it.

        Args:
            path: of the file; the index lies beside it, with `INDEX_SUFFIX`.
            direct: pass by the page cache.

        Raises:
            GuardError: another server uses it.
            InputError: what is there, or beside it in place of the index, is something else.
            MissingError: no space, no right to write there, or no way past the page cache.
        """
        self.path = path
        self.index_path = index_of(path)
        refuse_special(path)
        refuse_special(self.index_path)
        self._handle = _locked(path)
        self._direct: int | None = None
        try:
            with stated_os_errors(self.index_path):
                self._index = os.open(
                    self.index_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
                )
            if not self._slots_in_file(BLOCK) and os.fstat(self._index).st_size:
                self._refuse_strange()
            if direct:
                self._direct = reopen_direct(self._handle, path)
        except BaseException:
            os.close(self._handle)
            raise
        head = os.pread(self._index, HEADER_BYTES, 0)
        self._head = head if len(head) == HEADER_BYTES else bytes(HEADER_BYTES)  # one that was cut is damaged
        self._found = read_header(self._head)
        self._asked = self._in_force = Granted(0, Limits())
        self._map: mmap.mmap | None = None
        self._ready = 0
        self.cold_reason: str | None = None
        """Why nothing was restored; None where something was, or the file was new."""

    def begin(self, asked: Granted) -> Granted:
        """What is in force from now on: what an earlier life that was asked for the same was told last, else that."""
        self._asked = asked
        self._in_force = kept(self._head, asked) or asked
        return self._in_force

    @property
    def chosen_chunk(self) -> int | None:
        """Size of the chunks in the file, if it was chosen from measured requests."""
        return self._found.chunk_bytes if self._found is not None and self._found.chunk_chosen else None

    def start(self, image: ImageState, chunk_bytes: int, *, chosen: bool) -> list[Restored]:
        """Begin to use it as the cache of an image.

        Args:
            chosen: whether that was chosen from measured requests.

        Returns:
            What it holds already and may be believed.

        Raises:
            MissingError: no space.
        """
        found, boot = self._found, _boot()
        until = 0 if found is None else read_until(memoryview(self._head))
        if found is None:
            self.cold_reason = "the index was damaged or absent" if self._slots_in_file(BLOCK) else None
        elif found.chunk_bytes != chunk_bytes:
            self.cold_reason = "the chunks have another size now"
        else:
            self.cold_reason = cold_reason(found, until, image, boot)
        warm = found is not None and self.cold_reason is None
        # Records of any earlier life must never pass for new ones.
        generation = time.time_ns() if found is None else found.generation + (not warm)
        self._header = Header(
            generation=generation,
            chunk_bytes=chunk_bytes,
            chunk_chosen=chosen,
            image=image.name,
            image_bytes=image.size_bytes,
            mark=image.mark,
            boot=boot,
            clean=False,
        )
        geometry = Geometry(image.size_bytes, chunk_bytes)
        with stated_os_errors(self.path):
            self._lay_out(geometry, empty=not warm)
        return list(self.table.restore(range(self._slots_in_file(chunk_bytes)))) if warm else []

    def reformat(self, image: ImageState, chunk_bytes: int) -> Table:
        """See `CacheIndex`."""
        geometry = Geometry(image.size_bytes, chunk_bytes)
        os.posix_fallocate(self._index, 0, min(MIB, HEADER_BYTES + geometry.table_bytes))
        self._header = replace(
            self._header,
            generation=self._header.generation + 1,
            chunk_bytes=chunk_bytes,
            chunk_chosen=True,
            mark=image.mark,
        )
        self._lay_out(geometry, empty=True)
        return self.table

    @property
    def generation(self) -> int:
        """See `CacheIndex`."""
        return self._header.generation

    def keep(self, size_bytes: int, limits: Limits) -> None:
        """See `CacheIndex`."""
        self._in_force = Granted(size_bytes, limits)
        keep(self._view, self._asked, self._in_force)

    @property
    def allocated_bytes(self) -> int:
        """See `CacheIndex`."""
        return sum(os.fstat(handle).st_blocks * 512 for handle in (self._handle, self._index))

    def writing(self) -> None:
        """The image is about to be changed, or was."""
        assert self._map is not None
        explain(self._view, time.time_ns())

    def read(self, slot: int, within: int, length: int) -> Data:
        """See `Slots`."""
        at = _DATA_AT + slot * self._chunk + within
        if self._direct is None:
            return os.pread(self._handle, length, at)
        room = mmap.mmap(-1, length)
        count = os.preadv(self._direct, [room], at)
        return memoryview(room)[:count]

    def write(self, slot: int, within: int, data: Data) -> None:
        """See `Slots`."""
        last = slot + (within + len(data) - 1) // self._chunk
        if last >= self._ready:
            self._make_ready(last)
        at = _DATA_AT + slot * self._chunk + within
        if self._direct is None:
            write_all(self._handle, data, at)
        else:
            write_all(self._direct, aligned(data), at)

    def punch(self, slots: list[int]) -> None:
        """See `Slots`; slots that follow one another are given back together."""
        begin = 0
        for i in range(1, len(slots) + 1):
            if i == len(slots) or slots[i] != slots[i - 1] + 1:
                count = i - begin
                punch(self._handle, _DATA_AT + slots[begin] * self._chunk, count * self._chunk)
                begin = i

    def empty(self, slots: list[int], end: int) -> None:
        """Give back what an earlier life has left in slots that hold nothing now.

        Args:
            slots: such ones, ascending.
            end: from this slot on all are.

        Raises:
            MissingError: the file cannot.
        """
        with stated_os_errors(self.path):
            self.punch(slots)
            os.ftruncate(self._handle, min(os.fstat(self._handle).st_size, _DATA_AT + end * self._chunk))

    def close(self, image: ImageState | None) -> None:
        """End its use.

        Args:
            image: as it is now, with every write on its medium; None where that is not so, and then what is cached is
                believed only by this boot of the machine.
        """
        with suppress(OSError):
            if self._map is not None and image is not None:
                os.fdatasync(self._handle)
                self._map.flush()
                write_header(self._view, replace(self._header, mark=image.mark, clean=True))
                self._map.flush()
                os.fsync(self._index)
        self._unmap()
        for handle in (self._direct, self._index, self._handle):
            if handle is not None:
                os.close(handle)

    def _lay_out(self, geometry: Geometry, *, empty: bool) -> None:
        """Map the index for that geometry, with a head that says so."""
        self._unmap()
        total = HEADER_BYTES + geometry.table_bytes
        if empty:
            os.ftruncate(self._index, 0)  # before the slots: what is cut off must not be in an index
            os.ftruncate(self._handle, 0)
            write_all(self._handle, _MAGIC.ljust(_DATA_AT, b"\0"), 0)
        os.ftruncate(self._index, total)
        self._chunk = geometry.chunk_bytes
        self._ready = 0
        self._record_bytes, self._total = geometry.record_bytes, total
        self._make_ready(max(0, self._slots_in_file(self._chunk) - 1))
        self._map = mmap.mmap(self._index, total)
        self._view = memoryview(self._map)
        write_header(self._view, self._header)
        keep(self._view, self._asked, self._in_force)
        # A clean head of an earlier life must not survive a crash of the machine: nothing is served before this.
        self._map.flush(0, HEADER_BYTES)
        os.fsync(self._index)
        self.table = Table(self._view[HEADER_BYTES:], geometry, self._header.generation)

    def _make_ready(self, slot: int) -> None:
        """Take the index's space up to a slot's record, and some beyond."""
        end = HEADER_BYTES + (slot + 1) * self._record_bytes
        end = min(self._total, -(-end // MIB) * MIB)
        os.posix_fallocate(self._index, 0, end)
        self._ready = (end - HEADER_BYTES) // self._record_bytes

    def _refuse_strange(self) -> None:
        """Of a cache without data the index is ours, or nobody's."""
        begin = os.pread(self._index, len(MAGIC), 0)
        if begin != MAGIC and any(begin):
            raise InputError(
                "is no index of a cache, and is not written over",
                file=self.index_path,
                allowed="another name for the cache",
            )

    def _slots_in_file(self, chunk_bytes: int) -> int:
        return max(0, -(-(os.fstat(self._handle).st_size - _DATA_AT) // chunk_bytes))

    def _unmap(self) -> None:
        if self._map is not None:
            self.table.release()
            self._view.release()
            self._map.close()
            self._map = None


def index_of(path: Path) -> Path:
    """Where the index of a cache file lies."""
    return path.with_name(path.name + INDEX_SUFFIX)


def _locked(path: Path) -> int:
    """The file, ours alone; a new one or one that is a cache."""
    with stated_os_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if not take(handle):
            raise GuardError("is in use by another server", file=path)
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise InputError("is no file", file=path)
        if status.st_size and os.pread(handle, len(_MAGIC), 0) != _MAGIC:
            raise InputError(
                "is no cache file, and is not written over",
                file=path,
                allowed="a new name, or an earlier cache",
            )
    except OSError as error:
        os.close(handle)
        raise MissingError(f"cannot be used ({error.strerror})", file=path) from error
    except FroudeError:
        os.close(handle)
        raise
    return handle


def _boot() -> str:
    """Names this boot of the kernel; empty where it does not tell, and then no boot is the same."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return ""
