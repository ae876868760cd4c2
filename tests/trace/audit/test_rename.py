"""Columns with other names."""

from __future__ import annotations

import pyarrow as pa

from froude.hadoop.fsimage.anonymise import Names
from froude.trace.audit.columns import from_lines
from froude.trace.audit.rename import renamed
from testbed.audit_lines import LINE, calls


def test_every_text_that_names_something() -> None:
    """Is another; commands, options, rights and protocols stay; columns that are not there are no matter."""
    names = Names(bytes(16))
    table = renamed(pa.table(from_lines([LINE, *calls(3)])), names)
    row = table.slice(0, 1).to_pylist()[0]
    assert row["src"] == names.path("/a b/x=1")
    assert row["user"] == names.user("alice@EXAMPLE.COM")
    assert row["perm"].endswith(":rw-r--r--")
    assert (row["command"], row["options"], row["proto"], row["auth"]) == (
        "rename",
        "options=[OVERWRITE]",
        "rpc",
        "PROXY",
    )
    said = str(table.to_pylist())
    assert not any(word in said for word in ("alice", "EXAMPLE", "10.0.0.7", "user0", "/f1"))
    assert renamed(table.select(["allowed"]), names).num_rows == 4
