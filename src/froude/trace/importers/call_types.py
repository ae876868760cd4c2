"""Types of the arguments in a table of calls: what all values say together, as protobuf messages.

A `Shape` collects what was seen at one place, value by value, in memory that depends on the number of places and not
of values. `message_of` settles the types: whole numbers of 64 bits, double, bool, string, nested messages and lists of
them. What protobuf has no type for becomes text, and a remark says so: values of several kinds at one place, and
numbers beyond 64 bits. An object with very many keys, or with keys that are no names, is a map: a list of messages
with `key` and `value`, in order of the keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

from froude.base.errors import InputError
from froude.trace.importers.call_secrets import Masker, is_secret, secret_values
from froude.trace.importers.call_values import Cell, identifier, is_name

MOST_FIELDS = 64
"""Keys of an object that are still fields; more make it a map."""
MOST_ARGUMENTS = 1000
"""Arguments of one method."""
_EXACT = 1 << 53
"""Whole numbers up to here are exact as a double."""


class Kind(Enum):
    """What a value is."""

    INT = FieldDescriptorProto.TYPE_INT64
    UNSIGNED = FieldDescriptorProto.TYPE_UINT64
    FLOAT = FieldDescriptorProto.TYPE_DOUBLE
    BOOL = FieldDescriptorProto.TYPE_BOOL
    TEXT = FieldDescriptorProto.TYPE_STRING
    MESSAGE = FieldDescriptorProto.TYPE_MESSAGE


_OF_TYPE = {bool: Kind.BOOL, int: Kind.INT, float: Kind.FLOAT, str: Kind.TEXT, type(None): Kind.TEXT}


@dataclass(slots=True)
class Shape:
    """What was seen at one place of a method's arguments."""

    kinds: set[Kind] = field(default_factory=set)
    """Of single values and objects."""
    low: int = 0
    high: int = 0
    fields: dict[str, Shape] = field(default_factory=dict)
    """By name, in the order in which they were first seen."""
    entries: Shape | None = None
    """The values of a map; None while the objects are none."""
    items: Shape | None = None
    """The elements of lists; None where none was seen."""
    secret: bool = False
    """Whether all values are secrets, whatever the place is called."""

    def add(self, value: Any, depth: int = 0) -> None:
        """Take one more value in.

        Raises:
            InputError: the outermost object has got too many fields.
        """
        kind = type(value)
        if kind is Cell:
            value = value.guess()
            kind = type(value)
        if kind is dict or kind is list:
            self._nested(value, depth + 1)
            return
        self.kinds.add(_OF_TYPE[kind])
        if kind is int:
            self.low, self.high = min(self.low, value), max(self.high, value)

    def _nested(self, value: Any, depth: int) -> None:
        if isinstance(value, list):
            self.items = self.items or Shape()
            for item in value:
                self.items.add(item, depth)
            return
        self.kinds.add(Kind.MESSAGE)
        if self.entries is None and depth > 1 and any(not is_name(name) for name in value):
            self._make_map()
        for name, inner in value.items():
            if inner is not None:
                self._inner(name).add(inner, depth)
        if self.entries is None and len(self.fields) > (MOST_FIELDS if depth > 1 else MOST_ARGUMENTS):
            if depth == 1:
                raise InputError("has too many arguments", allowed=f"at most {MOST_ARGUMENTS}")
            self._make_map()

    def _inner(self, name: str) -> Shape:
        if self.entries is not None:
            return self.entries
        return self.fields.setdefault(name, Shape())

    def _make_map(self) -> None:
        self.entries = Shape()
        for inner in self.fields.values():
            self.entries.merge(inner)
        self.fields.clear()

    def hide(self, path: Sequence[str]) -> None:
        """Make all values at a place secrets.

        Args:
            path: names of fields that lead there; where one leads into a map, all of the map's are.
        """
        inner = self.fields.get(path[0]) if path else None
        if inner is not None and self.kinds == {Kind.MESSAGE} and self.items is None:
            inner.hide(path[1:])
        else:
            self.secret = True

    def merge(self, other: Shape) -> None:
        """Take in all that another place saw."""
        self.kinds |= other.kinds
        self.secret |= other.secret
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        if other.entries is not None and self.entries is None:
            self._make_map()
        if other.entries is not None:
            assert self.entries is not None
            self.entries.merge(other.entries)
        for name, inner in other.fields.items():
            self._inner(name).merge(inner)
        if other.items is not None:
            self.items = self.items or Shape()
            self.items.merge(other.items)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message."""

    name: str
    """Its name in protobuf."""
    kind: Kind
    message: MessageType | None = None
    """Of a field that is one, or a list of them."""
    repeated: bool = False
    is_map: bool = False
    """Whether it stands for an object's keys and values."""
    secret: bool = False
    """Whether its texts are replaced."""


@dataclass(frozen=True, slots=True)
class MessageType:
    """A message: its fields by the names that the table has, and its descriptor."""

    fields: Mapping[str, Field]
    descriptor: DescriptorProto


@dataclass(slots=True)
class Naming:
    """Makes messages of shapes, and keeps what should be said of it."""

    remarks: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    """Places whose values are replaced."""

    def message_of(self, shape: Shape, name: str, place: str, *, secret: bool = False) -> MessageType:
        """The message of an object's shape.

        Args:
            secret: whether all below is.
        """
        secret = secret or shape.secret
        descriptor = DescriptorProto(name=name)
        fields: dict[str, Field] = {}
        taken: set[str] = set()
        # Its own names keep theirs; those that protobuf does not allow make way for them.
        allowed = [each for each in shape.fields if identifier(each, ()) == each]
        names = {each: each for each in allowed}
        taken.update(allowed)
        for each in shape.fields:
            if each not in names:
                names[each] = identifier(each, taken)
                taken.add(names[each])
        for number, (each, inner) in enumerate(shape.fields.items(), 1):
            made = self._field(inner, names[each], f"{place}.{each}", secret=secret or is_secret(each))
            _declare(descriptor, made, number, taken)
            fields[each] = made
        return MessageType(fields, descriptor)

    def _field(self, shape: Shape, name: str, place: str, *, secret: bool) -> Field:
        secret = secret or shape.secret
        inner = shape.items
        if inner is not None and not shape.kinds:
            if inner.items is not None and not inner.kinds:  # protobuf has no lists of lists
                inner = Shape({Kind.MESSAGE}, fields={"items": inner})
                element = self._field(inner, name, f"{place}[]", secret=secret)
                return Field(name, element.kind, element.message, repeated=True, secret=secret)
            element = self._field(inner, name, f"{place}[]", secret=secret)
            if element.repeated:  # nor of maps
                return self._text(name, place, "lists of maps", secret=secret)
            return Field(name, element.kind, element.message, repeated=True, secret=secret)
        if inner is None and shape.kinds == {Kind.MESSAGE}:
            if shape.entries is None:
                message = self.message_of(shape, name.capitalize(), place, secret=secret)
                return Field(name, Kind.MESSAGE, message, secret=secret)
            entry = Shape({Kind.MESSAGE}, fields={"key": Shape({Kind.TEXT}), "value": shape.entries})
            message = self.message_of(entry, name.capitalize(), place, secret=secret)
            return Field(name, Kind.MESSAGE, message, repeated=True, is_map=True, secret=secret)
        return self._single(shape, name, place, secret=secret)

    def _single(self, shape: Shape, name: str, place: str, *, secret: bool) -> Field:
        if secret:
            self.redacted.append(place)
            return Field(name, Kind.TEXT, secret=True)
        kinds = shape.kinds
        if shape.items is not None or Kind.MESSAGE in kinds:
            return self._text(name, place, "single values, lists or objects by turns", secret=secret)
        wide = shape.low < -(1 << 63) or shape.high >= 1 << 63
        if kinds == {Kind.INT}:
            if not wide:
                return Field(name, Kind.INT)
            if shape.low >= 0 and shape.high < 1 << 64:
                return Field(name, Kind.UNSIGNED)
            return self._text(name, place, "numbers beyond 64 bits", secret=secret)
        if kinds == {Kind.INT, Kind.FLOAT} and shape.low >= -_EXACT and shape.high <= _EXACT:
            return Field(name, Kind.FLOAT)
        if len(kinds) > 1:
            text = ", ".join(sorted(kind.name.lower() for kind in kinds))
            return self._text(name, place, f"values of several kinds ({text})", secret=secret)
        return Field(name, next(iter(kinds), Kind.TEXT))

    def _text(self, name: str, place: str, found: str, *, secret: bool) -> Field:
        if secret:
            self.redacted.append(place)
        self.remarks.append(f"{place}: {found}; kept as text")
        return Field(name, Kind.TEXT, secret=secret)


def _declare(descriptor: DescriptorProto, made: Field, number: int, taken: set[str]) -> None:
    proto = descriptor.field.add(name=made.name, json_name=made.name, number=number, type=made.kind.value)
    proto.label = (
        FieldDescriptorProto.LABEL_REPEATED if made.repeated else FieldDescriptorProto.LABEL_OPTIONAL
    )
    if made.message is not None:
        nested = made.message.descriptor
        nested.name = identifier(nested.name, taken)
        taken.add(nested.name)
        descriptor.nested_type.append(nested)
        proto.type_name = nested.name


class Converter:
    """Turns the values of a table into what a message class takes."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker

    def message(self, message: MessageType, value: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a message class's constructor.

        Args:
            message: that was made of all values, this one among them.

        Raises:
            InputError: it was not among them: the file changed.
        """
        made: dict[str, Any] = {}
        hidden = secret_values(value)
        for name, inner in value.items():
            if inner is None:
                continue
            known = message.fields.get(name)
            if known is None:
                raise InputError("changed while it was read", place=name)
            hide = name in hidden and not known.secret
            made[known.name] = self._field(known, self._masker.value(inner, secret=True) if hide else inner)
        return made

    def _field(self, known: Field, value: Any) -> Any:
        if known.is_map and isinstance(value, dict) and known.message is not None:
            masked = value if known.secret else self._masker.value(value)
            entries = [{"key": key, "value": masked[key]} for key in sorted(masked)]
            return [self.message(known.message, entry) for entry in entries]
        if known.repeated:
            return [self._element(known, item) for item in value]
        if known.message is not None:
            return self.message(known.message, value)
        return self._scalar(known, value)

    def _element(self, known: Field, item: Any) -> Any:
        if known.message is None:
            return self._scalar(known, item)
        return self.message(known.message, {"items": item} if isinstance(item, list) else item)

    def _scalar(self, known: Field, value: Any) -> Any:
        if known.kind is Kind.TEXT:
            return self._text(value, secret=known.secret)
        if isinstance(value, Cell):
            value = value.guess()
        return float(value) if known.kind is Kind.FLOAT else value

    def _text(self, value: Any, *, secret: bool) -> str:
        if not isinstance(value, str):
            value = json.dumps(value if secret else self._masker.value(value), ensure_ascii=False)
            return self._masker.stand_in(value) if secret else str(value)
        return self._masker.stand_in(value) if secret else self._masker.text(str(value))
