"""Threads of one process: neighbouring calls about different files that come in either order.

One thread of an application master makes a job's folder while another opens its history. Which is first is a matter of
time. It shows where two nodes of a role made the same two calls between the same others in turned order; from then on
such neighbours are put into one order wherever they stand in that role's sequences.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from froude.mining.read.canonical import Logical
from froude.mining.read.knowledge import PATH
from froude.mining.read.senders import Sender

Pair = tuple[str, str]
"""Two methods in the order into which their calls are put."""
_NUMBER = re.compile(r"\d+")
_NEAR = 2
"""Places by which the two calls may stand elsewhere in the other node's sequence."""


def find_lanes(senders: Iterable[Sender]) -> dict[str, frozenset[Pair]]:
    """Methods whose calls come in either order, by role: where they are about different files, or as is known of it.

    Args:
        senders: of all runs, effects taken out.
    """
    seen: dict[tuple[object, ...], set[tuple[int, bool]]] = defaultdict(set)
    methods: dict[tuple[object, ...], tuple[str, Pair]] = {}
    lanes: dict[str, set[Pair]] = defaultdict(set)
    for sender in senders:
        if sender.role.threads:
            lanes[sender.role.name].update(sender.role.threads)
        if sender.role.endless:
            continue
        for at, (one, other) in enumerate(pairwise(sender.own)):
            if not _apart(one, other):
                continue
            around = (_method(sender.own, at - 1), _method(sender.own, at + 2))
            first, second = sorted((_label(one), _label(other)))
            key = (sender.role.name, around, first, second)
            seen[key].add((at, first == _label(one)))
            methods[key] = (sender.role.name, (first[0], second[0]))
    for place, places in seen.items():
        turned = any(
            (near, False) in places
            for at, forward in places
            if forward
            for near in range(at - _NEAR, at + _NEAR + 1)
        )
        if turned:
            role, pair = methods[place]
            lanes[role].add(pair)
    return {role: frozenset(pairs) for role, pairs in lanes.items()}


def put_in_order(senders: Iterable[Sender], lanes: Mapping[str, Collection[Pair]]) -> None:
    """Put neighbours that come in either order into one.

    Args:
        senders: their `own` is changed.
        lanes: as `find_lanes` gives them.
    """
    for sender in senders:
        pairs = lanes.get(sender.role.name)
        if not pairs:
            continue
        own = list(sender.own)
        for end in range(1, len(own)):
            at = end
            while at and _turned(own[at - 1], own[at], pairs):
                own[at - 1], own[at] = own[at], own[at - 1]
                at -= 1
        sender.own = own


def _turned(one: Logical, other: Logical, pairs: Collection[Pair]) -> bool:
    of_files = PATH in one.request and PATH in other.request
    return (other.token[1], one.token[1]) in pairs and (_apart(one, other) or not of_files)


def _apart(one: Logical, other: Logical) -> bool:
    """Whether two calls are of different methods, and about files of which neither lies in the other."""
    file, another = one.request.get(PATH), other.request.get(PATH)
    if one.token[1] == other.token[1] or not isinstance(file, str) or not isinstance(another, str):
        return False
    return (
        file != another
        and not f"{file}/".startswith(f"{another}/")
        and not f"{another}/".startswith(f"{file}/")
    )


def _label(call: Logical) -> tuple[str, str]:
    return call.token[1], _NUMBER.sub("#", str(call.request.get(PATH)))


def _method(calls: Sequence[Logical], at: int) -> str:
    return calls[at].token[1] if 0 <= at < len(calls) else ""
