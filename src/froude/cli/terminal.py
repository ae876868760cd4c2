"""Standard output, and text on its way to a terminal: no name of a file or peer may steer it or reorder a line."""

from __future__ import annotations

import os
import re
import select
import sys
from contextlib import suppress
from typing import TextIO

_reserved: list[TextIO] = []
"""Standard output as it was when the process began, once it is reserved."""

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 and C1 controls but tab and line feed, marks of direction, and halves of characters, which cannot be printed."""


def reserve_stdout() -> None:
    """Leave standard output to `results`: what a library or a child process writes there goes to standard error.

    Descriptor 1 is changed as well, to which libraries in C write.
    """
    if sys.stdout is None:  # it was closed by the caller
        return
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors)
    os.dup2(os.open(os.devnull, os.O_WRONLY) if sys.stderr is None else 2, 1)
    sys.stdout = sys.stderr
    _reserved.append(own)


def results() -> TextIO | None:
    """The standard output that the caller of the command reads; None where it is still this process's own."""
    return _reserved[0] if _reserved else None


def closed(stream: TextIO) -> bool:
    """Whether a stream is a pipe or socket that the other side has closed."""
    poll = select.poll()
    with suppress(OSError, ValueError):  # without a descriptor, or closed here
        poll.register(stream.fileno(), 0)
        return any(event & select.POLLERR for _, event in poll.poll(0))
    return False


def visible(text: str) -> str:
    """The text with what would steer a terminal as Python writes escapes."""
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    """A JSON text with the same characters as JSON's own escapes: equal values."""
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
