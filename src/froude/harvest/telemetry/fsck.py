"""Where blocks lie, from what `hdfs fsck PATH -files -blocks -locations -replicaDetails` writes.

A line a block: its number, pool and id, length, and its DataNodes in brackets, in the forms of Hadoop 2 and 3, with
`-racks` or without. Without `-replicaDetails` nothing tells which replicas are corrupt, in excess or on decommissioned
DataNodes. Blocks of erasure-coded files have a DataNode an internal block; they are counted and left out, for
they bear the loss of several.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from froude.base.errors import InputError
from froude.base.summary import counted
from froude.harvest.telemetry.datacenter import Ints

_BLOCK = re.compile(r"^\s*\d+\. [^ ]*\bblk_(-?)\d+(?:_\d+)? ")
_ADDRESS = re.compile(
    r"(?:DatanodeInfoWithStorage\[|[\[, /])((?:\d{1,3}\.){3}\d{1,3}:\d{1,5})(?=[,\]\s(]|$)"
    r"(?:(?:,[^\[\], ]+){2}\])?(?:\(([A-Z_ ]+)\))?"
)
"""Of a DataNode; behind it its storage, and with `-replicaDetails` the state of the replica."""
_BAD = {
    "CORRUPT": "corrupt",
    "EXCESS": "in excess",
    "DECOMMISSIONED": "on decommissioned DataNodes",
}
"""States in which a replica is none: unreadable, about to be deleted, or on a DataNode that may be taken away."""
COMMAND = "hdfs fsck PATH -files -blocks -locations -replicaDetails"
"""What writes all that is read."""
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
    bad: Mapping[str, int] = field(default_factory=dict)
    """Replicas that count as none, by why: corrupt, in excess, on decommissioned DataNodes; in no other count."""
    whole: bool = True
    """Whether the end was there."""
    detailed: bool = True
    """Whether it says which replicas count as none."""


def read_fsck(lines: Iterable[str], *, name: str = "fsck") -> Locations:
    """Read it line by line; memory holds four bytes a replica.

    Raises:
        InputError: no line is about a block with a replica, or one names more DataNodes than a block has.
    """
    number: dict[str, int] = {}
    nodes, sizes = array("i"), array("i")
    without = coded = 0
    bad: Counter[str] = Counter()
    whole, detailed, last = False, False, ""
    for at, line in enumerate(lines, 1):
        match = _BLOCK.match(line)
        if match is None:
            whole = whole or _END.match(line) is not None
            last = line if line.strip() else last
            continue
        named = _ADDRESS.findall(line, match.end())
        found = dict.fromkeys(address for address, state in named if state not in _BAD)
        detailed = detailed or any(state for _, state in named)
        if len(found) > _MOST_REPLICAS:
            allowed = f"at most {_MOST_REPLICAS}"
            raise InputError(
                "names too many DataNodes", file=name, place=at, found=len(found), allowed=allowed
            )
        if match[1]:
            coded += 1
            continue
        if len(found) < len(named):
            states = {address: state for address, state in named if address not in found}
            bad.update(_BAD[state] for state in states.values())
        if not found:
            without += 1
        else:
            nodes.extend(number.setdefault(address, len(number)) for address in found)
            sizes.append(len(found))
    if not sizes:
        raise _nothing(name, last.strip(), without, coded, bad)
    size = np.frombuffer(sizes, np.int32)
    placed = np.full((len(size), int(size.max())), -1, np.int32)
    first = np.cumsum(size) - size
    row = np.repeat(np.arange(len(size)), size)
    placed[row, np.arange(len(nodes)) - np.repeat(first, size)] = np.frombuffer(nodes, np.int32)
    return Locations(tuple(number), placed, without, coded, dict(bad), whole, detailed)


def _nothing(name: str, last: str, without: int, coded: int, bad: Mapping[str, int]) -> InputError:
    """What was there instead of replicas, and what to run."""
    if not without and not coded:
        return InputError(
            "lists no block",
            file=name,
            found=f"at its end: {last}" if last else "nothing",
            remedy=f"Run {COMMAND}, of a path with files",
        )
    if not coded and not bad:
        return InputError(
            f"lists {counted(without, 'block')} and names no DataNode",
            file=name,
            remedy=f"Unless all are missing, they come with -locations: {COMMAND}",
        )
    parts = [f"{counted(without, 'block')} without one"] if without else []
    parts += [f"{counted(number, 'replica')} {why}" for why, number in bad.items()]
    parts += [f"{counted(coded, 'group')} of erasure-coded files, which are not judged"] if coded else []
    return InputError(
        "has no block with a replica that counts",
        file=name,
        found=", ".join(parts),
        remedy="Look at a path that has some",
    )
