"""QEMU's monitor, played by a socket: refusals, silence, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.qmp import execute
from tests.support.cache.backends.qmp import monitor


def test_commands_in_their_order(tmp_path: Path) -> None:
    """Each answer, after the greeting; a second session finds the socket free."""
    with monitor(tmp_path / "q", {"query-block": {"return": [1]}}) as told:
        assert execute(tmp_path / "q", [("query-block", {}), ("stop", {"x": 1})]) == [[1], {}]
        execute(tmp_path / "q", [("cont", {})])
    assert [each["execute"] for each in told if each["execute"] != "qmp_capabilities"] == [
        "query-block",
        "stop",
        "cont",
    ]


def test_a_refusal_says_why(tmp_path: Path) -> None:
    """And nothing further is said."""
    refusal = {"error": {"class": "GenericError", "desc": "Device does not have a block device backend"}}
    with (
        monitor(tmp_path / "q", {"stop": refusal}) as told,
        pytest.raises(TargetError, match="block device backend"),
    ):
        execute(tmp_path / "q", [("stop", {}), ("cont", {})])
    assert "cont" not in [each["execute"] for each in told]


def test_nobody_there(tmp_path: Path) -> None:
    """One clear error that names the socket."""
    with pytest.raises(TargetError, match="does not answer as QEMU"):
        execute(tmp_path / "absent", [("stop", {})])
