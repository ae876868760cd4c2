"""Rows of tables: columns, times, states, and lines that are no rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.trace.importers.call_rows import BadRow, Columns, Row, parse_mapping, read_rows
from froude.trace.types import Status


def rows(path: Path, text: str | bytes, *mapping: str, unit_ns: int = 10**9) -> list[Row | BadRow]:
    """The rows of a table of this text."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_rows(path, Columns(), mapping=parse_mapping(list(mapping)), unit_ns=unit_ns))


def row(path: Path, text: str, *mapping: str, unit_ns: int = 10**9) -> Row:
    """The only row."""
    (only,) = rows(path, text, *mapping, unit_ns=unit_ns)
    assert isinstance(only, Row), only
    return only


def test_the_form_of_the_papers_table(tmp_path: Path) -> None:
    """Table I, as a CSV: its columns' names and its form of arguments."""
    text = (
        "time_stamp;sender_id;RPC;REQ;RESP\n"
        '19:04:01.8;11394:74;mkdirs;"{src: ""/in/_temp/1"", masked.perm: 493, createParent: true}";{result: true}\n'
    )
    made = row(tmp_path / "t.csv", text)
    assert made.start_ns == 68_641_800_000_000
    assert (made.sender, made.protocol, made.method) == ("11394:74", "", "mkdirs")
    assert made.request == {"src": "/in/_temp/1", "masked": {"perm": "493"}, "createParent": "true"}
    assert made.response == {"result": "true"}


def test_json_lines(tmp_path: Path) -> None:
    """Nested, with positional arguments, a single value as answer, and a column that comes later."""
    lines = [
        {"time": 0.5, "sender": "a", "method": "kv.Store/put", "request": {"key": "k", "tags": ["x"]}},
        {"time": 1, "sender": 7, "method": "put", "protocol": "kv.Store", "request": ["k", 3], "response": 9},
    ]
    one, two = rows(tmp_path / "t.jsonl", "\n\n".join(map(json.dumps, lines)))
    assert isinstance(one, Row)
    assert isinstance(two, Row)
    assert (one.protocol, one.method, one.request) == ("kv.Store", "put", {"key": "k", "tags": ["x"]})
    assert (one.response, one.sender, two.sender, two.start_ns) == (None, "a", "7", 10**9)
    assert (two.protocol, two.request, two.response) == ("kv.Store", {"arg0": "k", "arg1": 3}, {"value": 9})


def test_columns_of_arguments(tmp_path: Path) -> None:
    """Dots nest; an empty cell is a field that is not set; a column may be named by hand."""
    text = "ts,client,method,request.path,request.at.host,path2,response.id,odd\n1,a,get,/x,n1,,5,?\n"
    made = row(tmp_path / "t.csv", text, "request.other=path2", "sender=client")
    assert made.request == {"path": "/x", "at": {"host": "n1"}}
    assert made.response == {"id": "5"}
    columns = Columns()
    list(read_rows(tmp_path / "t.csv", columns, mapping={}, unit_ns=1))
    assert list(columns.unused) == ["path2", "odd"]
    assert columns.has_response
    assert not columns.has_duration


@pytest.mark.parametrize(
    ("time", "unit_ns", "start_ns"),
    [
        ("1.25", 10**9, 1_250_000_000),
        ("1763978400123", 10**6, 1_763_978_400_123_000_000),
        ("1763978400.123456", 10**9, 1_763_978_400_123_456_000),
        ("-3", 10**9, -3_000_000_000),
        ("1e3", 10**6, 1_000_000_000),
        ("2025-11-24T10:00:00.25Z", 1, 1_763_978_400_250_000_000),
        ("2025-11-24 11:00:00,250+01:00", 1, 1_763_978_400_250_000_000),
        ("2025-11-24T10:00:00", 1, 1_763_978_400_000_000_000),
        ("00:00:01.5", 1, 1_500_000_000),
    ],
)
def test_times(tmp_path: Path, time: str, unit_ns: int, start_ns: int) -> None:
    """Numbers are in the unit given; dates without a zone are UTC."""
    made = row(tmp_path / "t.csv", f'time,sender,method\n"{time}",a,b\n', unit_ns=unit_ns)
    assert made.start_ns == start_ns


def test_durations(tmp_path: Path) -> None:
    """Given, or the end less the beginning; none for a call without an answer."""
    text = "time,sender,method,duration,end,status\n1,a,b,0.5,,\n1,a,b,,1.25,ok\n1,a,b,2,,timeout\n1,a,b,,,\n"
    made = rows(tmp_path / "t.csv", text)
    assert [each.duration_ns for each in made if isinstance(each, Row)] == [
        500_000_000,
        250_000_000,
        None,
        None,
    ]


def test_how_calls_ended(tmp_path: Path) -> None:
    """By the status, or by an error's name; only a call that succeeded has an answer."""
    text = (
        "time,sender,method,status,error,error_message,response.x\n"
        "1,a,b,OK,,,1\n1,a,b,,NoSuchKey,not there,1\n1,a,b,failed,,,\n1,a,b,lost,,,1\n1,a,b,fatal,E,m,\n"
    )
    made = [each for each in rows(tmp_path / "t.csv", text) if isinstance(each, Row)]
    wanted = [Status.SUCCESS, Status.ERROR, Status.ERROR, Status.UNANSWERED, Status.FATAL]
    assert [each.status for each in made] == wanted
    assert [each.response for each in made] == [{"x": "1"}, None, None, None, None]
    assert (made[1].error, made[1].error_message) == ("NoSuchKey", "not there")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x,a,b,", r"time: is no time; found a \("),
        (",a,b,", "time: is empty"),
        ("1,,b,", "sender: "),
        ("1,a,.,", "no method's name"),
        ("1,a,b,maybe", "no status; found aaaaa"),
        ("99999999999999,a,b,", "--time-unit ms"),
        ("2026-13-01T00:00:00,a,b,", "is no time"),
        ("NaN,a,b,", "time: "),
        ("1,a", "another number of cells; found 2 cells; allowed: 4"),
        ('1,"a"b,c,', "no line of a CSV"),
        ("1,a,b,,", "found 5 cells"),
    ],
)
def test_a_line_that_is_no_call_comes_out_with_its_number(tmp_path: Path, line: str, message: str) -> None:
    """And the lines after it are read."""
    one, bad, two = rows(tmp_path / "t.csv", f"time,sender,method,status\n1,a,b,\n{line}\n2,a,b,\n")
    assert isinstance(one, Row)
    assert isinstance(two, Row)
    assert isinstance(bad, BadRow)
    assert bad.line == 3
    with pytest.raises(InputError, match=message):
        raise bad.error


@pytest.mark.parametrize("line", ["[1]", "{", '{"time": 1, "sender": {"a": 1}, "method": "b"}', "7"])
def test_so_does_a_line_that_is_no_object(tmp_path: Path, line: str) -> None:
    """In JSON lines."""
    good = '{"time": 1, "sender": "a", "method": "b"}'
    one, bad, two = rows(tmp_path / "t.jsonl", f"{good}\n{line}\n{good}\n")
    assert isinstance(one, Row)
    assert isinstance(two, Row)
    assert isinstance(bad, BadRow)
    assert bad.line == 2


@pytest.mark.parametrize(
    ("text", "mapping", "message"),
    [
        ("", [], "holds no calls; found nothing"),
        ("\n\n", [], r"t\.csv: "),
        ("a,b\n1,2\n", [], "no column for the time; found a, b; allowed: a column named time or timestamp"),
        ("time,method\n1,2\n", [], "--column sender=NAME"),
        ("time,ts,sender,method\n", [], "two columns for the time; found time and ts"),
        ("time,sender,method,x,x\n", [], "two columns of one name"),
        ("time,sender,method\n", ["user=who"], "no such column; found who; allowed: time, sender, method"),
        ('"time,sender', [], "no header"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_clear_error(
    tmp_path: Path, text: str, mapping: list[str], message: str
) -> None:
    """Which says what is missing, and what is allowed."""
    with pytest.raises(InputError, match=message):
        rows(tmp_path / "t.csv", text, *mapping)


@pytest.mark.parametrize("text", ["x=y", "time", "time=", "request=", "time=a=", "request..x=y"])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    """With what a column can say."""
    if text == "time=a=":
        assert parse_mapping([text]) == {"a=": "time"}
        return
    with pytest.raises(InputError, match="is no column's meaning"):
        parse_mapping([text])
    with pytest.raises(InputError, match="given twice"):
        parse_mapping(["time=a", "time=b"])


def test_gzip_and_a_mark_of_byte_order(tmp_path: Path) -> None:
    """As spreadsheets and log collectors write them."""
    text = gzip.compress(b"\xef\xbb\xbftime\tsender\tmethod\r\n1\ta\tb\r\n")
    (made,) = rows(tmp_path / "t.tsv.gz", text)
    assert isinstance(made, Row)
    assert made.method == "b"


_PIECES = st.sampled_from(
    [
        "time,sender,method,request\n",
        "1,a,b,c\n",
        '"',
        ",",
        "{",
        "}",
        '{"time": 1, "sender": 2, "method": "x"}',
        "\n",
    ]
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_PIECES | st.text(max_size=4), max_size=12).map("".join) | st.binary(max_size=60))
def test_anything_gives_rows_bad_rows_or_one_error(tmp_path: Path, text: str | bytes) -> None:
    """Never another exception."""
    try:
        rows(tmp_path / "t", text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    except InputError as error:
        assert str(error)


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    """A bad line each, since two different ones would become equal; a header, or UTF-16 without a mark, is an error."""
    head = b"time,sender,method\n"
    good, bad, last = rows(tmp_path / "t.csv", head + b"1,a,b\n2,\xff,b\n3,a,b\n")
    assert isinstance(bad, BadRow)
    assert (bad.line, bad.error.message) == (3, "is no UTF-8")
    assert isinstance(good, Row)
    assert isinstance(last, Row)
    line = b'{"time": 1, "sender": "a", "method": "b"}\n'
    assert isinstance(rows(tmp_path / "t.jsonl", line + line.replace(b"a", b"\xfe"))[1], BadRow)
    with pytest.raises(InputError, match="header that is no UTF-8"):
        rows(tmp_path / "t.csv", b"time,sender,method,\xe4\n1,a,b,c\n")
    for encoding in ("utf-16-le", "utf-32"):
        with pytest.raises(InputError, match="not UTF-8; found UTF-16"):
            rows(tmp_path / "t.csv", head.decode().encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_table_of_a_spreadsheet(encoding: str, tmp_path: Path) -> None:
    """Names of columns with blanks between their words, the separator in the first line, and Unicode of 16 bits."""
    text = "sep=;\n\nStart Time;Client-ID;RPC\n1;a;b\n2;;b\n"
    good, bad = rows(tmp_path / "t.csv", text.encode(encoding))
    assert isinstance(good, Row)
    assert isinstance(bad, BadRow)
    assert (good.line, good.sender, bad.line) == (4, "a", 5)


def test_a_list_of_objects(tmp_path: Path) -> None:
    """Is refused with what to do."""
    with pytest.raises(InputError, match=r"is a JSON list; .*Write an object on each line"):
        rows(tmp_path / "t.json", b'[{"time": 1, "sender": "a", "method": "b"}]')
