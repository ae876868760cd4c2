"""Where blocks lie, from what `hdfs fsck PATH -files -blocks -locations` writes.

A line a block: its number, pool and id, length, and its DataNodes in brackets, in the forms of Hadoop 2 and 3, with
`-racks` or without. Blocks of erasure-coded files have a DataNode an internal block; they are counted and left out, for
they bear the loss of several.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from froude.base.errors import InputError
from froude.harvest.telemetry.datacenter import Ints

_BLOCK = re.compile(r"^\s*\d+\. [^ ]*\bblk_(-?)\d+(?:_\d+)? ")
_ADDRESS = re.compile(
    r"(?:DatanodeInfoWithStorage\[|[\[, /])((?:\d{1,3}\.){3}\d{1,3}:\d{1,5})(?=[,\]\s(]|$)"
    r"(?:(?:,[^\[\], ]+){2}\])?(?:\(([A-Z_ ]+)\))?"
)
"""Of a DataNode; behind it its storage, and with `-replicaDetails` the state of the replica."""
_BAD = frozenset(("CORRUPT", "DECOMMISSIONED", "EXCESS"))
"""States in which a replica is none: unreadable, on a DataNode that may be taken away, or about to be deleted."""
_END = re.compile(r"^FSCK ended|^The filesystem under path .* is ")
_MOST_REPLICAS = 512


@dataclass(frozen=True, slots=True, eq=False)
class Locations:
    """Where blocks lie."""

    addresses: tuple[str, ...]
    """Of DataNodes, `IP:PORT`."""
    placed: Ints
    """Shape (blocks, most replicas): numbers of addresses; -1 where there is no more."""
    without: int = 0
    """Blocks of which no replica is named: they are in no other count."""
    coded: int = 0
    """Block groups of erasure-coded files: likewise."""
    bad: int = 0
    """Replicas that are corrupt, in excess, or on a DataNode that is decommissioned: they are in no other count."""
    whole: bool = True
    """Whether the end was there."""


def read_fsck(lines: Iterable[str], *, name: str = "fsck") -> Locations:
    """Read it line by line; memory holds four bytes a replica.

    Args:
        lines: of the output.
        name: what to call it in errors.

    Raises:
        InputError: no line is about a block, or one names more DataNodes than a block has.
    """
    number: dict[str, int] = {}
    nodes, sizes = array("i"), array("i")
    without = coded = bad = 0
    whole = False
    for at, line in enumerate(lines, 1):
        match = _BLOCK.match(line)
        if match is None:
            whole = whole or _END.match(line) is not None
            continue
        named = _ADDRESS.findall(line, match.end())
        found = dict.fromkeys(address for address, state in named if state not in _BAD)
        if len(found) > _MOST_REPLICAS:
            allowed = f"at most {_MOST_REPLICAS}"
            raise InputError(
                "names too many DataNodes", file=name, place=at, found=len(found), allowed=allowed
            )
        if match[1]:
            coded += 1
            continue
        bad += len({address for address, _ in named} - found.keys())
        if not found:
            without += 1
        else:
            nodes.extend(number.setdefault(address, len(number)) for address in found)
            sizes.append(len(found))
    if not sizes:
        raise InputError(
            "has no block with a replica",
            file=name,
            allowed="the output of `hdfs fsck PATH -files -blocks -locations` of a path with files",
        )
    size = np.frombuffer(sizes, np.int32)
    placed = np.full((len(size), int(size.max())), -1, np.int32)
    first = np.cumsum(size) - size
    row = np.repeat(np.arange(len(size)), size)
    placed[row, np.arange(len(nodes)) - np.repeat(first, size)] = np.frombuffer(nodes, np.int32)
    return Locations(tuple(number), placed, without, coded, bad, whole)
