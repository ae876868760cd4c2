"""Files and lengths as calls showed them."""

from __future__ import annotations

import pytest

from froude.provision.draft import space
from froude.provision.draft.space import Space


def test_files_move_and_go() -> None:
    """With their folders; the last length seen counts."""
    found = Space()
    for path, length in (("/t/_temporary/a", 1), ("/t/_temporary/b", 2), ("/t/_temporary/b", 3), ("/x/y", 4)):
        found.saw(path, length)
    found.moved("/t/_temporary/a", "/t/a")
    found.moved("/t/_temporary", "/old")
    found.gone("/x")
    found.gone("/never/seen")
    found.moved("/never/seen", "/z")
    assert dict(found.files()) == {"/t/a": 1, "/old/b": 3}


def test_moving_into_a_folder_that_is_there() -> None:
    """The file or the folder keeps its name."""
    found = Space()
    for path in ("/a/f", "/b/g", "/c/d/h"):
        found.saw(path, 1)
    found.moved("/a/f", "/b")
    found.moved("/c/d", "/b")
    assert sorted(path for path, _ in found.files()) == ["/b/d/h", "/b/f", "/b/g"]


def test_files_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later ones are left out, and that is said."""
    monkeypatch.setattr(space, "MOST_FILES", 2)
    found = Space()
    for name in "abc":
        found.saw(f"/{name}", 1)
    assert len(list(found.files())) == 2
    assert found.full
