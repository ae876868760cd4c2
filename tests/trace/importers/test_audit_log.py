"""Logs of any number, order and packing become one, in the order of time."""

from __future__ import annotations

import bz2
import gzip
import itertools
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.anonymise import Names
from froude.trace.audit.cut import Cut
from froude.trace.audit.parse import Form
from froude.trace.importers.audit_log import import_audit
from froude.trace.importers.audit_pieces import Options
from testbed.audit_lines import START_S, calls, written
from tests.support.base.packing import STREAMED, pack, packed_name
from tests.support.trace.importers.audit_log import texts


def test_rotated_logs_are_ordered_by_what_they_hold(tmp_path: Path) -> None:
    """Plain and packed, given in any order; lines of the same moment by the number of the log."""
    lines = calls(30)
    (tmp_path / "hdfs-audit.log").write_text(texts(lines[20:]))
    (tmp_path / "hdfs-audit.log.1").write_text(texts(lines[10:20]))
    (tmp_path / "hdfs-audit.log.2.gz").write_bytes(gzip.compress(texts(lines[:10]).encode()))
    for n, logs in enumerate(itertools.permutations(tmp_path.glob("hdfs-audit*"))):
        log = import_audit(logs, tmp_path / f"al{n}", workers=2 if n == 0 else 1)
        assert list(log.lines()) == lines
        assert [each.name for each in log.meta.sources] == [
            "hdfs-audit.log.2.gz",
            "hdfs-audit.log.1",
            "hdfs-audit.log",
        ]
    same = [replace(line, time_s=START_S) for line in lines]
    for name, part in (("a.log", same[20:]), ("a.log.1", same[10:20]), ("a.log.10", same[:10])):
        (tmp_path / name).write_text(texts(part))
    log = import_audit([tmp_path / name for name in ("a.log", "a.log.10", "a.log.1")], tmp_path / "same")
    assert list(log.lines()) == same


def test_lines_out_of_order_are_sorted_and_counted(tmp_path: Path) -> None:
    """Those of one moment keep their order; those beyond the window count as late, and are sorted as well."""
    lines = calls(8)
    early = replace(lines[0], time_s=START_S - 60, src="/early")
    (tmp_path / "l").write_text(texts([lines[0], lines[2], lines[1], *lines[3:], early]))
    log = import_audit([tmp_path / "l"], tmp_path / "al", Options(window_s=10))
    assert list(log.lines()) == [early, *lines]
    assert (log.meta.counts.out_of_order, log.meta.counts.late) == (2, 1)


def test_the_hour_that_the_clock_has_twice(tmp_path: Path) -> None:
    """Is read right across pieces, and said where nothing tells which of both it was."""
    berlin = ZoneInfo("Europe/Berlin")
    back = 1_792_890_000.0  # 2026-10-25 01:00 UTC
    lines = calls(24, first_s=back - 3600, step_s=300)
    data = "".join(written(line, berlin) for line in lines)
    (tmp_path / "l").write_text(data)
    for number, piece in enumerate((400, 1000, 1 << 20)):
        log = import_audit(
            [tmp_path / "l"], tmp_path / f"al{number}", Options(zone=berlin, piece_bytes=piece)
        )
        assert list(log.lines()) == lines
        assert log.meta.counts.repeated_hour == 0
    (tmp_path / "half").write_text("".join(written(line, berlin) for line in lines[13:]))
    log = import_audit([tmp_path / "half"], tmp_path / "half-al", Options(zone=berlin))
    assert log.meta.counts.repeated_hour == 11
    assert [line.time_s for line in log.lines()] == [(line.time_s or 0) - 3600 for line in lines[13:]]


def test_other_forms(tmp_path: Path) -> None:
    """Dynamometer's, from a moment on."""
    (tmp_path / "hive").write_text(
        "20\x01hdfs\x01create\x01/b\x01 \x010.0.0.0\x01\n10\x01a\x01open\x01/a\x01 \x01h\n"
    )
    log = import_audit([tmp_path / "hive"], tmp_path / "al", Options(Form("hive", start_us=1_000_000)))
    assert [(line.time_s, line.src) for line in log.lines()] == [(1.01, "/a"), (1.02, "/b")]


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"hello\nworld\n", bytes(5000), gzip.compress(b"x\n", mtime=0)],
    ids=["empty", "one line feed", "others", "zeros", "packed"],
)
def test_logs_without_an_audit_line(tmp_path: Path, data: bytes) -> None:
    """Are refused, with what they hold; nothing is left behind."""
    (tmp_path / "l").write_bytes(data)
    with pytest.raises(InputError, match="holds no line of an audit log"):
        import_audit([tmp_path / "l"], tmp_path / "al")
    assert [path.name for path in tmp_path.iterdir()] == ["l"]


def test_a_damaged_packed_log(tmp_path: Path) -> None:
    """Is named."""
    (tmp_path / "l.bz2").write_bytes(bz2.compress(texts(calls(100)).encode()).replace(b"1AY&SY", b"1AY&SYx"))
    with pytest.raises(InputError, match=r"l\.bz2: is a damaged bzip2 file"):
        import_audit([tmp_path / "l.bz2"], tmp_path / "al")


def test_the_last_line_of_a_log_that_is_still_written(tmp_path: Path) -> None:
    """Without its last keys it is cut short; without its line feed alone it is whole."""
    text, path = texts(calls(20)), tmp_path / "nn.log"
    for number, (cut, lines) in enumerate(((1, 20), (len(text) - text.rindex("dst=") - 4, 19))):
        path.write_text(text[:-cut])
        log = import_audit([path], tmp_path / f"al{number}")
        assert len(list(log.lines())) == lines
        assert [note.partition(",")[0] for note in log.meta.bad_places] == [
            "1 line left out: cut short" for _ in range(20 - lines)
        ]


@pytest.mark.parametrize("form", STREAMED)
def test_whole_lines_of_a_packed_log_that_is_cut_short(tmp_path: Path, form: str) -> None:
    """Are read, and the cut is counted with its place; --strict refuses it, and leaves nothing behind."""
    lines = [replace(line, src=sha256(b"%d" % n).hexdigest()) for n, line in enumerate(calls(4000))]
    data = pack(texts(lines).encode(), form)
    path = tmp_path / packed_name(form)
    path.write_bytes(data[: len(data) * 3 // 4])
    log = import_audit([path], tmp_path / "al")
    found = list(log.lines())
    assert (len(found) > 1000, found) == (True, lines[: len(found)])
    (note,) = log.meta.bad_places
    assert note.startswith(f"1 line left out: cut short, first at {path.name}:{len(found) + 1}")
    with pytest.raises(InputError, match="--strict"):
        import_audit([path], tmp_path / "strict", Options(strict=True))
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([path.name, "al"])


def test_the_share_of_damaged_lines(tmp_path: Path) -> None:
    """A tenth may be left out; other loggers' lines do not count, except with --strict."""
    text = texts(calls(18))
    other = (
        "2026-11-20 09:43:54,218 WARN org.apache.hadoop.ipc.Server: busy\njava.io.IOException: x\n\tat a.B\n"
    )
    (tmp_path / "good").write_text(text + other * 100 + "junk\n" * 2)
    log = import_audit([tmp_path / "good"], tmp_path / "al")
    assert log.meta.lines == 18
    others, junk = log.meta.bad_places
    assert others.startswith(
        "300 lines left out: of another kind, first at good:19 ('2026-11-20 09:43:54,218 WARN"
    )
    assert junk == "2 lines left out: not an audit line, first at good:319 ('junk')"
    (tmp_path / "bad").write_text(text + "junk\n" * 3)
    for name, strict in (("bad", False), ("good", True)):
        with pytest.raises(InputError, match=rf"{name}: cannot be read in \d+ of \d+ lines; found .*line"):
            import_audit([tmp_path / name], tmp_path / "no", Options(strict=strict))
    assert not list(tmp_path.glob("no*"))


def test_a_cut_and_other_names(tmp_path: Path) -> None:
    """Are applied to all slices; a cut that leaves nothing is refused, and what was read stays for another."""
    lines = calls(20)
    (tmp_path / "l").write_text(texts(lines))
    names = Names(bytes(16))
    cut = Cut(round((START_S + 2) * 1e6), "behind 7")
    log = import_audit([tmp_path / "l"], tmp_path / "al", cut=cut, names=names)
    assert [line.src for line in log.lines()] == [names.path(line.src or "") for line in lines[9:]]
    assert (log.meta.counts.before_image, log.meta.cut, log.meta.anonymised) == (9, "behind 7", True)
    with pytest.raises(InputError, match="leaves no line"):
        import_audit([tmp_path / "l"], tmp_path / "al2", cut=Cut(1 << 60, "behind all"))
    assert not (tmp_path / "al2").exists()


def test_a_place_that_is_taken(tmp_path: Path) -> None:
    """Before anything is read."""
    (tmp_path / "al").mkdir()
    with pytest.raises(InputError, match="/al: "):
        import_audit([tmp_path / "l"], tmp_path / "al")


def test_a_log_that_is_given_twice(tmp_path: Path) -> None:
    """By another path to it as well: its lines would count twice."""
    (tmp_path / "l").write_text(texts(calls(1)))
    with pytest.raises(InputError, match="is given twice"):
        import_audit([tmp_path / "l", tmp_path / ".." / tmp_path.name / "l"], tmp_path / "al")
