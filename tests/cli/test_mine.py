"""`froude mine`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.cli.app import run


def test_a_trace_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear error, nothing written."""
    assert run(["mine", str(tmp_path / "none"), "-o", str(tmp_path / "w.yaml")]) == 1
    assert "none" in capsys.readouterr().err
    assert not (tmp_path / "w.yaml").exists()
