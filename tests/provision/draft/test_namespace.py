"""What `hdfs dfs -count` and `hdfs oiv -p FileDistribution` print, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings

from froude.base.errors import InputError
from froude.provision.draft.namespace import (
    Namespace,
    namespace_of,
    outermost,
    own_bytes,
    read_count,
    read_distribution,
)
from tests.support.provision.draft.damage import damaged

NO_LINE = "is no line of hdfs dfs -count"


HEAD = "   DIR_COUNT   FILE_COUNT       CONTENT_SIZE PATHNAME\n"
PLAIN = "          12          340        1342177280 /warehouse\n"
_WIDE = " QUOTA REM_QUOTA SPACE_QUOTA REM_SPACE_QUOTA DIR_COUNT FILE_COUNT CONTENT_SIZE PATHNAME\n"
TOTALS = "Size\tNumFiles\n0\t1\n2097152\t2\ntotalFiles = 3\ntotalDirectories = 4\ntotalBlocks = 5\ntotalSpace = 600\n"


def _written(folder: Path, text: str) -> Path:
    path = folder / "count.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        HEAD + PLAIN,
        "          12          340        1342177280 hdfs://nn:8020/warehouse/\n",
        " none inf none inf 12 340 1342177280 /warehouse\n",
        " 100 88 10 T 9.9 T 12 340 1.3 G /warehouse\n",
        f"\ufeff{PLAIN}",
        f"\ufeff{HEAD}{PLAIN}".replace("\n", "\r\n"),
        f"{_WIDE}  none inf none inf 12 340 1342177280 /warehouse\n",
        PLAIN.replace(" /", " EC:RS-6-3-1024k /"),
        HEAD.replace("PATH", "ERASURECODING_POLICY PATH") + PLAIN.replace(" /", " Replicated /"),
        f"2026-03-01 10:00:00,000 WARN util.NativeCodeLoader: Unable to load\nSLF4J: Class path\n{PLAIN}",
    ],
)
def test_forms(text: str, tmp_path: Path) -> None:
    """Plain, with a head, the file system's address, quotas, policies, or lines of loggers; rounded by -h."""
    (row,) = read_count(_written(tmp_path, text))
    assert (row.path, row.directories, row.files) == ("/warehouse", 12, 340)
    assert row.bytes == pytest.approx(1342177280, rel=0.05)
    assert row.rounded == ("1.3 G" in text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "counts no path"),
        (HEAD, "count.txt: "),
        (PLAIN + "ls: no such file\n", f"count.txt:2: {NO_LINE}"),
        ("12 340 /warehouse\n", NO_LINE),
        ("12 340 99 warehouse\n", NO_LINE),
        ("12 -340 99 /warehouse\n", "count.txt:1: counts files that cannot be"),
        (PLAIN + PLAIN, "count.txt:2: counts a path again"),
        ("   QUOTA REM_QUOTA PATHNAME\n", "count.txt:1: has no column"),
        ("12 34.5 99 /warehouse\n", NO_LINE),
        ("12 \u0663 99 /warehouse\n", NO_LINE),
        ("none 340 99 /warehouse\n", "count.txt:1: counts directories "),
        (f"12 340 {'9' * 400} /warehouse\n", "count.txt:1: counts bytes "),
        (f"12 340 {'9' * 22} /warehouse\n", "allowed: from 0 to 1e+21"),
        (f"12 {'9' * 400} 99 /warehouse\n", "count.txt:1: counts files "),
        ("12 1000000000000001 99 /warehouse\n", "1e+15"),
    ],
)
def test_other_texts_are_refused(text: str, said: str, tmp_path: Path) -> None:
    """With their line."""
    with pytest.raises(InputError) as raised:
        read_count(_written(tmp_path, text))
    assert said in str(raised.value)


def test_paths_inside_others(tmp_path: Path) -> None:
    """Each file counts once: /logs2 is not in /logs, /logs/raw is, and its bytes are taken from it."""
    rows = read_count(
        _written(tmp_path, "1 1 100 /logs\n1 1 30 /logs/raw\n1 1 10 /logs/raw/x\n1 1 7 /logs2\n")
    )
    assert [row.path for row in outermost(rows)] == ["/logs", "/logs2"]
    assert [own_bytes(row, rows) for row in rows] == [70, 20, 10, 7]
    assert namespace_of(rows).files == 2


def test_a_path_may_end_like_a_heading(tmp_path: Path) -> None:
    """A line that begins with a number counts a path."""
    rows = read_count(_written(tmp_path, f"{HEAD}1 2 3 /PATHNAME\n4 5 6 /a PATHNAME\n"))
    assert [(row.path, row.bytes) for row in rows] == [("/PATHNAME", 3), ("/a PATHNAME", 6)]


def test_heap() -> None:
    """1 GB per million blocks, and 1 GB at least; many empty directories need more."""
    assert Namespace(1e6, 1e5, 2.5e6, None, "").heap == 2.5e9
    assert Namespace(10, 1, 10, None, "").heap == 1e9
    assert Namespace(1e6, 1e8, 1e6, None, "").heap == 15.3e9


def test_blocks_are_bounded_from_counts(tmp_path: Path) -> None:
    """One for each file and one for each full block."""
    assert namespace_of(read_count(_written(tmp_path, PLAIN))).blocks == 350


def test_an_images_totals(tmp_path: Path) -> None:
    """Files, directories, blocks, and the space of all replicas."""
    space = read_distribution(_written(tmp_path, TOTALS))
    assert (space.files, space.directories, space.blocks, space.space) == (3, 4, 5, 600)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no totalFiles"),
        (PLAIN, "count.txt:1: is no line of a distribution"),
        (TOTALS + "totalFiles = 3\n", "count.txt:8: says a total again"),
        (TOTALS.replace("= 5", "= -5"), "count.txt:6: "),
        (TOTALS.replace("= 5", f"= {'9' * 400}"), "count.txt:6: has a totalBlocks that cannot be"),
        (TOTALS.replace("= 3", "= 1000000000000001"), "found 1000000000000001; allowed: from 0 to 1e+15"),
        (TOTALS.replace("= 600", f"= {'9' * 22}"), "count.txt:7: has a totalSpace "),
    ],
)
def test_no_totals(text: str, said: str, tmp_path: Path) -> None:
    """What is missing, or stands twice."""
    with pytest.raises(InputError) as raised:
        read_distribution(_written(tmp_path, text))
    assert said in str(raised.value)


def test_totals_behind_a_mark(tmp_path: Path) -> None:
    """A byte order mark, and Windows' line ends, are no part of the first and last words."""
    text = TOTALS.split("\n", 3)[-1].replace("\n", "\r\n")
    assert read_distribution(_written(tmp_path, f"\ufeff{text}")).files == 3


_COUNTS = f"{HEAD}{PLAIN}  20  150  150000000 /logs\n", f"{_WIDE} none inf 10 T 9.9 T 12 340 1.3 G /a b\n"


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damaged(*(text.encode() for text in _COUNTS)))
@example(b"1 2 " + b"9" * 400 + b" /x\n")
def test_damaged_counts(tmp_path: Path, data: bytes) -> None:
    """Are read, or refused with one stated error; what is read has a heap."""
    path = tmp_path / "count.txt"
    path.write_bytes(data)
    try:
        assert 1e9 <= namespace_of(read_count(path)).heap <= 1e21
    except InputError as error:
        assert error.file == str(path)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damaged(TOTALS.encode(), TOTALS.replace("totalFiles", "maxFileSize = 9\ntotalFiles").encode()))
@example(TOTALS.replace("= 5", f"= {'9' * 400}").encode())
def test_damaged_totals(tmp_path: Path, data: bytes) -> None:
    """Are read, or refused with one stated error; what is read has a heap."""
    path = tmp_path / "totals.txt"
    path.write_bytes(data)
    try:
        assert 1e9 <= read_distribution(path).heap <= 1e21
    except InputError as error:
        assert error.file == str(path)
