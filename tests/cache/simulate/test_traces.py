"""Block traces of others."""

from __future__ import annotations

import gzip
from contextlib import nullcontext
from pathlib import Path

import pytest

from froude.base.columns import Style
from froude.base.errors import InputError
from froude.base.forms import Options
from froude.cache.simulate.traces import Request, read_traces
from tests.support.cache.simulate.traces import MQSIM, MSR

CSV = "op,time,volume,offset,size,extra\nread,0.5,db,4096,8192,x\nW,0.25,db,0,1,x\n"
BLKPARSE = """\
  8,16   0        1     0.000000000   697  Q   R 0 + 8 [my job]
  8,16   0        2     0.001000000   697  D   R 0 + 8 [my job]
  8,16   0        3     0.002000000   697  C   R 0 + 8 [0]
  8,16   0        4     0.003000000   697  Q  WS 8 + 16 [my job]
  8,16   0        7     0.006000000   697  Q  RA 223490 + 56 [my job]
  8,16   0        8     0.007000000   697  Q FWS [my job]
  8,16   0       13     0.012000000   697  Q   D 800 + 8 [my job]
  8,16   1        2     0.013000000   697  U   N [my job] 1
  8,16   1        0     0.013500000     0  m   N cfq697 Not idling. st->count:1
CPU0 (t):
 Reads Queued:           2,       32KiB\t Writes Queued:           3,       12KiB
 IO unplugs:             0        \t Timer unplugs:           0

Throughput (R/W): 2285KiB/s / 893KiB/s
Events (t): 15 entries
"""


def written(folder: Path, text: str, name: str = "t.trace") -> Path:
    """A file with a text."""
    file = folder / name
    file.write_text(text)
    return file


def test_each_layout_is_told_by_its_first_line(tmp_path: Path) -> None:
    """Seconds and bytes whatever the units; sorted by time."""
    found = read_traces([written(tmp_path, MQSIM)])
    assert found.requests == (Request(1.0, "0", 8192, 4096, True), Request(2.0, "3", 0, 512, False))
    assert (found.volumes, found.dropped.total, found.duration_s) == (("0", "3"), 0, 1.0)
    found = read_traces([written(tmp_path, MSR)])
    assert [each.volume for each in found.requests] == ["usr.0", "usr.1"]
    assert found.requests[0][2:] == (7014609920, 24576, True)
    assert found.duration_s == 1
    found = read_traces([written(tmp_path, CSV)])
    assert found.requests == (Request(0.25, "db", 0, 1, False), Request(0.5, "db", 4096, 8192, True))


def test_traces_that_are_published(tmp_path: Path) -> None:
    """Of SPC, with fields beyond the fifth, and of Alibaba."""
    found = read_traces([written(tmp_path, "0,20941264,8192,W,0.551706,x\n1, 8, 512, r, 0.5\n")])
    assert found.requests == (
        Request(0.5, "1", 4096, 512, True),
        Request(0.551706, "0", 20941264 * 512, 8192, False),
    )
    found = read_traces(
        [written(tmp_path, "419,W,8792731648,16384,1577808144360767\n3,R,0,512,1577808145360767\n")]
    )
    assert found.requests[0][1:] == ("419", 8792731648, 16384, False)
    assert found.duration_s == 1


def test_what_blkparse_prints(tmp_path: Path) -> None:
    """Reads and writes count once, when they are queued; discards, flushes, other events and the summary do not."""
    found = read_traces([written(tmp_path, BLKPARSE)])
    assert found.requests == (
        Request(0.0, "8,16", 0, 4096, True),
        Request(0.003, "8,16", 4096, 8192, False),
        Request(0.006, "8,16", 223490 * 512, 28672, True),
    )
    assert found.dropped.total == 0
    other = BLKPARSE.replace("8,16", "253,3").replace("223490", "223498")
    both = read_traces([written(tmp_path, f"Input file t.blktrace.0 added\n\n{BLKPARSE}{other}")])
    assert (both.volumes, len(both.requests), both.dropped.total) == (("8,16", "253,3"), 6, 0)
    for line in ("a b c d e f g h i j\n", "  8,16   0        1     0.1   697  Q   R x + 8 [my job]\n"):
        with pytest.raises(InputError, match="first at"):
            read_traces([written(tmp_path, BLKPARSE.partition("CPU0")[0] + line * 2)])
    with pytest.raises(InputError, match=r"has no requests; allowed: .*queued \(Q\)"):
        read_traces([written(tmp_path, BLKPARSE.replace("  Q ", "  C "))])
    file = written(tmp_path, "rubbish\n" + BLKPARSE.partition("CPU0")[0] * 5)
    assert read_traces([file], Options(layout="blkparse")).dropped.total == 1


def test_several_files_are_one_trace(tmp_path: Path) -> None:
    """Packed ones as well."""
    packed = tmp_path / "m.gz"
    packed.write_bytes(gzip.compress(MQSIM.encode()))
    found = read_traces([packed, written(tmp_path, CSV)])
    assert [each.time_s for each in found.requests] == [0.25, 0.5, 1.0, 2.0]
    assert found.volumes == ("db", "0", "3")


def test_files_that_tell_of_the_same_times(tmp_path: Path) -> None:
    """Each begins at 0: their volumes stand side by side, and that is said; times that go on are one volume's."""
    (tmp_path / "other").mkdir()
    monday = written(tmp_path, MQSIM + "9000000000 0 16 8 1\n")
    tuesday = written(tmp_path / "other", "1000000000 0 16 8 1\n3000000000 0 16 8 1\n")
    found = read_traces([monday, tuesday])
    assert found.volumes == ("0", f"{tuesday}:0", "3")
    (remark,) = found.remarks
    assert remark.startswith(f"{tuesday}: has requests of 1 volume, such as 0, at the same times")
    later = written(tmp_path, "9000000000 0 16 8 1\n9900000000 0 16 8 1\n", "later")
    assert read_traces([monday, later]).volumes == ("0", "3")


@pytest.mark.parametrize(
    "line", ["x 0 16 8 1", "1 0 16 8", "1 0 16 8 2", "1 0 -16 8 1", "1 0 16 0 1", "1 0 16 9999999999 1"]
)
def test_a_line_that_is_no_request_is_counted(tmp_path: Path, line: str) -> None:
    """And told where."""
    file = written(tmp_path, MQSIM * 10 + line + "\n\n")
    found = read_traces([file])
    assert (len(found.requests), found.dropped.total) == (20, 1)
    assert f"first at {file}:21" in found.dropped.notes()[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (MSR, f"{'9' * 400},usr,0,Read,0,512,1"),
        (MQSIM, f"{'9' * 400} 0 16 8 1"),
        (CSV, 'read,0.5,db,4096,"8192\r\r,x'),
        (CSV, f"read,{'9' * 400},db,4096,8192,x"),
    ],
)
def test_numbers_beyond_all_bounds_are_no_requests(tmp_path: Path, text: str, line: str) -> None:
    """In any layout."""
    begin, _, rest = text.partition("\n")
    file = written(tmp_path, begin + "\n" + rest * 30 + line + "\n")
    assert read_traces([file]).dropped.total == 1


def test_what_is_mostly_dirty_is_another_layout(tmp_path: Path) -> None:
    """Refused with the place of the first such line."""
    file = written(tmp_path, MQSIM + "rubbish\n" * 2)
    with pytest.raises(InputError, match=r"t.trace: cannot be read in 2 of 4 lines; .*t.trace:3"):
        read_traces([file])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "hello world\n",
            "is not of a known layout; found hello world; allowed: msr, msr-without-response,",
        ),
        ("", r"t\.trace: "),
        ("time,volume,offset,size\n1,a,0,1\n", "has no column op"),
        ("time,volume,offset,size,op\n", r"t\.trace: "),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """By its first line, or for being empty."""
    with pytest.raises(InputError, match=message):
        read_traces([written(tmp_path, text)])


def test_a_part_without_a_line_is_left_out(tmp_path: Path) -> None:
    """It is named; so is nothing of one that has a header alone."""
    written(tmp_path, MQSIM)
    written(tmp_path, "", "u.trace")
    written(tmp_path, "time,volume,offset,size,op\n", "v.csv")
    found = read_traces([tmp_path])
    assert (len(found.requests), found.remarks) == (2, (f"{tmp_path / 'u.trace'}: has no line: left out",))


def test_a_layout_can_be_said(tmp_path: Path) -> None:
    """Of a file whose first line is damaged."""
    found = read_traces([written(tmp_path, "damaged\n" + MQSIM * 10)], Options(layout="mqsim"))
    assert (len(found.requests), found.dropped.total) == (20, 1)


def test_blanks_around_the_name_of_a_volume(tmp_path: Path) -> None:
    """Make no other volume."""
    (tmp_path / "m").write_text(
        "128166372003061629, hm ,0,Read,0,4096,1\n128166372003061630,hm, 0 ,Read,0,4096,1\n"
    )
    trace = read_traces([tmp_path / "m"])
    assert (trace.volumes, trace.understood[0].split()[0]) == (("hm.0",), "msr")


def test_a_column_of_volumes_that_never_come_again_is_another(tmp_path: Path) -> None:
    """Such as the arrivals of a trace whose first two columns changed places."""
    (tmp_path / "t").write_text("".join(f"0 {1000 * n} 16 8 1\n" for n in range(1, 40)))
    with pytest.raises(
        InputError, match="has another column for its volume; found 39 volumes in 39 requests"
    ):
        read_traces([tmp_path / "t"], Options(layout="mqsim"))


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """Plain and packed: its volumes would be others."""
    text = "time,volume,op,offset,size\n" + "".join(f"{n / 10},v,R,{512 * n},512\n" for n in range(30))
    written(tmp_path, text, "a.csv")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(InputError, match=r"the requests of another file; found .*a\.csv\. Leave out one"):
        read_traces([tmp_path])


@pytest.mark.parametrize(
    ("step", "decimals", "layout", "read"),
    [(10, 3, "", False), (10, 3, "spc", True), (10, 6, "", True), (0.01, 3, "", True)],
)
def test_times_that_may_be_milliseconds(
    tmp_path: Path, step: float, decimals: int, layout: str, read: bool
) -> None:
    """Of an idle disk, as it is published, they are read and noted; of spc with three decimals they are asked about."""
    text = "".join(f"0,{8 * n},4096,r,{step * n + 0.125004:.{decimals}f}\n" for n in range(40))
    with nullcontext() if read else pytest.raises(InputError, match="may have times of another unit"):
        found = read_traces([written(tmp_path, text)], Options(layout=layout))
        assert [" 40 requests in 390 s: --date-format ms" in each for each in found.remarks] == [True] * (
            step > 1
        )
    found = read_traces([written(tmp_path, text)], Options(layout=layout, style=Style(dates="ms")))
    assert (found.remarks, round(found.duration_s, 6)) == ((), round(39 * step / 1000, 6))
