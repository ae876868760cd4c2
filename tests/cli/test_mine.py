"""`froude mine`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.cli.app import run
from froude.cli.mine import _asked
from froude.workload.types import Question


def test_questions_show_examples() -> None:
    """What was seen stands beside what is asked."""
    asked = _asked(Question("q", "what is x?", "client", examples=(1, "b")), 3)
    assert asked == "q3: what is x? seen: 1, 'b'"


def test_a_trace_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear error, nothing written."""
    assert run(["mine", str(tmp_path / "none"), "-o", str(tmp_path / "w.yaml")]) == 1
    assert "none" in capsys.readouterr().err
    assert not (tmp_path / "w.yaml").exists()
