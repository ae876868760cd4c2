"""A message as a flat, ordered mapping of paths to scalars, and back.

Mining compares calls leaf by leaf, and a workload names leaves in its rules; both need one way of naming:

    src                              a field
    masked.perm                      a field of a submessage
    reports[0].storage.storageUuid   a field of an element of a list
    blocks[3]                        an element of a list of scalars
    environment[SHELL].value         a field of an element of a list that stands for a map, by its key (`leaves`)
    location{}                       a submessage that is present and empty; its value is None

Enums are their numbers, bytes are bytes. Order is that of the field numbers,
which is the order on the wire. Time is linear in the number of leaves in both directions. Fields that the
schema does not know are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from froude.base.errors import InputError

M = TypeVar("M", bound=Message)
Value = int | float | bool | str | bytes | None
_STEP = re.compile(r"([A-Za-z_]\w*)((?:\[(?:\d{1,9}|[^\[\]{}\d][^\[\]{}]*)\])?)(\{\})?(?:\.|$)")
_INDEX_DIGITS = 9
_WORD = re.compile(r"(?!.*\d{4})[^\[\]{}\d\s][^\[\]{}\s]{0,63}")
"""A key by which an element may be named. One with a long number is an id, another in each message."""


class Kind(Enum):
    """What a field holds: one value, a submessage, or several of either; of maps, those by convention and protobuf's."""

    SCALAR = auto()
    MESSAGE = auto()
    SCALARS = auto()
    MESSAGES = auto()
    MAPLIKE = auto()
    MAP = auto()


def leaves(message: Message, *, canonical: bool = False) -> dict[str, Value]:
    """Every leaf of a message.

    Args:
        canonical: whether elements of lists that stand for maps (elements with a `key`, or of a type `…MapProto`)
            are named by their keys, so that one more of them does not rename the others. They are sorted by their
            bytes, since a JVM's order of them is not stable, and numbered if a key is no name. `build` then gives
            an equal message up to that order.
    """
    out: dict[str, Value] = {}
    _walk(message, "", out, canonical)
    return out


def _walk(message: Message, prefix: str, out: dict[str, Value], canonical: bool) -> None:
    for field, value in message.ListFields():
        name, kind = facts(field)
        path = prefix + name
        if kind is Kind.SCALAR:
            out[path] = value
        elif kind is Kind.SCALARS:
            for index, item in enumerate(value):
                out[f"{path}[{index}]"] = item
        elif kind is Kind.MESSAGE:
            _submessage(value, path, out, canonical)
        elif kind is Kind.MAP:
            _walk_map(value, path, out, canonical)
        else:
            maplike = canonical and kind is Kind.MAPLIKE
            items = sorted(value, key=_bytes) if maplike else value
            for word, item in zip(_indices(items, named=maplike), items, strict=True):
                _submessage(item, f"{path}[{word}]", out, canonical)


def _indices(items: Sequence[Message], *, named: bool) -> Sequence[object]:
    """What stands for each element in its paths: its key, if each has another and all are names; else its number."""
    keys = [key_of(item) for item in items] if named else []
    return keys if keys and are_names(keys) else range(len(items))


def are_names(keys: Sequence[str]) -> bool:
    """Whether elements may be named by their keys: each has another, and all are words."""
    return all(_WORD.fullmatch(key) for key in keys) and len(set(keys)) == len(keys)


def key_of(element: Message) -> str:
    """What names an element of a list that stands for a map: its `key`, or else its first field; of an enum its name."""
    field = key_field(element.DESCRIPTOR)
    value = getattr(element, field.name)
    known = field.enum_type.values_by_number.get(value) if field.enum_type is not None else None
    return str(known.name) if known is not None else str(value)


def key_field(element: Any) -> Any:
    """The field whose value names an element of a list that stands for a map.

    Args:
        element: the kind of its elements, with a field.
    """
    first = min(element.fields, key=lambda each: each.number)
    return element.fields_by_name.get("key", first)


def _submessage(message: Message, path: str, out: dict[str, Value], canonical: bool) -> None:
    before = len(out)
    _walk(message, path + ".", out, canonical)
    if len(out) == before:
        out[path + "{}"] = None


def _walk_map(entries: Mapping[Any, Any], path: str, out: dict[str, Value], canonical: bool) -> None:
    """A true protobuf map, always by key: its order means nothing."""
    for index, key in enumerate(sorted(entries)):
        out[f"{path}[{index}].key"] = key
        if isinstance(entries[key], Message):
            _submessage(entries[key], f"{path}[{index}].value", out, canonical)
        else:
            out[f"{path}[{index}].value"] = entries[key]


def _bytes(message: Message) -> bytes:
    return message.SerializePartialToString(deterministic=True)


@cache
def facts(field: FieldDescriptor) -> tuple[str, Kind]:
    """A field's name and what it holds, looked up once."""
    inner = field.message_type
    if not field.is_repeated:
        return field.name, Kind.SCALAR if inner is None else Kind.MESSAGE
    if inner is None:
        return field.name, Kind.SCALARS
    if inner.GetOptions().map_entry:
        return field.name, Kind.MAP
    return field.name, Kind.MAPLIKE if is_maplike(inner) else Kind.MESSAGES


def is_maplike(element: Descriptor) -> bool:
    """Whether a list of such messages stands for a map."""
    return "key" in element.fields_by_name or element.name.endswith("MapProto")


def build(kind: type[M], values: Mapping[str, Value]) -> M:
    """A message out of its leaves; the inverse of `leaves`.

    Args:
        values: path -> scalar, in any order; the indices of a list count from 0 without a gap. Elements that are
            named by keys come in the order in which they are named; their keys are leaves as well.

    Returns:
        The message. Whether all required fields are set shows when it is serialised.

    Raises:
        InputError: a path that the class does not have, a value that does not fit, or a gap in a list.
    """
    message = kind()
    _fill(message, tree_of(values), "")
    return message


def tree_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Paths as nested mappings: field -> value, subtree, or index -> value or subtree."""
    root: dict[str, Any] = {}
    for path, value in values.items():
        node, at = root, 0 if path else -1
        while at < len(path):
            step = _STEP.match(path, at) if path else None
            # The empty-message marker ends a path and has no value; a dot never ends one.
            marked = step is not None and step[3] is not None
            if (
                step is None
                or path.endswith(".")
                or (marked and (step.end() < len(path) or value is not None))
            ):
                raise InputError("is no path of a field", place=path, allowed="a.b[0].c, or a{} = None")
            at = step.end()
            key: Any = step[1]
            if step[2]:
                node, key = _child(node, key, path), _index(step[2][1:-1])
            if marked:
                _child(node, key, path)
            elif at < len(path):
                node = _child(node, key, path)
            elif key in node:
                raise InputError("is given twice, as a value and as more", place=path)
            else:
                node[key] = value
    return root


@dataclass(frozen=True, slots=True)
class _Named:
    """An element of a list, by its key."""

    key: str


def is_index(text: str) -> bool:
    """Whether a text in brackets is an element's number, not the key of a map; digits of other scripts are keys."""
    return text.isascii() and text.isdigit() and len(text) <= _INDEX_DIGITS


def _index(text: str) -> int | _Named:
    return int(text) if is_index(text) else _Named(text)


def _child(node: dict[Any, Any], key: Any, path: str) -> dict[Any, Any]:
    child = node.setdefault(key, {})
    if not isinstance(child, dict):
        raise InputError("is given twice, as a value and as more", place=path)
    return child


def _fill(message: Message, tree: Mapping[str, Any], prefix: str) -> None:
    fields = message.DESCRIPTOR.fields_by_name
    for name, node in tree.items():
        path = prefix + name
        if name not in fields:
            raise InputError("is no field here", place=path, allowed=", ".join(fields) or "no field at all")
        kind = facts(fields[name])[1]
        if kind is Kind.SCALAR:
            _put(path, node, setattr, message, name)
        elif kind is Kind.MESSAGE:
            child = getattr(message, name)
            child.SetInParent()
            _fill(child, _subtree(node, path), path + ".")
        else:
            _fill_list(getattr(message, name), kind, elements_of(node, path), path)


def _fill_list(field: Any, kind: Kind, elements: Iterable[Any], path: str) -> None:
    for index, node in enumerate(elements):
        place = f"{path}[{index}]"
        if kind is Kind.SCALARS:
            _put(place, node, field.append)
        elif kind is Kind.MAP:
            _fill_entry(field, _subtree(node, place), place)
        else:
            _fill(field.add(), _subtree(node, place), place + ".")


def _fill_entry(field: Any, entry: Mapping[str, Any], path: str) -> None:
    key, value = entry.get("key"), entry.get("value")
    if isinstance(value, dict):
        _fill(field[key], value, f"{path}.value.")
    else:
        _put(path, value, field.__setitem__, key)


def _put(path: str, value: Any, put: Callable[..., object], *where: object) -> None:
    """Call `put(*where, value)` and state what is wrong with the value, if anything is."""
    if isinstance(value, dict) or value is None:
        raise InputError("is a single value", place=path, found=value, allowed="a scalar")
    try:
        put(*where, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            "does not take this value", place=path, found=repr(value), allowed=str(error)
        ) from error


def _subtree(node: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(node, dict) or any(isinstance(key, int | _Named) for key in node):
        raise InputError("is a message", place=path, found=repr(node), allowed=f"{path}.field, or {path}{{}}")
    return node


def elements_of(node: Any, path: str) -> list[Any]:
    """The elements of a list, from its part of a tree (`tree_of`).

    Raises:
        InputError: it is no list, or one with a gap.
    """
    if not isinstance(node, dict) or any(isinstance(key, str) for key in node):
        raise InputError("is a list", place=path, found=repr(node), allowed=f"{path}[0]")
    if all(isinstance(key, _Named) for key in node):
        return list(node.values())
    if any(isinstance(key, _Named) for key in node):
        raise InputError("is a list by keys and by numbers", place=path)
    if max(node, default=-1) != len(node) - 1:
        missing = next(index for index in range(len(node)) if index not in node)
        raise InputError("is a list with a gap", place=f"{path}[{missing}]")
    return [node[index] for index in range(len(node))]
