"""Packed inputs, opened in one place: the form is known by its first bytes, and what comes out is bounded.

gzip and bzip2 are unpacked by the standard library, the others by pyarrow, which is loaded when such a file is opened.
Text of UTF-16 comes out as UTF-8.
A form that is not read is named, with what to do. A reader of lines takes those that are whole of a file that is cut
short, and counts the cut.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any, Literal

from froude.base import framings
from froude.base.dropped import CUT_SHORT, Dropped
from froude.base.errors import ChangedError, InputError
from froude.base.files import open_regular, read_at_most
from froude.base.input_limits import beyond_expansion, input_limits

HEAD_BYTES = 512
"""That show the form of a file."""
_BUFFER_BYTES = 1 << 17
_SUFFIXES = (".gz", ".bz2", ".zst", ".zstd", ".lz4", ".snappy", ".sz")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GOING_ON = ".inprogress"
"""How the name of an event log ends while Spark writes it."""


def _by_pyarrow(codec: Literal["zstd", "lz4", "gzip"]) -> Callable[[Any], Any]:
    def opened(raw: Any) -> Any:
        import pyarrow as pa

        return pa.CompressedInputStream(raw, codec)

    return opened


def _by_blocks(blocks: Callable[[Any], Iterator[bytes]]) -> Callable[[Any], Any]:
    return lambda raw: framings.BlockReader(blocks(raw))


_SKIPPED = rb"[\x50-\x5f]\x2a\x4d\x18"
"""Begin of a frame that zstd and lz4 pass over; its length follows."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to pack."""

    name: str
    magic: bytes
    """A regular expression of the first bytes."""
    opened: Callable[[Any], Any]
    suffix: str = ""
    """The name of such a file ends with it; of forms whose first bytes are lengths alone."""


_FORMS = (
    _Form("gzip", rb"\x1f\x8b", lambda raw: gzip.GzipFile(fileobj=raw)),
    # A text may begin with the first four letters; those of a block, or of the end, follow them.
    _Form("bzip2", rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", bz2.BZ2File),
    # The second level begins as a text may: with a sign within it that no text has.
    _Form("zlib", rb"x(?:[\x01\x9c\xda]|\x5e.{0,200}[\0-\x08\x0e-\x1f])", _by_pyarrow("gzip")),
    _Form("zstd", rb"\x28\xb5\x2f\xfd|" + _SKIPPED, _by_pyarrow("zstd")),
    _Form("lz4", rb"\x04\x22\x4d\x18", _by_pyarrow("lz4")),
    _Form("lz4 (lz4-java)", framings.LZ4_JAVA, _by_blocks(framings.lz4_java)),
    _Form("snappy (snappy-java)", framings.SNAPPY_JAVA, _by_blocks(framings.snappy_java)),
    _Form("snappy", rb"\xff\x06\0\0sNaPpY", _by_blocks(framings.snappy_frames)),
    _Form(
        "snappy (Hadoop)",
        rb"\0...\0",
        _by_blocks(partial(framings.hadoop, unpack=framings.snappy_block)),
        ".snappy",
    ),
    _Form(
        "lz4 (Hadoop)", rb"\0...\0", _by_blocks(partial(framings.hadoop, unpack=framings.lz4_block)), ".lz4"
    ),
)
_OTHERS = (
    ("an xz file", rb"\xfd7zXZ\0", "xz -dc FILE > PLAIN"),
    (
        "a spreadsheet",
        rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|PK\x03\x04.{26}(?:\[Content_|_rels/|docProps/|xl/|mimetype)",
        "save it as CSV",
    ),
    ("a zip archive", rb"PK(?:\x03\x04|\x05\x06)", "unzip FILE"),
    ("a 7z archive", rb"7z\xbc\xaf\x27\x1c", "7z x FILE"),
    ("a rar archive", rb"Rar!\x1a\x07", "unrar x FILE"),
    ("an lzop file", rb"\x89LZO\0\r\n\x1a\n", "lzop -dc FILE > PLAIN"),
    ("an lzip file", rb"LZIP\x01", "lzip -dc FILE > PLAIN"),
    ("a compress (.Z) file", rb"\x1f\x9d", "gzip -dc FILE > PLAIN"),
    ("an old lz4 file", rb"\x02\x21\x4c\x18", "lz4 -dc FILE > PLAIN"),
    ("an lzf file", rb"ZV[\x00\x01]", "the program that wrote it"),
    ("an Avro container", rb"Obj\x01", "avro-tools tojson FILE > PLAIN"),
    ("an ORC file", rb"ORC[\0-\x1f]", "hive --orcfiledump -d FILE > PLAIN"),
    ("a Hadoop SequenceFile", rb"SEQ[\x04-\x06]", "hadoop fs -text FILE > PLAIN"),
    ("a tar archive", rb".{257}ustar", "tar -xf FILE"),
)
"""Forms that are not read: name, first bytes, and what to do."""
_BY_NAME = {".br": "brotli", ".snappy": "snappy", ".sz": "snappy", ".lz4": "lz4", ".lzo_deflate": "lzo"}
"""Forms without a mark of their own, by how names end; where the first bytes are no text."""


def _form(head: bytes, path: Path) -> _Form | None:
    name = path.name.removesuffix(_GOING_ON)
    behind = head
    while re.match(_SKIPPED, behind):
        behind = behind[8 + int.from_bytes(behind[4:8], "little") :]
    head = behind or head
    return next(
        (
            form
            for form in _FORMS
            if name.endswith(form.suffix) and re.match(form.magic, head, re.DOTALL) is not None
        ),
        None,
    )


def packed_form(head: bytes, path: Path = Path()) -> str | None:
    """How a file is packed or recoded, where it is read; None for a plain one, and for one of another form.

    Args:
        head: its first `HEAD_BYTES`, or all of a shorter one.
        path: its name: Hadoop's own framings begin with lengths alone.
    """
    form = _form(head, path)
    return "UTF-16" if head[:2] in _UTF16 else None if form is None else form.name


@contextmanager
def unpacked(raw: io.BufferedReader, path: Path, *, whole: bool = True) -> Iterator[io.BufferedReader]:
    """What a file holds, unpacked where it is packed.

    Args:
        raw: the open file, at its beginning.
        whole: whether a packed file that is cut short is an error; else it ends there, which `cut_short` shows.

    Yields:
        A stream to read from, text of UTF-16 as UTF-8; it gives at most what `froude.base.input_limits` allows for the
        file's size.

    Raises:
        ChangedError: cut or damaged; also while it is read.
        InputError: it expands too far, also while it is read; or it is packed in a form that is not read.
    """
    head = raw.read(HEAD_BYTES)
    raw.seek(0)
    form = _form(head, path)
    if form is None:
        _refuse_others(head, path)
        yield _recoded(raw)
        return
    stream: Any = _Expanding(form, raw, path, whole=whole)
    source = io.BufferedReader(stream, _BUFFER_BYTES)
    inner = source.peek(HEAD_BYTES)[:HEAD_BYTES]
    if (twice := _form(inner, Path())) is not None:
        message = f"is packed twice, with {form.name} and {twice.name}"
        raise InputError(message, file=path, remedy="Unpack it once")
    _refuse_others(inner, path, f"a {form.name} file with ")
    yield _recoded(source)


def cut_short(source: io.BufferedReader) -> bool:
    """Whether a stream of `unpacked` that was read to its end ended where its file is cut short."""
    return isinstance(source.raw, _Expanding | _Recoded) and source.raw.cut


def _recoded(source: io.BufferedReader) -> io.BufferedReader:
    raw: Any = _Recoded(source)
    return io.BufferedReader(raw, _BUFFER_BYTES) if source.peek(2)[:2] in _UTF16 else source


class _Recoded(io.RawIOBase):
    """Text of UTF-16, as shells and spreadsheets of Windows write it, in UTF-8."""

    def __init__(self, source: io.BufferedReader) -> None:
        self._source, self._left = source, b""
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")

    @property
    def cut(self) -> bool:
        """Whether it has ended where a packed file is cut short."""
        return cut_short(self._source)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left and (data := self._source.read1(_BUFFER_BYTES)):
            self._left = self._decoder.decode(data).encode()
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


def _refuse_others(head: bytes, path: Path, outer: str = "") -> None:
    for name, magic, how in _OTHERS:
        if re.match(magic, head, re.DOTALL):
            raise InputError(f"is {outer}{name}, not read here", file=path, remedy=f"Make it plain: {how}")
    codec = _BY_NAME.get(Path(path.name.removesuffix(_GOING_ON)).suffix)
    if codec and not outer and not set("\0\ufffd").isdisjoint(head.decode("utf-8", "replace")):
        remedy = "Write it again plain, or packed with zstd or gzip"
        raise InputError(
            f"is packed with {codec} in an unknown framing, not read here", file=path, remedy=remedy
        )


class _Expanding(io.RawIOBase):
    """What a decompressor gives, up to the limit of its file."""

    def __init__(self, form: _Form, raw: io.BufferedReader, path: Path, *, whole: bool) -> None:
        self._form, self._raw, self._path, self._whole = form, raw, path, whole
        self._source = form.opened(raw)
        self._packed_bytes = os.fstat(raw.fileno()).st_size
        self._limit_bytes = input_limits().expansion_bytes(self._packed_bytes)
        self._given = 0
        self.cut = False
        """Whether it has ended where the file is cut short."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.cut:
            return 0
        try:
            data = self._source.read1(min(len(buffer), _BUFFER_BYTES))  # asked for more, it allocates more
        except (OSError, EOFError, zlib.error) as error:  # a file that cannot be read raises an `InputError`
            data = self._rest(error)
        self._given += len(data)
        if self._given > self._limit_bytes:
            raise beyond_expansion(self._path, self._packed_bytes, self._limit_bytes)
        buffer[: len(data)] = data
        return len(data)

    def _rest(self, error: Exception) -> bytes:
        """The last bytes before a cut.

        Raises:
            ChangedError: the file is damaged, or has to be whole, or nothing comes before the cut.
        """
        ends = isinstance(error, EOFError) or "Truncated" in str(error)
        data = self._before_cut() if isinstance(error, OSError) and ends and not self._whole else b""
        if not ends or self._whole or not self._given + len(data):
            state = "cut short" if ends else "damaged"
            found = " ".join(str(error).split()) or f"{self._packed_bytes:,} bytes"
            remedy = "Copy it again, or unpack what can be unpacked of it"
            raise ChangedError(
                f"is a {state} {self._form.name} file", file=self._path, found=found, remedy=remedy
            ) from error
        self.cut = True
        return data

    def _before_cut(self) -> bytes:
        """What pyarrow loses with a read that reaches the cut: it is read again, byte by byte."""
        self._raw.seek(0)
        again, data = self._form.opened(self._raw), b""
        for at in range(0, self._given, _BUFFER_BYTES):
            again.read(min(_BUFFER_BYTES, self._given - at))
        with suppress(OSError):
            while byte := again.read(1):
                data += byte
        return data


def read_lines(path: Path, *, longest: int, dropped: Dropped | None = None) -> Iterator[str]:
    """The lines of a log, plain or packed, without their ends; odd bytes become `\ufffd`.

    Args:
        longest: most bytes of a line, its line feed included.
        dropped: counts longer lines, and the line at which a packed file is cut short; such a line is empty then. None
            where both are errors.

    Raises:
        InputError: unreadable, not a regular file, damaged; without `dropped`, cut short or a line beyond the limit.
    """
    number, line = 0, b"\n"
    with open_regular(path) as raw, unpacked(raw, path, whole=dropped is None) as source:
        for number, line in enumerate(iter(lambda: source.readline(longest + 1), b""), 1):
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if len(line) > longest:
                if dropped is None:
                    allowed = f"at most {longest} bytes"
                    raise InputError(
                        "has a line too long for a log", file=path, place=number, allowed=allowed
                    )
                dropped.add(f"longer than {longest} bytes", f"{path.name}:{number}", text)
                if not line.endswith(b"\n"):
                    skip_line(source)
                text = ""
            elif not line.endswith(b"\n") and cut_short(source):
                break
            yield text
        if dropped is not None and cut_short(source):
            place = number + line.endswith(b"\n")
            dropped.add(CUT_SHORT, f"{path.name}:{place}", "" if line.endswith(b"\n") else text)


def parts(path: Path, *, folders: str = "") -> list[Path]:
    """The files of a folder of parts in the order of their numbers; of any other path, itself.

    Args:
        path: a file, or a folder such as a job of Hadoop or a log rotation leaves: its checksums, marks and hidden
            files are no parts.
        folders: a pattern of names of folders within it that are parts.

    Raises:
        InputError: a folder without a part.
    """
    if not path.is_dir():
        return [path]
    found = [
        each
        for each in path.iterdir()
        if not each.name.startswith((".", "_")) and each.suffix not in {".crc", ".xml"}
        if each.is_file() or (folders and fnmatch(each.name, folders))
    ]
    if not found:
        raise InputError("is a folder without files to read", file=path)
    return sorted(found, key=lambda each: [(len(word), word) for word in re.split(r"(\d+)", each.name)])


def refuse_copies(files: Sequence[Path]) -> None:
    """Refuse a log that is there twice, such as plain and packed: each of its lines would count twice.

    Only files of one size, or of one name but for that of a packing, are read.

    Raises:
        InputError: two files hold the same.
    """
    alike: dict[object, list[Path]] = {}
    for path in files:
        plain = path.with_suffix("") if path.suffix in _SUFFIXES else path
        for key in {plain, path.stat().st_size or plain}:
            alike.setdefault(key, []).append(path)
    doubtful = {path for each in alike.values() if len(each) > 1 for path in each}
    seen: dict[bytes, Path] = {}
    for path in (each for each in files if each in doubtful):
        held = hashlib.sha256()
        with open_regular(path) as raw, unpacked(raw, path, whole=False) as source:
            while piece := source.read(_BUFFER_BYTES):
                held.update(piece)
        if (other := seen.setdefault(held.digest(), path)) is not path:
            raise InputError(
                "has the lines of another file", file=path, found=other, remedy="Leave out one of them"
            )


def skip_line(source: io.BufferedReader) -> int:
    """Go behind the next line feed.

    Returns:
        The bytes that were skipped.
    """
    count, piece = 0, b"x"
    while piece and not piece.endswith(b"\n"):
        piece = source.readline(_BUFFER_BYTES)
        count += len(piece)
    return count


def read_unpacked(path: Path, *, limit_bytes: int, dropped: Dropped | None = None) -> bytes:
    """All that a file holds, unpacked where it is packed.

    Args:
        limit_bytes: the most that it may hold, packed and unpacked.
        dropped: counts the line at which a packed file is cut short, which is left out; None where that is an error.

    Raises:
        InputError: unreadable, not a regular file, damaged, over a limit; without `dropped`, cut short.
    """
    whole = dropped is None
    with open_regular(path, limit_bytes=limit_bytes) as raw, unpacked(raw, path, whole=whole) as source:
        data = read_at_most(source, path, limit_bytes)
        if dropped is None or not cut_short(source):
            return data
    lines = data[: data.rfind(b"\n") + 1]
    number = lines.count(b"\n") + 1
    dropped.add(CUT_SHORT, f"{path.name}:{number}", data[len(lines) :].decode("utf-8", "replace"))
    return lines
