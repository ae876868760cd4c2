"""Single values out of messages by leaf path, without flattening the whole message.

Paths are those of `froude.messages.leaves`; in an effect `{each}` stands for an element's number.
The element of a list in a list has several, the outer one first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from keyword import iskeyword
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from froude.base.errors import InputError
from froude.messages.leaves import is_index, key_of
from froude.workload.rules import Special, Value
from froude.workload.types import CALLEE_HOST, CALLEE_PORT

Values = Mapping[str, "Value | tuple[Value, ...]"]
"""What is taken of a message: values by leaf path; of a path through a list that of each element."""
CALLEE = frozenset({CALLEE_HOST, CALLEE_PORT})
"""Paths of what does not stand in a message: whom it is addressed to."""
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


def taken(message: Message, path: str) -> Value | tuple[Value, ...]:
    """A leaf's value; of a path with `{each}` that of every element.

    Args:
        path: such as `dirList.partialListing[{each}].path`.
    """
    field_path, each, _ = path.partition("[{each}]")
    if not each:
        return Special.ABSENT if path in CALLEE else value_at(message, path)
    return tuple(value_at(message, path, number) for number in elements_at(message, field_path))


def reader(kind: Descriptor, paths: Sequence[str]) -> tuple[str, Mapping[str, object]]:
    """The source of a function from a message to what is `taken` at some paths, and the names that it uses.

    Submessages are looked at once, whatever number of their leaves is taken; a path of a rare kind is left to `taken`.

    Args:
        paths: leaf paths, as for `taken`.
    """
    lines, known = ["def read(message):"], {"": "message"}
    items = [f"{path!r}: {_reading(kind, path, known, lines)}" for path in paths]
    source = "\n    ".join([*lines, f"return {{{', '.join(items)}}}"])
    return source, {"ABSENT": Special.ABSENT, "taken": taken}


def _reading(kind: Descriptor, path: str, known: dict[str, str], lines: list[str]) -> str:
    """An expression of what is taken at a path; the submessages on its way become variables."""
    if path in CALLEE:
        return "ABSENT"
    at, message, passed = kind, "message", ""
    steps = _steps(path)
    for number, (name, index, present) in enumerate(steps):
        field, last = at.fields_by_name.get(name), number == len(steps) - 1
        if field is None or present or iskeyword(name) or not (field.has_presence or field.is_repeated):
            break
        if index == -1 and field.message_type is not None and number == len(steps) - 2:
            leaf = field.message_type.fields_by_name.get(steps[-1][0])
            if (
                leaf is None
                or leaf.is_repeated
                or iskeyword(leaf.name)
                or leaf.message_type is not None
                or not leaf.has_presence
                or steps[-1][2]
            ):
                break
            each = (
                f"(each.{leaf.name} if each.HasField({leaf.name!r}) else ABSENT for each in {message}.{name})"
            )
            return f"() if {message} is None else tuple{each}" if passed else f"tuple{each}"
        if (index is None) is field.is_repeated or isinstance(index, str) or (index or 0) < 0:
            break
        there = f"{message}.HasField({name!r})" if index is None else f"len({message}.{name}) > {index}"
        there = f"{message} is not None and {there}" if passed else there
        value = f"{message}.{name}" if index is None else f"{message}.{name}[{index}]"
        if last:
            return (
                f"{value} if {there} else ABSENT"
                if field.message_type is None
                else f"taken(message, {path!r})"
            )
        if field.message_type is None:
            break
        passed += f"{name}[{index}]."
        if passed not in known:
            known[passed] = f"m{len(known)}"
            lines.append(f"{known[passed]} = {value} if {there} else None")
        message, at = known[passed], field.message_type
    return f"taken(message, {path!r})"


@cache
def _steps(path: str) -> tuple[tuple[str, int | str | None, bool], ...]:
    steps: list[tuple[str, int | str | None, bool]] = []
    at = passed = 0
    while at < len(path) or not path:
        step = _STEP.match(path, at)
        if step is None or path.endswith("."):
            raise InputError(
                "is not a path of a leaf", place=path, allowed="fields and indices: block.locs[0].id"
            )
        index = step[2]
        if index == "{each}":
            passed += 1
        # The first `{each}` is -1, the second -2.
        position = -passed if index == "{each}" else int(index) if index and is_index(index) else index
        steps.append((step[1], position, step[3] is not None))
        at = step.end()
    return tuple(steps)
