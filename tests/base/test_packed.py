"""Packed inputs: of every form the same content, and no more of it than is allowed."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.input_limits import InputLimits, within_limits
from froude.base.packed import packed_form, read_lines, read_unpacked, unpacked

FORMS = ("gzip", "bzip2", "zstd", "lz4")


def pack(data: bytes, form: str) -> bytes:
    """Data, packed."""
    if form in {"gzip", "bzip2"}:
        return gzip.compress(data) if form == "gzip" else bz2.compress(data)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, form) as stream:
        stream.write(data)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("form", FORMS)
def test_lines_plain_and_packed(tmp_path: Path, form: str) -> None:
    """A log is read line by line, odd bytes and all; one absurdly long line is refused with its number."""
    (tmp_path / "a").write_bytes(b"one\ntwo\xff\nthree")
    (tmp_path / "b").write_bytes(pack(b"one\ntwo\xff\nthree", form))
    for name in ("a", "b"):
        assert list(read_lines(tmp_path / name, longest=5)) == ["one", "two\ufffd", "three"]
        with pytest.raises(InputError, match="2: has a line too long"):
            list(read_lines(tmp_path / name, longest=4))


@pytest.mark.parametrize("form", FORMS)
def test_two_packed_files_behind_each_other_are_one(tmp_path: Path, form: str) -> None:
    """As `cat` makes them of rotated logs."""
    (tmp_path / "a").write_bytes(pack(b"one\n", form) + pack(b"two\n", form))
    assert read_unpacked(tmp_path / "a", limit_bytes=100) == b"one\ntwo\n"


@pytest.mark.parametrize("form", FORMS)
def test_damage_is_stated(tmp_path: Path, form: str) -> None:
    """Cut short, or written over in part."""
    good = pack(b"x" * 1000 + bytes(range(256)) * 9, form)
    half = good[: len(good) // 2]
    for data in (half, half + b"\xff" * len(half)):
        (tmp_path / "c").write_bytes(data)
        with pytest.raises(InputError, match=r"c: is (a )?damaged"):
            read_unpacked(tmp_path / "c", limit_bytes=10_000)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("read", ["read", "readline", "read1"])
def test_what_expands_too_far_is_refused(tmp_path: Path, form: str, read: str) -> None:
    """With the flag that raises the limit; raised, it is read."""
    (tmp_path / "bomb").write_bytes(pack(bytes(8 << 20), form))

    def drain() -> None:
        with open_regular(tmp_path / "bomb") as raw, unpacked(raw, tmp_path / "bomb") as source:
            while getattr(source, read)(1 << 16):
                pass

    allowed = InputLimits().expansion_bytes((tmp_path / "bomb").stat().st_size)
    if allowed < 8 << 20:
        with pytest.raises(InputError, match=r"bomb: expands too far; .* --max expansion="):
            drain()
    with within_limits(InputLimits(expansion=8 << 20)):
        drain()
    with within_limits(InputLimits(expansion=(8 << 20) - 1)), pytest.raises(InputError, match="expands"):
        drain()


@pytest.mark.parametrize("form", FORMS)
def test_the_whole_content_has_a_limit_of_its_own(tmp_path: Path, form: str) -> None:
    """That of its reader, beside the one of all packed files."""
    (tmp_path / "a").write_bytes(pack(b"x" * 1000, form))
    assert read_unpacked(tmp_path / "a", limit_bytes=1000) == b"x" * 1000
    with pytest.raises(InputError, match="/a: "):
        read_unpacked(tmp_path / "a", limit_bytes=999)


def test_text_is_not_taken_for_packed() -> None:
    """Words may begin as a packed file does."""
    for head in (b"", b"B", b"BZh, a name", b"BZh9 and on", b"PAR1\0\0\0\0\0\0", b"hdfs"):
        assert packed_form(head) is None
    for form in FORMS:
        assert packed_form(pack(b"", form)[:10]) == form
