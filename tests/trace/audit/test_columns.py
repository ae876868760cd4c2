"""Columns of audited calls."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from froude.trace.audit.columns import SCHEMA, TEXTS, clients, from_lines, joined
from testbed.audit_lines import LINE, calls


def test_clients_have_a_number_of_their_own() -> None:
    """By user, address, and what a proxy names; the column has what one call gives."""
    behind = "CLI,clientIp:10.0.0.7,clientPort:{},clientCallId:{}".format
    names = [
        ("a", "1", None, None),
        ("a", None, None, None),
        ("1", "a", None, None),
        ("a", "", None, None),
        ("b", "1", None, None),
        ("a", "1", None, "CLI"),
        ("a", "1", "knox", None),
        ("a", "1", None, behind(1, 1)),
        ("a", "1", None, behind(1, 2)),
        ("a", "1", None, behind(2, 3)),
    ]
    lines = [
        replace(LINE, user=user, ip=ip, real_user=real, caller_context=context)
        for user, ip, real, context in names
    ]
    numbers = clients(pa.table(from_lines(lines))).to_pylist()
    assert len({*numbers}) == 7
    assert numbers[1] == numbers[3]
    assert numbers[0] == numbers[5]
    assert numbers[7] == numbers[8]


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
