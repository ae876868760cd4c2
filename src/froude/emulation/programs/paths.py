"""Single values out of messages by leaf path, without flattening the whole message.

Paths are those of `froude.messages.leaves`; in an effect `{each}` stands for an element's number.
The element of a list in a list has several, the outer one first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from google.protobuf.message import Message

from froude.messages.leaves import key_of
from froude.workload.rules import Special, Value

_STEP = re.compile(r"([A-Za-z_]\w*)(?:\[(\{each\}|[^\[\]{}]+)\])?(\{\})?(?:\.|$)")


def value_at(message: Message, path: str, each: Sequence[int] = (0,)) -> Value:
    """The value of a leaf; ABSENT where the message does not have it, UNRESOLVED where its type has no such leaf.

    Args:
        path: such as `block.locs[{each}].id.datanodeUuid`; `name{}` gives None for a message that is there.
        each: the numbers that `{each}` stands for, where the path goes through lists in lists the outer one first.
    """
    current: Any = message
    for name, index, present in _steps(path):
        if name not in current.DESCRIPTOR.fields_by_name:
            return Special.UNRESOLVED
        if index is None:
            if isinstance(current, Message) and not _has(current, name):
                return Special.ABSENT
            current = getattr(current, name)
        else:
            elements = getattr(current, name)
            at = _named(elements, index) if isinstance(index, str) else index
            if at < 0:
                at = each[-at - 1] if -at <= len(each) else len(elements)
            if at >= len(elements):
                return Special.ABSENT
            current = elements[at]
        if present:
            return None
    return Special.UNRESOLVED if isinstance(current, Message) else current


def elements_at(message: Message, listed: str) -> list[tuple[int, ...]]:
    """The elements of a repeated field, each by its numbers; none where the field is not there.

    Args:
        listed: leaf path of the field, such as `block.locs`; in `targets[].datanodes` an element has two numbers.
    """
    outer, _, inner = listed.partition("[].")
    elements = _list_at(message, outer)
    if not inner:
        return [(number,) for number in range(len(elements))]
    return [
        (number, *rest) for number, element in enumerate(elements) for rest in elements_at(element, inner)
    ]


def _list_at(message: Message, path: str) -> Sequence[Any]:
    current: Any = message
    for name, position, _ in _steps(path):
        if not isinstance(current, Message) or name not in current.DESCRIPTOR.fields_by_name:
            return ()
        current = getattr(current, name)
        if position is not None:
            at = _named(current, position) if isinstance(position, str) else position
            if at >= len(current):
                return ()
            current = current[at]
    return current  # type: ignore[no-any-return]


def _named(elements: Any, key: str) -> int:
    """The number of the element of that key; behind the last where there is none."""
    return next((at for at, each in enumerate(elements) if key_of(each) == key), len(elements))


def _has(message: Message, name: str) -> bool:
    return bool(message.HasField(name))


@cache
def _steps(path: str) -> tuple[tuple[str, int | str | None, bool], ...]:
    steps: list[tuple[str, int | str | None, bool]] = []
    at = passed = 0
    while at < len(path) or not path:
        step = _STEP.match(path, at)
        if step is None or path.endswith("."):
            raise ValueError(f"not a leaf path: {path}")
        index = step[2]
        if index == "{each}":
            passed += 1
        # The first `{each}` is -1, the second -2.
        position = -passed if index == "{each}" else int(index) if index and index.isdigit() else index
        steps.append((step[1], position, step[3] is not None))
        at = step.end()
    return tuple(steps)
