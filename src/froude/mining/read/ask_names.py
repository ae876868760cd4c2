"""Names of the leaves of asks: by priority and kind of place instead of by their place in a list.

`ask` of `allocate` holds what changed since the last one, so its first element is once this, once that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from froude.mining.read.events import Leaves
from froude.mining.read.knowledge import ASKS
from froude.workload.types import Scalar

NODE = "node"
"""Kind of a place that is one machine; `any` and `rack` are the others."""


def named(method: str, leaves: Leaves) -> dict[str, str]:
    """Raw leaf path -> leaf path by priority and kind of place, for the leaves of asks; none of other calls.

    Args:
        leaves: of its request, by raw path.
    """
    asks = ASKS.get(method)
    if asks is None:
        return {}
    names: dict[str, str] = {}
    nodes: dict[Scalar, int] = defaultdict(int)
    for prefix, inside in elements(asks.listed, leaves):
        priority, place = leaves.get(f"{prefix}.{asks.priority}"), leaves.get(f"{prefix}.{asks.place}")
        kind = kind_of(place)
        if kind == NODE:
            nodes[priority] += 1
            kind = f"{NODE}{nodes[priority]}"
        names |= {path: f"{asks.listed}[{kind}-{priority!s}]{path[len(prefix) :]}" for path in inside}
    return names


def kind_of(place: Scalar) -> str:
    """What kind of place a name stands for: `any`, `rack` or `node`."""
    return "any" if place == "*" else "rack" if isinstance(place, str) and place.startswith("/") else NODE


def is_asked(method: str, path: str) -> bool:
    """Whether a leaf is one of an ask, or of a container that is given back.

    Args:
        path: as `named` gives it.
    """
    asks = ASKS.get(method)
    return asks is not None and path.startswith((f"{asks.listed}[", f"{asks.returned}["))


def representative(path: str) -> str:
    """The path of the first node's ask for that of any node's: a workload has one rule for all nodes.

    Args:
        path: as `named` gives it.
    """
    head, bracket, rest = path.partition(f"[{NODE}")
    number, dash, tail = rest.partition("-")
    return f"{head}[{NODE}1-{tail}" if bracket and dash and number.isdigit() else path


def elements(listed: str, leaves: Leaves) -> Iterator[tuple[str, list[str]]]:
    """The elements of a list: path of each, and the leaf paths within.

    Args:
        leaves: of the message, by path.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for path in leaves:
        if path.startswith(f"{listed}["):
            found[path[: path.index("]") + 1]].append(path)
    yield from found.items()
