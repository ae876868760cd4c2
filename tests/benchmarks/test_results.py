"""Rows of results over made-up inputs: medians, ranges, and what the files show of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.results import INPUTS, Row, at_most, from_dict, over, over_inputs, write

LOST = [Row("blocks lost", lost, "blocks", conditions="a year") for lost in (8, 466, 113)]


def _lost(seed: int) -> list[Row]:
    return [at_most("lost", seed % 5, "blocks", 3), Row("copied again", 10.0 * seed, "replicas")]


def test_a_row_over_inputs_is_their_median_with_the_least_and_the_most() -> None:
    """One input of many, such as the worst, is not the value."""
    row = over(LOST, "datacenters, one run each")
    assert (row.value, row.range, row.inputs) == (113, (8, 466), 3)
    assert row.conditions == "a year; median and range of 3 datacenters, one run each"


def test_every_seed_makes_an_input() -> None:
    """From 1 on, with all rows of each."""
    lost, copied = over_inputs(_lost, "datacenters")
    assert (copied.value, copied.range, copied.inputs) == (40, (10, 70), INPUTS)
    assert (lost.value, lost.range) == (2, (0, 4))


def test_an_aim_is_met_where_every_input_meets_it() -> None:
    """A median that meets it hides those that do not."""
    lost, copied = over_inputs(_lost, "datacenters")
    assert (lost.aim, lost.met, copied.met) == ("<= 3", False, None)
    assert over([at_most("lost", each, "blocks", 3) for each in (0, 3)], "datacenters").met is True


def test_what_one_input_gave_does_not_stand_for_all() -> None:
    """A condition that differs between inputs is a figure, and wants a row of its own."""
    with pytest.raises(ValueError, match="blocks lost: rows of several inputs differ"):
        over([LOST[0], replace(LOST[1], conditions="a year; 7 refused")], "datacenters")


def test_files_show_the_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Next to the median in the table, in fields of their own in the JSON; other rows have neither."""
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    write("harvesting", "Title", "Intro.", [over(LOST, "datacenters"), LOST[0]])
    assert "| blocks lost | 113 (8 to 466) | blocks |" in (tmp_path / "harvesting.md").read_text()
    first, second = json.loads((tmp_path / "harvesting.json").read_text())
    assert (first["value"], first["range"], first["inputs"]) == (113, [8, 466], 3)
    assert not {"range", "inputs"} & second.keys()
    assert Row(**first).inputs == 3


def test_a_benchmark_s_rows_take_a_condition_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a group that is measured on one made-up input shows it in each row, dictionaries as well as rows."""
    topic = results.Topic("harvesting", "Title", "Intro.")
    topic.benchmark("speed", "Speed", "bench_harvest", conditions=results.ONE_INPUT)
    made = [{"measure": "a", "value": 1, "unit": "s", "conditions": "cold"}, Row("b", 2, "s")]
    monkeypatch.setattr("benchmarks.bench_harvest.rows", lambda: made)
    _, measure = topic.groups["speed"]
    assert [row.conditions for row in measure()] == ["cold; one input", "one input"]
    assert from_dict(made[0], "Speed").range is None  # type: ignore[arg-type]
