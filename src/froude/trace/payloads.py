"""The payloads of many calls of a Trace as leaves: of each method all at once, each message that is repeated once.

What is decoded side by side comes back in columns (`Packed`): a row a message would cost more to send than to decode.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from google.protobuf.message import Message

from froude.messages.bulk_leaves import Texts, rows_of
from froude.messages.leaves import Value
from froude.messages.rows import Row, Shape
from froude.messages.schema import Schema, UnknownMethodError
from froude.messages.steps import Payloads

Ints = npt.NDArray[np.int64]


class Part(NamedTuple):
    """Some calls to be decoded."""

    schema: Schema
    table: pa.Table
    """With the columns `protocol`, `method`, `request` and `response` of a Trace's."""


class Decoded(NamedTuple):
    """The messages of some calls."""

    requests: list[Row | None]
    """One a call; None where the schema does not know its method."""
    responses: list[Row | None]
    """One a call; None where there is none, or the method is unknown."""


def decode(part: Part) -> Decoded:
    """Decode every message.

    Raises:
        InputError: a request is absent, or a message does not decode.
    """
    decoded = Decoded([None] * part.table.num_rows, [None] * part.table.num_rows)
    texts = Texts()
    for (protocol, method), calls in _by_method(part.table).items():
        try:
            part.schema.method(protocol, method)
        except UnknownMethodError:
            continue
        for into, name in ((decoded.requests, "request"), (decoded.responses, "response")):
            column = part.table.column(name).take(calls)
            rows = _messages(column, part.schema, (protocol, method, name), texts)
            for call, row in zip(calls.tolist(), rows, strict=True):
                into[call] = row
    return decoded


def _by_method(table: pa.Table) -> dict[tuple[str, str], Ints]:
    """The calls of each method, by protocol and name."""
    columns = [table.column(name).combine_chunks().dictionary_encode() for name in ("protocol", "method")]
    protocols, methods = (column.indices.to_numpy() for column in columns)
    names, other = (column.dictionary.to_pylist() for column in columns)
    kinds = protocols.astype(np.int64) * len(other) + methods
    return {
        (str(names[kind // len(other)]), str(other[kind % len(other)])): np.flatnonzero(kinds == kind)
        for kind in np.unique(kinds).tolist()
    }


def _messages(
    column: pa.ChunkedArray[Any], schema: Schema, what: tuple[str, str, str], texts: Texts
) -> list[Row | None]:
    protocol, method, side = what
    decoder: Callable[..., Message] = schema.decode_request if side == "request" else schema.decode_response
    if side == "request" and column.null_count:
        decoder(protocol, method, None)  # which says what is wrong with that
    encoded = column.combine_chunks().dictionary_encode()
    kind = getattr(schema.method(protocol, method), side)
    rows = rows_of(
        kind,
        _buffer(encoded.dictionary),
        partial(decoder, protocol, method),
        texts,
        canonical=side == "request",
    )
    numbers = encoded.indices.fill_null(len(rows)).to_numpy()
    known: list[Row | None] = [*rows, None]  # the last is what has no number
    return [known[number] for number in numbers.tolist()]


def _buffer(messages: pa.Array[Any]) -> Payloads:
    """The bytes of an array, as they lie there."""
    _, offsets, data = messages.buffers()
    if offsets is None or not len(messages):
        return Payloads(np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64))
    bounds = np.frombuffer(memoryview(offsets), np.int32)[
        messages.offset : messages.offset + len(messages) + 1
    ].astype(np.int64)
    return Payloads(np.frombuffer(memoryview(data or b""), np.uint8), bounds[:-1], bounds[1:])


# --- between processes --------------------------------------------------------------------------------------


class Packed(NamedTuple):
    """The messages of some calls as columns."""

    number: int
    """Of calls."""
    requests: list[_Columns]
    responses: list[_Columns]


class _Columns(NamedTuple):
    shape: Shape
    calls: Ints
    cells: list[tuple[Value, ...]]
    """One a leaf."""


def decode_packed(part: Part) -> Packed:
    """As `decode`, for another process."""
    decoded = decode(part)
    return Packed(part.table.num_rows, _packed(decoded.requests), _packed(decoded.responses))


def unpack(packed: Packed) -> Decoded:
    """What was packed."""
    return Decoded(_unpacked(packed.number, packed.requests), _unpacked(packed.number, packed.responses))


def _packed(rows: Sequence[Row | None]) -> list[_Columns]:
    calls: dict[Shape, list[int]] = defaultdict(list)
    for call, row in enumerate(rows):
        if row is not None:
            calls[row.shape].append(call)
    cells = {
        shape: [row.cells for at in listed if (row := rows[at]) is not None]
        for shape, listed in calls.items()
    }
    return [
        _Columns(shape, np.array(listed, np.int64), list(zip(*cells[shape], strict=True)))
        for shape, listed in calls.items()
    ]


def _unpacked(number: int, columns: Sequence[_Columns]) -> list[Row | None]:
    rows: list[Row | None] = [None] * number
    for shape, calls, cells in columns:
        listed = zip(*cells, strict=True) if cells else ((),) * len(calls)
        for call, values in zip(calls.tolist(), listed, strict=True):
            rows[call] = Row(shape, values)
    return rows
