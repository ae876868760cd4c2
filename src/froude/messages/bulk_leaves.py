"""Leaves of many messages of one kind at once: what `leaves` gives for each, at a fraction of the cost.

Most messages are read in step (`wire_steps`); what is rare is left to protobuf and `leaves`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat

import numpy as np
from google.protobuf.message import Message

from froude.messages.leaves import Value, are_names, leaves
from froude.messages.rows import Row, Shape, shape_of
from froude.messages.steps import MARKED, PADDING, Group, Leaf, Map, Payloads, groups_of, unnamed

_KEYS_KEPT = 1 << 12
"""Keys of maps of which it is remembered whether they are names."""


class Texts:
    """Texts and byte strings that were read, each kept once."""

    def __init__(self) -> None:
        self.texts = _Decoded()
        self.raw = _Kept()


class _Decoded(dict[bytes, str]):
    def __missing__(self, raw: bytes) -> str:
        text = self[raw] = raw.decode()
        return text


class _Kept(dict[bytes, bytes]):
    def __missing__(self, raw: bytes) -> bytes:
        self[raw] = raw
        return raw


def rows_of(
    kind: type[Message],
    payloads: Payloads,
    decode: Callable[[bytes], Message],
    texts: Texts,
    *,
    canonical: bool = False,
) -> list[Row]:
    """The leaves of each message.

    Args:
        decode: makes one of its bytes, or raises what is to be raised where they are none.
        canonical: as in `leaves`.
    """
    rows: list[Row | None] = [None] * len(payloads.starts)
    padded = np.concatenate((payloads.data, np.zeros(PADDING, np.uint8)))
    blob = padded.tobytes()
    for group in groups_of(kind.DESCRIPTOR, payloads._replace(data=padded), canonical=canonical):
        _finish(group, blob, texts, rows)
    return [
        Row.of(leaves(decode(blob[begin:end]), canonical=canonical)) if row is None else row
        for row, begin, end in zip(rows, payloads.starts.tolist(), payloads.ends.tolist(), strict=True)
    ]


def _finish(group: Group, blob: bytes, texts: Texts, rows: list[Row | None]) -> None:
    """Make rows of messages that were read to their ends; none where a text is none."""
    try:
        columns = [_values(leaf, len(group.numbers), blob, texts) for leaf in group.found]
    except UnicodeDecodeError:
        return
    cells: Iterable[tuple[Value, ...]] = zip(*columns, strict=True) if columns else repeat(())
    numbers = group.numbers.tolist()
    if not group.maps:
        shape = shape_of(leaf.path for leaf in group.found)
        for number, values in zip(numbers, cells, strict=False):
            rows[number] = Row(shape, values)
        return
    places = {leaf.path: place for place, leaf in enumerate(group.found)}
    named = [_names(each, at, columns, places, blob) for at, each in enumerate(group.maps)]
    ordered: dict[tuple[_Names, ...], tuple[Shape, list[int]]] = {}
    for number, values, names in zip(numbers, cells, zip(*named, strict=True), strict=False):
        if None in names:
            continue
        if names not in ordered:
            ordered[names] = _in_order([leaf.path for leaf in group.found], names)
        shape, order = ordered[names]
        rows[number] = Row(shape, tuple([values[at] for at in order]))


_Names = tuple[tuple[int, object], ...]
"""Of each element of a map: its place when they are sorted by their bytes, and what names it."""


def _names(
    each: Map, at: int, columns: Sequence[Sequence[Value]], places: Mapping[str, int], blob: bytes
) -> list[_Names | None]:
    """The names of a map's elements in every message; None where one has no key."""
    keys = [places.get(f"{unnamed(each.path, at, element)}.{each.key}") for element in range(len(each.begin))]
    known = [columns[key] for key in keys if key is not None]
    if len(known) < len(keys):
        return [None] * len(each.begin[0])
    begins, ends = ([part.tolist() for part in bounds] for bounds in (each.begin, each.end))
    found: list[_Names | None] = []
    for number, words in enumerate(zip(*known, strict=True)):
        order = list(range(len(words)))
        order.sort(key=lambda e, n=number: blob[begins[e][n] : ends[e][n]])  # type: ignore[misc]
        ranks = {element: rank for rank, element in enumerate(order)}
        named = _are_names(words)
        found.append(tuple((ranks[e], word if named else ranks[e]) for e, word in enumerate(words)))
    return found


@lru_cache(maxsize=_KEYS_KEPT)
def _are_names(keys: tuple[Value, ...]) -> bool:
    return are_names([str(key) for key in keys])


def _in_order(paths: Sequence[str], names: Sequence[_Names]) -> tuple[Shape, list[int]]:
    """The leaves of messages whose maps have these elements, and where they were found."""
    firsts: dict[str, int] = {}
    keys: list[tuple[int, ...]] = []
    for place, path in enumerate(paths):
        key: list[int] = []
        for mark in MARKED.finditer(path):
            key += [firsts.setdefault(mark[1], place), names[int(mark[1])][int(mark[2])][0]]
        keys.append((*key, place))
    order = sorted(range(len(paths)), key=keys.__getitem__)
    named = [MARKED.sub(lambda mark: str(names[int(mark[1])][int(mark[2])][1]), paths[at]) for at in order]
    return shape_of(named), order


def _values(leaf: Leaf, number: int, blob: bytes, texts: Texts) -> Sequence[Value]:
    if leaf.values is None:
        return [None] * number
    if leaf.end is None:
        values: list[Value] = leaf.values.tolist()
        return values
    known: Mapping[bytes, Value] = texts.texts if leaf.text else texts.raw
    bounds = zip(leaf.values.tolist(), leaf.end.tolist(), strict=True)
    return [known[blob[begin:end]] for begin, end in bounds]
