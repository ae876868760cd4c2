"""How the form of a table is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.columns import Column, Kind
from froude.base.errors import InputError
from froude.base.forms import BLANKS, Form, Options, find_reading

PATH = Path("t.csv")
TIMES = Form("times", (Column("time", ("Time", "ts"), Kind.TIME), Column("load", ("Load",), Kind.NUMBER)))
PAIR = Form(
    "pair", (Column("a", kind=Kind.NUMBER), Column("b", pattern="[xy]")), order=("a", "b"), header=False
)
EVENTS = Form(
    "events", (Column("a", kind=Kind.INTEGER),), pattern=r"(?P<a>\d+) done", ignored=r"\d+ begun|total .*"
)


@pytest.mark.parametrize(
    ("sample", "separator", "skipped", "decimal"),
    [
        (["ts,load", "1,2"], ",", 1, "."),
        (["ts;load", "1;2,5"], ";", 1, ","),
        (["ts;load", "0,5;2"], ";", 1, ","),
        (["ts\tload", "1\t2"], "\t", 1, "."),
        (["sep=|", "ts|load", "1|2"], "|", 2, "."),
        (["", "# by hand", "#ts,load", "1,2"], ",", 3, "."),
        (["sep=\t", "ts\tload", "1\t2"], "\t", 2, "."),
        (["Report: load, all", "", "of May;", "ts;load", "1;2"], ";", 4, "."),
        (["Exported by x", '"TIME [UTC]","Load (%)"', '1,"2,5"'], ",", 2, ","),
        (["ts;load", "1;2,5 %"], ";", 1, ","),
        (["ts,load,remark", '1,2,"a; b"'], ",", 1, "."),
        (["ts|load|x, y", "1|2|3"], "|", 1, "."),
        (["ts;load", "1;0,123"], ";", 1, ","),
    ],
)
def test_how_a_table_is_written(sample: list[str], separator: str, skipped: int, decimal: str) -> None:
    """Separator, lines before the first row, decimal character."""
    found = find_reading(PATH, sample, [PAIR, TIMES], Options())
    assert (found.form, found.separator, found.skipped, found.style.decimal) == (
        TIMES,
        separator,
        skipped,
        decimal,
    )


def test_what_was_understood_is_one_line() -> None:
    """Names of columns where there are some, else their positions."""
    named = find_reading(PATH, ["Load  Time", "1   2"], [TIMES], Options(separator=BLANKS))
    assert named.understood == "times (time in 'Time', load in 'Load'; blanks)"
    assert (
        find_reading(PATH, ["1;x"], [PAIR], Options()).understood
        == "pair (a in column 0, b in column 1; semicolon)"
    )


def test_a_title_is_stated_and_is_not_data() -> None:
    """Rows without a header are not taken for a title of a header that follows."""
    found = find_reading(PATH, ["Report", "ts,load", "1,5", "2,6"], [PAIR, TIMES], Options())
    assert found.understood == "times (time in 'ts', load in 'load'; comma, header in line 2)"
    assert find_reading(PATH, ["1,x", "a,b", "1,y"] + ["2,x"] * 9, [PAIR], Options()).names == ()


def test_comments_above_rows_without_a_header() -> None:
    """Also those that have as many words each."""
    assert find_reading(PATH, ["# by hand", "# of May", "1,x"], [PAIR], Options()).skipped == 2


def test_rows_above_a_header_are_data() -> None:
    """As in files that were put together, where a header may come later."""
    both = Form("both", PAIR.columns, order=PAIR.order)
    found = find_reading(PATH, ["1,x"] * 3 + ["a,b"] + ["2,y"] * 30, [both], Options())
    assert (found.names, found.skipped) == ((), 0)


def test_columns_that_a_person_names_are_taken_first() -> None:
    """Of two with the usual names the other one does not matter then."""
    options = Options(columns={"time": "time"})
    assert find_reading(PATH, ["ts,time,load", "1,2,3"], [PAIR, TIMES], options).at == (1, 2)
    options = Options(columns={"time": "0", "load": "2"})
    assert find_reading(PATH, ["By x", "when,n,how much", "1,2,3"], [TIMES], options).skipped == 2
    assert find_reading(PATH, ["By x", "1,2,3", "1,2,3"], [TIMES], options).skipped == 1


def test_a_form_of_lines_needs_half_of_them() -> None:
    """The others are left out when the file is read; of two such forms the one that fits more is taken."""
    assert find_reading(PATH, ["1 begun", "1 done", "odd"], [EVENTS, TIMES], Options()).form is EVENTS
    assert find_reading(PATH, ["1 begun", "2 begun"], [EVENTS, TIMES], Options()).form is EVENTS
    wider = Form("wider", EVENTS.columns, pattern=r"(?P<a>\d+) .*")
    assert find_reading(PATH, ["1 done", "1 gone"], [EVENTS, wider], Options()).form is wider
    with pytest.raises(InputError, match="is not of a known layout"):
        find_reading(PATH, ["odd", "more odd", "1 done"], [EVENTS, TIMES], Options())


@pytest.mark.parametrize(
    ("sample", "options", "message"),
    [
        (["1,z"], Options(layout="pair"), "column 1 is not the b; found z"),
        (["x,1"], Options(layout="pair"), "column 0 is not the a; found x"),
        (["1,x"] * 8 + ["1,z"] * 2, Options(layout="pair"), "column 1 is not the b; found z"),
        (["1"], Options(layout="pair"), "is not of layout pair; found 1 columns"),
        (["1,x,2"], Options(), "is not of a known layout"),
        (["1;2;3"], Options(layout="times"), "has no column time"),
        (["ts;load", "1;1,234"], Options(), "decimal commas or commas of thousands"),
        (["ts,load", "1,2"], Options(columns={"load": "5"}), "has no such column; found 5"),
        (["ts,a,A", "1,2,3"], Options(columns={"load": "_a"}), "has several such columns"),
        (["ts,time,load", "1,2,3"], Options(), "found columns 0, 1.*time=0 .ts. or --column time=1"),
        (["ts,load.%,load", "1,2,3"], Options(), "has several columns load"),
        (["ts,load [W]", "1,2"], Options(), "has no column load"),
        (["ts,load (s)", "1,2"], Options(), "has no column load"),
        (["ts;load", '1;"1,234"'], Options(), "decimal commas or commas of thousands"),
        (
            ["1,x"],
            Options(layout="pair", columns={"time": "0"}),
            "--column: is not a column of layout pair; found time",
        ),
        (["1 done"], Options(layout="events", columns={"a": "0"}), "is not a column of layout events"),
    ],
)
def test_what_is_not_of_the_form(sample: list[str], options: Options, message: str) -> None:
    """The column that does not fit is named."""
    with pytest.raises(InputError, match=message):
        find_reading(PATH, sample, [PAIR, EVENTS, TIMES], options)
