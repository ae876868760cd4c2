"""The Scales of several recordings, as lists of values: `2,3,4` DataNodes, `files=10,15,25`."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Mapping, Sequence

from froude.base.errors import InputError
from froude.base.units import Quantity, parse_quantity
from froude.hadoop.cluster.loopback import MOST_NODES
from froude.workload.scale import Scale
from froude.workload.types import NODE

DATANODES = "datanodes"
"""The variable that every recording has."""
NODEMANAGERS = "nodemanagers"
"""The variable of recordings with YARN."""
NODES: Mapping[str, str] = {DATANODES: "DataNodes", NODEMANAGERS: "NodeManagers"}
"""Variables that say how many nodes are started, and what those are called."""
_LOOP = re.compile(r"L\d+")


def scales_of(lists: Mapping[str, Sequence[Quantity]], *, cross: bool = False) -> list[Scale]:
    """One Scale a run: the first values of all lists, then the second ones, and so on; a single value is repeated.

    Args:
        lists: the values of each variable.

    Raises:
        InputError: two lists differ in length.
    """
    if cross:
        return [Scale(dict(zip(lists, values, strict=True))) for values in itertools.product(*lists.values())]
    longest = max(lists, key=lambda name: len(lists[name]))
    size = len(lists[longest])
    for name, values in lists.items():
        if len(values) not in (1, size):
            found = f"{longest} has {size} values, {name} has {len(values)}"
            allowed = "as many values, or a single one"
            remedy = "--cross combines every value with every other"
            raise InputError("lists differ in length", found=found, allowed=allowed, remedy=remedy)
    return [
        Scale({name: values[run if len(values) > 1 else 0] for name, values in lists.items()})
        for run in range(size)
    ]


def parse_lists(datanodes: str, scale: Sequence[str], nodemanagers: str = "0") -> dict[str, list[Quantity]]:
    """Read `2,3,4` and `files=10,15,25`.

    Args:
        scale: further variables, each with its values.
        nodemanagers: numbers of NodeManagers; a single 0 is no variable.

    Raises:
        InputError: a name that is no identifier or that mining uses itself, a name twice, or a value that is no
            quantity, or of another unit than the first; a number of DataNodes that cannot be started here.
    """
    lists = {DATANODES: _values(DATANODES, datanodes)}
    if nodemanagers != "0":
        lists[NODEMANAGERS] = _values(NODEMANAGERS, nodemanagers)
    for text in scale:
        name, equals, values = text.partition("=")
        if not equals:
            raise InputError("says no values", place="--scale", found=text, allowed="NAME=VALUE,VALUE,…")
        check_name(name)
        if name in lists or name in NODES:
            remedy = f"Give its numbers to --{name}" if name in NODES else None
            raise InputError("is given twice", place="--scale", found=name, remedy=remedy)
        lists[name] = _values(name, values)
    check_lists(lists)
    return lists


def check_lists(lists: Mapping[str, Sequence[Quantity]]) -> None:
    """Refuse values that no runs can have.

    Args:
        lists: the values of each variable, the numbers of nodes among them.

    Raises:
        InputError: a name that no variable may have, no value, values of several units, or a number of nodes that
            cannot be started here.
    """
    for name, quantities in lists.items():
        check_name(name)
        if len({quantity.unit for quantity in quantities}) != 1:
            values = ",".join(map(str, quantities)) or "none"
            allowed = "bytes, seconds or plain numbers"
            raise InputError("mixes units", place=name, found=values, allowed=allowed)
    for name, quantity in [(kind, each) for kind in NODES for each in lists.get(kind, ())]:
        if quantity.unit or quantity.value % 1 or not 1 <= quantity.value <= MOST_NODES:
            raise InputError(
                f"is no number of {NODES[name]}",
                place=f"--{name}",
                found=str(quantity),
                allowed=f"1 to {MOST_NODES}",
            )


def check_name(name: str) -> None:
    """Refuse a name that no program and no formula could use.

    Raises:
        InputError: it is no identifier, or one of those that mining gives.
    """
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        allowed = "letters, digits and _, not beginning with a digit, and no word of Python's"
        raise InputError("is no name for a variable", place="--scale", found=name, allowed=allowed)
    if name == NODE or _LOOP.fullmatch(name):
        allowed = f"any other: mining calls nodes {NODE!r}, and loops L1, L2, …"
        raise InputError("is a name that mining uses", place="--scale", found=name, allowed=allowed)


def _values(name: str, text: str) -> list[Quantity]:
    return [parse_quantity(part, place=name) for part in text.split(",")]
