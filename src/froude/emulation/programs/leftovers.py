"""What clients of a sustained load leave behind, and its removal by the clients that follow them.

A client made what it created or moved to, and the folders of these, but for what it deleted. Once the next client of its
kind on this player has ended, what that one made as well is in common and stays; the rest is deleted by further clients,
one path after another next to their own calls. A folder is deleted only where it is empty.

What `rename` moves onto a folder is in that folder. A folder is known where the client has made it, or on this player a
node that is no client's.

Memory: the paths of the clients at work, and of one that has ended for each kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message

from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import Population
from froude.emulation.settings import Leftovers, Mode
from froude.emulation.sustained import sustained

_METHODS = frozenset({"create", "mkdirs", "createSymlink", "rename", "rename2", "delete"})
"""Calls that make a path, or take it away."""


class Removal:
    """The paths of all clients of a play that are to be removed; see the module."""

    def __init__(self, population: Population) -> None:
        """Nothing is made yet; see `Population.common`."""
        turnover = population.settings.turnover
        removes = turnover.mode is not Mode.ONCE and turnover.leftovers is Leftovers.REMOVE
        chains = sustained(population.plan).chains if removes else {}
        self.methods = _METHODS if removes else frozenset()
        """Whose answers are to be seen."""
        self._first = {name: first for first, chain in chains.items() for name in chain}
        """By node type of a client, the one that begins it."""
        self._members = {first: len(chain) for first, chain in chains.items()}
        self._made: dict[NodeId, dict[str, bool]] = defaultdict(dict)
        """By client: what its nodes have made and not deleted, and whether it is known as a folder."""
        self._folders: set[str] = set()
        """That nodes of other types have made."""
        self._ended: dict[NodeId, int] = {}
        self._before: dict[str, dict[str, bool]] = {}
        """Of each kind what the last client made that has ended."""
        self._left: dict[str, list[str]] = defaultdict(list)
        """What can be deleted, by the kind of client that will."""

    def answered(self, node: NodeId, method: str, request: Message) -> None:
        """Take note of a call that was done.

        Args:
            method: one of `methods`.
        """
        first = self._first.get(node.type)
        source, target = (path.rstrip("/") for path in _paths(method, request))
        if first is None:
            self._folders.update({target} if method == "mkdirs" else ())
            return
        made = self._made[NodeId(first, node.number)]
        if method == "rename" and (made.get(target) or target in self._folders):
            target = f"{target}/{source.rpartition('/')[2]}"
        below = [each for each in made if each == source or each.startswith(f"{source}/")] if source else []
        for each in below:
            folder = made.pop(each)
            if target:
                _add(made, target + each.removeprefix(source), folder=folder)
        if target:
            _add(made, target, folder=method == "mkdirs")

    def ended(self, node: NodeId) -> None:
        """A node has ended; with the last one of its client, what the client before has left can be deleted."""
        first = self._first.get(node.type)
        if first is None:
            return
        client = NodeId(first, node.number)
        ended = self._ended.pop(client, 0) + 1
        if ended < self._members[first]:
            self._ended[client] = ended
            return
        made = self._made.pop(client, {})
        before, self._before[first] = self._before.get(first, {}), made
        self._left[first] += sorted(before.keys() - made, key=lambda path: (-path.count("/"), path))

    def take(self, node: NodeId) -> Iterator[str]:
        """What a node that begins has to delete, files before their folders; nobody else will."""
        return iter(self._left.pop(node.type, ()))


def _paths(method: str, request: Message) -> tuple[str, str]:
    """The path that a call takes away, and the one that it makes; empty for none."""
    fields: Any = request
    if method == "createSymlink":
        return "", fields.link
    if method in {"create", "mkdirs"}:
        return "", fields.src
    return fields.src, "" if method == "delete" else fields.dst


def _add(made: dict[str, bool], path: str, *, folder: bool) -> None:
    """Add a path and its folders."""
    made[path] = folder or made.get(path, False)
    while (path := path.rpartition("/")[0]) and not made.get(path):
        made[path] = True
