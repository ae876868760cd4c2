"""Single values out of messages by leaf path, without flattening the whole message.

Paths are those of `froude.hadoop.leaves`; in an effect `{each}` stands for an element's number.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from google.protobuf.message import Message

from froude.hadoop.leaves import key_of
from froude.workload.rules import Special, Value

_STEP = re.compile(r"([A-Za-z_]\w*)(?:\[(\{each\}|[^\[\]{}]+)\])?(\{\})?(?:\.|$)")
_EACH = -1


def value_at(message: Message, path: str, each: int = 0) -> Value:
    """The value of a leaf; ABSENT where the message does not have it, UNRESOLVED where its type has no such leaf.

    Args:
        message: where to look.
        path: such as `block.locs[{each}].id.datanodeUuid`; `name{}` gives None for a message that is there.
        each: the number that `{each}` stands for.
    """
    current: Any = message
    for name, position, present in _steps(path):
        if name not in current.DESCRIPTOR.fields_by_name:
            return Special.UNRESOLVED
        if position is None:
            if isinstance(current, Message) and not _has(current, name):
                return Special.ABSENT
            current = getattr(current, name)
        else:
            elements = getattr(current, name)
            wanted = each if position == _EACH else position
            if isinstance(wanted, str):
                wanted = _named(elements, wanted)
            if wanted >= len(elements):
                return Special.ABSENT
            current = elements[wanted]
        if present:
            return None
    return Special.UNRESOLVED if isinstance(current, Message) else current


def count_at(message: Message, path: str) -> int:
    """How many elements the repeated field at a path has; 0 where it is not there.

    Args:
        message: any message.
        path: names of fields, joined by dots and without indices; the last one is the repeated field.
    """
    current: Any = message
    for name in path.split("."):
        if not isinstance(current, Message) or name not in current.DESCRIPTOR.fields_by_name:
            return 0
        current = getattr(current, name)
    return len(current)


def _named(elements: Any, key: str) -> int:
    """The number of the element of that key; behind the last where there is none."""
    return next((at for at, each in enumerate(elements) if key_of(each) == key), len(elements))


def _has(message: Message, name: str) -> bool:
    return bool(message.HasField(name))


@cache
def _steps(path: str) -> tuple[tuple[str, int | str | None, bool], ...]:
    steps: list[tuple[str, int | str | None, bool]] = []
    at = 0
    while at < len(path) or not path:
        step = _STEP.match(path, at)
        if step is None or path.endswith("."):
            raise ValueError(f"not a leaf path: {path}")
        index = step[2]
        position = _EACH if index == "{each}" else int(index) if index and index.isdigit() else index
        steps.append((step[1], position, step[3] is not None))
        at = step.end()
    return tuple(steps)
