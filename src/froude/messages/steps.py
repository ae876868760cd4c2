"""Messages of one kind, read in step: field by field, each step for all of them as one operation on arrays.

Messages of one kind are written alike: mostly the same fields in the same order. Where they differ in their next field
they go on in groups. What is rare is left out, for protobuf to read: fields out of order, unknown fields, protobuf's own
maps, messages that do not decode, and groups of few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from froude.messages.leaves import is_maplike, key_field

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_FEWEST = 12
"""Messages below which reading in step costs more than it saves."""
PADDING = 16
"""Bytes behind the last message, so that a number that is cut off does not lead out of the buffer."""
_LONGEST = 10
"""Bytes of a varint."""
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


class Payloads(NamedTuple):
    """Many serialised messages in one buffer."""

    data: Bytes
    starts: Ints
    """Where each begins."""
    ends: Ints
    """Where each ends."""


def groups_of(kind: Any, payloads: Payloads, *, canonical: bool) -> Iterator[Group]:
    """The messages that can be read in step, in groups of those that have the same fields.

    Args:
        payloads: the messages; behind them a few more bytes.
        canonical: whether lists that stand for maps are told apart from others.
    """
    frame = _Frame(_kind_of(kind, canonical), "", payloads.ends.astype(np.int64))
    numbers = np.arange(len(payloads.starts), dtype=np.int64)
    open_ = [Group(numbers, payloads.starts.astype(np.int64), (frame,))]
    while open_:
        group = open_.pop()
        if len(group.numbers) < _FEWEST:
            continue
        if group.frames:
            open_ += _step(group, payloads.data)
        else:
            yield group


# --- kinds of messages --------------------------------------------------------------------------------------


class _Field(NamedTuple):
    name: str
    wire: int
    """Wire type."""
    repeated: bool
    convert: Callable[[npt.NDArray[np.uint64]], npt.NDArray[Any]] | None
    """Of numbers: from the bits as they were read."""
    known: Ints | None
    """Of an enum: its numbers."""
    packed: bool
    text: bool
    """Whether it is a text, not bytes."""
    message: Descriptor | None
    key: str | None
    """Of a list that stands for a map: the leaf of its elements that is the key."""


MARK = "\0"
"""Around what stands in a path for the name of an element of a map, until all its elements were read."""
MARKED = re.compile(f"{MARK}(\\d+)\\.(\\d+){MARK}")


class _Kind(NamedTuple):
    fields: dict[int, _Field]
    """By number; those that are read in step."""
    required: frozenset[int]
    canonical: bool


_NOTHING = _Kind({}, frozenset(), canonical=False)
"""Of a packed list."""


@cache
def _kind_of(descriptor: Descriptor, canonical: bool) -> _Kind:
    fields = {
        each.number: _field_of(each, canonical=canonical)
        for each in descriptor.fields
        if each.type in _WIRES and not _is_odd(each, canonical=canonical)
    }
    return _Kind(fields, frozenset(each.number for each in descriptor.fields if each.is_required), canonical)


def _is_odd(each: FieldDescriptor, *, canonical: bool) -> bool:
    """Whether a field is left to protobuf."""
    inner = each.message_type
    if each.is_repeated and inner is not None:
        return bool(
            inner.GetOptions().map_entry or (_is_keyed(each, canonical=canonical) and not _key(inner))
        )
    return not each.is_repeated and (not each.has_presence or each.containing_oneof is not None)


def _is_keyed(each: FieldDescriptor, *, canonical: bool) -> bool:
    return canonical and each.is_repeated and each.message_type is not None and is_maplike(each.message_type)


def _key(element: Descriptor) -> str | None:
    """The leaf that names an element; None where that is for protobuf to say, as of a number or a message."""
    key = key_field(element)
    return str(key.name) if not key.is_repeated and key.type == FieldDescriptor.TYPE_STRING else None


def _field_of(each: FieldDescriptor, *, canonical: bool) -> _Field:
    enum = each.enum_type
    known = None if enum is None else np.array(sorted(enum.values_by_number), np.int64)
    wire, convert = _WIRES[each.type]
    inner: Any = each.message_type
    return _Field(
        name=each.name,
        wire=wire,
        repeated=each.is_repeated,
        convert=convert,
        known=known,
        packed=each.is_packed,
        text=each.type == FieldDescriptor.TYPE_STRING,
        message=inner,
        key=_key(inner) if _is_keyed(each, canonical=canonical) else None,
    )


def _signed32(bits: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
    return bits.astype(np.uint32).view(np.int32)


def _zigzag(bits: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
    return (bits >> np.uint64(1)).view(np.int64) ^ -(bits & np.uint64(1)).view(np.int64)


_WIRES: dict[int, tuple[int, Callable[[npt.NDArray[np.uint64]], npt.NDArray[Any]] | None]] = {
    FieldDescriptor.TYPE_INT64: (_VARINT, lambda bits: bits.view(np.int64)),
    FieldDescriptor.TYPE_UINT64: (_VARINT, lambda bits: bits),
    FieldDescriptor.TYPE_INT32: (_VARINT, _signed32),
    FieldDescriptor.TYPE_UINT32: (_VARINT, lambda bits: bits.astype(np.uint32)),
    FieldDescriptor.TYPE_BOOL: (_VARINT, lambda bits: bits != 0),
    FieldDescriptor.TYPE_ENUM: (_VARINT, _signed32),
    FieldDescriptor.TYPE_SINT64: (_VARINT, _zigzag),
    FieldDescriptor.TYPE_SINT32: (
        _VARINT,
        lambda bits: _zigzag(bits & np.uint64(0xFFFFFFFF)).astype(np.int32),
    ),
    FieldDescriptor.TYPE_FIXED64: (_FIXED64, lambda bits: bits),
    FieldDescriptor.TYPE_SFIXED64: (_FIXED64, lambda bits: bits.view(np.int64)),
    FieldDescriptor.TYPE_DOUBLE: (_FIXED64, lambda bits: bits.view(np.float64)),
    FieldDescriptor.TYPE_FIXED32: (_FIXED32, lambda bits: bits.astype(np.uint32)),
    FieldDescriptor.TYPE_SFIXED32: (_FIXED32, _signed32),
    FieldDescriptor.TYPE_FLOAT: (_FIXED32, lambda bits: bits.astype(np.uint32).view(np.float32)),
    FieldDescriptor.TYPE_STRING: (_LENGTH, None),
    FieldDescriptor.TYPE_BYTES: (_LENGTH, None),
    FieldDescriptor.TYPE_MESSAGE: (_LENGTH, None),
}
"""Wire type and conversion of each type of field."""


# --- in step ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Frame:
    """A message that is being read, of every message of a group."""

    kind: _Kind
    prefix: str
    """Path of what is read in it."""
    end: Ints
    last: int = 0
    """Number of the field before."""
    elements: int = 0
    """How many of that were read, if it is a list."""
    seen: frozenset[int] = frozenset()
    leaves: int = 0
    """Leaves before the first of it."""
    packed: _Field | None = None
    """The list of numbers that it is, if it is no message."""

    def of(self, chosen: Bools) -> _Frame:
        return replace(self, end=self.end[chosen])


class Leaf(NamedTuple):
    """The values of one leaf: numbers, or where their bytes begin and end; neither for a message without leaves."""

    path: str
    values: npt.NDArray[Any] | None = None
    end: Ints | None = None
    text: bool = False

    def of(self, chosen: Bools) -> Leaf:
        """Of some messages."""
        values, end = (None if part is None else part[chosen] for part in (self.values, self.end))
        return self._replace(values=values, end=end)


class Map(NamedTuple):
    """A list that stands for a map."""

    path: str
    key: str
    begin: list[Ints]
    """Where each element begins."""
    end: list[Ints]

    def of(self, chosen: Bools) -> Map:
        """Of some messages."""
        begin, end = ([each[chosen] for each in listed] for listed in (self.begin, self.end))
        return self._replace(begin=begin, end=end)


@dataclass(slots=True)
class Group:
    """Messages that had the same fields up to here."""

    numbers: Ints
    at: Ints
    """The next byte of each."""
    frames: tuple[_Frame, ...]
    """Messages within each other that are being read, the innermost last; none at the end."""
    found: list[Leaf] = field(default_factory=list)
    maps: list[Map] = field(default_factory=list)

    def of(self, chosen: Bools) -> Group:
        """Some of them."""
        if chosen.all():
            return self
        frames = tuple(frame.of(chosen) for frame in self.frames)
        found, maps = [leaf.of(chosen) for leaf in self.found], [each.of(chosen) for each in self.maps]
        return Group(self.numbers[chosen], self.at[chosen], frames, found, maps)


def _step(group: Group, data: Bytes) -> Iterator[Group]:
    """Read the next field of each, or the end of the innermost message; those with another one go on by themselves."""
    ended = group.at == group.frames[-1].end
    if ended.any():
        done = group.of(ended)
        if _close(done):
            yield done
        if ended.all():
            return
        group = group.of(~ended)
    packed = group.frames[-1].packed
    if packed is not None:
        yield _read_number(group, data, packed)
        return
    tags, after = _varints(data, group.at)
    for tag in (tags[:1] if (tags == tags[0]).all() else np.unique(tags)).tolist():
        chosen = tags == tag
        alike = group.of(chosen)
        alike.at = after[chosen]
        if tag < 1 << 29 and (read := _read(alike, data, tag)) is not None:
            yield read


def _close(group: Group) -> bool:
    """Leave the innermost message; False where protobuf is to say what is wrong with it."""
    *outer, frame = group.frames
    if not frame.kind.required <= frame.seen:
        return False
    if outer and len(group.found) == frame.leaves and frame.packed is None:
        group.found.append(Leaf(frame.prefix[:-1] + "{}"))
    group.frames = tuple(outer)
    return True


def _read(group: Group, data: Bytes, tag: int) -> Group | None:
    """Read a field of all; those of which it is to be read otherwise are left out."""
    *outer, frame = group.frames
    number, known = tag >> 3, frame.kind.fields.get(tag >> 3)
    if known is None or number < frame.last or (number == frame.last and not known.repeated):
        return None
    if tag & 7 != (_LENGTH if known.packed else known.wire) or (known.packed and number == frame.last):
        return None
    elements = frame.elements + 1 if number == frame.last else 1
    frame = replace(frame, last=number, elements=elements, seen=frame.seen | {number})
    group.frames = (*outer, frame)
    if known.packed or known.wire == _LENGTH:
        return _read_bytes(group, data, known)
    return _read_number(group, data, known)


def _read_number(group: Group, data: Bytes, known: _Field) -> Group:
    """Read a number of all: of a field, or the next of a packed list."""
    *outer, frame = group.frames
    if frame.packed is not None:
        path = f"{frame.prefix}[{frame.elements}]"
        group.frames = (*outer, replace(frame, elements=frame.elements + 1))
    else:
        path = _path(frame, known)
    bits, group.at = _varints(data, group.at) if known.wire == _VARINT else _fixed(data, group.at, known.wire)
    assert known.convert is not None
    values = known.convert(bits)
    group.found.append(Leaf(path, values))
    sound = group.at <= frame.end
    if known.known is not None:
        sound &= np.isin(values, known.known)
    return group.of(sound)


def _path(frame: _Frame, known: _Field) -> str:
    path = frame.prefix + known.name
    return f"{path}[{frame.elements - 1}]" if known.repeated else path


def _read_bytes(group: Group, data: Bytes, known: _Field) -> Group:
    """Read a text or bytes of all, or begin to read a message or a packed list."""
    frame = group.frames[-1]
    lengths, begin = _varints(data, group.at)
    left = frame.end - begin
    sound = (left >= 0) & (lengths <= left.view(np.uint64))
    end = begin + np.where(sound, lengths, 0).astype(np.int64)
    path = _path(frame, known)
    if known.packed:
        inner = _Frame(_NOTHING, frame.prefix + known.name, end, leaves=len(group.found), packed=known)
        group.frames, group.at = (*group.frames, inner), begin
    elif known.message is None:
        group.found.append(Leaf(path, begin, end, known.text))
        group.at = end
    else:
        if known.key is not None:
            path = _map_element(group, known, (begin, end))
        kind = _kind_of(known.message, frame.kind.canonical)
        inner = _Frame(kind, path + ".", end, leaves=len(group.found))
        group.frames, group.at = (*group.frames, inner), begin
    return group.of(sound)


def _map_element(group: Group, known: _Field, bounds: tuple[Ints, Ints]) -> str:
    """Take note of an element of a list that stands for a map; the path by which it goes until its name is known."""
    frame = group.frames[-1]
    if frame.elements == 1:
        group.maps.append(Map(frame.prefix + known.name, str(known.key), [], []))
    at = max(at for at, each in enumerate(group.maps) if each.path == frame.prefix + known.name)
    element = len(group.maps[at].begin)
    group.maps[at].begin.append(bounds[0])
    group.maps[at].end.append(bounds[1])
    return unnamed(group.maps[at].path, at, element)


def unnamed(path: str, at: int, element: int) -> str:
    """The path by which an element of a map goes until its name is known.

    Args:
        at: which of the maps it is.
    """
    return f"{path}[{MARK}{at}.{element}{MARK}]"


def _varints(data: Bytes, at: Ints) -> tuple[npt.NDArray[np.uint64], Ints]:
    """The numbers from some bytes on, and where they end; the largest number, and beyond everything, for none."""
    read = data[at]
    bits = (read & 0x7F).astype(np.uint64)
    after = at + 1
    going = np.flatnonzero(read & 0x80)
    for byte in range(1, _LONGEST):
        if not len(going):
            return bits, after
        read = data[after[going]]
        bits[going] |= (read & 0x7F).astype(np.uint64) << np.uint64(7 * byte)
        after[going] += 1
        going = going[(read & 0x80) > 0]
    bits[going], after[going] = np.iinfo(np.uint64).max, np.iinfo(np.int64).max
    return bits, after


def _fixed(data: Bytes, at: Ints, wire: int) -> tuple[npt.NDArray[np.uint64], Ints]:
    """The numbers of four or eight bytes from some bytes on, and where they end."""
    width = 8 if wire == _FIXED64 else 4
    read = data[at[:, None] + np.arange(width)]
    bits = read.view("<u8" if wire == _FIXED64 else "<u4")[:, 0].astype(np.uint64)
    return bits, at + width
