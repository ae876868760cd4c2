"""What a file or folder that stands somewhere is, told by its stamp: so that nothing else is replaced by mistake."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.documents.reading import stamped_kind
from froude.documents.unstamped import unstamped_kind

PAGE = "page"
"""Kind of an HTML page of ours."""
GENERATOR = '<meta name="generator" content="Froude'
"""Stands in the head of every page of ours."""
COMMENT = "<!-- Froude: comparison"
"""How the first line of a comparison for a pull request begins, by which a build finds it again."""
_HEAD_BYTES = 1 << 16
DOCUMENTS = ("meta.yaml", "plan.yaml")
"""Files of folders that say what the whole is, and hold its lineage."""
_FOLDERS = {
    "meta.yaml": ("trace", "partial-trace", "run", "audit", "block-lists", "datacenter"),
    "plan.yaml": ("plan",),
}
"""What a folder is where such a file of one of these kinds stands in it; a workload named so makes none."""


def kind_of(path: Path) -> str | None:
    """The kind of artifact or document that stands at a path; None for a foreign one, or none.

    Args:
        path: a file, or a folder whose document says what it is.

    Raises:
        InputError: it cannot be read.
    """
    if path.is_dir():
        inside = {name: kind_of(path / name) for name in DOCUMENTS if (path / name).is_file()}
        return next((kind for name, kind in inside.items() if kind in _FOLDERS[name]), None)
    head = head_of(path)
    if head.startswith(b"<!doctype html>") and GENERATOR.encode() in head:
        return PAGE
    if head.startswith(COMMENT.encode()):
        return "comment"
    return stamped_kind(head) or unstamped_kind(head)


def artifact_around(path: Path) -> Path | None:
    """The innermost folder around a place that is an artifact, and so whole without it; None for none.

    Args:
        path: a place, whether anything stands there or not; links on the way to it are followed.
    """
    for folder in Path(os.path.realpath(path)).parents:
        with suppress(InputError, OSError):  # what cannot be read here is nobody's artifact to us
            if kind_of(folder) is not None:
                return folder
    return None


def head_of(path: Path) -> bytes:
    """The beginning of a file, in which it says what it is; nothing of what is no file.

    Raises:
        InputError: it cannot be read.
    """
    if not path.is_file():
        return b""
    with open_regular(path) as file:
        return file.read(_HEAD_BYTES)
