"""Node types by name and by what they do: of `shell-2` to `shell-9` nobody sees which one renames."""

from __future__ import annotations

from froude.workload.types import SCRIPTED, NodeType
from froude.workload.walk import calls

_BESIDE = frozenset({"getFileInfo", "getServerDefaults", "msync"})
"""Calls that Hadoop's clients make beside nearly every other: they tell no node type apart."""
_MOST = 2


def does(node_type: NodeType) -> str:
    """The first methods that its nodes call by themselves, those that all call left out where there are others.

    Args:
        node_type: whose; a daemon is what its name says, and nothing is added.
    """
    if node_type.program != SCRIPTED:
        return ""
    methods = list(dict.fromkeys(call.method for call in calls(node_type.steps)))
    telling = [method for method in methods if method not in _BESIDE] or methods
    return ", ".join(telling[:_MOST]) + (" …" if len(telling) > _MOST else "")


def named(node_type: NodeType) -> str:
    """Its name, and what it does, as tables show it."""
    done = does(node_type)
    return f"{node_type.name}: {done}" if done else node_type.name
