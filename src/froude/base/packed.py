"""Packed inputs, opened in one place: the form is known by its first bytes, and what comes out is bounded.

gzip and bzip2 are unpacked by the standard library, zstd and lz4 by pyarrow, which is loaded when such a file is opened.
"""

from __future__ import annotations

import bz2
import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from froude.base.errors import ChangedError, InputError
from froude.base.files import open_regular, read_at_most
from froude.base.input_limits import beyond_expansion, input_limits

_BUFFER_BYTES = 1 << 17
_HEAD_BYTES = 10


def _by_pyarrow(codec: Literal["zstd", "lz4"]) -> Callable[[Any], Any]:
    def opened(raw: Any) -> Any:
        import pyarrow as pa

        return pa.CompressedInputStream(raw, codec)

    return opened


_FORMS: dict[str, tuple[re.Pattern[bytes], Callable[[Any], Any]]] = {
    "gzip": (re.compile(rb"\x1f\x8b"), lambda raw: gzip.GzipFile(fileobj=raw)),
    # A text may begin with the first four letters; those of a block, or of the end, follow them.
    "bzip2": (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), bz2.BZ2File),
    "zstd": (re.compile(rb"\x28\xb5\x2f\xfd"), _by_pyarrow("zstd")),
    "lz4": (re.compile(rb"\x04\x22\x4d\x18"), _by_pyarrow("lz4")),
}


def packed_form(head: bytes) -> str | None:
    """How a file is packed: `gzip`, `bzip2`, `zstd` or `lz4`; None for a plain one.

    Args:
        head: its first ten bytes, or all of a shorter one.
    """
    return next((name for name, (magic, _) in _FORMS.items() if magic.match(head)), None)


@contextmanager
def unpacked(raw: io.BufferedReader, path: Path) -> Iterator[io.BufferedReader]:
    """What a file holds, unpacked where it is packed.

    Args:
        raw: the open file, at its beginning.
        path: its name, for errors.

    Yields:
        A stream to read from; it gives at most what `froude.base.input_limits` allows for the file's size.

    Raises:
        ChangedError: while it is read: cut or damaged.
        InputError: while it is read: it expands too far.
    """
    form = packed_form(raw.read(_HEAD_BYTES))
    raw.seek(0)
    if form is None:
        yield raw
        return
    stream: Any = _Expanding(_FORMS[form][1](raw), path, form, os.fstat(raw.fileno()).st_size)
    yield io.BufferedReader(stream, _BUFFER_BYTES)


class _Expanding(io.RawIOBase):
    """What a decompressor gives, up to the limit of its file."""

    def __init__(self, source: Any, path: Path, form: str, packed_bytes: int) -> None:
        self._source, self._path, self._form, self._packed_bytes = source, path, form, packed_bytes
        self._limit_bytes = self._left = input_limits().expansion_bytes(packed_bytes)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._source.read1(min(len(buffer), _BUFFER_BYTES))  # asked for more, it allocates more
        except (OSError, EOFError, zlib.error) as error:  # a file that cannot be read raises an `InputError`
            found = " ".join(str(error).split())
            raise ChangedError(f"is a damaged {self._form} file", file=self._path, found=found) from error
        self._left -= len(data)
        if self._left < 0:
            raise beyond_expansion(self._path, self._packed_bytes, self._limit_bytes)
        buffer[: len(data)] = data
        return len(data)


def read_lines(path: Path, *, longest: int) -> Iterator[str]:
    """The lines of a log, plain or packed, without their line feeds; odd bytes become `\ufffd`.

    Args:
        longest: most bytes of a line, its line feed included.

    Raises:
        InputError: unreadable, not a regular file, damaged, or a line beyond the limit.
    """
    with open_regular(path) as raw, unpacked(raw, path) as source:
        for number, line in enumerate(iter(lambda: source.readline(longest + 1), b""), 1):
            if len(line) > longest:
                allowed = f"at most {longest} bytes"
                raise InputError("has a line too long for a log", file=path, place=number, allowed=allowed)
            yield line.decode("utf-8", "replace").rstrip("\n")


def read_unpacked(path: Path, *, limit_bytes: int) -> bytes:
    """All that a file holds, unpacked where it is packed.

    Args:
        limit_bytes: the most that it may hold, packed and unpacked.

    Raises:
        InputError: unreadable, not a regular file, damaged, or over a limit.
    """
    with open_regular(path, limit_bytes=limit_bytes) as raw, unpacked(raw, path) as source:
        return read_at_most(source, path, limit_bytes)
