"""File descriptors and wire names of RPC protocols, out of the class files of Hadoop's jars.

Two facts are read. A generated outer class (`…/proto/HdfsProtos.class`) holds its file's serialised
FileDescriptorProto in string constants, one byte a character. The interface of a protocol
(`…/ClientNamenodeProtocolPB.class`) extends the `BlockingInterface` of a generated service and carries, in
its `@ProtocolInfo` annotation, the name that requests put on the wire: together they say which protobuf
service answers for which declared protocol, without any rule of naming.

Source: protobuf's Java generator (`SharedCodeGenerator`, 2.5: `FileGenerator`);
org.apache.hadoop.ipc.ProtocolInfo and RPC.getProtocolName.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.message import DecodeError

from froude.messages.classfile import ClassFile, decode_modified_utf8, read_class
from froude.messages.jars import Jar

# Where generated classes and protocol interfaces lie in 2.7 to 3.5. Of inner classes ($) only the services'
# interfaces matter: one of MapReduce's extends another service instead of having a descriptor of its own.
_ELSEWHERE = rb"^(?!.*(?:/shaded/|/thirdparty/))"  # codespell:ignore thirdparty
_LIKELY = re.compile(
    _ELSEWHERE + rb"(?:[^$]*(?:/proto(?:buf)?/[^/$]+|Protos?|PB)|.*\$BlockingInterface)\.class$"
)
_ANY_CLASS = re.compile(_ELSEWHERE + rb"(?:[^$]*|.*\$BlockingInterface)\.class$")
_PROTOCOL_INFO = "Lorg/apache/hadoop/ipc/ProtocolInfo;"
_BLOCKING = "$BlockingInterface"
# The Java generator writes lines of 40 bytes and cuts a long descriptor into constants of 10 lines (protobuf
# 2.5) or 400 lines (3 and later).
_LINE_BYTES = 40
_PARTS_LIMIT = 4096
_INHERITANCE_LIMIT = 8


@dataclass
class Descriptors:
    """What the classes of a set of jars say of their protocols."""

    files: dict[str, bytes] = field(default_factory=dict)
    """File name -> serialised FileDescriptorProto; of two with one name the first counts."""
    protocols: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Wire name of a protocol -> (file name, service name)."""


def scan(jars: Iterable[Jar]) -> Descriptors:
    """Read the likely classes of every jar, in class path order.

    A jar set without one likely class is read a second time in full (a build that moved its classes).

    Raises:
        InputError: a jar or a class in it is damaged.
    """
    listed = list(jars)
    descriptors = _scan(listed, _LIKELY)
    return descriptors if descriptors.files else _scan(listed, _ANY_CLASS)


def _scan(jars: list[Jar], wanted: re.Pattern[bytes]) -> Descriptors:
    descriptors = Descriptors()
    outer2file: dict[str, str] = {}
    interfaces: dict[str, ClassFile] = {}
    for jar in jars:
        for member, data in jar.read(jar.members(wanted)):
            described, marked = b".proto" in data, _BLOCKING.encode() in data
            if not (described or marked):
                continue
            class_file = read_class(data, f"{jar.path}!{member.name}")
            if described:
                for name, raw in descriptors_of(class_file):
                    descriptors.files.setdefault(name, raw)
                    outer2file.setdefault(member.name.removesuffix(".class"), name)
            if marked:
                interfaces.setdefault(class_file.this_class, class_file)
    for interface in interfaces.values():
        outer, service = _service_of(interface, outer2file, interfaces)
        if outer and not interface.this_class.endswith(_BLOCKING):
            descriptors.protocols.setdefault(_wire_name(interface), (outer2file[outer], service))
    return descriptors


def descriptors_of(class_file: ClassFile) -> Iterator[tuple[str, bytes]]:
    """The file descriptors that a class carries: (file name, serialised FileDescriptorProto).

    Raises:
        InputError: a constant begins like a descriptor and none can be read from it.
    """
    constants = class_file.string_constants()
    for at, raw in enumerate(constants):
        # Field 1 (name) comes first: tag 0x0A, one byte of length, the name. It is the file's path.
        if len(raw) < 9 or raw[0] != 0x0A or raw[2 : 2 + raw[1]][-6:] != b".proto":
            continue
        joined = _join_parts(constants[at : at + _PARTS_LIMIT])
        if joined is None:
            raise class_file.wrong("has a file descriptor that cannot be read", found=raw[:60])
        yield joined


def _join_parts(constants: list[bytes]) -> tuple[str, bytes] | None:
    """The descriptor that begins in the first constant, with as many of the next as it needs.

    All parts but the last have one length, so parts are gathered up to the first of another length. The
    longest reading wins, since a cut may fall between two fields; the last is left out if the whole does not
    parse (a descriptor that ends with a full part is followed by something else).
    """
    parts: list[bytes] = []
    for raw in constants:
        try:
            parts.append(decode_modified_utf8(raw).encode("latin-1"))
        except ValueError:  # text above U+00FF, or not modified UTF-8: no part of a descriptor
            break
        if len(parts[-1]) != len(parts[0]) or len(parts[0]) % _LINE_BYTES:
            break
    for count in range(len(parts), max(0, len(parts) - 3), -1):
        data = b"".join(parts[:count])
        try:
            parsed = FileDescriptorProto.FromString(data)
        except DecodeError:
            continue
        if parsed.name.endswith(".proto"):
            return parsed.name, data
    return None


def _service_of(
    interface: ClassFile, outer2file: Mapping[str, str], interfaces: Mapping[str, ClassFile]
) -> tuple[str, str]:
    """(outer class, service) that an interface stands for, also by inheritance; empty if none."""
    for _ in range(_INHERITANCE_LIMIT):
        for name in interface.interfaces:
            outer, _, service = name.removesuffix(_BLOCKING).rpartition("$")
            if name.endswith(_BLOCKING) and outer in outer2file:
                return outer, service
        known = [name for name in interface.interfaces if name in interfaces]
        if not known:
            break
        interface = interfaces[known[0]]
    return "", ""


def _wire_name(interface: ClassFile) -> str:
    """The name that requests carry: the annotation's, and without one Hadoop sends the class's own."""
    declared = interface.annotation_strings(_PROTOCOL_INFO).get("protocolName")
    return declared or interface.this_class.replace("/", ".")
