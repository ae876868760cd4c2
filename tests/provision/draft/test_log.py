"""Accesses as columns, and the time that sources were watched."""

from __future__ import annotations

import math

import numpy as np
import pytest

from froude.provision.draft import log
from froude.provision.draft.jobs import Jobs
from froude.provision.draft.log import AccessLog, Space, Window
from froude.provision.draft.paths import Folders
from froude.provision.draft.types import Access, Caller
from froude.provision.types import Op


def test_rows_keep_what_was_seen() -> None:
    """And say what was not by NaN and -1."""
    log = AccessLog(Folders(), Jobs(), windows=[Window()])
    log.add(Access(5.0, Caller("ann", None, "s"), Op.WRITE, "create", "/a/f", 7.0))
    log.add(Access(None, Caller("ann", None, None), Op.READ, "open", "/b/f", None, 3))
    assert len(log) == 2
    assert log.column("write").tolist() == [1, 0]
    assert log.column("process").tolist() == [1, -1]
    assert log.column("blocks").tolist() == [1, 3]
    np.testing.assert_array_equal(log.column("time"), [5.0, math.nan])
    np.testing.assert_array_equal(log.column("bytes"), [7.0, math.nan])
    assert [log.folders.kinds[n] for n in log.column("folder")] == [("a",), ("b",)]


def test_overlapping_windows_count_once() -> None:
    """Gaps between sources do not count; a window that nothing widened has no length."""
    log = AccessLog(Folders(), Jobs(), windows=[Window(0, 10), Window(5, 12), Window(100, 103), Window()])
    assert log.span_s == 15
    assert log.watched == [Window(0, 12), Window(100, 103)]
    assert log.overlap
    assert log.windows[3].length_s == 0
    assert not AccessLog(Folders(), Jobs(), windows=log.watched).overlap


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
    monkeypatch.setattr(log, "MOST_FILES", 2)
    bounded = Space()
    for name in "abc":
        bounded.saw(f"/{name}", 1)
    assert len(list(bounded.files())) == 2
    assert bounded.full
