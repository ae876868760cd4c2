"""Where a rename of an audit log ends: what is moved onto a folder is in it then, though the log names the folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from froude.emulation.programs.audit.commands import command_of
from froude.emulation.programs.audit.conflicts import folders_above
from froude.emulation.programs.audit.lines import Line

MAKES = frozenset({"create", "mkdirs", "createSymlink"})
_Folder = dict[str, "_Folder | None"]
"""By name what is in a folder; None for a file."""


class Change(NamedTuple):
    """A line that was done and makes a path or takes one away."""

    command: str
    """As the log calls it, but `rename2` for a rename with options."""
    paths: tuple[str, ...]
    client: int
    number: int
    """Of the line, from 1."""


def changes_by(line: Line, number: int) -> Iterator[Change]:
    """The change that a line is; nothing of another line."""
    command = command_of(line)
    if command is not None and line.allowed and (line.command in MAKES or command.moves):
        yield Change(command.method or line.command, command.paths(line), line.client, number)


def opened_by(line: Line) -> tuple[str, ...]:
    """The path that a line opens; nothing of another line."""
    command = command_of(line) if line.allowed and line.command == "open" else None
    return () if command is None else command.paths(line)


def ends_of(
    changes: Callable[[], Iterable[Change]],
    opened: Collection[str],
    there: Callable[[Iterable[str]], Collection[str] | None],
) -> tuple[dict[int, str], Collection[str], bool]:
    """The paths of what is moved into folders, by the number of the line.

    Args:
        changes: all of them, in order; asked for twice.
        there: those of some paths that were there before the log; None where that is not known.

    Returns:
        These; the paths that were there before, as far as they are known; and whether those are all.
    """
    made = {path for change in changes() for path in change.paths}
    before, seen = there(made), set[str]()
    if before is None:
        seen = {each for path in set(opened) - made for each in (path, *folders_above(path))}
    ends = dict(_ends(changes(), before or (), seen))
    # without an image, folders that were made though they were there show by what was opened in them
    return ends, made & seen if before is None else before, before is not None


def with_ends(batches: Iterable[pa.RecordBatch], ends: Mapping[int, str]) -> Iterator[pa.RecordBatch]:
    """The lines of a log with the path where each rename ends as its `dst`."""
    numbers, first = np.asarray(sorted(ends), np.int64), 1
    for batch in batches:
        here = numbers[np.searchsorted(numbers, first) : np.searchsorted(numbers, first + batch.num_rows)]
        moved = np.zeros(batch.num_rows, bool)
        moved[here - first] = True
        first += batch.num_rows
        paths = pa.array([ends[number] for number in here.tolist()], pa.string())
        whole = pc.replace_with_mask(batch.column("dst"), pa.array(moved), paths)
        yield batch.set_column(batch.schema.get_field_index("dst"), "dst", whole)


def _ends(
    changes: Iterable[Change], before: Iterable[str], seen: Collection[str]
) -> Iterator[tuple[int, str]]:
    """The paths of what is moved into folders, by the number of the line.

    Args:
        changes: in order; they were done, so a `rename` onto what was there before found a folder.
        before: paths that were there before the log.
        seen: where these are not known, what was opened without having been made, with its folders.

    Source: org.apache.hadoop.hdfs.server.namenode.FSDirRenameOp (renameTo without options), and `logAuditEvent` in
    FSNamesystem.renameTo, which writes `dst` as it was given.
    """
    root: _Folder = {}
    for path in sorted(before):
        _put(root, path, {})
    for change in changes:
        source, *target = change.paths
        if change.command in MAKES:
            found = _found(root, source)
            _put(root, source, (found or {}) if change.command == "mkdirs" else None)
            continue
        moved = _taken(root, source)
        for path in target:
            end = f"{path}/{source.rpartition('/')[2]}".replace("//", "/")
            # what is seen below a file that was moved was there before it, in a folder; below a folder it may be its own
            shown = end in seen or (moved is None and path in seen)
            into = change.command == "rename" and (shown or _found(root, path) is not None)
            _put(root, end if into else path, moved)
            if into:
                yield change.number, end


def _found(root: _Folder, path: str) -> _Folder | None:
    """A folder of a tree; None where it has none there."""
    folder: _Folder | None = root
    for name in filter(None, path.split("/")):
        folder = None if folder is None else folder.get(name)
    return folder


def _put(root: _Folder, path: str, what: _Folder | None) -> None:
    """Have something at a path of a tree, and folders above it."""
    *above, last = path.split("/")
    for name in filter(None, above):
        root[name] = root = root.get(name) or {}
    root[last] = what


def _taken(root: _Folder, path: str) -> _Folder | None:
    """Take away what a tree has at a path: None for a file, an empty folder for what it does not have."""
    above, _, last = path.rpartition("/")
    return (_found(root, above) or {}).pop(last, {})
