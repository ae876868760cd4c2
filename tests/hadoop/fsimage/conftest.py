"""What the tests of images share."""

from __future__ import annotations

import pytest

from froude.experiment.session import Hadoop
from froude.messages.schema import Schema


@pytest.fixture(scope="package")
def schema(hadoop: Hadoop) -> Schema:
    """Of the default release."""
    return hadoop.schema()
