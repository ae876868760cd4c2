"""Containers in a workload's file, both ways."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.workload.container import Awaited, Container
from froude.workload.types import Workload
from froude.workload.yaml_container import awaited_fields, container_fields
from froude.workload.yaml_file import dump_workload, read_workload
from tests.support.emulation.yarn_plans import workload


def read(text: str, folder: Path) -> Workload:
    """A workload out of its text."""
    (folder / "w.yaml").write_text(text)
    return read_workload(folder / "w.yaml")


def test_what_is_written_is_read(tmp_path: Path) -> None:
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
