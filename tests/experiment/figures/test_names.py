"""Node types by name and by what they do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.experiment.figures.names import does, named
from froude.experiment.figures.workload import pattern, workload_section
from froude.render import Table, describe
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, NodeType, Repeat
from tests.support.experiment.figures.workload import DATANODE, WORKLOAD


def _shell(*methods: str) -> NodeType:
    calls = tuple(
        CallTemplate(f"shell-4.c{number}", "p", method, {}) for number, method in enumerate(methods)
    )
    return NodeType("shell-4", Count.parse("1"), (Repeat("L1", Count.parse("files"), calls),))


@pytest.mark.parametrize(
    ("methods", "done"),
    [
        (["getFileInfo", "rename"], "rename"),
        (["getFileInfo", "create", "getServerDefaults", "addBlock", "complete"], "create, addBlock \u2026"),
        (["getFileInfo", "getFileInfo"], "getFileInfo"),
        ([], ""),
    ],
)
def test_what_tells_a_type_apart(methods: list[str], done: str) -> None:
    """The first two methods, in loops too; without those that every client calls, where there are others."""
    assert does(_shell(*methods)) == done
    assert named(_shell(*methods)) == (f"shell-4: {done}" if done else "shell-4")


def test_a_daemon_is_what_its_name_says() -> None:
    """No methods stand beside it."""
    assert named(replace(DATANODE, program="datanode")) == "dn"


def test_one_sees_which_shell_renames() -> None:
    """In the picture, in its words, and in the table of arguments."""
    workload = replace(WORKLOAD, node_types=(_shell("getFileInfo", "rename"),), questions=())
    (lane,) = pattern(workload).lanes
    assert lane.does == "rename"
    assert "shell-4 (\u00d7 1; rename): repeat" in describe(pattern(workload))
    table = next(block for block in workload_section(workload).blocks if isinstance(block, Table))
    assert table.rows[0][0] == "shell-4: rename"
