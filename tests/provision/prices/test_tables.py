"""Rows of texts with their lines, from CSV or JSON; what is no table is an error of its file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.provision.prices.tables import Malformed, TableRow, read_table

YAML = "is YAML, not a table"
NO_ROWS = "has no rows"
NO_HEADER = "has no header"
NO_JSON = "is not JSON"


def test_csv() -> None:
    """Texts without white space around them; empty lines are none, lines are those of the file."""
    table = read_table('\ufeffname , price\n a ,1\n\n,\n"b\nc",2\n'.encode(), "t.csv")
    assert (table.file, table.columns) == ("t.csv", ("name", "price"))
    assert table.rows == (
        TableRow(2, {"name": "a", "price": "1"}),
        TableRow(6, {"name": "b\nc", "price": "2"}),
    )


def test_a_spreadsheet_with_semicolons_and_decimal_commas() -> None:
    """Numbers get their points; other texts with commas stay, and what may be thousands is asked about."""
    table = read_table(b"name;od_usd_h;note\nm5.large;0,096;a, b\nm5.xlarge;0,1920;1,5 of it\n", "p.csv")
    assert [row.cells["od_usd_h"] for row in table.rows] == ["0.096", "0.1920"]
    assert [row.cells["note"] for row in table.rows] == ["a, b", "1,5 of it"]
    with pytest.raises(InputError, match="commas of thousands; found 1,096"):
        read_table(b"name;usd_per_month\nm5.large;1,096\n", "p.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_comments_above_a_header(encoding: str) -> None:
    """Are passed over, with blank lines; lines keep their numbers, also in a spreadsheet's text."""
    table = read_table("# prices, of July\n\n#\nname,price\na,1\nb\n".encode(encoding), "t.csv")
    assert (table.columns, table.rows) == (("name", "price"), (TableRow(5, {"name": "a", "price": "1"}),))
    assert table.malformed == (Malformed("t.csv", 6, "has 1 cells where the header has 2"),)
    with pytest.raises(InputError, match=r"t\.csv:2: has no header"):
        read_table("#\n1,2\n3,4\n".encode(encoding), "t.csv")


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("t,p\nx,$0.096\n", 0.096),
        ('t,p\nx,"US$ 1,234.56"\n', 1234.56),
        ("t;p\nx;0,096 USD\n", 0.096),
        ("t;p\nx;1.234,56\ny;0,5\n", 1234.56),
        ("t,p\nx,$0.096000 hourly\n", 0.096),
        ("t,p\nx,0.096 USD per hour\n", 0.096),
        ("t,p\nx,$0.096 / 1 hour\n", 0.096),
        ("t,p\nx,8 vCPUs\n", 8),
    ],
)
def test_dollars_and_thousands(text: str, price: float) -> None:
    """Where the commas can only be those; other currencies are not dollars."""
    assert read_table(text.encode(), "p.csv").rows[0].number("p") == price
    with pytest.raises(ValueError, match="p is not a number of 0 or more"):
        read_table(b"t,p\nx,0.096 \xe2\x82\xac\n", "p.csv").rows[0].number("p")


@pytest.mark.parametrize(
    ("beside", "names", "malformed"),
    [
        ({"regions": ["us-east-1"]}, ["a", "b"], 1),
        ({"more": [{"name": "c"}]}, ["c", "a", "b"], 0),
        ({"more": [{"name": "c"}], "page": {"requests": 1}, "count": 3}, ["c", "a", "b"], 0),
    ],
)
def test_types_by_name_with_a_list(beside: dict[str, object], names: list[str], malformed: int) -> None:
    """No type is lost."""
    text = json.dumps({"m5.a": {"name": "a"}, "m5.b": {"name": "b"}, **beside})
    table = read_table(text.encode(), "p.json")
    assert [row.cells["name"] for row in table.rows] == names
    assert len(table.malformed) == malformed


def test_what_apis_write_around_rows() -> None:
    """The page of an answer, and the lines above AWS' offers."""
    page = {"BillingCurrency": "USD", "Items": [{"name": "a", "price": 1}], "Count": 1}
    assert read_table(json.dumps(page).encode(), "p.json").rows == (TableRow(1, {"name": "a", "price": "1"}),)
    offer = (
        '"FormatVersion","v1.0"\n"Publication Date","2026-03-14"\n"Instance Type","vCPU"\n"m5.large","2"\n'
    )
    assert read_table(offer.encode(), "p.csv").rows == (
        TableRow(4, {"Instance Type": "m5.large", "vCPU": "2"}),
    )


def test_a_table_without_a_header() -> None:
    """Is not taken for one of no known layout."""
    with pytest.raises(InputError, match="has no header; found m5"):
        read_table(b"m5.large,0.096,2\nm5.xlarge,0.192,4\n", "p.csv")


def test_a_row_of_another_length_is_malformed() -> None:
    """With its line; the others stay."""
    table = read_table(b"a,b\n1\n1,2\n1,2,3\n", "t.csv")
    assert len(table.rows) == 1
    assert table.malformed == (
        Malformed("t.csv", 2, "has 1 cells where the header has 2"),
        Malformed("t.csv", 4, "has 3 cells where the header has 2"),
    )
    assert str(table.malformed[0]) == "t.csv:2: has 1 cells where the header has 2"


def test_json() -> None:
    """Objects of a list, or the values of an object; fields inside are joined by dots, words by blanks."""
    item = {"a": {"b": {"c": 1.5}}, "words": ["x", 2, {"not": "this"}], "none": None, "yes": True, "t": " u "}
    cells = {"a.b.c": "1.5", "words": "x 2", "none": "", "yes": "True", "t": "u"}
    table = read_table(json.dumps([item, 7, {"more": 1}]).encode(), "t")
    assert table.rows == (TableRow(1, cells), TableRow(3, {"more": "1"}))
    assert table.malformed == (Malformed("t", 2, "is not an object"),)
    assert table.columns == (*cells, "more")
    assert read_table(json.dumps({"first": item}).encode(), "t").rows[0].cells == cells


def test_objects_that_are_nested_too_deep() -> None:
    """An error of the file."""
    with pytest.raises(InputError, match=NO_JSON):
        read_table(('[{"d": ' * 100_000).encode(), "t")


@pytest.mark.parametrize(("text", "value"), [("1.5", 1.5), ("0", 0.0), ("1e3", 1000.0), ("", None)])
def test_a_number(text: str, value: float | None) -> None:
    """0 or more; none where nothing stands, or no such column."""
    assert TableRow(1, {"x": text}).number("x") == value
    assert TableRow(1, {}).number("x") is None


@given(st.text(min_size=1).filter(bool) | st.sampled_from(["-1", "nan", "inf", "-0.1", "1e999"]))
def test_what_is_no_number_is_said(text: str) -> None:
    """A finite one of 0 or more, or an error that names the column."""
    row = TableRow(1, {"x": text})
    try:
        value = row.number("x")
    except ValueError as error:
        assert str(error).endswith(f", found {text[:40]!r}")
    else:
        assert value == float(text)
        assert 0 <= float(text) < float("inf")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", NO_HEADER),
        (b"a\n1\n", NO_HEADER),
        (b"a,a\n1,2\n", f"{NO_HEADER}; found a, a"),
        (b"\xff\xfd", "is not UTF-8 text"),
        (b"model,price\n", NO_ROWS),
        (b"[]", NO_ROWS),
        (b"[1", NO_JSON),
        (b"{", NO_JSON),
        (b"about:\n  copyright: x\ngcp:\n", f"{YAML}.*found about:; allowed: CSV"),
        (b"# prices\n---\na: 1\n", YAML),
        (b"[" * 100_000, NO_JSON),
        (b'a,b\n"' + b"1" * 200_000, "is not CSV"),
    ],
)
def test_what_is_no_table(data: bytes, message: str) -> None:
    """A stated error that names the file."""
    with pytest.raises(InputError, match=message) as caught:
        read_table(data, "t.csv")
    assert caught.value.file == "t.csv"


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    """A table or a stated error, never anything else."""
    try:
        table = read_table(data, "t")
    except InputError as error:
        assert error.file == "t"
    else:
        assert table.rows or table.malformed
