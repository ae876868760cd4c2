"""Audited calls as Arrow columns: the one place that knows how an audit log's table looks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from froude.hadoop.audit.lines import AuditLine, process

_ODD = 0x9E3779B97F4A7C15
"""2^64 by the golden ratio: a user and an address that are exchanged give another number."""
_FEW = pa.dictionary(pa.int32(), pa.string())
"""Of texts that stand in many lines."""
_FIELDS: list[pa.Field[Any]] = [
    pa.field("time", pa.timestamp("us", "UTC"), nullable=False),
    pa.field("client", pa.uint64(), nullable=False),
    pa.field("allowed", pa.bool_(), nullable=False),
    pa.field("user", _FEW, nullable=False),
    pa.field("auth", _FEW),
    pa.field("real_user", _FEW),
    pa.field("ip", _FEW),
    pa.field("command", _FEW, nullable=False),
    pa.field("options", _FEW),
    pa.field("src", pa.string()),
    pa.field("dst", pa.string()),
    pa.field("perm", _FEW),
    pa.field("proto", _FEW),
    pa.field("caller_context", _FEW),
]
SCHEMA = pa.schema(_FIELDS)
"""Names and types of an audit log's columns; `client` is `client_of` those that name it."""
TEXTS = tuple(field.name for field in _FIELDS[2:])
"""Columns that a line itself says, in the order of `AuditLine`'s fields but for `allowed`."""


@lru_cache(1 << 14)
def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _number_if(text: str | None) -> int:
    return 0 if text is None else _number(text)


_CLIENT: tuple[tuple[str, Callable[[str | None], int]], ...] = (
    ("ip", lambda text: _number(text or "")),
    ("user", lambda text: _number(text or "")),
    ("real_user", _number_if),
    ("caller_context", lambda text: _number_if(process(text))),
)
"""The columns that decide which client a line is of."""


def from_lines(lines: Sequence[AuditLine]) -> dict[str, Any]:
    """Lines as columns of `TEXTS`."""
    rows = list(map(attrgetter(*TEXTS), lines))
    columns = zip(*rows, strict=True) if rows else ([] for _ in TEXTS)
    arrays = {}
    for name, column in zip(TEXTS, columns, strict=True):
        few = SCHEMA.field(name).type == _FEW
        array: Any = pa.array(column, type=pa.string() if few else SCHEMA.field(name).type)
        arrays[name] = array.dictionary_encode() if few else array
    return arrays


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Tables one after another, as columns in one piece."""
    whole = pa.concat_tables(tables)
    return whole if len(tables) == 1 else whole.unify_dictionaries().combine_chunks()


def clients(table: pa.Table) -> Any:
    """The column `client` of a table with the columns of `TEXTS`."""
    total = np.zeros(table.num_rows, np.uint64)
    for power, (name, number) in enumerate(_CLIENT):
        column: Any = table.column(name).combine_chunks()
        texts = column.dictionary.to_pylist()
        numbers = np.array([number(text) for text in [*texts, None]], dtype=np.uint64)
        places = np.asarray(pc.fill_null(column.indices, len(texts)))
        total += numbers[places] * np.uint64(_ODD**power % (1 << 64))  # modulo 2^64
    return pa.array(total)


def to_lines(batch: pa.RecordBatch) -> Iterator[AuditLine]:
    """The rows of a batch that has all columns."""
    times = np.asarray(batch.column("time").cast(pa.int64())) / 1e6
    columns = [_values(batch.column(name)) for name in TEXTS]
    for time_s, row in zip(times.tolist(), zip(*columns, strict=True), strict=True):
        yield AuditLine(time_s, *row)


def _values(column: Any) -> list[Any]:
    """A column as Python's values; through numpy, in a tenth of the time that `to_pylist` takes."""
    if not pa.types.is_dictionary(column.type):
        values: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
        return values
    texts = column.dictionary.to_pylist()
    known = np.array([*texts, None], dtype=object)
    rows: list[Any] = known[np.asarray(pc.fill_null(column.indices, len(texts)))].tolist()
    return rows
