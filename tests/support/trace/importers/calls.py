"""A table of calls, stored as CSV or Parquet."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.support.mining.generated import Call, Loop, System, answered, named, record

STORE = System(
    lambda sizes: sizes["clients"],
    (
        Call("open", {"name": named("loader")}, ("id",)),
        Loop(
            "k",
            lambda sizes: sizes["keys"],
            (
                Call("put", {"session": answered("open"), "key": named("user", "k")}, ("id",)),
                Call("commit", {"session": answered("open"), "version": answered("put")}, ("ok",)),
            ),
        ),
        Call("close", {"session": answered("open")}, ("ok",)),
    ),
)
"""Clients of a key-value store."""
TEXT = (
    "time,sender,receiver,thread,method,request.path,response.id,status,user\n"
    "2.0,b,s1,1,kv.Store.get,/x,,error,u\n"
    "1.0,a,s1,1,kv.Store.put,/x,7,,u\n"
    "1.5,a,s2,2,kv.Store.put,/y,8,,\n"
    "1.2,a,s1,1,stat,,9,,\n"
)


def store_table(path: Path, *, as_json: bool = False, **sizes: int) -> Path:
    """A table of the store's calls at a Scale."""
    rows = [
        {
            "time": f"{event.start_s:.6f}",
            "duration": f"{event.end_s - event.start_s:.6f}",
            "sender": event.client[:8],
            "method": f"{event.protocol}.{event.method}",
            "request": json.dumps(dict(event.request)),
            "response": json.dumps(dict(event.response)),
        }
        for event in record(STORE, **sizes).events
    ]
    with path.open("w", newline="") as file:
        if as_json:
            for row in rows:
                parts = {side: json.loads(row[side]) for side in ("request", "response")}
                file.write(json.dumps({**row, **parts, "time": float(row["time"])}) + "\n")
        else:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    return path
