"""Text on its way to a terminal: names come from files and peers, and none may steer it or reorder a line."""

from __future__ import annotations

import re

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""C0 and C1 controls but tab and line feed, marks of direction, and halves of characters, which cannot be printed."""


def visible(text: str) -> str:
    """The text with what would steer a terminal as Python writes escapes."""
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    """A JSON text with the same characters as JSON's own escapes: equal values."""
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
