"""A page as text."""

from __future__ import annotations

from froude.cli.page_text import page_text
from froude.render import Column, Report, Section, Table, Text, ValueKind

COLUMNS = (
    Column("Item", ValueKind.CODE),
    Column("Cost", ValueKind.NUMBER, "$"),
    Column("Share", ValueKind.SHARE),
    Column("Proved", ValueKind.MET),
    Column("Rise", ValueKind.NUMBER, "%"),
)


def test_the_verdict_and_the_tables() -> None:
    """Money to the cent, verdicts as yes and no, a dash for what is not there; prose of sections is for the page."""
    table = Table(
        COLUMNS, [("SSD", 7329.0899, 0.125, True, -2.0), ("tape", None, None, False, None)], "Parts"
    )
    page = Report("Title", lede="**$7,329.09** in all", sections=(Section("S", (Text("prose"), table)),))
    assert page_text(page).splitlines() == [
        "$7,329.09 in all",
        "",
        "Parts",
        "Item    Cost $   Share  Proved  Rise %",
        "SSD   7,329.09  12.5 %     yes      -2",
        "tape         -       -      no       -",
    ]


def test_an_empty_table_says_so() -> None:
    """In its own words."""
    page = Report("Title", lede="x", sections=(Section("S", (Table(COLUMNS, [], "Parts", empty="None."),)),))
    assert page_text(page) == "x\n\nParts: None."


def test_sentences_at_the_end_of_rows_stand_left() -> None:
    """Under the head of their column."""
    why = "because it reads the same 100 MB again and again"
    table = Table(
        (Column("VM"), Column("MB", ValueKind.NUMBER), Column("why")), [("a", 5, why), ("b", 10, "loops")]
    )
    page = Report("Title", lede="x", sections=(Section("S", (table,)),))
    assert page_text(page).splitlines()[-2:] == [f"a    5  {why}", "b   10  loops"]
