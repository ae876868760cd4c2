"""Sizes of packages and rooms, and files that belong to a single other one."""

from __future__ import annotations

from tools.rooms import rooms, splinters


def test_splinters_have_one_importer_in_their_folder() -> None:
    """Not one in another folder, not two."""
    arrows = {"a.x": {"a.y", "a.z", "b.w"}, "a.y": {"a.z"}, "a.z": set(), "b.w": set()}
    assert list(splinters(arrows)) == [("a.y", "a.x")]


def test_rooms_of_a_package() -> None:
    """A folder or a file below the package is a room; what it uses of the package is named."""
    one, two, c = "froude.p.one.a", "froude.p.two.b", "froude.p.c"
    table = list(
        rooms("p", {one: {two}, two: set(), c: {one}, "froude.q": {c}}, {one: 1, two: 2, c: 1, "froude.q": 9})
    )
    assert "| `one` | 1 | 1 | two |" in table
    assert "| `two` | 1 | 2 |  |" in table
    assert "| `c` | 1 | 1 | one |" in table
