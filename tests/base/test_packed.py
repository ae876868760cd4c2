"""Packed inputs: of every form the same content, and no more of it than is allowed."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tarfile
import zlib
from pathlib import Path

import pyarrow as pa
import pytest

from froude.base import packed
from froude.base.dropped import CUT_SHORT, Dropped
from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.input_limits import InputLimits, within_limits
from froude.base.packed import packed_form, read_lines, read_unpacked, refuse_copies, unpacked
from tests.support.base.packing import FORMS, PACKERS, STREAMED, pack, packed_name

TEXT = b"".join(b"line %d has %a\n" % (n, hashlib.sha256(b"%d" % n).hexdigest()) for n in range(8000))


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_known_and_read(tmp_path: Path, form: str) -> None:
    """By its first bytes, or, of Hadoop's framings, by its name with them."""
    path = tmp_path / packed_name(form)
    path.write_bytes(pack(TEXT, form))
    assert packed_form(path.read_bytes()[:512], path) == form
    assert read_unpacked(path, limit_bytes=1 << 20) == TEXT


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_of_utf_16_comes_out_as_utf_8(tmp_path: Path, encoding: str) -> None:
    """Plain or packed, also cut within a character; as shells and spreadsheets of Windows write it."""
    data = ("\ufeff" + "".join(f"{n} grün \U0001f600\n" for n in range(99999))).encode(encoding)
    for written in (data, gzip.compress(data)):
        (tmp_path / "a").write_bytes(written)
        assert list(read_lines(tmp_path / "a", longest=99)) == [f"{n} grün \U0001f600" for n in range(99999)]
    assert packed_form(data[:9]) == "UTF-16"
    (tmp_path / "a").write_bytes(gzip.compress(data)[:-300])
    dropped = Dropped()
    assert len(list(read_lines(tmp_path / "a", longest=99, dropped=dropped))) > 90000
    assert dropped.counts() == {CUT_SHORT: 1}


@pytest.mark.parametrize("level", [1, 2, 6, 9])
def test_levels_of_zlib(tmp_path: Path, level: int) -> None:
    """The second begins as a text may."""
    path = tmp_path / "a"
    path.write_bytes(zlib.compress(TEXT, level))
    assert read_unpacked(path, limit_bytes=1 << 20) == TEXT
    assert packed_form(b"x^2\n") is None


@pytest.mark.parametrize("form", ["zstd", "lz4"])
def test_frames_that_are_passed_over(tmp_path: Path, form: str) -> None:
    """The form is that of the frame behind them."""
    path = tmp_path / "a"
    path.write_bytes(b"\x50\x2a\x4d\x18\4\0\0\0note" * 2 + pack(TEXT, form))
    assert read_unpacked(path, limit_bytes=1 << 20) == TEXT


@pytest.mark.parametrize("form", FORMS)
def test_lines_plain_and_packed(tmp_path: Path, form: str) -> None:
    """A log is read line by line, odd bytes and all; one absurdly long line is refused with its number."""
    plain, other = tmp_path / "plain", tmp_path / packed_name(form)
    plain.write_bytes(b"one\r\ntwo\xff\nthree")
    other.write_bytes(pack(plain.read_bytes(), form))
    for path in (plain, other):
        assert list(read_lines(path, longest=5)) == ["one", "two\ufffd", "three"]
        with pytest.raises(InputError, match="1: has a line too long"):
            list(read_lines(path, longest=4))


def test_lines_too_long_are_counted(tmp_path: Path) -> None:
    """Where something counts them; such a line is empty, so that the numbers of the others stay."""
    dropped = Dropped()
    (tmp_path / "a").write_bytes(b"one\n" + b"x" * 500_000 + b"\nthree\n")
    assert list(read_lines(tmp_path / "a", longest=6, dropped=dropped)) == ["one", "", "three"]
    assert dropped.notes() == ["1 line left out: longer than 6 bytes, first at a:2 ('xxxxxxx')"]


@pytest.mark.parametrize("form", FORMS)
def test_two_packed_files_behind_each_other_are_one(tmp_path: Path, form: str) -> None:
    """As `cat` makes them of rotated logs."""
    path = tmp_path / packed_name(form)
    path.write_bytes(pack(b"one\n", form) + pack(b"two\n", form))
    if form == "zlib":
        pytest.skip("has no mark that a next one begins with")
    assert read_unpacked(path, limit_bytes=100) == b"one\ntwo\n"


@pytest.mark.parametrize("form", FORMS)
def test_a_cut_or_damaged_file_that_has_to_be_whole(tmp_path: Path, form: str) -> None:
    """Is refused, with what it is."""
    good = pack(TEXT, form)
    half = good[: len(good) // 2]
    path = tmp_path / packed_name(form)
    path.write_bytes(half)
    with pytest.raises(InputError, match=f"is a cut short {re.escape(form)} file"):
        read_unpacked(path, limit_bytes=1 << 20)
    path.write_bytes(half + b"\xff" * len(half))
    with pytest.raises(InputError, match=r"is a (damaged|cut short)"):
        read_unpacked(path, limit_bytes=1 << 20)


@pytest.mark.parametrize("form", STREAMED)
@pytest.mark.parametrize("share", [0.35, 0.7, 0.999])
def test_whole_lines_before_a_cut_are_read(tmp_path: Path, form: str, share: float) -> None:
    """And the cut is counted with its place, whether lines or the whole content are read."""
    path = tmp_path / packed_name(form)
    data = pack(TEXT, form)
    path.write_bytes(data[: int(share * len(data))])
    dropped, again = Dropped(), Dropped()
    lines = list(read_lines(path, longest=100, dropped=dropped))
    assert lines == TEXT.decode().splitlines()[: len(lines)]
    assert len(lines) > 1000 * share
    assert dropped.counts() == {CUT_SHORT: 1}
    assert dropped.notes()[0].startswith(f"1 line left out: cut short, first at {path.name}:{len(lines) + 1}")
    data = read_unpacked(path, limit_bytes=1 << 20, dropped=again)
    assert (data.decode().splitlines(), again.notes()) == (lines, dropped.notes())


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_no_line_before_a_cut_is_lost(tmp_path: Path, codec: str) -> None:
    """A log that was flushed line by line, as a program that was killed leaves it: each whole line is read."""
    sink = pa.BufferOutputStream()
    lengths = []
    with pa.CompressedOutputStream(sink, codec) as stream:  # type: ignore[arg-type]
        for line in TEXT.splitlines(keepends=True)[:300]:
            stream.write(line)
            stream.flush()
            lengths.append(sink.tell())
    (tmp_path / "log").write_bytes(bytes(sink.getvalue())[: lengths[199]])
    lines = list(read_lines(tmp_path / "log", longest=100, dropped=Dropped()))
    assert lines == TEXT.decode().splitlines()[:200]


@pytest.mark.parametrize("form", FORMS)
def test_a_cut_before_the_first_line(tmp_path: Path, form: str) -> None:
    """Leaves nothing to read: refused also where a cut is counted."""
    path = tmp_path / packed_name(form)
    path.write_bytes(pack(b"one\n", form)[: {"gzip": 10, "zlib": 2, "zstd": 8, "lz4": 8}.get(form, 12)])
    with pytest.raises(InputError, match="is a cut short"):
        list(read_lines(path, longest=100, dropped=Dropped()))


@pytest.mark.parametrize(
    ("head", "name", "message"),
    [
        (b"\xfd7zXZ\0\0", "a.xz", "an xz file, not read here. .*xz -dc"),
        (b"PK\3\4\x14\0", "a.zip", "a zip archive, not read here"),
        (b"PK\3\4".ljust(30, b"\0") + b"[Content_Types].xml", "a.xlsx", "a spreadsheet, .*save it as CSV"),
        (b"PK\3\4".ljust(30, b"\0") + b"mimetypeapplication/", "a.ods", "a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xls", "a spreadsheet"),
        (b"7z\xbc\xaf\x27\x1c", "a.7z", "a 7z archive"),
        (b"Rar!\x1a\7\1\0", "a.rar", "a rar archive"),
        (b"\x89LZO\0\r\n\x1a\n", "a.lzo", "an lzop file"),
        (b"ZV\1\0\x10", "a.lzf", "an lzf file"),
        (b"\x1f\x9d\x90", "a.Z", "compress"),
        (b"SEQ\6\x19org", "a.seq", "a Hadoop SequenceFile"),
        (b"\x0b\x02\x80hello\3", "a.br", "packed with brotli in an unknown framing, not read here"),
        (b"\x05\x10hello\xff\xfe", "a.snappy", "packed with snappy in an unknown framing"),
    ],
)
def test_forms_that_are_not_read_are_named(tmp_path: Path, head: bytes, name: str, message: str) -> None:
    """With what to do."""
    (tmp_path / name).write_bytes(head + bytes(100))
    with pytest.raises(InputError, match=message):
        list(read_lines(tmp_path / name, longest=100, dropped=Dropped()))


def test_archives_and_packed_files_within_packed_ones_are_named(tmp_path: Path) -> None:
    """As `.tar.gz`, and as a log that was packed by two programs."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.add(__file__, "log")
    for data, message in (
        (out.getvalue(), "is a tar archive, not read here. .*tar -xf"),
        (gzip.compress(out.getvalue()), "is a gzip file with a tar archive"),
        (gzip.compress(pack(TEXT, "zstd")), "is packed twice, with gzip and zstd"),
    ):
        (tmp_path / "x").write_bytes(data)
        with pytest.raises(InputError, match=message):
            read_unpacked(tmp_path / "x", limit_bytes=1 << 20)


def test_plain_text_with_a_name_of_packed_files(tmp_path: Path) -> None:
    """Is read: its first bytes decide."""
    for name in ("a.lz4", "a.snappy", "a.br", "a.gz"):
        (tmp_path / name).write_bytes(b"one\n")
        assert list(read_lines(tmp_path / name, longest=100)) == ["one"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("read", ["read", "readline", "read1"])
def test_what_expands_too_far_is_refused(tmp_path: Path, form: str, read: str) -> None:
    """With the flag that raises the limit; raised, it is read."""
    path = tmp_path / packed_name(form)
    path.write_bytes(pack(bytes(8 << 20), form))

    def drain() -> None:
        with open_regular(path) as raw, unpacked(raw, path) as source:
            while getattr(source, read)(1 << 16):
                pass

    allowed = InputLimits().expansion_bytes(path.stat().st_size)
    if allowed < 8 << 20:
        with pytest.raises(InputError, match=r"expands too far; .* --max expansion="):
            drain()
    with within_limits(InputLimits(expansion=8 << 20)):
        drain()
    with within_limits(InputLimits(expansion=(8 << 20) - 1)), pytest.raises(InputError, match="expands"):
        drain()


@pytest.mark.parametrize("form", FORMS)
def test_the_whole_content_has_a_limit_of_its_own(tmp_path: Path, form: str) -> None:
    """That of its reader, besides the one of all packed files."""
    path = tmp_path / packed_name(form)
    path.write_bytes(pack(b"x" * 1000, form))
    assert read_unpacked(path, limit_bytes=1000) == b"x" * 1000
    with pytest.raises(InputError, match="/a"):
        read_unpacked(path, limit_bytes=999)


def test_text_is_not_taken_for_packed() -> None:
    """Words may begin as a packed file does."""
    for head in (b"", b"B", b"BZh, a name", b"BZh9 and on", b"PAR1\0\0\0\0\0\0", b"hdfs", b"x^2"):
        assert packed_form(head) is None


def test_every_form_of_the_table_is_read() -> None:
    """The table of forms names those that the reader knows."""
    assert set(PACKERS) == {form.name for form in packed._FORMS}


@pytest.mark.parametrize(("name", "data"), [("a.log.gz", gzip.compress(TEXT)), ("b", TEXT)])
def test_a_log_that_is_there_twice(name: str, data: bytes, tmp_path: Path) -> None:
    """Packed, or under another name; logs of one size that differ are no copies."""
    files = [tmp_path / "a.log", tmp_path / name, tmp_path / "other"]
    for path, held in zip(files, (TEXT, data, TEXT[::-1]), strict=True):
        path.write_bytes(held)
    refuse_copies([files[0], files[2]])
    with pytest.raises(InputError, match=f"{name}: has the lines of another file; found .*a.log"):
        refuse_copies(files)
