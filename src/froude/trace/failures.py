"""Failed calls in groups that an engineer can read: class, method and message, with number, first and last time.

Messages of one failure differ in the paths, ids and times that they name; those are taken out before messages are
compared, and the first message is kept whole. The number of groups is bounded, since messages come from a peer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.message import Message

OTHERS = "other messages"
"""Stands for the messages of a method and class beyond the bounded number of groups."""
_MOST = 200
_LONGEST = 300
_PATH = re.compile(r"(?:[a-z]+:/)?/[^\s,;()\[\]{}'\"]*(?<!:)")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)*(?::\d+)?")


@dataclass(slots=True)
class Failure:
    """Calls that failed alike."""

    method: str
    error: str
    """Exception class, or the player's own word, such as `Unanswered`."""
    message: str
    """First line without the paths and numbers in which single messages differ."""
    count: int
    first_s: float
    """When the first failed, seconds since the beginning."""
    last_s: float
    example: str
    """The first message, its first line whole."""
    path: str | None = None
    """What the first such call was about, where that is known."""


class Failures:
    """Groups of failed calls; a call costs two look-ups once its group is known."""

    __slots__ = ("_forms", "groups")

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str, str], Failure] = {}
        """By method, class and form of the message."""
        self._forms: dict[str, str] = {}

    def add(self, method: str, error: str, message: str, time_s: float, *, count: int = 1) -> Failure | None:
        """Count a failed call.

        Args:
            message: what the target said; may have many lines.
            time_s: when, seconds since the beginning.

        Returns:
            The group where this is its first call, so that the caller can say what it was about; None otherwise.
        """
        key = (method, error, self._form(message))
        if key not in self.groups and len(self.groups) >= _MOST:
            key = (method, error, OTHERS)
        group = self.groups.get(key)
        if group is None:
            example = message.partition("\n")[0][:_LONGEST]
            self.groups[key] = group = Failure(*key, count, time_s, time_s, example)
            return group
        group.count += count
        group.first_s, group.last_s = min(group.first_s, time_s), max(group.last_s, time_s)
        return None

    def merge(self, other: Failures) -> None:
        """Count another's failures too."""
        for theirs in other:
            key = (theirs.method, theirs.error, theirs.message)
            ours = self.groups.get(key)
            earlier = ours is not None and theirs.first_s < ours.first_s
            group = self.add(theirs.method, theirs.error, theirs.example, theirs.first_s, count=theirs.count)
            if group is not None:
                group.message, group.path = theirs.message, theirs.path
            elif ours is not None and earlier:  # the example is of the first call
                ours.example, ours.path = theirs.example, theirs.path
            ours = self.groups.get(key)
            if ours is not None:
                ours.last_s = max(ours.last_s, theirs.last_s)

    def __iter__(self) -> Iterator[Failure]:
        """The groups, most frequent first."""
        return iter(sorted(self.groups.values(), key=lambda group: (-group.count, group.method, group.error)))

    def __len__(self) -> int:
        return len(self.groups)

    def _form(self, message: str) -> str:
        line = message.partition("\n")[0][:_LONGEST]
        form = self._forms.get(line)
        if form is None:
            form = form_of(line)
            if len(self._forms) < _MOST:
                self._forms[line] = form
        return form


def form_of(line: str) -> str:
    """A message without what differs between calls that failed alike: paths, ids, addresses and numbers."""
    return _NUMBER.sub("N", _UUID.sub("ID", _PATH.sub("PATH", line)))


def path_of(request: Message) -> str | None:
    """The first path that a request names; None where it names none."""
    values = (value for _, value in request.ListFields())
    return next(
        (value[:_LONGEST] for value in values if isinstance(value, str) and value.startswith("/")), None
    )
