"""Public names that are found when they are first used."""

from __future__ import annotations

import math

import pytest

from froude.base.public import found_in


def test_names_and_modules_are_found() -> None:
    """A name in its module, and a module of that name."""
    find = found_in("os", {"pi": "math", "path": "os.path"})
    assert find("pi") == math.pi
    assert find("path").sep == "/"
    with pytest.raises(AttributeError, match="module 'os' has no attribute 'tau'"):
        find("tau")
