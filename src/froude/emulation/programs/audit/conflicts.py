"""Which operations of a log may be in conflict while it is replayed, and the locks that keep these in order.

A replay never makes operations of blocks that are not neighbours at the same time (`lines.BLOCK`). So an operation needs
a lock on a path only where one of its own block or of the two next to it holds a lock there that does not go with it;
most need none, and a player knows no path. This is done once, before a replay.

A file or folder that is created makes all folders above it that are missing, and they belong to whoever was first. So an
operation that creates something also changes the topmost folder above it that nobody in the log has made or used before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from zlib import crc32

from froude.emulation.programs.audit.lines import BLOCK, Line
from froude.emulation.programs.audit.order import (
    AGAINST,
    CHANGE,
    CHANGE_BELOW,
    LOOK,
    LOOK_BELOW,
    MODE_BITS,
    MODES,
)
from froude.emulation.programs.audit.recorded import command_of

_AGAIN = 1 << MODE_BITS
"""Beside CHANGE: by more than one operation."""
_Touch = tuple[tuple[str, ...], bool]
"""The paths that an operation is about, and whether it changes anything there."""


def in_order(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines of a log, each with the locks that it takes.

    Memory for three blocks, and for the folders above all that was created.

    Args:
        lines: in the order in which they were made.
    """
    rest, folders = iter(lines), Folders()
    before: dict[str, int] = {}
    here = _Block(list(islice(rest, BLOCK)), folders)
    while here.lines:
        after = _Block(list(islice(rest, BLOCK)), folders)
        yield from here.locked(before, after.modes)
        before, here = here.modes, after


class _Block:
    """Lines next to each other, and the modes in which their paths are locked."""

    def __init__(self, lines: Sequence[Line], folders: Folders) -> None:
        self.lines = lines
        self.modes: dict[str, int] = {}
        """By path, all modes of all lines together."""
        self._touches = [_touch(line, folders) for line in lines]
        modes, below = self.modes, dict[str, int]()
        for paths, changes in self._touches:
            here, above = (CHANGE, CHANGE_BELOW) if changes else (LOOK, LOOK_BELOW)
            for path in paths:
                known = modes.get(path, 0)
                modes[path] = known | here | (_AGAIN if changes and known & CHANGE else 0)
                folder = _folder(path)
                below[folder] = below.get(folder, 0) | above
        for folder, above in below.items():
            at = folder
            while at and modes.get(at, 0) & above != above:
                modes[at] = modes.get(at, 0) | above
                at = _folder(at)

    def locked(self, before: dict[str, int], after: dict[str, int]) -> Iterator[Line]:
        """The lines with their locks."""
        here = self.modes
        contested: dict[str, int] = {}
        above: dict[tuple[str, int], tuple[str, ...]] = {}

        def is_contested(path: str, mode: int) -> bool:
            modes = contested.get(path)
            if modes is None:
                modes = contested[path] = _contested(
                    before.get(path, 0), here.get(path, 0), after.get(path, 0)
                )
            return bool(modes & mode)

        def contested_above(folder: str, mode: int) -> tuple[str, ...]:
            unknown = []
            while folder and (folder, mode) not in above:
                unknown.append(folder)
                folder = _folder(folder)
            known = above[folder, mode] if folder else ()
            for each in reversed(unknown):
                known = above[each, mode] = (*known, each) if is_contested(each, mode) else known
            return known

        for line, (paths, changes) in zip(self.lines, self._touches, strict=True):
            locks: dict[int, int] = {}
            at, over = (CHANGE, CHANGE_BELOW) if changes else (LOOK, LOOK_BELOW)
            for path in paths:
                for folder in contested_above(_folder(path), over):
                    _take(locks, folder, over)
                if is_contested(path, at):
                    _take(locks, path, at)
            yield line._replace(locks=tuple(locks.values())) if locks else line


def _take(locks: dict[int, int], path: str, mode: int) -> None:
    """A lock on a path: paths of the same checksum are taken for one, which keeps more order than is needed."""
    checksum = crc32(path.encode("utf-8", "surrogatepass"))
    locks[checksum] = locks.get(checksum, checksum << MODE_BITS) | mode


def _contested(before: int, here: int, after: int) -> int:
    """Of the modes of one path in three blocks, those that do not go with another of them."""
    modes = before | here | after
    result = sum(mode for mode in MODES if modes & AGAINST[mode] & ~mode)
    changed = bool(before & CHANGE) + bool(here & CHANGE) + bool(after & CHANGE)
    return result | (CHANGE if changed > 1 or modes & _AGAIN else 0)


def _folder(path: str) -> str:
    """The folder that a path lies in; empty for the root."""
    end = path.rfind("/")
    return path[:end] if end > 0 else "/" if len(path) > 1 else ""


def _touch(line: Line, folders: Folders) -> _Touch:
    """The paths that a line is about, and the folder that it may make by the way."""
    command = command_of(line)
    if command is None:
        return (), False
    paths = command.paths(line)
    if command.creates and line.src is not None:
        missing = folders.missing(line.src)
        return (paths if missing is None else (*paths, missing)), True
    for path in paths if command.moves else ():
        folders.gone(path)
    return paths, command.changes


class Folders:
    """The folders above what was created so far."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}
        self._gone: dict[str, int] = {}
        self._now = 0

    def missing(self, path: str) -> str | None:
        """The topmost folder above a path that may not be there yet; all of them are taken to be from here on."""
        self._now += 1
        topmost, gone = None, -1
        for folder in folders_above(path):
            gone = max(gone, self._gone.get(folder, -1))
            if topmost is None and self._seen.get(folder, -1) <= gone:
                topmost = folder
            self._seen[folder] = self._now
        return topmost

    def gone(self, path: str) -> None:
        """What was at a path and below it is not there any more, or is something else."""
        self._now += 1
        self._gone[path] = self._now


def folders_above(path: str) -> Iterator[str]:
    """The folders above a path, from the top, without the root, which is always there."""
    end = path.find("/", 1)
    while end > 0:
        yield path[:end]
        end = path.find("/", end + 1)
