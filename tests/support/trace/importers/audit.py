"""A Trace and the audit log of the same calls."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

from froude.messages.schema import Schema
from froude.trace.importers.audit import CLIENT_PROTOCOL
from froude.trace.types import Status, Trace
from tests.support.trace.making import META, echo

PREFIX = "2026-11-20 09:43:54,218 INFO FSNamesystem.audit: "
DENIED = "org.apache.hadoop.security.AccessControlException"


def _schema() -> Schema:
    file = FileDescriptorProto(name="c.proto", package="t", syntax="proto2")
    text = file.message_type.add(name="M")
    for number, name in enumerate(("src", "dst"), 1):
        text.field.add(name=name, number=number, label=1, type=FieldDescriptorProto.TYPE_STRING)
    service = file.service.add(name="S")
    for method in ("mkdirs", "rename2", "complete", "getFileInfo"):
        service.method.add(name=method, input_type=".t.M", output_type=".t.M")
    return Schema({"c.proto": file.SerializeToString()}, {CLIENT_PROTOCOL: ("c.proto", "S")})


SCHEMA = _schema()


def call(at: float, method: str, src: str, dst: str | None = None, **parts: Any) -> Any:
    """A ClientProtocol call."""
    body = SCHEMA.message("t.M")(src=src, **({"dst": dst} if dst else {})).SerializeToString()
    return echo(at, "", method=method, protocol=CLIENT_PROTOCOL, request=body, response=b"", **parts)


def line(command: str, src: str, dst: str = "null", allowed: str = "true") -> str:
    """An audit line."""
    return (
        f"{PREFIX}allowed={allowed}\tugi=alice (auth:SIMPLE)\tip=/127.0.0.1\tcmd={command}\tsrc={src}\t"
        f"dst={dst}\tperm=null\tproto=rpc\n"
    )


TRACE = Trace(
    META,
    SCHEMA,
    [
        call(0, "mkdirs", "/a b"),
        call(1, "rename2", "/a b", "/c"),
        call(2, "complete", "/c"),
        call(3, "mkdirs", "/x", status=Status.ERROR, error="java.io.IOException"),
        call(4, "getFileInfo", "/y", status=Status.ERROR, error=DENIED),
    ],
)
LOG = (
    line("mkdirs", "/a b")
    + line("rename (options=[NONE])", "/a b", "/c")
    + line("getfileinfo", "/y", allowed="false")
)
