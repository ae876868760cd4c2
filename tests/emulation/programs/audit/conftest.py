"""The messages of a release."""

from __future__ import annotations

import pytest

from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema


@pytest.fixture(scope="session")
def schema(hadoop: Hadoop) -> Schema:
    """Of the default release."""
    return hadoop.schema()
