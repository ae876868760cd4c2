"""What a capture is asked to do passes between processes, and is within its ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.hadoop.rpc.target import Target
from froude.trace.capture.legs import Listener
from froude.trace.capture.settings import CaptureSettings, Setup

MADE = CaptureSettings(
    (Listener("a", 2, "b", True, Target("namenode", "h:1", "CID-1")), Listener("c", behind=("d", 3))),
    Path("/x"),
    {"n": Quantity(1, "B")},
    notes={"k": "v"},
    tags=("t",),
    backlog_bytes=1_000_000,
    lossless=True,
    processes=3,
)


def test_settings_pass_between_processes() -> None:
    """JSON and back."""
    assert CaptureSettings.from_json(MADE.to_json()) == MADE


def test_a_setup_passes_between_processes_and_does_not_show_its_key() -> None:
    """The key is for the recorders' memory only."""
    setup = Setup(MADE, "/tmp/s.fds", b"k" * 32, 1.5, 1e9, whole=False)
    assert Setup.from_json(setup.to_json()) == setup
    assert "kkk" not in repr(setup)


@pytest.mark.parametrize(
    ("more", "place"),
    [({"processes": 0}, "processes"), ({"processes": 65}, "processes"), ({"backlog_bytes": 1000}, "backlog")],
)
def test_numbers_out_of_range_are_refused(more: dict[str, Any], place: str) -> None:
    """With what is allowed."""
    with pytest.raises(InputError, match=f"{place}: .*allowed"):
        CaptureSettings((), Path("/x"), **more)
