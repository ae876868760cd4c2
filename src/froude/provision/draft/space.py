"""The part of a file system that calls showed: which files there are, and how long, as far as was seen.

Files are kept in a tree of folders, so that renaming or deleting a folder takes its files along at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from froude.provision.draft.paths import components

MOST_FILES = 1_000_000
"""Files that are kept; sizes then leave out later ones, and remain lower bounds."""


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
