"""What tests need of a real tap: its schema, the secrets in it found by brute force, and a Trace's bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from google.protobuf.message import Message

from froude.hadoop.rpc.events import Request, Response
from froude.hadoop.rpc.observer import Observer
from froude.hadoop.schema import Schema
from froude.trace.diff import leaves
from froude.trace.importers.tap import import_tap, read_tap
from froude.trace.tape import Kind

_ROOT = Path.home() / ".m2" / "repository" / "org" / "apache" / "hadoop"
_NAMES = (
    ".identifier",
    ".password",
    ".tokens",
    "keyBytes",
    "_key.bytes",
    "credentialsForApp",
    "service_data",
)


@cache
def schema_342() -> Schema:
    """HDFS and YARN of 3.4.2, from the local Maven repository."""
    jars = sorted(_ROOT.glob("*/3.4.2/*.jar"))
    if not any("yarn-api" in jar.name for jar in jars):
        pytest.skip("no YARN jars of 3.4.2 in the local repository")
    return Schema.from_jars(jars)


def raw_secrets(path: Path, schema: Schema) -> set[bytes]:
    """Every byte string of at least 8 bytes whose path looks like a secret's, before redaction."""
    found: set[bytes] = set()
    observers: dict[int, Observer] = {}
    asked: dict[tuple[int, int], Request] = {}
    for time_s, number, kind, payload in read_tap(path, {}):
        if kind == Kind.OPEN:
            observers[number] = Observer()
        elif kind in {Kind.TO_SERVER, Kind.TO_CLIENT}:
            observer = observers[number]
            feed = observer.from_client if kind == Kind.TO_SERVER else observer.from_server
            for _, event in feed(payload, time_s):
                if isinstance(event, Request):
                    asked[number, event.call_id] = event
                    found |= _secrets(schema.decode_request(event.protocol, event.method, event.body))
                elif isinstance(event, Response):
                    call = asked[number, event.call_id]
                    found |= _secrets(schema.decode_response(call.protocol, call.method, event.body))
    return found


def _secrets(message: Message) -> set[bytes]:
    return {
        value
        for path, value in leaves(message)
        if isinstance(value, bytes) and len(value) >= 8 and any(name in f".{path}" for name in _NAMES)
    }


def trace_bytes(path: Path, schema: Schema) -> bytes:
    """All payload bytes of the Trace made of a tap."""
    calls = import_tap(path, schema).calls
    return b"\0".join(part for call in calls for part in (call.request, call.response) if part)
