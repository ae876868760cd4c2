"""Many messages of one class taken apart at once, by numpy: a column a field.

All messages are read side by side, a field of each at a step. What is written otherwise than usual (a field that is not
wanted, one that comes twice, bytes that are cut short) is left to protobuf: such a message is called odd, and what its
columns hold means nothing.

Source: the wire format of protobuf.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

Numbers = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_VARINT, _FIXED, _SPAN = 0, 1, 2
_WIRES = {
    FieldDescriptor.TYPE_UINT64: _VARINT,
    FieldDescriptor.TYPE_UINT32: _VARINT,
    FieldDescriptor.TYPE_INT32: _VARINT,
    FieldDescriptor.TYPE_ENUM: _VARINT,
    FieldDescriptor.TYPE_FIXED64: _FIXED,
    FieldDescriptor.TYPE_BYTES: _SPAN,
    FieldDescriptor.TYPE_MESSAGE: _SPAN,
}
"""By the type of a field; others are left to protobuf."""
_MOST = {
    FieldDescriptor.TYPE_UINT32: (1 << 32) - 1,
    FieldDescriptor.TYPE_INT32: (1 << 31) - 1,
    FieldDescriptor.TYPE_ENUM: (1 << 31) - 1,
}
"""Largest number that protobuf takes as it is."""
_JOINED = tuple(
    (np.uint64(shift), np.uint64(mask), np.uint64(mask << 8 * shift))
    for shift, mask in ((1, 0x007F007F007F007F), (2, 0x00003FFF00003FFF), (4, 0x000000000FFFFFFF))
)
"""How the seven bits of each of eight bytes come to lie beside each other."""
_FIELDS = 256
"""Fields of a message; one with more is odd, lest a step be made for each block of a long file's alone."""
_BEYOND = 1 << 48
"""Bytes that no message has."""


@dataclass(frozen=True, slots=True)
class Source:
    """What messages lie in."""

    data: bytes
    numbers: npt.NDArray[np.uint8]
    words: Numbers
    """The eight bytes from each place on, as one number; zeros behind the end."""

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Bytes as numbers."""
        padded = np.frombuffer(data + bytes(16), np.uint8)
        words = np.ndarray(len(data) + 9, "<u8", buffer=padded, strides=(1,))
        return cls(data, padded, words)


@dataclass(frozen=True, slots=True)
class Column:
    """A field of all messages."""

    present: Flags
    values: Numbers
    """(messages,) its number, or the place where its bytes begin; 0 where it is not there."""
    ends: Places
    """(messages,) where its bytes end."""


@dataclass(frozen=True, slots=True)
class Several:
    """A field of which a message has any number, those of a message together, in their order."""

    owners: Places
    """Number of the message of each."""
    starts: Places
    ends: Places


@dataclass(frozen=True, slots=True)
class Taken:
    """Messages that were taken apart."""

    odd: Flags
    """(messages,) those that are not."""
    columns: Mapping[str, Column]
    several: Mapping[str, Several]


class Splitter:
    """Takes the messages of a class apart.

    Args:
        wanted: names of the fields that it takes; a message with others is odd.
    """

    def __init__(self, message: type[Message], wanted: Collection[str]) -> None:
        fields = [each for each in message.DESCRIPTOR.fields if each.name in wanted and each.type in _WIRES]
        self._by_tag = {each.number << 3 | _WIRES[each.type]: each for each in fields}
        self._single = [each.name for each in fields if not each.is_repeated]
        self._needed = [each.name for each in fields if each.is_required]
        self._repeated = [each.name for each in fields if each.is_repeated]

    def take(self, source: Source, starts: Places, ends: Places) -> Taken:
        """Take messages apart.

        Args:
            starts: (messages,) where each begins, ascending.
            ends: (messages,) where each ends.
        """
        size = len(starts)
        columns = {
            name: Column(np.zeros(size, bool), np.zeros(size, np.uint64), np.zeros(size, np.int64))
            for name in self._single
        }
        parts: dict[str, list[tuple[Places, Places, Places]]] = {name: [] for name in self._repeated}
        odd = np.zeros(size, bool)
        rows, at, end = np.arange(size), starts, ends
        for _ in range(_FIELDS):
            live = at < end
            if not live.all():
                odd[rows[at > end]] = True
                rows, at, end = rows[live], at[live], end[live]
            if not len(rows):
                break
            tags = source.numbers[at]
            kinds = np.flatnonzero(np.bincount(tags, minlength=256)).tolist()
            after = np.empty_like(at)
            for tag in kinds:
                here: Any = slice(None) if len(kinds) == 1 else np.flatnonzero(tags == tag)
                of, place, field = rows[here], at[here] + 1, self._by_tag.get(tag)
                if field is None:
                    after[here] = _BEYOND
                    continue
                values, after[here] = _read(source, place, tag & 7, _MOST.get(field.type))
                if field.is_repeated:
                    parts[field.name].append((of, values.astype(np.int64), after[here]))
                    continue
                column = columns[field.name]
                odd[of[column.present[of]]] = True
                column.present[of], column.values[of], column.ends[of] = True, values, after[here]
            at = after
        odd[rows] = True
        for name in self._needed:
            odd |= ~columns[name].present
        return Taken(odd, columns, {name: _together(each, odd) for name, each in parts.items()})


def _read(source: Source, place: Places, wire: int, most: int | None) -> tuple[Numbers, Places]:
    """Numbers, or where bytes begin, and where each ends; far beyond any message for what is none."""
    if wire == _FIXED:
        return source.words[place], place + 8
    values, sizes = varints(source, place)
    after = place + sizes
    if wire == _SPAN:
        return after.astype(np.uint64), after + np.minimum(values, _BEYOND).astype(np.int64)
    if most is not None:
        after[values > most] = _BEYOND
    return values, after


def varints(source: Source, place: Places) -> tuple[Numbers, Places]:
    """The varints that begin at some places, and how many bytes each takes; more than any has for what is none.

    Args:
        place: where they begin, at most where it ends.
    """
    word = source.words[place]
    stop = ~word & np.uint64(0x8080808080808080)
    stop &= ~stop + np.uint64(
        1
    )  # the bit of the first byte that no other follows; 0 where eight do not end it
    word &= (stop - np.uint64(1)) & np.uint64(0x7F7F7F7F7F7F7F7F)
    for shift, low, high in _JOINED:
        word = (word & low) | ((word & high) >> shift)
    sizes = ((stop.astype(np.float64).view(np.int64) >> 52) - 1023 >> 3) + 1  # a power of two: its exponent
    long = np.flatnonzero(stop == 0)
    if len(long):
        rest = source.words[np.minimum(place[long] + 8, len(source.words) - 1)]
        first, second = rest & np.uint64(0xFF), rest >> np.uint64(8) & np.uint64(0xFF)
        ends = first < 0x80
        word[long] |= (first & np.uint64(0x7F)) << np.uint64(56)
        word[long] |= np.where(ends, np.uint64(0), second << np.uint64(63))
        sizes[long] = np.where(ends, 9, np.where(second < 2, 10, _BEYOND))
    return word, sizes


def _together(parts: Sequence[tuple[Places, Places, Places]], odd: Flags) -> Several:
    """A repeated field of the messages that are not odd: as they lie in the bytes, they belong to the messages."""
    if not parts:
        return Several(*(np.zeros(0, np.int64) for _ in range(3)))
    owners, starts, ends = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(starts, kind="stable")
    order = order[~odd[owners[order]]]
    return Several(owners[order], starts[order], ends[order])
