"""Columns of audited calls."""

from __future__ import annotations

import pyarrow as pa

from froude.trace.audit.columns import SCHEMA, TEXTS, client_of, clients, from_lines, joined
from tests.trace.audit.lines import LINE, calls


def test_clients_have_a_number_of_their_own() -> None:
    """By user and address together; the column has what one call gives."""
    pairs = [("a", "1"), ("a", None), ("1", "a"), ("a", ""), ("b", "1"), ("a", "1")]
    users, ips = (pa.array(column).dictionary_encode() for column in zip(*pairs, strict=True))
    numbers = clients(users, ips).to_pylist()
    assert numbers == [client_of(*pair) for pair in pairs]
    assert len({*numbers}) == 4
    assert numbers[1] == numbers[3]


def test_lines_as_columns() -> None:
    """Of the types that the table has, also where there is no line."""
    for lines in ([LINE], []):
        columns = from_lines(lines)
        assert tuple(columns) == TEXTS
        assert all(column.type == SCHEMA.field(name).type for name, column in columns.items())


def test_tables_are_joined() -> None:
    """Though each has a dictionary of its own."""
    tables = [pa.table(from_lines(calls(n))) for n in (3, 5)]
    whole = joined(tables)
    assert whole.num_rows == 8
    assert whole.column("user").num_chunks == 1
    assert joined(tables[:1]) is not None
