r"""Encoders for one shape of message each: Python source, generated from descriptors, that writes only what varies.

A message of a known set of leaves, of which most are the same every time, is a few constant byte strings with gaps. For
each gap the generated function writes a value in protobuf's form, and for each submessage around one its length; what
lies between was encoded once. So `addBlock` with a constant `masked.perm` and a varying `src` becomes

    def encode(v0):
        if type(v0) is not str:
            return None
        try:
            b0 = v0.encode()
        except UnicodeEncodeError:
            return None
        return b"".join((b"\n", S[len(b0)] if len(b0) < 4096 else varint(len(b0)), b0, b"\x12\x03\x08\xed\x03"))

The bytes are those of `leaves.build(...).SerializeToString()`: fields in the order of their numbers. A value of another
type or range than its field's own gives None, and what is rare has no encoder: protobuf's own maps, packed lists, fields
without presence, two members of a oneof, fixed-width and zig-zag numbers that vary, and more leaves than `MOST_LEAVES`,
so that the source is bounded. Then `build` decides, and states what is wrong.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import EncodeError, Message
from google.protobuf.message_factory import GetMessageClass

from froude.base.errors import InputError
from froude.messages.leaves import Kind, Value, build, elements_of, facts, tree_of
from froude.messages.wire import SMALL, delimited, varint

MOST_LEAVES = 120
"""Leaves of a message that is encoded by generated code."""
_MASK = (1 << 64) - 1
_FLOATS = {
    FieldDescriptor.TYPE_DOUBLE: (1, "double", struct.Struct("<d").pack),
    FieldDescriptor.TYPE_FLOAT: (5, "single", struct.Struct("<f").pack),
}
"""Wire type, and what packs a value."""
_LARGEST_SINGLE = 3.4e38
_RANGES = {
    FieldDescriptor.TYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    FieldDescriptor.TYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.TYPE_UINT64: (0, _MASK),
    FieldDescriptor.TYPE_UINT32: (0, (1 << 32) - 1),
}
Encode = Callable[..., bytes | None]
"""From the values of the slots, by number, to a message's bytes; None where a value is not of its field's own type."""


class Slot(NamedTuple):
    """In place of a leaf's value: the value that the encoder is called with at this place."""

    number: int


class Encoded(NamedTuple):
    """In place of a field, of a list all its elements: its bytes on the wire, with tags and lengths.

    The encoder is called with them at this place; no bytes for a field that is not there.
    """

    number: int


class Encoder(NamedTuple):
    """A generated encoder."""

    encode: Encode
    source: str
    """What it was compiled from."""


Leaf = Value | Slot | Encoded


class _RareError(Exception):
    """No encoder is generated for a message of this kind."""


def encoding(kind: type[Message], leaves: Mapping[str, Leaf], slots: int) -> Callable[..., bytes]:
    """What encodes messages of these leaves: an encoder, and for what is rare `by_protobuf`.

    Args:
        leaves: as for `encoder`.
        slots: how many values it is called with.
    """
    made = encoder(kind, leaves, slots)

    def encode(*values: Any) -> bytes:
        data = None if made is None else made.encode(*values)
        return by_protobuf(kind, leaves, values) if data is None else data

    return encode


def by_protobuf(kind: type[Message], leaves: Mapping[str, Leaf], values: Sequence[Any]) -> bytes:
    """The bytes that every encoder is to give, of a message that is built.

    Args:
        leaves: as for `encoder`.
        values: of the slots, by number.

    Raises:
        InputError: a value does not fit its field.
    """
    given, encoded = dict[str, Value](), b""
    for path, leaf in leaves.items():
        if isinstance(leaf, Encoded):
            encoded += _within(kind.DESCRIPTOR, path, values[leaf.number])
        else:
            given[path] = values[leaf.number] if isinstance(leaf, Slot) else leaf
    data = build(kind, given).SerializePartialToString()
    return kind.FromString(data + encoded).SerializeToString()


def _within(descriptor: Any, path: str, data: bytes) -> bytes:
    """A field's bytes within the submessages that its path leads through."""
    name, _, inner = path.partition(".")
    if not inner:
        return data
    field = descriptor.fields_by_name[name]
    return delimited(field.number, _within(field.message_type, inner, data))


def encoder(kind: type[Message], leaves: Mapping[str, Leaf], slots: int) -> Encoder | None:
    """An encoder for messages of these leaves; None where `leaves.build` is to make them.

    Args:
        leaves: value, slot, or `Encoded` in place of all leaves of a field, by leaf path, as for `build`.
        slots: how many values the encoder is called with, be it that some do not stand in the message.
    """
    if len(leaves) > MOST_LEAVES:
        return None
    writer = _Writer()
    try:
        parts = _joined(writer.message(kind.DESCRIPTOR, tree_of(leaves), ""))
    except (_RareError, InputError):
        return None
    lines = [f"def encode({', '.join(f'v{number}' for number in range(slots))}):"]
    if writer.checks:
        lines += [f"    if {' or '.join(writer.checks)}:", "        return None"]
    if writer.texts:
        lines += ["    try:", *(f"        {line}" for line in writer.texts)]
        lines += ["    except UnicodeEncodeError:", "        return None"]
    lines += [*(f"    {line}" for line in writer.lines), f"    return {parts}"]
    source = "\n".join(lines)
    names = {
        "S": SMALL,
        "varint": varint,
        **{name: pack for _, name, pack in _FLOATS.values()},
        **writer.names,
    }
    return Encoder(compiled(source, names), source)


def compiled(source: str, names: Mapping[str, object]) -> Any:
    """The function that a source defines.

    Args:
        source: of one function; made of field names, numbers, bytes and quoted texts.
        names: what it may use.
    """
    found = dict(names)
    exec(compile(source, "<compiled>", "exec"), found)  # noqa: S102 - our own, from no text that is not quoted
    return found[source[4 : source.index("(")]]


def _joined(parts: list[bytes | str]) -> str:
    """An expression that gives the parts one after another; constants next to each other become one."""
    merged: list[bytes | str] = []
    for part in parts:
        if merged and isinstance(part, bytes) and isinstance(merged[-1], bytes):
            merged[-1] += part
        else:
            merged.append(part)
    texts = [repr(part) if isinstance(part, bytes) else part for part in merged if part]
    return texts[0] if len(texts) == 1 else f"b''.join(({', '.join(texts)}))" if texts else "b''"


def _size(of: str) -> str:
    return f"(S[n] if (n := len({of})) < {len(SMALL)} else varint(n))"


class _Writer:
    """Collects the statements of one encoder."""

    def __init__(self) -> None:
        self.checks: list[str] = []
        self.texts: list[str] = []
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}

    def message(self, descriptor: Any, tree: Mapping[str, Any], path: str) -> list[bytes | str]:
        """What a message consists of: constant bytes, and expressions of bytes."""
        fields = descriptor.fields_by_name
        if not all(name in fields for name in tree) or not all(
            each.name in tree for each in descriptor.fields if each.is_required
        ):
            raise _RareError
        chosen = sorted((fields[name] for name in tree), key=lambda field: field.number)
        oneofs = [field.containing_oneof.name for field in chosen if field.containing_oneof]
        if len(set(oneofs)) < len(oneofs):
            raise _RareError
        return [
            part for field in chosen for part in self._field(field, tree[field.name], f"{path}{field.name}")
        ]

    def _field(self, field: Any, node: Any, path: str) -> Iterator[bytes | str]:
        if isinstance(node, Encoded):
            self.checks.append(f"type(v{node.number}) is not bytes")
            yield f"v{node.number}"
            return
        kind = facts(field)[1]
        if (
            kind is Kind.MAP
            or (field.is_repeated and field.is_packed)
            or field.type == FieldDescriptor.TYPE_GROUP
        ):
            raise _RareError
        if kind in {Kind.SCALAR, Kind.MESSAGE}:
            if not field.has_presence:
                raise _RareError
            nodes = [node]
        else:
            nodes = elements_of(node, path)
        for each in nodes:
            if field.message_type is not None:
                yield from self._submessage(field, each, path)
            elif isinstance(each, Slot):
                yield from self._varying(field, each.number)
            else:
                yield _constant(field, each)

    def _submessage(self, field: Any, node: Any, path: str) -> list[bytes | str]:
        if not isinstance(node, dict) or not all(isinstance(key, str) for key in node):
            raise _RareError
        parts = self.message(field.message_type, node, f"{path}.")
        tag = varint(field.number << 3 | 2)
        if all(isinstance(part, bytes) for part in parts):
            body = b"".join(part for part in parts if isinstance(part, bytes))
            return [tag, varint(len(body)), body]
        name = f"m{len(self.lines)}"
        self.lines.append(f"{name} = {_joined(parts)}  # {path}")
        return [tag, _size(name), name]

    def _varying(self, field: Any, number: int) -> list[bytes | str]:
        value, kind = f"v{number}", field.type
        if kind in {FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES}:
            text = kind == FieldDescriptor.TYPE_STRING
            self.checks.append(f"type({value}) is not {'str' if text else 'bytes'}")
            encoded = value
            if text:
                encoded = f"b{number}"
                self.texts.append(f"{encoded} = {value}.encode()  # {field.name}")
            return [varint(field.number << 3 | 2), _size(encoded), encoded]
        wire, pack, _ = _FLOATS.get(kind, (0, "", None))
        tag = varint(field.number << 3 | wire)
        if kind == FieldDescriptor.TYPE_BOOL:
            self.checks.append(f"type({value}) is not bool")
            return [tag, f"(b'\\x01' if {value} else b'\\x00')"]
        if pack:
            self.checks.append(f"type({value}) is not float")
            if pack == "single":
                self.checks.append(f"not -{_LARGEST_SINGLE} < {value} < {_LARGEST_SINGLE}")
            return [tag, f"{pack}({value})"]
        self.checks.append(f"type({value}) is not int")
        if kind == FieldDescriptor.TYPE_ENUM:
            known = self.names[f"known{number}"] = frozenset(field.enum_type.values_by_number)
            self.checks.append(f"{value} not in known{number}")
            return [tag, f"varint({value} & {_MASK})" if min(known) < 0 else f"varint({value})"]
        if kind not in _RANGES:
            raise _RareError
        low, high = _RANGES[kind]
        self.checks.append(f"not {low} <= {value} <= {high}")
        return [tag, f"varint({value} & {_MASK})" if low else f"varint({value})"]


def _constant(field: Any, value: Any) -> bytes:
    """A field with its value, as protobuf itself encodes it."""
    message = GetMessageClass(field.containing_type)()
    try:
        if field.is_repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)
        data: bytes = message.SerializePartialToString()
    except (TypeError, ValueError, OverflowError, EncodeError) as error:
        raise _RareError from error
    return data
