"""Space given back, on a real file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from froude.base import holes
from froude.base.holes import punch, write_all, zero
from froude.base.units import MIB


@pytest.fixture
def handle(tmp_path: Path) -> Iterator[int]:
    """A file of 2 MiB of ones."""
    number = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    os.write(number, b"\1" * 2 * MIB)
    yield number
    os.close(number)


def test_a_hole_takes_no_space(handle: int) -> None:
    """And reads as zeros; the length stays."""
    before = os.fstat(handle).st_blocks
    punch(handle, MIB, MIB)
    assert os.fstat(handle).st_size == 2 * MIB
    assert os.fstat(handle).st_blocks <= before - MIB // 512 + 64
    assert os.pread(handle, 2, MIB - 1) == b"\1\0"


@pytest.mark.parametrize("hole", [True, False])
def test_zeros_with_and_without_a_way(handle: int, hole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no short way they are written; any other failure is one."""
    zero(handle, 1000, 5000, hole=hole)
    assert os.pread(handle, 6002, 999) == b"\1" + bytes(5000) + b"\1" * 1001

    def refuse(number: int) -> object:
        def fallocate(*_: object) -> None:
            raise OSError(number, os.strerror(number))

        return fallocate

    monkeypatch.setattr(holes, "_fallocate", refuse(errno.EOPNOTSUPP))
    zero(handle, 10_000, MIB + 5, hole=hole)
    assert os.pread(handle, MIB + 7, 9_999) == b"\1" + bytes(MIB + 5) + b"\1"
    monkeypatch.setattr(holes, "_fallocate", refuse(errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        zero(handle, 0, 10, hole=hole)


def test_a_write_that_is_cut_short_goes_on(handle: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until all of it is there."""
    real = os.pwritev
    monkeypatch.setattr(holes.os, "pwrite", lambda number, data, offset: real(number, [data[:3]], offset))

    def some(number: int, parts: list[memoryview], offset: int, flags: int) -> int:
        return real(number, [parts[0][:3]], offset, flags)

    monkeypatch.setattr(holes.os, "pwritev", some)
    write_all(handle, b"0123456789", 100)
    assert os.pread(handle, 12, 99) == b"\x010123456789\1"


def test_what_is_no_file_is_an_error() -> None:
    """With the system's number."""
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the number is looked at
        punch(-1, 0, 10)
    assert caught.value.errno == errno.EBADF
