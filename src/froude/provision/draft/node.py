"""A value of a foreign JSON document and where it stands; a part of another kind is refused with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from froude.base.errors import InputError

_LONGEST = 200
"""Characters of what was found, in an error."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document.

    Args:
        file: that holds the document.
        place: of the value in it; empty for the whole.
        value: as JSON gives it.
    """

    file: Path
    place: str
    value: Any

    def optional(self, name: str) -> Node | None:
        """A field of an object; None where it has none, or null.

        Raises:
            InputError: it is no object.
        """
        absent = isinstance(self.value, dict) and self.value.get(name) is None
        return None if absent else self.field(name)

    def field(self, name: str) -> Node:
        """A field of an object.

        Raises:
            InputError: it is no object, or has no such field.
        """
        if not isinstance(self.value, dict):
            raise self.wrong("is no object", allowed=f"an object with {name}")
        if name not in self.value:
            fields = ", ".join(list(self.value)[:8]) or "no field"
            raise InputError(
                f"has no {name}",
                file=self.file,
                place=self.place or None,
                found=fields[:_LONGEST],
                allowed=name,
            )
        return Node(self.file, f"{self.place}.{name}".lstrip("."), self.value[name])

    def items(self) -> Iterator[Node]:
        """The items of a list.

        Raises:
            InputError: it is no list.
        """
        if not isinstance(self.value, list):
            raise self.wrong("is no list", allowed="a list")
        for number, item in enumerate(self.value):
            yield Node(self.file, f"{self.place}[{number}]", item)

    def text(self) -> str:
        """A text.

        Raises:
            InputError: it is none.
        """
        if not isinstance(self.value, str):
            raise self.wrong("is no text", allowed="a text")
        return self.value

    def whole(self, most: float) -> int:
        """A whole number from 0 to `most`.

        Raises:
            InputError: it is none.
        """
        number = self.value
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
            raise self.wrong("is no count", allowed=f"a whole number from 0 to {most:g}")
        return number

    def wrong(self, message: str, *, allowed: str) -> InputError:
        """The error of this value.

        Args:
            allowed: what may stand there.
        """
        return InputError(
            message, file=self.file, place=self.place or None, found=_shown(self.value), allowed=allowed
        )


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value)[:_LONGEST]
