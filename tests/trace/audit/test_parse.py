"""Bytes to columns: lines of the usual shape at once and one by one alike, and nothing that ends in a traceback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.audit.lines import AuditLine, parse_line
from froude.hadoop.audit.text import date_text
from froude.trace.audit.columns import TEXTS
from froude.trace.audit.parse import Form, Parsed, parse_bytes
from testbed.audit_lines import LINE, START_S, any_line, calls, written

_BEHIND = "\tcallerContext=CLI,clientIp:10.0.0.9,clientPort:40001"


def lines_of(parsed: Parsed) -> list[AuditLine]:
    """The lines that were read."""
    columns = [parsed.texts.column(name).to_pylist() for name in TEXTS]
    times = (parsed.times / 1e6).tolist()
    return [AuditLine(time, *row) for time, row in zip(times, zip(*columns, strict=True), strict=True)]


def read(*texts: str | bytes, form: Form | None = None) -> Parsed:
    """What some lines give."""
    data = b"".join(text.encode() if isinstance(text, str) else text for text in texts)
    return parse_bytes(data, form or Form())


@given(st.lists(any_line(), max_size=12))
def test_every_line_comes_back(lines: Sequence[AuditLine]) -> None:
    """Times, users, options, spaces, TABs, line breaks and letters of all scripts, lines with and without a key."""
    parsed = read(*map(written, lines))
    assert lines_of(parsed) == lines
    assert (parsed.bad, parsed.lines) == ([], len(lines))


@given(st.lists(any_line(), min_size=1, max_size=8), st.data())
def test_at_once_as_one_by_one(lines: Sequence[AuditLine], data: st.DataObject) -> None:
    """The grammar reads the same out of every line, with a part of it taken out or something put in, or refuses it."""
    texts = []
    for line in lines:
        text = written(line).rstrip("\n")
        at = data.draw(st.integers(0, len(text)))
        put = data.draw(
            st.sampled_from(["", "x", " ", "\t", "=", "\u00e4", "\tx=1", "\tsrc=/y", "ugi=", "\\", _BEHIND])
        )
        text = text[:at] + put + text[at + data.draw(st.integers(0, 3)) :]
        texts.append(text.replace("\n", " ").replace("\r", " "))
    parsed = read(*(f"{text}\n" for text in texts))
    expected = []
    for text in texts:
        try:
            line = parse_line(text)
        except InputError:
            continue
        if line.time_s is not None and -6.2e10 < line.time_s < 2.53e11:
            expected.append(replace(line, time_s=pytest.approx(line.time_s, abs=1e-5)))
    assert lines_of(parsed) == expected
    assert len(expected) + len(parsed.bad) == sum(bool(text.strip()) for text in texts)


@given(st.binary(max_size=400), st.sampled_from(["direct", "hive", "pattern"]))
def test_any_bytes_are_read_or_counted(data: bytes, name: str) -> None:
    """Never a traceback, in any form."""
    form = Form(name, pattern=r"(?P<timestamp>[^|]*)\|(?P<message>.*)" if name == "pattern" else "")
    parsed = parse_bytes(data, form)
    assert parsed.texts.num_rows + len(parsed.bad) <= parsed.lines
    assert parsed.texts.num_rows == len(parsed.times) == len(parsed.known)


def test_lines_of_a_real_shape_are_read_as_columns() -> None:
    """Both releases' layouts in one log, in their order; Windows' line ends; an empty line; no last line feed."""
    old = "2020-11-29 10:44:07,035 INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit: "
    old += "allowed=true\tugi=hbase (auth:SIMPLE)\tip=/x.x.x.x\tcmd=open\tsrc=/a\tdst=null\tperm=null"
    parsed = read(written(LINE).replace("\n", "\r\n"), old + "\n", "\n", written(LINE).rstrip("\n"))
    first, second, third = lines_of(parsed)
    assert first == third == LINE
    assert (second.time_s, second.user, second.proto, second.ip) == (1606646647.035, "hbase", None, "x.x.x.x")
    assert (parsed.lines, parsed.bad) == (4, [])
    assert isinstance(parsed.texts.column("user").type, pa.DictionaryType)


def test_bad_lines_say_where_they_are() -> None:
    """By their number, and what is wrong; the others are read."""
    parsed = read(written(LINE), "something else\n", "allowed=true\tugi=a\tcmd=open\n", written(LINE))
    assert len(lines_of(parsed)) == 2
    assert parsed.bad == [
        (1, "not an audit line", "something else"),
        (2, "has no date", "allowed=true\tugi=a\tcmd=open"),
    ]


@pytest.mark.parametrize(
    "date", ["2026-02-30 00:00:00,000", "2026-13-01 00:00:00,000", "2026-01-01 24:00:00,000"]
)
def test_dates_that_are_none(date: str) -> None:
    """Are no date to either way of reading."""
    parsed = read(written(LINE).replace(date_text(START_S), date))
    assert (parsed.texts.num_rows, len(parsed.bad)) == (0, 1)


def test_dates_with_a_zone_of_their_own_are_moments() -> None:
    """Others are on the NameNode's clock."""
    parsed = read(
        written(LINE),
        *(written(LINE).replace(",218 ", f",218{zone} ") for zone in ("Z", "+0130", " -02:00")),
    )
    hours = (parsed.times - round(START_S * 1e6)) / 3.6e9
    assert hours.tolist() == [0, 0, -1.5, 2]
    assert parsed.known.tolist() == [False, True, True, True]


def test_a_path_of_hadoop_2_is_not_escaped() -> None:
    """A backslash is one; a TAB within a path stays in it."""
    text = written(LINE).replace("src=/a b/x=1", "src=/a\\tb\tc=d")
    assert lines_of(read(text, form=Form(escaped=False)))[0].src == "/a\\tb\tc=d"
    assert lines_of(read(text))[0].src == "/a\tb\tc=d"


def test_bytes_that_are_no_utf_8() -> None:
    """Are shown as such, and spoil nothing else."""
    parsed = read(written(LINE).encode().replace(b"/c\t", b"/\xff\xfe\t"), written(LINE))
    assert [line.dst for line in lines_of(parsed)] == ["/\ufffd\ufffd", "/c"]


def test_dynamometers_hive_form() -> None:
    r"""`relativeMs, ugi, command, src, dst, ip`, with \x01 between; empty values are none."""
    texts = [
        "10\x01hdfs\x01create\x01/tmp/test1\x01 \x010.0.0.0\x01\n",
        "30\x01h/x@R (auth:TOKEN)\x01rename (options=[NONE])\x01/a\x01/b\x010.0.0.0\x01\n",
        "x\x01hdfs\x01create\x01/tmp/test1\x01 \x010.0.0.0\x01\n",
        "10\x01hdfs\n",
    ]
    parsed = read(*texts, form=Form("hive", start_us=1_000_000))
    first, second = lines_of(parsed)
    assert parsed.times.tolist() == [1_010_000, 1_030_000]
    assert (first.user, first.command, first.src, first.dst, first.ip) == (
        "hdfs",
        "create",
        "/tmp/test1",
        None,
        "0.0.0.0",
    )
    assert (second.auth, second.options, second.dst) == ("TOKEN", "options=[NONE]", "/b")
    assert [row for row, *_ in parsed.bad] == [2, 3]
    assert parsed.known.all()


def test_a_pattern_of_the_sites_own() -> None:
    """Its groups give date and message."""
    message = written(LINE).split(": ", 1)[1].rstrip("\n")
    form = Form(
        "pattern",
        pattern=r"^(?:\[[^]]*\] )?<(?P<timestamp>[^>]*)> (?P<message>allowed=.*)$",
        date_format="dd/MMM/yyyy:HH:mm:ss Z",
    )
    parsed = read(
        f"[x] <20/Nov/2026:10:43:54 +0100> {message}\n", f"<20/Nov/2026> {message}\n", "-\n", form=form
    )
    assert lines_of(parsed) == [replace(LINE, time_s=1795167834.0)]
    assert [row for row, *_ in parsed.bad] == [1, 2]


@pytest.mark.parametrize(
    ("pattern", "date", "wrong"),
    [
        ("(", "yyyy", "is no regular expression"),
        ("(?P<message>.*)", "yyyy", "lacks a group"),
        ("(?P<timestamp>x)(?P<message>.*)", "yyyy-QQ", "has QQ"),
    ],
)
def test_forms_that_can_read_nothing(pattern: str, date: str, wrong: str) -> None:
    """Are refused before anything is read."""
    with pytest.raises(InputError, match=wrong):
        Form("pattern", pattern=pattern, date_format=date)


def test_many_lines() -> None:
    """Of several seconds and shapes, each second looked at once."""
    lines = calls(3000, step_s=0.064)
    parsed = read(*map(written, lines))
    assert lines_of(parsed) == [replace(line, time_s=round(line.time_s or 0, 3)) for line in lines]
    assert not np.any(parsed.known)
