"""What all tests of commands share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_progress(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step may take long on a busy machine; lines of progress are seen by their own tests alone."""
    if request.path.name != "test_progress.py":
        monkeypatch.setattr("froude.cli.progress._QUIET_S", 600.0)
