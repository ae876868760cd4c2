"""Timings, start rules and containers in a workload's file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.documents.plain import Fields
from froude.documents.reading import Section, parse_document
from froude.workload.container import Awaited, Container
from froude.workload.scale import Count
from froude.workload.start import StartRule
from froude.workload.timing import Timing
from froude.workload.types import Workload
from froude.workload.yaml_file import dump_workload, read_workload
from froude.workload.yaml_timing import (
    awaited_fields,
    container_fields,
    read_start,
    read_timing,
    start_fields,
    timing_fields,
)
from tests.support.emulation.yarn_plans import workload

SECOND = "a second time"


def _read(**fields: Any) -> Timing:
    return read_timing(Section(Fields(fields), "w.yaml"))


def test_what_is_written_is_read() -> None:
    """Also of a call of which nothing is known, which has no field."""
    timing = Timing(Count(0.1, {"nodes": 2.0}, 9.0), (0.1, 0.2, 0.5), Count(1), (1.0, 1.0, 3.0))
    fields = timing_fields(timing)
    assert _read(**{name: value for name, value in fields.items() if value is not None}) == timing
    assert not any(timing_fields(Timing()).values())
    assert _read() == Timing()


def test_a_spread_of_earlier_files_is_even_about_the_median() -> None:
    """Twice its median absolute deviation to either side, though never below zero."""
    assert _read(think_s=1, spread_s=0.25).think_quantiles_s == (0.5, 1.0, 1.5)
    assert _read(think_s=0.1, spread_s=0.25).think_quantiles_s == (0.0, 0.1, 0.6)
    assert _read(think_s="2*nodes", spread_s=0.25).think_quantiles_s == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"think_quantiles_s": [1, 2]},
        {"think_quantiles_s": [1, 3, 2]},
        {"service_quantiles_s": [-1, 0, 2]},
        {"service_quantiles_s": ["a", 0, 2]},
        {"think_s": -1},
        {"service_s": 1e10},
    ],
)
def test_times_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    """With the field that has them."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        _read(**wrong)


def test_only_what_differs_is_written() -> None:
    """A rule that says nothing has no fields, and one of how many nodes no `every`."""
    assert start_fields(StartRule()) == {}
    rule = StartRule("map", every=False, share=0.05)
    assert start_fields(rule) == {"after": "map", "moment": "finished", "share": 0.05}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("after: map\nnth: 2\nshare: 0.5\n", SECOND),
        ("after: map\nevery: true\nnth: 2\n", SECOND),
        ("after: map\nnth: 0\n", "nth: .*found 0"),
        ("after: map\nshare: 1.5\n", "share: .*found 1.5"),
        ("pause_s: 1\nwithin_s: 2\n", "cannot be both"),
        ("follows: map\n", "nothing without a pause"),
    ],
)
def test_contradictions_are_refused(text: str, message: str) -> None:
    """With the field that is wrong."""
    with pytest.raises(InputError, match=message):
        read_start(parse_document(text.encode(), "w.yaml"))


def read(text: str, folder: Path) -> Workload:
    """A workload out of its text."""
    (folder / "w.yaml").write_text(text)
    return read_workload(folder / "w.yaml")


def test_a_container_that_is_written_is_read(tmp_path: Path) -> None:
    """A whole job."""
    assert read(dump_workload(workload()), tmp_path) == workload()


def test_only_what_is_said_is_written() -> None:
    """An application master's container has no priority; nothing waits at first."""
    assert container_fields(Container("client")) == {"of": "client"}
    assert container_fields(Container("am", 20, 1.5, 0.05)) == {
        "of": "am",
        "priority": 20,
        "delay_s": 1.5,
        "after": 0.05,
    }
    assert awaited_fields(Awaited(("map",), 0.5)) == {"ended": ["map"], "pause_s": 0.5}


@pytest.mark.parametrize(
    ("line", "changed", "what"),
    [
        ("priority: 20", "priority: -1", "priority"),
        ("priority: 20", "priority: 20, odd: 1", "odd"),
        ("after: 0.5", "after: 1.5", "after"),
        ("pause_s: 0.2", "pause_s: -1", "pause_s"),
        ("of: am,", "of: nobody,", "nobody"),
        ("ended: [map,", "ended: [nobody,", "nobody"),
    ],
)
def test_what_cannot_be_is_refused(line: str, changed: str, what: str, tmp_path: Path) -> None:
    """With its place; a node type that is not there, too."""
    text = dump_workload(workload())
    assert line in text
    with pytest.raises(InputError, match=what):
        read(text.replace(line, changed, 1), tmp_path)


def test_a_workload_without_containers_says_nothing_of_them() -> None:
    """As those that were mined before."""
    plain = replace(
        workload(), node_types=tuple(replace(each, container=None) for each in workload().node_types)
    )
    assert "container:" not in dump_workload(plain)
