"""A toy protocol and its bytes on the wire, for tests that need calls but no Hadoop."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

from froude.hadoop.rpc import headers
from froude.hadoop.rpc.frames import frame
from froude.messages.schema import Schema
from froude.trace.tape import Record, RecordKind

PROTOCOL = "toy.ToyProtocol"
PREAMBLE = b"hrpc\x09\x00\x00"
CLIENT = bytes(range(16))

_LABELS = {"*": FieldDescriptorProto.LABEL_REPEATED, "!": FieldDescriptorProto.LABEL_REQUIRED}
_MESSAGES: dict[str, list[tuple[str, str]]] = {
    "TokenProto": [("identifier", "bytes"), ("password", "bytes"), ("kind", "string"), ("service", "string")],
    "EchoProto": [("text", "string"), ("count", "int32"), ("names", "*string")],
    "GrantProto": [
        ("owner", "string"),
        ("token", "TokenProto"),
        ("more", "*TokenProto"),
        ("trustPassword", "string"),
    ],
    "TreeProto": [("name", "string"), ("children", "*TreeProto"), ("token", "TokenProto")],
    "SealProto": [("serial", "!int32"), ("password", "string")],
    "RingProto": [("name", "string"), ("next", "RingProto")],
    "NamespaceInfoProto": [("storageInfo", "StorageInfoProto"), ("softwareVersion", "string")],
    "StorageInfoProto": [("clusterID", "string")],
    "VersionResponseProto": [("info", "NamespaceInfoProto")],
}
_METHODS = {
    "echo": ("EchoProto", "EchoProto"),
    "grant": ("EchoProto", "GrantProto"),
    "grow": ("TreeProto", "TreeProto"),
    "seal": ("SealProto", "SealProto"),
    "turn": ("RingProto", "RingProto"),
    "versionRequest": ("EchoProto", "VersionResponseProto"),
}


def toy_schema() -> Schema:
    """Echo carries no secret, grant a token, grow one in a tree of itself, seal beside what it requires, turn none."""
    file = FileDescriptorProto(name="toy.proto", package="hadoop.common", syntax="proto2")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields, 1):
            descriptor = message.field.add(name=field, number=number)
            descriptor.label = _LABELS.get(kind[0], FieldDescriptorProto.LABEL_OPTIONAL)
            kind = kind.lstrip("*!")  # noqa: PLW2901 - the label is read
            if kind in _MESSAGES:
                descriptor.type, descriptor.type_name = (
                    FieldDescriptorProto.TYPE_MESSAGE,
                    f".hadoop.common.{kind}",
                )
            else:
                descriptor.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind.upper()}")
    service = file.service.add(name="ToyService")
    for method, (request, response) in _METHODS.items():
        service.method.add(
            name=method, input_type=f".hadoop.common.{request}", output_type=f".hadoop.common.{response}"
        )
    return Schema({"toy.proto": file.SerializeToString()}, {PROTOCOL: ("toy.proto", "ToyService")})


SCHEMA = toy_schema()


def message(name: str, /, **fields: Any) -> Any:
    """A toy message."""
    return SCHEMA.message(f"hadoop.common.{name}")(**fields)


def context(user: str = "alice") -> bytes:
    """The connection context's frame."""
    header = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=-3, clientId=CLIENT, retryCount=-1)
    body = headers.ConnectionContext(protocol=PROTOCOL.encode())
    body.userInfo.effectiveUser = user.encode()
    return frame(header.SerializeToString(), body.SerializeToString())


def request(call_id: int, method: str, body: bytes, *, client: bytes = CLIENT, caller: str = "") -> bytes:
    """A call's frame."""
    header = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=call_id, clientId=client, retryCount=0)
    if caller:
        header.callerContext.context = caller.encode()
    named = headers.MethodHeader(
        methodName=method.encode(), declaringClassProtocolName=PROTOCOL.encode(), clientProtocolVersion=1
    )
    return frame(header.SerializeToString(), named.SerializeToString(), body)


def response(call_id: int, body: bytes) -> bytes:
    """A successful answer's frame."""
    return frame(headers.ResponseHeader(callId=call_id, status=0).SerializeToString(), body)


def failure(
    call_id: int, error: str = "java.io.IOException", text: str = "no\n\tat x", status: int = 1
) -> bytes:
    """An error's frame."""
    header = headers.ResponseHeader(
        callId=call_id, status=status, exceptionClassName=error.encode(), errorMsg=text.encode()
    )
    return frame(header.SerializeToString())


def opened(number: int, time_s: float = 0.0, peer: str = "127.0.0.12") -> Record:
    """The record of an accepted connection."""
    return time_s, number, RecordKind.OPEN, json.dumps({"peer": [peer, 4000], "at": "127.0.0.1"}).encode()


def conversation(number: int = 1, calls: int = 3, start_s: float = 0.0) -> list[Record]:
    """One connection that echoes."""
    records = [opened(number, start_s), (start_s, number, RecordKind.TO_SERVER, PREAMBLE + context())]
    for index in range(calls):
        body = message("EchoProto", text=f"/file-{index}").SerializeToString()
        at = start_s + index + 1
        records.append((at, number, RecordKind.TO_SERVER, request(index, "echo", body)))
        records.append((at + 0.25, number, RecordKind.TO_CLIENT, response(index, body)))
    return [*records, (start_s + calls + 2, number, RecordKind.CLOSE, b"")]
