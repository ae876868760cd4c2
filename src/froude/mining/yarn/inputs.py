"""Where the input of an application lies, as the client was told that submitted it: what its asks for nodes follow from.

A client looks for the blocks of its input and writes down on which machines they are, in a file that no recording holds
the bytes of. The application master reads that, and asks for as many containers on each machine as blocks lie there.
Some ask for one of a block's machines only, which they choose themselves.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from froude.messages.rows import EMPTY
from froude.mining.read.events import Leaves
from froude.mining.shape.structure import Occurrence
from froude.workload.types import Scalar

_BLOCK = re.compile(r"^((?:.*\.)?blocks\[\d+\])\.locs\[\d+\]\.id\.hostName$")
"""A leaf that names a machine that holds a block."""
_APPLICATION = "app_attempt_id.application_id.id"
_GIVEN = f"allocated_containers[0].id.{_APPLICATION}"
_SUBMITTED = "application_submission_context.application_id.id"

Block = tuple[Scalar, ...]
"""The machines that hold one block."""
Told = Mapping[str, Sequence[Block]]
"""By template of the client's calls, the blocks that these were answered with."""


class Hosts(Enum):
    """On how many of a block's machines a container for it is asked for."""

    ALL = "all"
    ONE = "one"


def find_inputs(
    steps: Mapping[str, Sequence[Occurrence]], periodic: Mapping[str, Sequence[Occurrence]]
) -> dict[int, Told]:
    """What was told to the client of each application master's application, by identity of the master's sender."""
    clients: dict[tuple[int, Scalar], int] = {}
    told: dict[int, dict[str, list[Block]]] = defaultdict(lambda: defaultdict(list))
    for template, listed in steps.items():
        for occurrence in listed:
            number = occurrence.call.request.get(_SUBMITTED)
            if number is not None:
                clients[occurrence.run, number] = id(occurrence.sender)
            blocks = _blocks(occurrence.call.response or EMPTY)
            if blocks:
                told[id(occurrence.sender)][template] += blocks
    found: dict[int, Told] = {}
    for listed in periodic.values():
        for occurrence in listed:
            number = (occurrence.call.response or EMPTY).get(_GIVEN)
            client = clients.get((occurrence.run, number))
            if client is not None:
                found[id(occurrence.sender)] = told[client]
    return found


def _blocks(leaves: Leaves) -> list[Block]:
    blocks: dict[str, list[Scalar]] = defaultdict(list)
    for path, value in leaves.items():
        match = _BLOCK.match(path)
        if match is not None:
            blocks[match[1]].append(value)
    return [tuple(hosts) for hosts in blocks.values()]


def on_each(blocks: Iterable[Block]) -> Counter[Scalar]:
    """How many blocks lie on each machine."""
    return Counter(host for hosts in blocks for host in dict.fromkeys(hosts))


def explained(asked: Mapping[Scalar, int], blocks: Sequence[Block]) -> Hosts | None:
    """How asks for nodes follow from where blocks lie; None where they do not.

    Args:
        asked: how many containers were asked for on each machine.
    """
    there = on_each(blocks)
    if dict(asked) == dict(there):
        return Hosts.ALL
    if sum(asked.values()) == len(blocks) and all(number <= there[host] for host, number in asked.items()):
        return Hosts.ONE
    return None
