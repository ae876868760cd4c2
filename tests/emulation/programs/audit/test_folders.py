"""Folders that are made by the way."""

from __future__ import annotations

from froude.emulation.programs.audit.folders import Folders


def test_the_topmost_folder_that_may_be_missing() -> None:
    """Once; what is used after it is there."""
    folders = Folders()
    assert folders.missing("/a/b/c") == "/a"
    assert folders.missing("/a/b/d") is None
    assert folders.missing("/a/x/y/z") == "/a/x"
    assert folders.missing("/top") is None


def test_what_is_gone_may_be_missing_again() -> None:
    """With all below it, and until it is made again."""
    folders = Folders()
    folders.missing("/a/b/c")
    folders.gone("/a")
    assert folders.missing("/a/1") == "/a"
    assert folders.missing("/a/b/1") == "/a/b"
    assert folders.missing("/a/b/2") is None
    folders.gone("/a/b/2")
    assert folders.missing("/a/b/2/3") == "/a/b/2"
