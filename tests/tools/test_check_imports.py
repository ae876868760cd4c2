"""Circles of imports are found."""

import itertools

from tools.check_imports import circle, main


def test_a_circle_is_shown_from_end_to_end() -> None:
    """Each imports the next, and the last is the first."""
    path = circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert path is not None
    assert path[0] == path[-1]
    imports = {"a": "b", "b": "c", "c": "a"}
    assert all(imports[one] == other for one, other in itertools.pairwise(path))


def test_a_diamond_is_none() -> None:
    """Several ways down are no way back."""
    assert circle({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}) is None


def test_froude_has_none() -> None:
    """Imports inside functions counted."""
    assert main() == 0
