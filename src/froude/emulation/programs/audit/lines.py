"""The lines of a log as they are replayed, in a file that a player reads as it goes.

The file is JSON, a document a line: first the head, then batches of lines in the log's order. A player imports no
table library, and JSON is read by the batch at the speed of C.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from froude.base.errors import InputError
from froude.base.files import stated_os_errors

_FORMAT = "replay/3"
BLOCK = 1 << 14
"""Lines of a block: a replay never makes operations of blocks that are not neighbours at the same time."""
BATCH = 256
"""Lines that are read at once; a block is a whole number of batches."""


ROUND, OLDER = "\0", "\1"
"""In a path of a further round, its number, and that of the round two before it."""
REMOVAL = "removal"
"""In place of options: a line that deletes what a round has left."""


class Line(NamedTuple):
    """An operation to be made again."""

    at_s: float
    """Seconds since the first line."""
    client: int
    """Whose it is, by its number in the head."""
    command: str
    """As the log calls it: `rename`, `getfileinfo`; of a Trace the method."""
    src: str | None = None
    locks: Sequence[int] = ()
    """That it takes (`order`), so that operations in conflict keep their order."""
    dst: str | None = None
    options: str | None = None
    """What the log has in parentheses behind it."""
    perm: str | None = None
    """`owner:group:rwxr-xr-x` of the result."""
    allowed: bool = True
    recorded: list[str | int | None] | None = None
    """The call of a Trace that this is, the fields of a `recorded.Recorded`; None for a line of a log."""
    copied: list[str | None] | None = None
    """`src` and `dst` in further rounds of a log that begins again; empty for a line of its first round alone, None for
    one that is the same in each. With `OLDER` a line is of rounds alone that have a copy two before them."""

    def of_round(self, number: int) -> Line | None:
        """The line in a round; None for one that is not of it.

        Args:
            number: of the round, from 1.
        """
        if self.copied is None:
            return self
        older = bool(self.copied) and OLDER in (self.copied[0] or "")
        if number == 1:
            return None if older else self
        if not self.copied or (older and number < _WITH_OLDER):
            return None
        numbers = str.maketrans({ROUND: str(number), OLDER: str(number - 2)})
        src, dst = (path and path.translate(numbers) for path in self.copied)
        return self._replace(src=src, dst=dst)


_WITH_OLDER = 4
"""The first round with a copy two before it: the first one has no copies."""
_SHORT = 5
"""Fields that every line has in the file; the others only where they say something."""
_REST = (None, None, None, True, None, None)


class Client(NamedTuple):
    """One client of a log: a user at an address, or, where a proxy names it, one connection of a user."""

    user: str
    """Short name of whom the calls are made as."""
    real_user: str | None = None
    """Who stands in for that user, where the log says so."""
    ip: str | None = None
    process: str | None = None
    """The port and the real user that the caller context names (`froude.hadoop.audit.lines.process`)."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a log before its lines."""

    clients: tuple[Client, ...]
    lines_of: tuple[int, ...]
    """By client, how many it has."""
    commands: Mapping[str, int]
    """By command of a log, how often it is there; none of a Trace."""
    lasts_s: float
    """From the first line to the last."""

    @property
    def lines(self) -> int:
        """How many there are."""
        return sum(self.lines_of)


def write_lines(path: Path, clients: Sequence[Client], lines: Iterable[Line]) -> Head:
    """Write a log to be replayed.

    Args:
        path: of the file; its head is written beside it.
        clients: all of them, by number; asked when the lines are written, so that these may bring new ones.
        lines: in the order in which they are to be made.
    """
    last_s, lines_of, commands = 0.0, Counter[int](), Counter[str]()
    with stated_os_errors(path), path.open("w", encoding="utf-8") as file:
        rest = iter(lines)
        while batch := list(islice(rest, BATCH)):
            rows = [line[:_SHORT] if line[_SHORT:] == _REST else line for line in batch]
            file.write(json.dumps(rows, separators=(",", ":")))
            file.write("\n")
            last_s = batch[-1].at_s
            for line in batch:
                lines_of[line.client] += 1
                if line.recorded is None and line.options != REMOVAL:
                    commands[line.command] += 1
    of_each = tuple(lines_of[number] for number in range(len(clients)))
    head = Head(tuple(clients), of_each, dict(commands), last_s)
    _head_path(path).write_text(json.dumps({"format": _FORMAT, **asdict(head)}), encoding="utf-8")
    return head


def read_head(path: Path) -> Head:
    """The head of such a file.

    Raises:
        InputError: it is none, or of another version.
    """
    try:
        fields = json.loads(_head_path(path).read_text(encoding="utf-8"))
        if fields["format"] != _FORMAT:
            raise InputError("is of another version", file=path, found=fields["format"], allowed=_FORMAT)
        clients = tuple(Client(*client) for client in fields["clients"])
        return Head(clients, tuple(fields["lines_of"]), fields["commands"], fields["lasts_s"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("is no log that was made ready for replay", file=path, found=str(error)) from error


def read_batches(file: IO[str]) -> Iterator[list[Line]]:
    """The lines of such a file, read as they are taken, `BATCH` at once."""
    for batch in file:
        yield [Line(*row) for row in json.loads(batch)]


def _head_path(path: Path) -> Path:
    return path.with_suffix(".head.json")
