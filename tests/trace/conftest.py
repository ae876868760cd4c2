"""Fixtures of the trace tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def recorded_tap() -> Path:
    """A tap of a real YARN and HDFS cluster, release 3.4.2; in FROUDE_RECORDED or beside the checkout."""
    default = Path(__file__).parents[3] / "shared" / "data" / "recorded"
    path = Path(os.environ.get("FROUDE_RECORDED", default)) / "k2a.tap.gz"
    if not path.is_file():
        pytest.skip(f"no recorded tap at {path}")
    return path
