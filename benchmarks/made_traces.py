"""Traces of the made-up job of the miner's tests: its calls as real messages, required fields filled.

So it can be mined at any length as a recording is: read from its folder, and decoded.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from froude.hadoop.rpc.target import Target
from froude.messages.leaves import build
from froude.mining.read.events import Event
from froude.trace.files import write_trace
from froude.trace.types import Call, Status, Trace, TraceMeta
from testbed.recorded import schema
from testbed.synthetic import record

SMALL = (
    {"clients": 1, "dirs": 1, "files": 2, "blocks": 2},
    {"clients": 3, "dirs": 2, "files": 3, "blocks": 1},
)
"""Two small sizes that are mined with a large one."""


def runs_of(clients: int, dirs: int, files: int) -> list[Any]:
    """Recordings of the two small sizes and a large one."""
    large = {"clients": clients, "dirs": dirs, "files": files, "blocks": 3}
    return [record(datanodes=2 + at, **sizes) for at, sizes in enumerate((*SMALL, large))]


def write(folder: Path, clients: int, dirs: int, files: int) -> list[Path]:
    """Traces of those, each in a folder."""
    paths = []
    for number, run in enumerate(runs_of(clients, dirs, files)):
        calls = [_call(event) for event in run.events]
        meta = TraceMeta(run.scale, 0.0, run.source_id, run.release)
        paths.append(folder / f"run-{number}")
        write_trace(paths[-1], Trace(meta, schema(), calls))
    return paths


def _call(event: Event) -> Call:
    return Call(
        start_s=event.start_s,
        duration_s=event.end_s - event.start_s,
        connection=event.connection,
        peer=event.peer,
        client_id=bytes.fromhex(event.client),
        call_id=event.call_id,
        retry=0,
        user=event.user,
        real_user=None,
        caller_context=event.caller_context,
        protocol=event.protocol,
        method=event.method,
        request=_message(event, "request"),
        response=_message(event, "response"),
        status=Status.SUCCESS,
        target=Target("namenode", "127.0.0.1:8020", "CID-made"),
    )


def _message(event: Event, side: str) -> bytes:
    kind = getattr(schema().method(event.protocol, event.method), side)
    known = {path: value for path, value in (getattr(event, side) or {}).items() if _has(kind, path)}
    message = build(kind, known)
    _fill(message)
    return message.SerializeToString()


@cache
def _has(kind: Any, path: str) -> bool:
    """Whether a message class has the field that a path leads to; indices are not looked at."""
    descriptor: Any = kind.DESCRIPTOR
    for name in re.sub(r"\[[^\]]*\]|\{\}", "", path).split("."):
        if descriptor is None or name not in descriptor.fields_by_name:
            return False
        descriptor = descriptor.fields_by_name[name].message_type
    return True


def _fill(message: Any) -> None:
    """Set every required field that is not set, and those of the messages within."""
    for field in message.DESCRIPTOR.fields:
        if field.is_required and not message.HasField(field.name):
            if field.message_type is not None:
                getattr(message, field.name).SetInParent()
            elif field.type in {field.TYPE_STRING, field.TYPE_BYTES}:
                setattr(message, field.name, "made" if field.type == field.TYPE_STRING else b"made")
            else:
                setattr(message, field.name, field.default_value)
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in value if field.is_repeated else (value,):
                _fill(inner)


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
