"""Calls as Arrow columns and back: the one place that knows how a Trace's table looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import pyarrow as pa
import pyarrow.compute as pc

from froude.base.errors import InputError
from froude.hadoop.rpc.target import service_of
from froude.trace.assembly import CallRow, to_call, to_row
from froude.trace.types import Call, Status

_FIELDS: list[pa.Field[Any]] = [
    pa.field("start_s", pa.float64(), nullable=False),
    pa.field("duration_s", pa.float64()),
    pa.field("connection", pa.uint32(), nullable=False),
    pa.field("peer", pa.string(), nullable=False),
    pa.field("client_id", pa.binary(), nullable=False),
    pa.field("call_id", pa.int32(), nullable=False),
    pa.field("retry", pa.int32(), nullable=False),
    pa.field("user", pa.string()),
    pa.field("real_user", pa.string()),
    pa.field("caller_context", pa.string()),
    pa.field("protocol", pa.string(), nullable=False),
    pa.field("method", pa.string(), nullable=False),
    pa.field("request", pa.binary()),
    pa.field("response", pa.binary()),
    pa.field("status", pa.string(), nullable=False),
    pa.field("error", pa.string()),
    pa.field("error_message", pa.string()),
    pa.field("service", pa.string(), nullable=False),
    pa.field("address", pa.string(), nullable=False),
    pa.field("target_id", pa.string(), nullable=False),
]
SCHEMA = pa.schema(_FIELDS)
"""Names and types in the order of `Call`'s fields, the parts of its target last.

Parquet's dictionaries keep the repeated texts small.
"""


def to_table(rows: Sequence[CallRow]) -> pa.Table:
    """Rows as a table."""
    columns = zip(*rows, strict=True) if rows else ([] for _ in SCHEMA)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def calls_to_table(calls: Sequence[Call]) -> pa.Table:
    """Calls as a table."""
    if isinstance(calls, LazyCalls):
        return calls.table
    return to_table([to_row(call) for call in calls])


def with_targets(table: pa.Table, source_id: str) -> pa.Table:
    """A table of before there were targets: who was called follows from the protocol, as far as it does.

    Args:
        table: of version 1 of a trace, or of a later one, which is given back as it is.
        source_id: whose traffic it is; the id of the NameNode among the targets.
    """
    if "protocol" not in table.column_names or "service" in table.column_names:
        return table
    services = [service_of(str(protocol)) for protocol in table.column("protocol").to_pylist()]
    ids = [source_id if service == "namenode" else "" for service in services]
    for name, values in (("service", services), ("address", [""] * len(services)), ("target_id", ids)):
        table = table.append_column(SCHEMA.field(name), pa.array(values, type=pa.string()))
    return table


def with_ids(table: pa.Table, ids: Mapping[tuple[str, str], str]) -> pa.Table:
    """A table whose targets have the ids that were learned once their calls were there.

    Args:
        ids: by service and address; a target that has an id keeps it.
    """
    targets = zip(
        *(table.column(name).to_pylist() for name in ("service", "address", "target_id")), strict=True
    )
    known = [known or ids.get((service, address), "") for service, address, known in targets]
    index = SCHEMA.get_field_index("target_id")
    return table.set_column(index, SCHEMA.field(index), pa.array(known, type=pa.string()))


def check(table: pa.Table, file: object) -> None:
    """Refuse a table that is not a trace's.

    Args:
        file: where it was read from, for errors.

    Raises:
        InputError: a column is missing, of another type, has holes where it may not, or a value that none may have.
    """
    for field in SCHEMA:
        index = table.schema.get_field_index(field.name)
        if index < 0:
            raise InputError("has no such column", file=str(file), place=field.name)
        column_type = table.schema.field(index).type
        if column_type != field.type:
            raise InputError(
                "has a column of another type",
                file=str(file),
                place=field.name,
                found=column_type,
                allowed=field.type,
            )
        if not field.nullable and table.column(index).null_count:
            raise InputError("has empty values where none may be", file=str(file), place=field.name)
    odd = table.filter(pc.invert(pc.is_in(table.column("status"), value_set=pa.array(_STATUSES))))
    if odd.num_rows:
        found, allowed = odd.column("status")[0].as_py(), ", ".join(_STATUSES)
        raise InputError("has no such status", file=str(file), place="status", found=found, allowed=allowed)
    for name in ("start_s", "duration_s"):
        if pc.all(pc.is_finite(table.column(name))).as_py() is False:  # None where there is no row
            raise InputError("has a time that is none", file=str(file), place=name, allowed="finite seconds")


_STATUSES = [status.value for status in Status]


class LazyCalls(Sequence[Call]):
    """The calls of a table; made when first looked at, a list from then on."""

    __slots__ = ("_made", "table")

    def __init__(self, table: pa.Table) -> None:
        """The calls of `table`, whose columns are `SCHEMA`'s."""
        self.table = table
        self._made: list[Call] | None = None

    def _calls(self) -> list[Call]:
        if self._made is None:
            columns = [self.table.column(field.name).to_pylist() for field in SCHEMA]
            self._made = [to_call(row) for row in zip(*columns, strict=True)]
        return self._made

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> list[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | list[Call]:
        """One call, or a list of some."""
        return self._calls()[index]

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls())

    def __eq__(self, other: object) -> bool:
        """Whether the other holds equal calls in the same order, whatever kind of sequence it is."""
        return isinstance(other, Sequence) and self._calls() == list(other)

    __hash__ = None  # type: ignore[assignment] # a list in all but its loading

    def __reduce__(self) -> tuple[Any, ...]:
        return LazyCalls, (self.table,)
