"""An audit log's columns with other names: paths, users, hosts and contexts, each distinct text asked for once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from froude.hadoop.fsimage.anonymise import Names


def renamed(table: pa.Table, names: Names) -> pa.Table:
    """Lines whose texts are others.

    Args:
        table: columns as an audit log has them; those that it lacks are left out.
    """
    how: dict[str, Callable[[str], str]] = {
        "user": names.user,
        "real_user": names.user,
        "ip": names.host,
        "src": names.path,
        "dst": names.path,
        "perm": names.permission,
        "caller_context": names.context,
    }
    for name, f in how.items():
        index = table.schema.get_field_index(name)
        if index >= 0:
            table = table.set_column(index, name, _mapped(table.column(index), f))
    return table


def _mapped(column: Any, f: Callable[[str], str]) -> Any:
    column = column.combine_chunks()
    if not pa.types.is_dictionary(column.type):
        return pa.array([None if text is None else f(text) for text in column.to_pylist()], pa.string())
    values = pa.array([f(text) for text in column.dictionary.to_pylist()], pa.string())
    return values.take(column.indices).dictionary_encode()
