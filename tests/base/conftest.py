"""Fixtures of the guard's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.base.machine import idle_machine


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A machine with a disk sdx that nothing uses."""
    return idle_machine(tmp_path)
