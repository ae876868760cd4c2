"""What nodes have made that others wait for, in a play: a producer's files, and the consumers that need them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from froude.emulation.programs.events import NodeId
from froude.workload.types import Wait, Workload
from froude.workload.walk import templates


class Ready(NamedTuple):
    """The message that what a node waits for is there."""

    path: str


class Made:
    """The paths that nodes of some types have made, and who waits for which.

    Memory: an item for each path that a call makes whose kind some node waits for.
    """

    def __init__(self, workload: Workload) -> None:
        """Look which calls make what is waited for."""
        waits = {
            call.after for node in workload.node_types for call in templates(node) if call.after is not None
        }
        self._leaves = {(wait.node_type, wait.method): wait.made for wait in waits}
        self._paths: set[tuple[str, str, str]] = set()
        self._waiting: dict[tuple[str, str, str], list[NodeId]] = defaultdict(list)

    def leaf(self, node_type: str, method: str) -> str | None:
        """The leaf of a request that says what it makes; None where nobody waits for such."""
        return self._leaves.get((node_type, method))

    def add(self, node_type: str, method: str, path: str) -> Sequence[NodeId]:
        """Take note of a path that is there now.

        Returns:
            The nodes that waited for it.
        """
        key = (node_type, method, path)
        self._paths.add(key)
        return self._waiting.pop(key, ())

    def is_there(self, wait: Wait, path: str) -> bool:
        """Whether what a call waits for has been made."""
        return (wait.node_type, wait.method, path) in self._paths

    def expect(self, wait: Wait, path: str, node: NodeId) -> None:
        """Let a node wait for a path.

        Args:
            node: which is in the result of `add` once the path is there.
        """
        self._waiting[wait.node_type, wait.method, path].append(node)
