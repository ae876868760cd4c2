"""Accesses as columns, some 50 bytes an access, whatever the length of a trace; and the files that calls showed.

Files are in a tree of folders, so that renaming or deleting a folder takes its files along at once. How long they are
is known as far as it was seen.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from froude.provision.draft.jobs import Jobs
from froude.provision.draft.paths import Folders, components
from froude.provision.draft.types import Access, Unit
from froude.provision.types import Op

MOST_FILES = 1_000_000
"""Files that are kept; sizes then leave out later ones, and remain lower bounds."""
UNITS = tuple(Unit)
_TYPES = {
    "time": "d",
    "label": "i",
    "run": "q",
    "unit": "b",
    "folder": "i",
    "write": "b",
    "bytes": "d",
    "blocks": "i",
    "copies": "i",
    "file": "q",
    "process": "i",
}


@dataclass(slots=True)
class _Dir:
    dirs: dict[str, _Dir] = field(default_factory=dict)
    files: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Space:
    """Files seen and their lengths; each step costs the depth of a path."""

    full: bool = False
    """Whether files were left out."""
    _root: _Dir = field(default_factory=_Dir)
    _seen: int = 0

    def saw(self, path: str, length: float) -> None:
        """A file has a length.

        Args:
            length: bytes; replaces what was known.
        """
        *above, name = components(path) or [""]
        folder = self._find(above)
        if folder is None or name not in folder.files:
            if not name or self._seen >= MOST_FILES:
                self.full = self.full or bool(name)
                return
            self._seen += 1
            folder = self._dir(above)
        folder.files[name] = length

    def moved(self, source: str, target: str) -> None:
        """A file or a folder was renamed, to a name or into a folder that is there.

        Args:
            source: path of the file or folder; one that was never seen changes nothing.
            target: its new path, or that of a folder to put it in.
        """
        *above, name = components(source) or [""]
        *beyond, new = components(target) or [""]
        here = self._find(above)
        if here is None or not name or not new:
            return
        there = self._dir(beyond)
        if name in here.files:
            length = here.files.pop(name)
            inside = there.dirs.get(new)
            if inside is None:
                there.files[new] = length
            else:
                inside.files[name] = length
        elif name in here.dirs:
            folder = here.dirs.pop(name)
            inside = there.dirs.get(new)
            if inside is not None:
                inside.dirs[name] = folder
            else:
                there.dirs[new] = folder

    def gone(self, path: str) -> None:
        """A file or a folder was deleted."""
        *above, name = components(path) or [""]
        folder = self._find(above)
        if folder is not None:
            folder.files.pop(name, None)
            folder.dirs.pop(name, None)

    def files(self) -> Iterator[tuple[str, float]]:
        """Every file that is left, with its length; one folder's files after another."""
        todo = [("", self._root)]
        while todo:
            path, folder = todo.pop()
            for name, length in folder.files.items():
                yield f"{path}/{name}", length
            todo += [(f"{path}/{name}", inner) for name, inner in folder.dirs.items()]

    def _dir(self, parts: list[str]) -> _Dir:
        folder = self._root
        for part in parts:
            folder = folder.dirs.setdefault(part, _Dir())
        return folder

    def _find(self, parts: list[str]) -> _Dir | None:
        folder: _Dir | None = self._root
        for part in parts:
            folder = folder.dirs.get(part) if folder is not None else None
        return folder


@dataclass(slots=True)
class Window:
    """When a source was watched, in seconds since the epoch."""

    start_s: float = math.inf
    end_s: float = -math.inf

    @property
    def length_s(self) -> float:
        """0 where no call had a time."""
        return max(0.0, self.end_s - self.start_s)

    def holds(self, time_s: float) -> None:
        """Widen it."""
        self.start_s, self.end_s = min(self.start_s, time_s), max(self.end_s, time_s)


@dataclass(slots=True)
class AccessLog:
    """Every access as a row of numbers, with what the numbers mean."""

    folders: Folders
    jobs: Jobs
    space: Space = field(default_factory=Space)
    """Files and lengths seen."""
    totals: dict[str, float] = field(default_factory=dict)
    """Bytes below a folder, as the NameNode summed them up."""
    windows: list[Window] = field(default_factory=list)
    others: int = 0
    """Calls that read or write no file."""
    _processes: dict[str | None, int] = field(default_factory=lambda: {None: -1})
    _columns: dict[str, array[Any]] = field(default_factory=lambda: {n: array(t) for n, t in _TYPES.items()})

    def __len__(self) -> int:
        return len(self._columns["time"])

    def add(self, access: Access) -> None:
        """Keep an access."""
        label, run, unit = self.jobs.place(access)
        row = {
            "time": math.nan if access.time_s is None else access.time_s,
            "label": label,
            "run": run,
            "unit": UNITS.index(unit),
            "folder": self.folders.of_file(access.path),
            "write": access.op is Op.WRITE,
            "bytes": math.nan if access.bytes is None else access.bytes,
            "blocks": access.blocks,
            "copies": access.copies,
            "file": hash(access.path),
            "process": self._processes.setdefault(access.caller.sender, len(self._processes)),
        }
        for name, value in row.items():
            self._columns[name].append(value)
        if access.time_s is not None and self.windows:
            self.windows[-1].holds(access.time_s)

    def column(self, name: str) -> npt.NDArray[Any]:
        """A column, shape (n,).

        Args:
            name: `time` in seconds and `bytes`, NaN where unseen; `label`, `run`, `unit` (index into `UNITS`) as
                `jobs` numbers them; `folder` as `folders` does; `write` 0 or 1; `blocks`; `copies`, 0 where
                unseen; `file`, equal for equal paths; `process`, -1 where unseen.
        """
        return np.frombuffer(self._columns[name], dtype=self._columns[name].typecode).copy()

    @property
    def watched(self) -> list[Window]:
        """The windows of all sources, in their order in time, those that overlap as one.

        n log n in the number of sources.
        """
        merged: list[Window] = []
        for window in sorted((w for w in self.windows if w.length_s > 0), key=lambda w: w.start_s):
            if merged and window.start_s <= merged[-1].end_s:
                merged[-1].holds(window.end_s)
            else:
                merged.append(Window(window.start_s, window.end_s))
        return merged

    @property
    def span_s(self) -> float:
        """Seconds watched, all sources together."""
        return sum(window.length_s for window in self.watched)

    @property
    def overlap(self) -> bool:
        """Whether two sources watched the same time: what both saw counts twice."""
        return sum(window.length_s for window in self.windows) > self.span_s * (1 + 1e-9)
