"""Flags of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cache.simulate.traces import LAYOUTS as BLOCKS
from froude.cli.table_flags import options_of
from froude.harvest.telemetry.layouts import LAYOUTS, OTHERS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tables.md"


def test_flags_become_options() -> None:
    """Separators by their names, too."""
    found = options_of(
        columns=["cpu=busy", "time=0"], known=("time", "cpu"), separator="TAB", decimal=",", dates="ms"
    )
    assert (found.columns, found.separator, found.decimal) == ({"cpu": "busy", "time": "0"}, "\t", ",")
    assert (found.style.dates, found.style.decimal) == ("ms", ",")
    assert options_of() == options_of(zone="UTC")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"columns": ["cpu"], "known": ("cpu",)}, "--column: does not name a column, did you mean cpu"),
        ({"columns": ["size=3"], "known": ("cpu",)}, "found size=3; allowed: cpu=THEIRS"),
        ({"separator": "ab"}, "is not a separator; found ab"),
        ({"separator": '"'}, "is not a separator"),
        ({"decimal": ";"}, "is not a decimal character"),
        ({"dates": "dd.mm.yyyy"}, "is not a format of dates; found dd.mm.yyyy"),
        ({"zone": "Nowhere"}, "zone"),
    ],
)
def test_what_a_flag_may_not_be(flags: dict[str, object], message: str) -> None:
    """The flag is named, and what is allowed."""
    with pytest.raises(InputError, match=message):
        options_of(**flags)  # type: ignore[arg-type]


def test_every_layout_is_on_the_page_of_tables() -> None:
    """So that the reference is complete."""
    text = PAGE.read_text()
    names = {*LAYOUTS, *OTHERS, *BLOCKS}
    assert {name for name in names if f"`{name}`" not in text} == set()
