"""Paths as folders of one kind: numbers, ids and dates left out, staging and temporary folders folded into their home.

`/logs/dt=2020-11-29/part-0` and its neighbours of other days are one folder, `/logs`; a file that a task attempt
writes below `_temporary` belongs to the folder into which it is moved when the attempt commits.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

Folder = tuple[str, ...]
"""The generalised components of a path, from the root down; `()` is the root, or what no named prefix holds."""

DEEPEST = 12
"""Components of a folder that are told apart."""
MOST_FOLDERS = 100_000
"""Kinds of folders that are told apart; paths of further kinds count for their first component."""
_MOST_CACHED = 200_000

_JOB = r"(?:job|application|appattempt|attempt|task|container(?:_e\d+)?|dag)_\d+_\d+"
_ID = re.compile(rf"{_JOB}|[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}|[0-9a-fA-F]{{16,}}")
_DIGITS = re.compile(r"\d+")
_TELLS_NOTHING = re.compile(r"[#\W_]*")
_PASSING = re.compile(r"_temporary|_tmp|_logs|_COPYING_|\.hive-staging.*|\.spark-staging.*|\.tmp.*|[^=]+=.*")
"""Folders that exist while a job runs, and partitions of a table (`dt=2020-11-29`): both are part of what is above."""


def components(path: str) -> list[str]:
    """The components of a path; a scheme and host in front of it are left out."""
    if "://" in path[:16]:
        path = "/" + path.split("://", 1)[1].partition("/")[2]
    return [part for part in path.split("/") if part and part != "."]


def generalise(parts: Sequence[str]) -> Folder:
    """The kind of a folder: up to the first component that is passing or tells nothing but a number.

    Ids and numbers within a component become `#`.
    """
    kept: list[str] = []
    for part in parts[:DEEPEST]:
        if _PASSING.fullmatch(part):
            break
        plain = _DIGITS.sub("#", _ID.sub("#", part))
        if _TELLS_NOTHING.fullmatch(plain) or _ID.search(part):
            break
        kept.append(plain)
        if part == ".staging":
            break
    return tuple(kept)


@dataclass(slots=True)
class Folders:
    """Numbers the kinds of folders that paths lie in.

    Holds at most `MOST_FOLDERS` kinds, and a cache of as many raw folders again and then some, so memory is
    bounded whatever a log holds.

    Args:
        named: prefixes that the user made datasets; where there are any, all else is `()`.
    """

    named: frozenset[Folder] = frozenset()
    kinds: list[Folder] = field(default_factory=list)
    """By number."""
    _numbers: dict[Folder, int] = field(default_factory=dict)
    _cache: dict[str, int] = field(default_factory=dict)

    def of_file(self, path: str) -> int:
        """The number of the kind of folder that a file lies in."""
        raw = path.rpartition("/")[0]
        number = self._cache.get(raw)
        if number is None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            # A named prefix may be the file itself.
            number = self.number(path) if self.named else self.number(raw)
            if not self.named:
                self._cache[raw] = number
        return number

    def number(self, folder: str) -> int:
        """The number of a folder's kind."""
        parts = components(folder)
        kind = self._longest(parts) if self.named else generalise(parts)
        known = self._numbers.get(kind)
        if known is not None:
            return known
        if len(self.kinds) >= MOST_FOLDERS:
            kind = kind[:1] if kind[:1] in self._numbers else ()
            if kind in self._numbers:
                return self._numbers[kind]
        self._numbers[kind] = len(self.kinds)
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def _longest(self, parts: Sequence[str]) -> Folder:
        return belongs(tuple(parts), self.named) or ()


@dataclass(slots=True)
class _Node:
    """A folder of the prefix tree: what lies in it and below it, as shares of all."""

    children: dict[str, _Node] = field(default_factory=dict)
    calls: float = 0.0
    bytes: float = 0.0

    @property
    def weight(self) -> float:
        """The larger of its shares: few large files matter as much as many small ones."""
        return max(self.calls, self.bytes)


def cut(
    kinds: Sequence[Folder],
    calls: Sequence[float],
    sizes: Sequence[float],
    *,
    share: float,
    depth: int | None = None,
) -> list[Folder]:
    """The prefixes that are worth a dataset: folders as deep as they still carry a share of all.

    A prefix tree is walked from the root: as long as children carry `share` of the operations or of the bytes,
    they are looked at in its place; what is left of it beside them is a dataset too when it carries as much.
    Linear in the components of the kinds.

    Args:
        calls: reads and writes in each.
        sizes: bytes in each.
        share: the least share of either that makes a dataset.
        depth: most components of a prefix; None means any.

    Returns:
        Prefixes, such that a folder belongs to the longest that holds it; `()` takes what is left.
    """
    root = _tree(kinds, calls, sizes)
    prefixes: list[Folder] = []

    def walk(node: _Node, prefix: Folder) -> tuple[float, float]:
        """Pick below a node; what is left of its shares."""
        heavy = [(name, child) for name, child in sorted(node.children.items()) if child.weight >= share]
        if depth is not None and len(prefix) >= depth:
            heavy = []
        left = node.calls - sum(c.calls for _, c in heavy), node.bytes - sum(c.bytes for _, c in heavy)
        for name, child in heavy:
            rest = walk(child, (*prefix, name))
            left = left[0] + rest[0], left[1] + rest[1]
        if prefix and max(left) >= share - 1e-12:
            prefixes.append(prefix)
            return 0.0, 0.0
        return left

    left = walk(root, ())
    return sorted(prefixes) + ([()] if max(left) > 1e-12 or not prefixes else [])


def _tree(kinds: Sequence[Folder], calls: Sequence[float], sizes: Sequence[float]) -> _Node:
    all_calls, all_bytes = sum(calls) or 1.0, sum(sizes) or 1.0
    root = _Node()
    for kind, count, size in zip(kinds, calls, sizes, strict=True):
        node = root
        node.calls, node.bytes = node.calls + count / all_calls, node.bytes + size / all_bytes
        for part in kind:
            node = node.children.setdefault(part, _Node())
            node.calls, node.bytes = node.calls + count / all_calls, node.bytes + size / all_bytes
    return root


def belongs(kind: Folder, prefixes: Container[Folder]) -> Folder | None:
    """The longest prefix that holds a folder; None when none does. One look-up a component.

    Args:
        prefixes: the folders that may hold it; the empty one holds all.
    """
    return next((kind[:n] for n in range(len(kind), -1, -1) if kind[:n] in prefixes), None)
