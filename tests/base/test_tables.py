"""Tables of others."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base import tables
from froude.base.columns import Column, Kind, Style
from froude.base.errors import InputError
from froude.base.forms import BLANKS, Form, Options
from froude.base.tables import parts_of, read_table

COLUMNS = (
    Column("name", ("Name", "id")),
    Column("load", ("Load",), Kind.NUMBER),
    Column("n", ("N",), Kind.INTEGER),
)
PLAIN = Form("plain", COLUMNS)
ORDERED = Form("ordered", COLUMNS, order=("n", "name", "", "load"), header=False)
LINES = Form("lines", COLUMNS, pattern=r"(?P<name>\w+) (?P<load>[0-9.]+) of (?P<n>\d+)", ignored="--.*")
OBJECTS = Form("objects", (Column("name", ("a.name",)), Column("n", ("n",), Kind.INTEGER)), lines=True)
FORMS = (ORDERED, LINES, OBJECTS, PLAIN)


def written(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    """A file with this text."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("plain", "Name,Load,N\na,1.5,2\nb,2.5,3\n"),
        ("plain", "N;other;load;ID\n2;x;1,5;a\n3;y;2,5;b\n"),
        ("plain", '"id"\t"load"\t"n"\n"a"\t"1.5"\t"2"\n"b"\t"2.5"\t"3"\n'),
        ("plain", "\ufeff name , load,n\r\n a , 1.5 ,2\r\n b,2.5,3\r\n"),
        ("plain", "name,load,n\ra,1.5,2\rb,2.5,3"),
        ("plain", 'name, load, n\n"a", "1.5", 2\n"b", 2.5, "3"\n'),
        ("plain", "name|load|n\na|1.5|2\n\n|\nb|2.5|3\n"),
        ("ordered", "2,a,x,1.5\n3,b,y,2.5\n"),
        ("lines", "-- of May\na 1.5 of 2\n\nb 2.5 of 3\n"),
    ],
)
def test_a_form_is_found_by_its_header_or_by_its_rows(form: str, text: str, tmp_path: Path) -> None:
    """Separators, quotes, decimal commas, line ends, blanks and the order of the columns do not matter."""
    found = read_table(written(tmp_path, text), FORMS)
    assert found.form.name == form
    assert found.columns["name"].to_pylist() == ["a", "b"]
    assert found.columns["load"].tolist() == [1.5, 2.5]
    assert found.columns["n"].tolist() == [2, 3]
    assert found.dropped.total == 0


@pytest.mark.parametrize("again", ["{}", "# {}", "#{}", "\ufeff{}", "a,LINUX-RESTART\n# {}"])
def test_a_header_that_comes_again(again: str, tmp_path: Path) -> None:
    """As two files in one have it: it is left out, counted, and is not damage; a name in one cell is."""
    head = "Name,Load,N"
    text = f"{head}\n" + "a,1.5,2\n" * 29 + again.format(head) + "\nb,2.5,3\n" + again.format(head.upper())
    found = read_table(written(tmp_path, text), [PLAIN])
    assert (len(found), found.dropped.counts()["of another kind"]) == (30, 2)
    with pytest.raises(InputError, match="another header below; found Name, Load, K"):
        read_table(written(tmp_path, text + "\nName,Load,K"), [PLAIN])
    found = read_table(written(tmp_path, f"{head}\n" + "a,1.5,2\n" * 29 + "a,Load,2\n"), [PLAIN])
    assert found.dropped.counts() == {"load is not a number": 1}


def test_objects_on_lines(tmp_path: Path) -> None:
    """Fields are named by their paths; numbers may be texts, as exports of databases have them."""
    text = '{"n": 1, "a": {"name": "x"}, "z": [1]}\n\n{"n": "2", "a": {"name": "y"}}\n'
    found = read_table(written(tmp_path, text), FORMS)
    assert (found.form.name, found.columns["name"].to_pylist()) == ("objects", ["x", "y"])
    assert (found.columns["n"].tolist(), found.lines.tolist()) == ([1, 2], [1, 3])


def test_fields_that_not_all_objects_have(tmp_path: Path) -> None:
    """The first may lack one; a list is not a value."""
    text = '{"n": 1}\n' + '{"n": 2, "a": {"name": "y"}}\n' * 30 + '{"n": 3, "a": {"name": ["z"]}}\n'
    found = read_table(written(tmp_path, text), FORMS)
    assert (len(found), found.columns["name"].to_pylist()[0]) == (30, "y")
    assert set(found.dropped.counts()) == {"no name", "a list where a value is wanted"}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_files_and_spreadsheets(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """UTF-16 is what spreadsheets write as Unicode text."""
    text = "name\tload\tn\nä\t1.5\t2\n"
    for data in (pack(text.encode()), text.encode("utf-16"), pack(text.encode("utf-16"))):
        assert read_table(written(tmp_path, data), FORMS).columns["name"].to_pylist() == ["ä"]


def test_text_that_is_not_utf_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is of Windows-1252, line by line; two names do not become one, in any block, and it is stated."""
    lines = [
        b"name,load,n",
        *[b"a,1,1"] * 9,
        "ä,1,1".encode(),
        b"\xe4,1,1",
        b"\xf6,1,1",
        b"\x81,1,1",
        b"a,1,1",
    ]
    path = written(tmp_path, b"\n".join(lines))
    for length in (7, 1 << 20):
        monkeypatch.setattr(tables, "_BLOCK_BYTES", length)
        found = read_table(path, [PLAIN])
        assert found.columns["name"].to_pylist()[8:] == ["a", "ä", "ä", "ö", "\x81", "a"]
        assert found.understood.endswith(", text of Windows-1252")


def test_times_that_are_hardly_seconds_are_asked_about(tmp_path: Path) -> None:
    """By the first block; a person may say that they are seconds."""
    path = written(tmp_path, "time\n46023.5\n46023.75\n")
    times = Form("times", (Column("time", kind=Kind.TIME),))
    with pytest.raises(
        InputError, match=r"may not have seconds in its time; found 46023\.5.*--date-format 'excel'"
    ):
        read_table(path, [times])
    found = read_table(path, [times], Options(style=Style(dates="s")))
    assert found.columns["time"].tolist() == [46023.5, 46023.75]
    pq.write_table(pa.table({"time": [20260101, 20260102]}), path)
    with pytest.raises(InputError, match="--date-format '%Y%m%d'; s"):
        read_table(path, [times])


def test_columns_of_parquet_that_a_person_names(tmp_path: Path) -> None:
    """It is of the plain form then, as a table of text is."""
    pq.write_table(pa.table({"who": ["a"], "l": [1.0], "n": [2]}), tmp_path / "t")
    options = Options(columns={"name": "who", "load": "l", "n": "n"})
    assert read_table(tmp_path / "t", [Form("other", COLUMNS), PLAIN], options).form is PLAIN


def test_percent_signs_of_cells(tmp_path: Path) -> None:
    """A column has them or not, which is known from the first lines."""
    text = "name;load;n\n" + "a;12,5 %;1\n" * 30 + "a;0,5;1\na;7%;2%\n"
    found = read_table(written(tmp_path, text), [PLAIN])
    assert (found.percent, set(found.columns["load"].tolist()), len(found)) == ({"load"}, {12.5}, 30)
    text = "name;load;n\n" + "a;0,5;1\n" * 30 + "a;7%;2\n"
    found = read_table(written(tmp_path, text), [PLAIN])
    assert (found.percent, set(found.columns["load"].tolist()), len(found)) == (set(), {0.5}, 30)


def test_a_row_with_two_faults_is_left_out_once(tmp_path: Path) -> None:
    """By the first of them."""
    found = read_table(written(tmp_path, "name,load,n\n" + "a,1,1\n" * 30 + ",much,1\n,1,1\n"), [PLAIN])
    assert found.dropped.counts() == {"no name": 2}


@pytest.mark.parametrize(
    "text",
    ["name,load,n\na,1,2,\nb,3,4,\n", "name,load,n,\na,1,2\nb,3,4\n", "name,load,n,\na,1,2,\nb,3,4,\n"],
)
def test_a_separator_at_the_end_of_lines(text: str, tmp_path: Path) -> None:
    """Of the header, of the rows, or of both; a value without a title is another column."""
    assert read_table(written(tmp_path, text), [PLAIN]).columns["n"].tolist() == [2, 4]
    with pytest.raises(InputError, match="4 columns instead of 3"):
        read_table(written(tmp_path, "name,load,n\na,1,2,x\nb,3,4,\n"), [PLAIN])


def test_a_cell_in_quotes_may_have_several_lines(tmp_path: Path) -> None:
    """The lines below keep their numbers; a quote that does not end costs its own line alone."""
    text = 'name,load,n\n"a\n\nb",1,2\n' + "c,3,4\n" * 30 + 'd,5",6\ne,7,8\n"f,9,9\n'
    found = read_table(written(tmp_path, text), [PLAIN])
    assert found.columns["name"].to_pylist() == ["a  b", *["c"] * 30, "e"]
    assert found.lines.tolist() == [2, *range(5, 35), 36]
    assert found.dropped.counts() == {"a quote that does not end": 2}


def test_objects_of_an_array(tmp_path: Path) -> None:
    """As tools write a table in JSON; an array of something else is refused."""
    found = read_table(written(tmp_path, '\n[{"n": 1,\n "a": {"name": "x"}}]'), FORMS)
    assert (found.form.name, found.columns["name"].to_pylist()) == ("objects", ["x"])
    for text in ('[{"n": 1}', '[{"n": 1}, 2]'):
        with pytest.raises(InputError, match="not a JSON array of objects"):
            read_table(written(tmp_path, text), FORMS)


@pytest.mark.parametrize("separator", [",", BLANKS])
def test_rows_that_are_left_out_are_counted_by_reason(separator: str, tmp_path: Path) -> None:
    """With the line of the first of each, whatever is before it."""
    good = "".join(f"a{n},1.5,2\n" for n in range(100))
    text = f"name,load,n\n{good}\nb,much,2\nb,1.5\nc,,2\nb,1.5,2.5\nd,1e400,2\n".replace(",", separator)
    if separator == BLANKS:
        text = text.replace("c  2", "c nan 2")
    found = read_table(written(tmp_path, text), [PLAIN], Options(separator=separator))
    assert (len(found), found.dropped.total) == (100, 5)
    places = {note.split(", first at ")[-1].split(":")[1].split(" ")[0] for note in found.dropped.notes()}
    assert places == {"103", "104", "105", "106"}
    assert found.lines.tolist() == list(range(2, 102))
    with pytest.raises(InputError, match="allowed: no such line"):
        read_table(written(tmp_path, text), [PLAIN], Options(separator=separator, strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no line"),
        ("\n \n", "has no line"),
        ("name,load,n\n", "has no row"),
        (
            "name,load\na,1\n",
            "has no column n; found name, load; allowed: N. Name the column: --column n=NAME",
        ),
        ("name,load,n\n" + "a,x,1\n" * 2 + "b,1,1\n", r"in 2 of 3 lines; .*load is not a number.*:2"),
        ("hello\n", "is not of a known layout; found hello; allowed: ordered, lines, objects, plain"),
        ("1,2,3\n", "is not of a known layout"),
        ("x,a,y,1.5\n3,b,y,2.5\n", "is not of a known layout"),
        ("Name,Load,N\n" + "a" * (8 << 20), "has a line too long for a table"),
    ],
)
def test_what_is_not_a_table_of_a_form(text: str, message: str, tmp_path: Path) -> None:
    """One error with what was found, and what to do."""
    with pytest.raises(InputError, match=message) as caught:
        read_table(written(tmp_path, text), FORMS)
    assert str(caught.value.file) == str(tmp_path / "t.csv")


def test_a_quote_that_does_not_end_takes_one_line_alone(tmp_path: Path) -> None:
    """Without this the next quote would end it, and the lines between were lost without a word."""
    rows = [f"a{n},{n}.5,{n}\n" for n in range(40)]
    rows[3] = rows[3].replace("a3", '"a3')
    rows[30] = rows[30].replace("a30", '"a30')
    found = read_table(written(tmp_path, "name,load,n\n" + "".join(rows) + '"a'), [PLAIN])
    assert (len(found), found.dropped.total) == (38, 3)
    assert "a quote that does not end, first at" in found.dropped.notes()[0]
    assert found.lines.tolist() == [n for n in range(2, 42) if n not in {5, 32}]


def test_two_forms_that_fit_are_asked_about(tmp_path: Path) -> None:
    """Without a header both have four columns of these kinds."""
    other = Form(
        "other", (Column("a", kind=Kind.NUMBER), Column("b")), order=("a", "b", "", ""), header=False
    )
    path = written(tmp_path, "2,a,x,1.5\n")
    with pytest.raises(InputError, match=r"several layouts; found 2,a,x,1\.5; allowed: ordered or other"):
        read_table(path, [ORDERED, other])
    assert read_table(path, [ORDERED, other], Options(layout="other")).form is other
    with pytest.raises(InputError, match="is not a layout, did you mean other"):
        read_table(path, [ORDERED, other], Options(layout="othr"))


def test_columns_by_name_or_number(tmp_path: Path) -> None:
    """With a header and without one."""
    named = written(tmp_path, "who,how much,n\na,1.5,2\n")
    assert len(read_table(named, [PLAIN], Options(columns={"name": "who", "load": "how-much"}))) == 1
    with pytest.raises(InputError, match="has no such column, did you mean who"):
        read_table(named, [PLAIN], Options(columns={"name": "whom", "load": "1"}))
    bare = written(tmp_path, "2,1.5,a\n")
    found = read_table(bare, [PLAIN], Options(columns={"name": "2", "load": "1", "n": "0"}))
    assert (found.columns["name"].to_pylist(), found.lines.tolist()) == (["a"], [1])


def test_blocks_are_cut_at_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever their length, rows and the numbers of their lines are the same."""
    text = "name,load,n\n" + "".join(f"a{n},{n}.5,{n}\n" for n in range(50)) + "b,x,1\n"
    path = written(tmp_path, text)
    whole = read_table(path, [PLAIN])
    for length in (1, 7, 64):
        monkeypatch.setattr(tables, "_BLOCK_BYTES", length)
        found = read_table(path, [PLAIN])
        assert found.columns["n"].tolist() == whole.columns["n"].tolist()
        assert found.columns["name"].to_pylist() == whole.columns["name"].to_pylist()
        assert (found.lines.tolist(), found.dropped.notes()) == (whole.lines.tolist(), whole.dropped.notes())


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(categories=["L", "N", "P"], exclude_characters='"'), min_size=1),
            st.floats(-1e12, 1e12),
            st.integers(0, 10**15),
        ),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_what_the_csv_module_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, float, int]], separator: str
) -> None:
    """Names, numbers and whole numbers, with quotes where they are needed."""
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=separator, lineterminator="\n")
    writer.writerows([("name", "load", "n"), *rows])
    path = written(tmp_path_factory.mktemp("t"), sink.getvalue())
    found = read_table(path, [PLAIN], Options(separator=separator, decimal="."))
    assert found.columns["name"].to_pylist() == [name.strip() for name, _, _ in rows]
    assert np.array_equal(found.columns["load"], [load for _, load, _ in rows])
    assert found.columns["n"].tolist() == [n for _, _, n in rows]


def test_a_packed_file_that_is_cut_short(tmp_path: Path) -> None:
    """Its whole lines are read, and the cut is counted; --strict refuses it."""
    text = "name,load,n\n" + "".join(f"a{n},{n * 37 % 101}.5,{n}\n" for n in range(5000))
    path = written(tmp_path, gzip.compress(text.encode())[:-2000], "t.csv.gz")
    found = read_table(path, FORMS)
    assert found.columns["n"].tolist() == list(range(len(found)))
    assert 100 < len(found) < 5000
    assert "cut short" in found.dropped.notes()[0]
    with pytest.raises(InputError, match="cut short"):
        read_table(path, FORMS, Options(strict=True))


def test_folders_of_parts(tmp_path: Path) -> None:
    """In the order of their names and numbers at any depth; hidden files and marks of jobs are not parts."""
    for name in ("b/part-10", "b/part-9", "a.csv", ".x.crc", "_SUCCESS", "b/_temporary/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert parts_of([tmp_path]) == [tmp_path / each for each in ("b/part-9", "b/part-10", "a.csv")]
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="is a folder without files"):
        parts_of([tmp_path / "none"])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Date,Time\n2026-01-31,10:00:30\n", Options()),
        ("Time;Date\n10:00:30;2026/1/31\n", Options()),
        ("date,time\n1/31/2026,10:00:30 AM\n", Options(style=Style(dates="%m/%d/%Y %I:%M:%S %p"))),
        ("day,at\n2026-01-31,10:00:30\n", Options(columns={"time": "day", "clock": "at"})),
        ("2026-01-31,10:00:30\n", Options(columns={"time": "0", "clock": "1"})),
    ],
)
def test_a_date_and_its_time_in_two_columns(text: str, options: Options, tmp_path: Path) -> None:
    """They are one time where the first row has one with them; or a person says so."""
    form = Form("times", (Column("time", ("time", "date"), Kind.TIME),))
    assert read_table(written(tmp_path, text), [form], options).columns["time"].tolist() == [1769853630.0]
    with pytest.raises(InputError, match=r"several columns time.*or both, if they are date and time"):
        read_table(written(tmp_path, "date,time\n31.1.2026,10:00\n"), [form])
