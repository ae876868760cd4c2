"""Gives the space of a part of a file or device back, or zeroes it, without writing zeros; by fallocate of Linux."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from functools import cache

from froude.base.units import MIB

_KEEP_SIZE, _PUNCH_HOLE, _ZERO_RANGE = 0x01, 0x02, 0x10
_UNABLE = {errno.EOPNOTSUPP, errno.EINVAL, errno.ENODEV, errno.ENOSYS}
"""What systems say that cannot do it, or not with parts of a device's sector."""


def punch(handle: int, offset: int, length: int) -> None:
    """Give space back; it reads as zeros then.

    Args:
        offset: of its first byte.
        length: bytes.

    Raises:
        OSError: the system cannot, or failed.
    """
    _fallocate(handle, _PUNCH_HOLE | _KEEP_SIZE, offset, length)


def zero(handle: int, offset: int, length: int, *, hole: bool) -> None:
    """Make a part read as zeros; zeros are written where there is no shorter way.

    Args:
        offset: of its first byte.
        length: bytes; the file becomes no longer by it.
        hole: whether its space may be given back.

    Raises:
        OSError: the system failed.
    """
    mode = _PUNCH_HOLE if hole else _ZERO_RANGE
    try:
        _fallocate(handle, mode | _KEEP_SIZE, offset, length)
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
        for at, count in _pieces(offset, length):
            write_all(handle, bytes(count), at)


def write_all(handle: int, data: bytes | bytearray | memoryview, offset: int, flags: int = 0) -> None:
    """Write all of it, however often the system takes only a part.

    Args:
        flags: of pwritev2.

    Raises:
        OSError: the system failed.
    """
    if not flags and os.pwrite(handle, data, offset) == len(data):
        return  # nearly always; else all of it again, which is the same
    view = memoryview(data)
    while view:
        done = os.pwritev(handle, [view], offset, flags)
        view = view[done:]
        offset += done


def _pieces(offset: int, length: int) -> Iterator[tuple[int, int]]:
    for at in range(offset, offset + length, MIB):
        yield at, min(MIB, offset + length - at)


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return libc


def _fallocate(handle: int, mode: int, offset: int, length: int) -> None:
    if _libc().fallocate(handle, mode, offset, length) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
