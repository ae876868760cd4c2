"""Where Dynamometer's source lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.dynamometer_source import VARIABLE, checkout


def test_what_is_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with one line."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(SystemExit, match="names no checkout of linkedin/dynamometer"):
        checkout()
