"""Libraries of a part."""

from __future__ import annotations

import pytest

from froude.base.errors import MissingError
from froude.cli.needed import require


def test_what_is_not_here_is_named_with_what_brings_it() -> None:
    """The first of several; what is here is not spoken of."""
    require("cache", "json")
    require("cache")
    with pytest.raises(MissingError, match=r"no_such_one is not installed. pip install 'froude\[cache\]'"):
        require("cache", "json", "no_such_one", "no_such_other")
