"""Writes just enough of a class file, a descriptor and a jar to test their readers without Java."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto


def modified_utf8(text: str) -> bytes:
    """Java's form of a text: NUL in two bytes, everything above U+FFFF as two surrogates."""
    raw = text.encode("utf-16-be", "surrogatepass")
    units = struct.unpack(f">{len(raw) // 2}H", raw)
    return b"".join(b"\xc0\x80" if u == 0 else chr(u).encode("utf-8", "surrogatepass") for u in units)


class _Pool:
    def __init__(self) -> None:
        self.entries: list[bytes] = []

    def add(self, entry: bytes) -> int:
        if entry not in self.entries:
            self.entries.append(entry)
        return self.entries.index(entry) + 1

    def utf8(self, text: str) -> int:
        raw = modified_utf8(text)
        return self.add(struct.pack(">BH", 1, len(raw)) + raw)

    def name(self, text: str) -> int:
        return self.add(struct.pack(">BH", 7, self.utf8(text)))

    def string(self, text: str) -> int:
        return self.add(struct.pack(">BH", 8, self.utf8(text)))


def class_file(
    name: str,
    strings: Sequence[str] = (),
    interfaces: Sequence[str] = (),
    annotations: Mapping[str, Mapping[str, str]] | None = None,
) -> bytes:
    """A class with string constants, interfaces and annotations, one field and one method to pass over."""
    pool = _Pool()
    for text in strings:
        pool.string(text)
    this, above = pool.name(name), pool.name("java/lang/Object")
    parents = [pool.name(interface) for interface in interfaces]
    code, value = pool.utf8("Code"), pool.utf8("thing")
    member = struct.pack(">HHHH", 1, value, value, 1) + struct.pack(">HI", code, 3) + b"abc"
    marks = []
    for kind, pairs in (annotations or {}).items():
        body = b"".join(struct.pack(">HBH", pool.utf8(k), ord("s"), pool.utf8(v)) for k, v in pairs.items())
        version = struct.pack(">HBH", pool.utf8("protocolVersion"), ord("J"), pool.utf8("1"))
        marks.append(struct.pack(">HH", pool.utf8(kind), len(pairs) + 1) + version + body)
    table = struct.pack(">H", len(marks)) + b"".join(marks)
    attribute = struct.pack(">HI", pool.utf8("RuntimeVisibleAnnotations"), len(table)) + table
    source = struct.pack(">HI", pool.utf8("SourceFile"), 2) + b"\0\1"
    constants = b"".join(pool.entries)
    return b"".join(
        (
            struct.pack(">IHHH", 0xCAFEBABE, 0, 52, len(pool.entries) + 1),
            constants,
            struct.pack(">HHHH", 0x0601, this, above, len(parents)),
            b"".join(struct.pack(">H", parent) for parent in parents),
            struct.pack(">H", 1) + member,
            struct.pack(">H", 1) + member,
            struct.pack(">H", 2) + source + attribute,
        )
    )


def outer_class(name: str, descriptor: FileDescriptorProto, part: int = 16_000) -> bytes:
    """A generated outer class: the descriptor in constants of `part` characters, other strings around it."""
    text = descriptor.SerializeToString().decode("latin-1")
    parts = [text[at : at + part] for at in range(0, len(text), part)]
    return class_file(name, ["before", *parts, "Src", "\nafter"])


def jar(path: Path, classes: Mapping[str, bytes]) -> Path:
    """A jar with these classes, and a manifest."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        for name, data in classes.items():
            out.writestr(f"{name}.class", data)
    return path


def ping_descriptor(name: str = "Ping.proto", package: str = "test.ping") -> FileDescriptorProto:
    """A file with one service, `PingService.ping(PingRequest) -> PingResponse`."""
    file = FileDescriptorProto(name=name, package=package)
    request = file.message_type.add(name="PingRequest")
    request.field.add(
        name="src", number=1, type=FieldDescriptorProto.TYPE_STRING, label=FieldDescriptorProto.LABEL_OPTIONAL
    )
    file.message_type.add(name="PingResponse").nested_type.add(name="Inner")
    service = file.service.add(name="PingService")
    service.method.add(
        name="ping", input_type=f".{package}.PingRequest", output_type=f".{package}.PingResponse"
    )
    return file


def ping_jar(path: Path, part: int = 16_000) -> Path:
    """A jar with `org.example.PingProtocol`, served by `PingService`."""
    blocking = "org/example/proto/PingProtos$PingService$BlockingInterface"
    mark = {"Lorg/apache/hadoop/ipc/ProtocolInfo;": {"protocolName": "org.example.PingProtocol"}}
    return jar(
        path,
        {
            "org/example/proto/PingProtos": outer_class(
                "org/example/proto/PingProtos", ping_descriptor(), part
            ),
            "org/example/PingProtocolPB": class_file("org/example/PingProtocolPB", (), [blocking], mark),
            "org/example/HeirProtocolPB": class_file(
                "org/example/HeirProtocolPB", ["$BlockingInterface"], ["org/example/PingProtocolPB"]
            ),
            "org/example/Unrelated": class_file("org/example/Unrelated", ["x"]),
        },
    )
