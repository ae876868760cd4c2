"""Files and lengths as calls showed them."""

from __future__ import annotations

import pytest

from froude.provision.draft import space
from froude.provision.draft.space import Space


def test_files_move_and_go() -> None:
    """With their folders; the last length seen counts."""
    space = Space()
    for path, length in (("/t/_temporary/a", 1), ("/t/_temporary/b", 2), ("/t/_temporary/b", 3), ("/x/y", 4)):
        space.saw(path, length)
    space.moved("/t/_temporary/a", "/t/a")
    space.moved("/t/_temporary", "/old")
    space.gone("/x")
    space.gone("/never/seen")
    space.moved("/never/seen", "/z")
    assert dict(space.files()) == {"/t/a": 1, "/old/b": 3}


def test_moving_into_a_folder_that_is_there() -> None:
    """The file or the folder keeps its name."""
    space = Space()
    for path in ("/a/f", "/b/g", "/c/d/h"):
        space.saw(path, 1)
    space.moved("/a/f", "/b")
    space.moved("/c/d", "/b")
    assert sorted(path for path, _ in space.files()) == ["/b/d/h", "/b/f", "/b/g"]


def test_files_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later ones are left out, and that is said."""
    monkeypatch.setattr(space, "MOST_FILES", 2)
    bounded = Space()
    for name in "abc":
        bounded.saw(f"/{name}", 1)
    assert len(list(bounded.files())) == 2
    assert bounded.full
