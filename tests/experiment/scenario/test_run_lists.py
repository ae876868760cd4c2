"""Lists of values: the Scales that they make, and those that make none."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.experiment.scenario.run_lists import check_name, parse_lists, scales_of


def test_lists_of_one_length_make_one_run_each() -> None:
    """A single value is repeated."""
    lists = parse_lists("2,3,4", ["files=10,25,15", "size=1 MB"])
    assert [dict(scale) for scale in scales_of(lists)] == [
        {"datanodes": Quantity(n), "files": Quantity(f), "size": Quantity(10**6, "B")}
        for n, f in ((2, 10), (3, 25), (4, 15))
    ]
    both = scales_of(parse_lists("2,3", ["files=1,2"]), cross=True)
    assert [str(scale) for scale in both] == [f"datanodes={n}, files={f}" for n in (2, 3) for f in (1, 2)]


@pytest.mark.parametrize(
    ("datanodes", "nodemanagers", "scale", "words"),
    [
        ("2,3,4", "0", ["files=1,2"], "lists differ in length; found datanodes has 3 values, files has 2"),
        ("2", "0", ["files=1,2", "size=1,2,3"], "found size has 3 values, files has 2"),
        ("2", "0", ["files"], "--scale: says no values; found files"),
        ("2", "0", ["files=1", "files=2"], "is given twice; found files"),
        ("2", "0", ["datanodes=3"], "is given twice; found datanodes. Give its numbers to --datanodes"),
        ("0", "0", [], "--datanodes: is no number of DataNodes; found 0"),
        ("241", "0", [], "found 241; allowed: 1 to 240"),
        ("1e9", "0", [], "--datanodes: "),
        ("1.5", "0", [], "--datanodes: "),
        ("2,", "0", [], "datanodes: "),
        ("2", "0", ["size=1 MB,2"], "size: mixes units"),
        (
            "2",
            "0",
            ["nodemanagers=3"],
            "found nodemanagers",
        ),
        ("2,3", "0,2", [], "found 0; allowed: 1 to 240"),
        ("2,3,4", "2,3", [], "found datanodes has 3 values, nodemanagers has 2"),
    ],
)
def test_lists_that_make_no_runs(datanodes: str, nodemanagers: str, scale: list[str], words: str) -> None:
    """Both are named where they do not fit."""
    with pytest.raises(InputError) as caught:
        scales_of(parse_lists(datanodes, scale, nodemanagers))
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["fi-les", "1files", "", "é", "for", "node", "L1", "a.b"])
def test_names_that_no_variable_may_have(name: str) -> None:
    """What is no identifier, and what mining calls its own loops and nodes."""
    with pytest.raises(InputError, match="name"):
        check_name(name)
    check_name("files_2")


def test_nodemanagers_are_a_variable_where_there_are_any() -> None:
    """Behind the DataNodes; a single 0 is HDFS alone."""
    assert [str(scale) for scale in scales_of(parse_lists("2,3", ["files=5"], "1,4"))] == [
        "datanodes=2, nodemanagers=1, files=5",
        "datanodes=3, nodemanagers=4, files=5",
    ]
    assert list(parse_lists("2", [], "0")) == ["datanodes"]
