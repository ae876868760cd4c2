"""A comparison in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.cli.comparison import Written, show
from froude.cli.settings import Settings
from froude.documents.artifact import Origin
from froude.experiment.compare.compare import compare
from tests.support.experiment import comparisons


def test_runs_that_were_left_out_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the reason; and measures that could not be compared."""
    given = comparisons.arms(4)
    given["candidate"][0].interrupted = True
    output = tmp_path / "c.json"
    show(Settings(), compare(**given), Origin(), Written(output=output), {}, 0.0)
    text = capsys.readouterr().out
    assert "it was interrupted" in text
    assert "without a value, or with too few calls" in text
    assert f"Written to {output}" in text
