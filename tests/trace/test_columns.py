"""Arrow columns."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from froude.base.errors import InputError
from froude.trace.assembly import assemble
from froude.trace.columns import SCHEMA, LazyCalls, calls_to_table, check, to_table, with_ids
from froude.trace.redact import Redactor
from testbed import wire
from tests.support.trace.making import small_trace


def test_lazy_calls_are_a_sequence() -> None:
    """Length without making them; index, slice, equality and pickling as of a list."""
    calls = list(small_trace(3).calls)
    lazy = LazyCalls(calls_to_table(calls))
    assert len(lazy) == 3
    assert lazy._made is None
    assert (lazy[0], lazy[1:], lazy == calls) == (calls[0], calls[1:], True)
    assert pickle.loads(pickle.dumps(lazy)) == calls
    assert calls_to_table(lazy) is lazy.table


def test_tables_of_others_are_refused() -> None:
    """Missing columns, other types and holes are named."""
    good = calls_to_table(small_trace().calls)
    with pytest.raises(InputError, match="x:peer: has no such column"):
        check(good.drop_columns("peer"), "x")
    wide = good.set_column(SCHEMA.names.index("retry"), "retry", good.column("retry").cast(pa.int64()))
    with pytest.raises(InputError, match="x:retry: has a column of another type"):
        check(wide, "x")
    holes = good.set_column(SCHEMA.names.index("peer"), "peer", pa.array([None] * 4, pa.string()))
    with pytest.raises(InputError, match="x:peer: has empty values"):
        check(holes, "x")
    assert SCHEMA.names[0] == "start_s"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("status", "well", "status: has no such status; found well; allowed: success"),
        ("start_s", float("nan"), "start_s: has a time that is none"),
        ("duration_s", float("inf"), "duration_s: "),
    ],
)
def test_values_that_none_may_have(name: str, value: object, message: str) -> None:
    """Not found only when the call is looked at."""
    good = calls_to_table(small_trace().calls)
    field = SCHEMA.field(name)
    odd = good.set_column(SCHEMA.names.index(name), field, pa.array([value] * 4, field.type))
    with pytest.raises(InputError, match=message):
        check(odd, "x")
    check(good.slice(0, 0), "x")


def test_ids_that_were_learned_late() -> None:
    """Each by service and address; a target that has an id keeps it."""
    rows, _ = assemble(iter(wire.conversation(calls=4)), wire.SCHEMA, Redactor(wire.SCHEMA, bytes(32)))
    targets = [
        ("namenode", "h:1", ""),
        ("namenode", "h:2", ""),
        ("datanode", "h:1", ""),
        ("namenode", "h:1", "C"),
    ]
    table = to_table([(*row[:17], *target) for row, target in zip(rows, targets, strict=True)])
    found = with_ids(table, {("namenode", "h:1"): "CID-1"}).column("target_id").to_pylist()
    assert found == ["CID-1", "", "", "C"]
