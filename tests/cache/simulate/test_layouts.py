"""Layouts of block traces, by a few lines of each as people have them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from froude.base.columns import Style
from froude.base.errors import InputError
from froude.base.forms import Options
from froude.cache.simulate.layouts import LAYOUTS
from froude.cache.simulate.traces import read_traces

TIME = 128166372003061629
"""Of MSR Cambridge: units of 100 ns since 1601."""
FIO = """fio version 3 iolog
0 /dev/sda add
2 /dev/sda open
1000 /dev/sda read 4096 512
2500 /dev/sda write 0 512
2600 /dev/sda sync 0 0
2700 /dev/sda close
"""
EXAMPLES: dict[str, tuple[str, list[tuple[float, str, int, int, bool]]]] = {
    "msr": (f"{TIME},hm,0,Read,4096,512,9\r\n{TIME},hm,1,Write,0,1024,5\r\n", [(0, "hm.0", 4096, 512, True)]),
    "msr-without-response": (f"{TIME},hm,0,Read,4096,512\n", [(0, "hm.0", 4096, 512, True)]),
    "msr-without-host": (f"{TIME},0,Write,4096,512,26\n", [(0, "0", 4096, 512, False)]),
    "systor17": ("1456095145.133,0.0008,W,3,8192,4096\n", [(0, "3", 8192, 4096, False)]),
    "alibaba": (
        "device_id,opcode,offset,length,timestamp\n7,R,0,512,1577808144360767\n", [(0, "7", 0, 512, True)]
    ),
    "tencent": ("1538323200.5,8,16,0,1063\n1538323201,8,16,1,1063\n", [(0, "1063", 4096, 8192, True)]),
    "spc": ("0;20941264;8192;W;0.551706\n", [(0, "0", 20941264 * 512, 8192, False)]),
    "mqsim": ("1000000000 0 16 8 1\n3500000000 0 16 8 0\n", [(0, "0", 8192, 4096, True), (2.5, "0", 8192, 4096, False)]),
    "disksim": ("0.0 0 16 8 1\n7.5 0 16 8 0\n", [(0, "0", 8192, 4096, True), (0.0075, "0", 8192, 4096, False)]),
    "fiu": ("89966 4253 my job 16 8 W 6 0 a1b2\n", [(0, "6.0", 8192, 4096, False)]),
    "fio": (FIO, [(0, "/dev/sda", 4096, 512, True), (0.0015, "/dev/sda", 0, 512, False)]),
    "blkparse": (
        "  8,0    1        1     0.000000000   697  Q  WS 16 + 8 [dd]\n", [(0, "8,0", 8192, 4096, False)]
    ),
    "csv": ("time,volume,offset,size,op\n3,a,512,4096,Read\n", [(0, "a", 512, 4096, True)]),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_each_layout(name: str, tmp_path: Path) -> None:
    """Is found by itself, with its units; times are from the first request on."""
    text, expected = EXAMPLES[name]
    (tmp_path / "t").write_text(text, newline="")
    found = read_traces([tmp_path / "t"])
    assert found.understood[0].split()[0] == name
    begin_s = found.requests[0].time_s
    shown = [(pytest.approx(time_s - begin_s, abs=1e-6), *rest) for time_s, *rest in found.requests]
    assert shown[: len(expected)] == expected


HEAD = "time,volume,offset,size,op"


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        (HEAD, "3,a,4096,512,randwrite", (3, "a", 4096, 512, False)),
        ("timestamp_ms,device,lba,nr_sector,rwbs", "3,a,8,16,RA", (0.003, "a", 4096, 8192, True)),
        ("time_us,disk,offset_bytes,size_kb,type", "3,a,8,16,FWS", (3e-6, "a", 8, 16384, False)),
        ("time,host,device,offset,size,op", "3,h,a,4096,512,DiskRead", (3, "h.a", 4096, 512, True)),
        ("Time(us),Volume,Offset(B),Size(B),Op", "3,a,512,4096,W", (3e-6, "a", 512, 4096, False)),
        ("ASU,LBA,Size,Opcode,Timestamp", "0,8,8192,W,0.5", (0.5, "0", 4096, 8192, False)),
        ("time_ns,lun,sector,bytes,op", "3,a,8,16,rd", (3e-9, "a", 4096, 16, True)),
        ("time_s,lun,sector,bytes,op", "3,a,8,16,0x2A", (3, "a", 4096, 16, False)),
        ("time_s,lun,sector,bytes,op", "3,a,8,16,136", (3, "a", 4096, 16, True)),
        ("time_s,lun,sector,bytes,op", "3,a,8,16,WRITE(16)", (3, "a", 4096, 16, False)),
        ("TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)", "3.5 dd 9 a R 8 4096 0.7", (3.5, "a", 4096, 4096, True)),
    ],
)  # fmt: skip
def test_names_of_columns_show_units(
    header: str, row: str, expected: tuple[object, ...], tmp_path: Path
) -> None:
    """Of times, offsets and sizes; and operations by any of their usual words."""
    (tmp_path / "t.csv").write_text(f"{header}\n{row}\n")
    (found,) = read_traces([tmp_path / "t.csv"]).requests
    assert found == (pytest.approx(expected[0]), *expected[1:])


def test_columns_can_be_named_with_their_units(tmp_path: Path) -> None:
    """Also by their numbers, of a file without a header, as `blkparse -f` prints it."""
    (tmp_path / "t.csv").write_text("0.5,8,0,W,16,8\n0.75,8,0,R,16,8\n")
    named = {"time": "0", "volume": "1", "op": "3", "offset_sectors": "4", "size_sectors": "5"}
    found = read_traces([tmp_path / "t.csv"], Options(columns=named)).requests
    assert found[0] == (0.5, "8", 8192, 4096, False)
    (tmp_path / "t.csv").write_text(f"{HEAD}\n3,a,8,8,R\n")
    named = {"offset_sectors": "offset", "size_sectors": "size"}
    (request,) = read_traces([tmp_path / "t.csv"], Options(columns=named)).requests
    assert request[2:4] == (4096, 4096)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD}\n1,a,4096,8,R\n2,a,8192,16,R\n", r"unit than bytes for its size; .*--column size_sectors=NAME"),
        (f"{HEAD}\n1,a,8,4096,R\n2,a,24,8192,R\n", r"unit than bytes for its offset; found 100% of its values"),
        (f"{HEAD}\n1,a,0,512,8\n2,a,0,512,10\n", "which operation is a read; found 10, 8; "),
        (f"{HEAD}\n1,a,0,512,0\n2,a,0,512,1\n", "which operation is a read; found 0, 1; .*such as --read 0"),
        ("time,volume,size,op\n1,a,512,R\n", "has no column offset; .*--column offset_sectors=NAME"),
        ("time,volume,lba,offset_bytes,size,op\n1,a,8,8,512,R\n", "has several columns of the offset; found csv"),
        ("1538323200,137438953472,4096,0,1063\n", "bytes, not sectors; found address 137438953472, in sectors 64 TiB"),
        ("0.0 0 137438953472 512 1\n", "bytes, not sectors; .*--column offset_bytes=NUMBER"),
        ("0 0 303567 8 1\n7 0 303567 8 1\n12 1 55590 6 0\n", "another unit; found 3 requests in 1.2e-05 ms"),
        ("device_id,opcode,offset,length,timestamp\n7,R,0,512,0.5\n7,W,0,512,0.7\n", "microseconds, as of alibaba"),
        ("device_id,opcode,offset,length,timestamp\n7,R,0,512,1700000000500\n", "microseconds, as of alibaba"),
        ("1700000000.5,usr,0,Read,0,512,9\n1700000600.5,usr,0,Read,0,512,9\n", "100 ns, as of msr, or --date-format s"),
        ("1700000000500000,0,Read,0,512,9\n1700000600500000,0,Read,0,512,9\n", "100 ns, as of msr, or --date-format s"),
        (f"{HEAD}\n0,a,0,512,R\n61,a,0,512,W\n", "than seconds for its time; found 2 requests in 61 s"),
        ("1538323200 8 16 0 1063\n", "--layout tencent --separator blanks, or --layout mqsim"),
        (f"{TIME} hm 0 Read 4096 512 9\n", "Say so: --layout msr --separator blanks"),
        (f"{HEAD}\n-1,a,0,512,R\n2,a,0,512,W\n", "in 1 of 2 lines; found 1 line left out: time is below 0"),
        ("fio version 2 iolog\n/dev/sda read 0 4096\n", "is an iolog of fio without times"),
        ("3, 109298, 0, 4096, 393351168, 0\n", "is a log of fio's latencies or rates. Write its requests"),
        ("Linux 5.14.0 (web1) \t03/14/2026\n", "is what iostat or sar prints"),
        ("\x07tae\0\0\0", "is a binary trace of blktrace. Print its requests: blkparse"),
    ],
)  # fmt: skip
def test_what_may_be_something_else_is_asked_about(text: str, message: str, tmp_path: Path) -> None:
    """Units, the operation of a read, and layouts that look alike."""
    (tmp_path / "t").write_text(text)
    with pytest.raises(InputError, match=message):
        read_traces([tmp_path / "t"])


@pytest.mark.parametrize(
    ("text", "options", "duration_s"),
    [
        ("1700000000.5,usr,0,Read,0,512,9\n1700000600.5,usr,0,Read,0,512,9\n", Options(style=Style(dates="s")), 600),
        (f"{HEAD}\n0,a,0,512,R\n61,a,0,512,W\n", Options(style=Style(dates="us")), 61e-6),
        (f"{HEAD}\n0,a,0,512,R\n61,a,0,512,W\n", Options(columns={"time_s": "time"}), 61),
        ("1538323200 8 16 0 1063\n1538323201 8 16 0 1063\n", Options(layout="tencent", separator=" "), 1),
        ("1538323200,8192,512,0,1063\n1538323201,0,2048,1,1063\n", None, 1),
        ("0.0 0 4096 512 1\n7.5 0 8192 2048 0\n", None, 0.0075),
        (" 8,0 1 1 0.0 7 Q RS 274877906944 + 512 [dd]\n 8,0 1 2 2.0 7 Q WS 2048 + 2048 [dd]\n", None, 2),
        ("0,7,512,r,0\n0,9,512,w,90\n", None, 90),
        (f"{HEAD}\n0,v,0,512,R\n59,v,512,512,W\n", None, 59),
    ],
)  # fmt: skip
def test_what_was_asked_can_be_named(
    text: str, options: Options | None, duration_s: float, tmp_path: Path
) -> None:
    """By the unit of the times, the layout, and what is between columns; what a layout fixes is not asked about."""
    (tmp_path / "t").write_text(text)
    assert read_traces([tmp_path / "t"], options).duration_s == pytest.approx(duration_s)


@pytest.mark.parametrize(("size", "noted"), [("2048", True), ("2056", False)])
def test_sizes_that_may_be_bytes_are_noted(size: str, noted: bool, tmp_path: Path) -> None:
    """They are read as the layout has them, in sectors."""
    (tmp_path / "t").write_text(f"1538323200,0,{size},0,7\n1538323201,4096,1024,1,7\n")
    found = read_traces([tmp_path / "t"])
    assert (found.requests[0].size, bool(found.remarks)) == (int(size) * 512, noted)


@pytest.mark.parametrize(("unaligned", "asked"), [(10, False), (11, True)])
def test_offsets_that_are_not_whole_sectors(unaligned: int, asked: bool, tmp_path: Path) -> None:
    """A tenth of them may be odd."""
    rows = [f"{n},a,{8 if n < unaligned else 4096},512,R\n" for n in range(100)]
    (tmp_path / "t").write_text(f"{HEAD}\n{''.join(rows)}")
    with pytest.raises(InputError, match="bytes for its offset") if asked else nullcontext():
        read_traces([tmp_path / "t"])


@pytest.mark.parametrize(
    ("columns", "row", "volumes"),
    [("vm_id", "7", "7"), ("lun_id", "7", "7"), ("host", "h", "h"), ("other", "7", "one.csv")],
)
def test_the_volume_of_a_csv(columns: str, row: str, volumes: str, tmp_path: Path) -> None:
    """By its usual names; without it a host, or a file, is one volume, and that is noted."""
    (tmp_path / "one.csv").write_text(f"time,{columns},offset,size,op\n1,{row},0,512,R\n")
    found = read_traces([tmp_path / "one.csv"])
    assert (found.volumes, bool(found.remarks)) == ((volumes,), row == "h" or columns == "other")


def test_discards_and_flushes_are_counted(tmp_path: Path) -> None:
    """As lines of another kind, which are not damage."""
    rows = [f"{n},a,0,4096,{op}\n" for n, op in enumerate(["R", "W", "D", "DISCARD", "Flush", "trim", "FF"])]
    (tmp_path / "t").write_text(f"{HEAD}\n{''.join(rows * 10)}")
    with pytest.raises(InputError, match="10 lines left out: not a value of op"):
        read_traces([tmp_path / "t"])
    (tmp_path / "t").write_text(f"{HEAD}\n{''.join(rows[:-1])}")
    found = read_traces([tmp_path / "t"])
    assert (len(found.requests), found.dropped.counts()) == (2, {"of another kind": 4})
    with pytest.raises(InputError, match="--strict"):
        read_traces([tmp_path / "t"], Options(strict=True))


def test_an_operation_of_reads_that_is_given(tmp_path: Path) -> None:
    """All others are writes, if there is one."""
    (tmp_path / "t").write_text(f"{HEAD}\n1,a,0,512,0\n2,a,0,512,1\n")
    assert [each.read for each in read_traces([tmp_path / "t"], read="1").requests] == [False, True]
    with pytest.raises(InputError, match="which operation is a read; found 0, 1; allowed: words"):
        read_traces([tmp_path / "t"], read="2")
    (tmp_path / "u").write_text(f"{HEAD}\n5,b,0,512,0\n")
    assert [each.read for each in read_traces([tmp_path / "t", tmp_path / "u"], read="1").requests][2:] == [
        False
    ]


def test_whole_milliseconds_of_disksim(tmp_path: Path) -> None:
    """Are read where the layout is named."""
    (tmp_path / "t").write_text("0 0 16 8 1\n7 0 16 8 0\n")
    assert read_traces([tmp_path / "t"], Options(layout="disksim")).duration_s == pytest.approx(0.007)


def test_fiu_without_its_last_columns(tmp_path: Path) -> None:
    """The file is the volume."""
    (tmp_path / "homes").write_text("89966 4253 nfsd 16 8 W\n")
    (request,) = read_traces([tmp_path / "homes"]).requests
    assert request[1:] == ("homes", 8192, 4096, False)


def test_times_that_go_back_are_noted(tmp_path: Path) -> None:
    """Of one volume, as of two recordings in one file; volumes one behind the other are not."""
    rows = [f"{time},{volume},0,4096,R\n" for volume in "ab" for time in range(10)]
    (tmp_path / "t").write_text(f"{HEAD}\n{''.join(rows)}")
    assert read_traces([tmp_path / "t"]).remarks == ()
    (tmp_path / "t").write_text(f"{HEAD}\n{''.join(rows).replace('b', 'a')}")
    (remark,) = read_traces([tmp_path / "t"]).remarks
    assert remark.endswith("t: times of a volume go back by up to 9 s: sorted by time")
    for back_s, noted in ((1, False), (2, True)):  # of a hundred seconds
        times = [*range(51), 50 - back_s, *range(51, 101)]
        (tmp_path / "t").write_text(HEAD + "".join(f"\n{time},a,0,4096,R" for time in times))
        assert bool(read_traces([tmp_path / "t"]).remarks) == noted
