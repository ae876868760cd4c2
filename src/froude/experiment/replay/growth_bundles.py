"""Which clients of a log belong together, and which part of the namespace is theirs: mined from what they change.

A bundle is a set of clients that can only be copied together: they change the same paths, or folders above each other's
paths, or they are of one user, and one reads what the other has changed. Its own paths are the topmost ones at and below
which nobody else makes, writes, moves or deletes anything. So a bundle whose own paths are copied can be played beside
itself, and what succeeded succeeds again.

Changes of attributes (owners, modes, times, quotas) join nobody, for they can be made twice; making a folder can be,
too, but it makes the path less than somebody else's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from froude.emulation.programs.audit.commands import sources
from froude.experiment.replay.into_folders import with_ends
from froude.trace.audit.files import AuditLog

Ints = npt.NDArray[np.int64]
MOVING = frozenset(
    "create append truncate delete rename concat createSymlink createSnapshot deleteSnapshot renameSnapshot".split()  # noqa: SIM905
)
"""Changes that cannot be made twice at one path with the same result."""
_FOLDER = "mkdirs"
_MOVED, _MADE = 0, 1
_DEPTH = 2
"""A bundle's own path has so many components at least, unless the bundle changes a shorter one itself: top-level folders
are a cluster's, not a client's."""
_NOWHERE = "/.reserved/"
_COLUMNS = ("client", "allowed", "user", "command", "src", "dst")


@dataclass(frozen=True, slots=True)
class Bundles:
    """The clients of a log by what they change."""

    clients: npt.NDArray[np.uint64]
    """(clients,) their numbers in the log, ascending."""
    bundle: Ints
    """(clients,) which bundle each is in, from 0."""
    lines: Ints
    """(clients,) lines of each."""
    changing: Ints
    """(clients,) lines of each that change something by name."""
    own: dict[str, int] = field(repr=False)
    """By path, the bundle whose own it is with all below; none lies below another."""
    foreign: int
    """Paths that clients read while clients of other bundles change them."""
    unaddressed: int
    """Lines without a client's address."""

    @property
    def count(self) -> int:
        """How many bundles."""
        return int(self.bundle.max(initial=-1)) + 1

    def of(self, clients: Any) -> Ints:
        """(n,) the bundle of each client's number."""
        return np.asarray(self.bundle[np.searchsorted(self.clients, np.asarray(clients, np.uint64))])

    def sums(self, values: Ints) -> Ints:
        """(bundles,) a quantity of clients, summed."""
        return np.bincount(self.bundle, weights=values, minlength=self.count).astype(np.int64)


class _Joined:
    """Sets of numbers that grow together."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def find(self, number: int) -> int:
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    def join(self, one: int, other: int) -> None:
        one, other = sorted((self.find(one), self.find(other)))
        self._above[other] = one


def find_bundles(log: AuditLog, ends: Mapping[int, str]) -> Bundles:
    """Mine a log in two passes; memory for its clients and the distinct paths that they change.

    Args:
        ends: of what is moved into folders, the path there, by the number of the line.
    """
    counts: dict[int, list[int]] = {}
    users: dict[int, str] = {}
    changes, unaddressed = _Distinct(), 0
    for batch in with_ends(log.batches((*_COLUMNS, "ip")), ends):
        table = pa.table(batch)
        moving = pc.is_in(_plain(table["command"]), pa.array(sorted(MOVING)))
        made = pc.is_in(_plain(table["command"]), pa.array([_FOLDER]))
        changing = pc.and_(table["allowed"], pc.or_(moving, made))
        numbers = np.asarray(table["client"])
        for values, place in ((numbers, 0), (numbers[np.asarray(changing)], 1)):
            for client, lines in zip(
                *(each.tolist() for each in np.unique(values, return_counts=True)), strict=True
            ):
                counts.setdefault(client, [0, 0])[place] += lines
        known, first = np.unique(numbers, return_index=True)
        for client, name in zip(known.tolist(), table["user"].take(first).to_pylist(), strict=True):
            users.setdefault(client, str(name).partition("@")[0].partition("/")[0])
        unaddressed += table["ip"].null_count
        for client, path, grade in _changed(table.filter(changing)):
            changes.add(client, path, grade)
    clients = np.asarray(sorted(counts), np.uint64)
    index = {client: place for place, client in enumerate(clients.tolist())}
    rows = [(path, grade, index[client]) for path, grade, client in changes.sorted()]
    joined = _Joined(len(clients))
    _join_changes(rows, joined)
    foreign = _join_readers(log, rows, joined, [users[client] for client in clients.tolist()], index)
    found = np.asarray([joined.find(place) for place in range(len(clients))], np.int64)
    bundle = np.unique(found, return_inverse=True)[1].astype(np.int64)
    own = dict(_own([(path, grade, int(bundle[place])) for path, grade, place in rows]))
    lines, changing_lines = (
        np.asarray([counts[client] for client in clients.tolist()], np.int64).reshape(-1, 2).T
    )
    return Bundles(clients, bundle, lines, changing_lines, own, foreign, unaddressed)


def paths_in(src: str | None) -> tuple[str, ...]:
    """The paths in a field of a line: one, or a list in brackets (concat); without what is no path of a tree."""
    return tuple(
        text.rstrip("/")
        for text in sources(src)
        if text.startswith("/") and len(text) > 1 and _NOWHERE not in text
    )


def _plain(column: Any) -> Any:
    return column.cast(pa.string())


def _changed(table: pa.Table) -> Iterator[tuple[int, str, int]]:
    names = ("client", "command", "src", "dst")
    for client, command, src, dst in zip(*(table[name].to_pylist() for name in names), strict=True):
        grade = _MADE if command == _FOLDER else _MOVED
        for path in paths_in(src):
            yield client, path.partition("/.snapshot/")[0], grade  # who renames a snapshot changes its folder
        if dst is not None and command != "createSymlink" and not command.endswith("Snapshot"):
            for path in paths_in(dst):
                yield client, path, grade


class _Distinct:
    """Distinct (path, grade, client)."""

    def __init__(self) -> None:
        self._rows: set[tuple[str, int, int]] = set()

    def add(self, client: int, path: str, grade: int) -> None:
        self._rows.add((path, grade, client))

    def sorted(self) -> list[tuple[str, int, int]]:
        """A folder before what lies below it, and that before its other siblings."""
        return sorted(self._rows, key=lambda row: (row[0].replace("/", "\0"), *row[1:]))


def _join_changes(rows: Sequence[tuple[str, int, int]], joined: _Joined) -> None:
    """Who moves something and whoever changes something there or below belong together."""
    above: list[tuple[str, int]] = []
    for path, grade, client in rows:
        while above and not _within(path, above[-1][0]):
            above.pop()
        if above:
            joined.join(client, above[-1][1])
        if grade == _MOVED:
            above.append((path, client))


def _join_readers(
    log: AuditLog,
    rows: Sequence[tuple[str, int, int]],
    joined: _Joined,
    users: Sequence[str],
    index: dict[int, int],
) -> int:
    """Clients of one user belong together where one reads what the other changes; how many others read such paths."""
    changed = pa.array(sorted({path for path, _, _ in rows}), pa.string())
    if not len(changed):
        return 0
    readers: dict[str, set[int]] = {}
    for batch in log.batches(("client", "src")):
        reads = pa.table(batch).filter(pc.is_in(batch.column("src"), changed))
        pairs: Any = reads.group_by(["client", "src"]).aggregate([])
        for client, path in zip(pairs["client"].to_pylist(), pairs["src"].to_pylist(), strict=True):
            readers.setdefault(path, set()).add(index[client])
    foreign = set()
    for path, _, client in rows:
        for reader in readers.get(path, ()):
            if users[reader] == users[client]:
                joined.join(reader, client)
    for path, _, client in rows:
        if any(joined.find(reader) != joined.find(client) for reader in readers.get(path, ())):
            foreign.add(path)
    return len(foreign)


def _within(path: str, folder: str) -> bool:
    return path == folder or (path.startswith(folder) and path[len(folder)] == "/")


@dataclass(slots=True)
class _Folder:
    """A folder on the way through all changed paths."""

    path: str
    bundle: int | None = None
    """Whose changes were met here and below; -1 for several bundles'."""
    moved: int | None = None
    """Whose path this is itself."""
    below: list[tuple[str, int]] = field(default_factory=list)


def _own(rows: Sequence[tuple[str, int, int]]) -> list[tuple[str, int]]:
    """The topmost paths that only one bundle changes, and in which it moves something.

    Args:
        rows: (path, grade, bundle), a folder before what lies below it.
    """
    stack = [_Folder("")]

    def close() -> None:
        folder = stack.pop()
        above = stack[-1]
        alone = folder.bundle is not None and folder.bundle >= 0
        if alone and (folder.moved is not None or (folder.below and folder.path.count("/") >= _DEPTH)):
            assert folder.bundle is not None
            above.below.append((folder.path, folder.bundle))
        else:
            above.below += folder.below
        if folder.bundle is not None:
            above.bundle = folder.bundle if above.bundle in (None, folder.bundle) else -1

    for path, grade, bundle in rows:
        while not _within(path, stack[-1].path):
            close()
        at = len(stack[-1].path)
        while at < len(path):
            end = path.find("/", at + 1)
            at = len(path) if end < 0 else end
            stack.append(_Folder(path[:at]))
        top = stack[-1]
        top.bundle = bundle if top.bundle in (None, bundle) else -1
        if grade == _MOVED:
            top.moved = bundle
    while len(stack) > 1:
        close()
    return stack[0].below
