"""What a file or folder that stands somewhere is, told by its stamp: so that nothing else is replaced by mistake."""

from __future__ import annotations

import re
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import open_regular

PAGE = "page"
"""Kind of an HTML page of ours."""
GENERATOR = '<meta name="generator" content="Froude'
"""Stands in the head of every page of ours."""
_HEAD_BYTES = 1 << 16
DOCUMENTS = ("meta.yaml", "plan.yaml")
"""Files of folders that say what the whole is, and hold its lineage."""
_STAMP = re.compile(
    rb"""\A(?:\xef\xbb\xbf)?(?:(?:[ \t]*#[^\n]*|[ \t\r]*|---[ \t]*)\n)*"""  # comments and blank lines before it
    rb"""[ \t]*(?:\{\s*)?['"]?froude['"]?\s*:\s*['"]?([a-z][a-z-]*)/\d"""
)
_OLD = (
    (re.compile(rb"\Aformat: 1\nkind: (trace|partial trace)\n"), None),
    (re.compile(rb"\Afroude: run\nversion: 1\n"), "run"),
    (re.compile(rb'\A\{\s*"format"\s*:\s*"froude-report"'), "report"),
)
"""Forms of Froude 0.1.0 that had no stamp."""


def kind_of(path: Path) -> str | None:
    """The kind of artifact or document that stands at a path; None for a foreign one, or none.

    Args:
        path: a file, or a folder whose document says what it is.

    Raises:
        InputError: it cannot be read.
    """
    if path.is_dir():
        return next((kind_of(path / name) for name in DOCUMENTS if (path / name).is_file()), None)
    head = head_of(path)
    if head.startswith(b"<!doctype html>") and GENERATOR.encode() in head:
        return PAGE
    stamp = _STAMP.match(head)
    if stamp is not None:
        return stamp[1].decode()
    for pattern, kind in _OLD:
        match = pattern.search(head)
        if match is not None:
            return kind or match[1].decode().replace(" ", "-")
    return None


def head_of(path: Path) -> bytes:
    """The beginning of a file, in which it says what it is; nothing of what is no file.

    Raises:
        InputError: it cannot be read.
    """
    if not path.is_file():
        return b""
    with open_regular(path) as file:
        try:
            return file.read(_HEAD_BYTES)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", file=path) from error
