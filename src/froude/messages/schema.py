"""The schema of a Hadoop release: every protobuf message and service, taken from the jars under test.

`Schema.from_jars` reads the jars (`descriptors`), and the message classes are made at run time from what it
finds, so Froude speaks whatever release it is pointed at. There is one `DescriptorPool` per root file, built
when first needed, because Hadoop's files do not fit into one: two files of package `hadoop.yarn` define the
enum value `NORMAL`, and both engines define `RequestHeaderProto`. Messages of different roots are different
classes; copy between them through bytes.

The byte form (`to_bytes`) is a plain serialised `FileDescriptorSet`, readable by protoc, with one more field
(number 1000, skipped by others) that lists the protocols. It is what the cache and a Trace store.

Cache: one file per set of jars, named by a digest over names, sizes and central directories. A directory
holds the CRC-32 of each member, so any change of content changes the key, and only 6 % of the bytes are read
for it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from google.protobuf.message import DecodeError, Message

from froude.base.errors import FroudeError, InputError
from froude.base.files import atomic_write_bytes, read_bounded
from froude.messages.descriptors import scan
from froude.messages.jars import Jar
from froude.messages.wire import delimited, read_varint

CACHE_FORM = 2
"""Part of the cache's file name: raise it when `scan` finds more or other things in the same jars."""
_FILE, _PROTOCOLS = 1, 1000  # fields
_SCHEMA_LIMIT_BYTES = 64 << 20
_IMPORTS_LIMIT = 64  # Hadoop's longest chain of imports is 5
# Services whose name follows no rule, for jars without the protocol's interface.
_IRREGULAR = {
    "ClientProtocol": "ClientNamenodeProtocol",
    "ResourceTrackerPB": "ResourceTrackerService",
    "ProtocolMetaInfoPB": "ProtocolInfoService",
}


class UnknownMethodError(InputError, KeyError):
    """The schema has no such protocol, method or message."""


@dataclass(frozen=True, slots=True)
class Method:
    """One remote method with its message classes."""

    protocol: str
    """The declared protocol's name, as on the wire."""
    name: str
    request: type[Message]
    response: type[Message]


class Schema:
    """Message classes by name, and methods by declared protocol.

    Args:
        protocols: wire name of a protocol -> (file name, service name).
        source: the file that it was read from, for errors that show only when a descriptor is used.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        protocols: Mapping[str, tuple[str, str]],
        source: Path | None = None,
    ) -> None:
        self._source = source
        self._raw = dict(sorted(files.items()))
        self._protocols = dict(sorted(protocols.items()))
        self._parsed: dict[str, FileDescriptorProto] = {}
        self._pools: dict[str, descriptor_pool.DescriptorPool] = {}
        self._messages: dict[tuple[str, str | None], type[Message]] = {}
        self._methods: dict[tuple[str, str], Method] = {}

    @classmethod
    def from_jars(cls, paths: Iterable[Path | str], cache: Path | None = None) -> Schema:
        """The schema of a class path.

        Args:
            paths: jars in class path order (of two files with one name the first counts), and folders of jars
                (by name). Jars without Hadoop's classes only cost the reading of their directory.
            cache: folder of parsed schemas; None means that of `default_cache`. A cache that cannot be
                written is done without.

        Raises:
            InputError: a jar is damaged, or none holds a descriptor.
        """
        jars = [Jar(path) for path in _jar_paths(paths)]
        key = hashlib.sha256(b"".join(jar.content_key() for jar in jars)).hexdigest()
        kept = (cache or default_cache()) / f"{key}.v{CACHE_FORM}.fds"
        cached = cls._from_cache(kept)
        if cached is not None:
            return cached
        descriptors = scan(jars)
        if not descriptors.files:
            names = ", ".join(jar.path.name for jar in jars) or "no jar"
            raise InputError(
                "hold no protobuf descriptor", file=names, remedy="Give the jars of a Hadoop release"
            )
        schema = cls(descriptors.files, descriptors.protocols)
        try:
            raw = schema.to_bytes()
            atomic_write_bytes(kept, hashlib.sha256(raw).digest() + raw)
        except FroudeError:
            return schema
        return schema

    @classmethod
    def _from_cache(cls, kept: Path) -> Schema | None:
        """What the cache holds, if it is whole: the SHA-256 of the rest comes first."""
        try:
            data = read_bounded(kept, limit_bytes=_SCHEMA_LIMIT_BYTES)
        except InputError:
            return None
        sound = hashlib.sha256(data[32:]).digest() == data[:32]
        return cls.from_bytes(data[32:]) if sound else None

    @classmethod
    def from_bytes(cls, data: bytes, *, source: Path | None = None) -> Schema:
        """Read what `to_bytes` wrote, or any serialised FileDescriptorSet; files are parsed when needed.

        Args:
            source: the file that they are from, for errors.

        Raises:
            InputError: the bytes are neither.
        """
        if len(data) > _SCHEMA_LIMIT_BYTES:
            allowed = f"at most {_SCHEMA_LIMIT_BYTES} bytes"
            raise InputError("a schema is too large", found=f"{len(data)} bytes", allowed=allowed)
        files: dict[str, bytes] = {}
        protocols: dict[str, tuple[str, str]] = {}
        try:
            for field, payload in _fields(data):
                if field == 1:
                    files[_name_of(payload)] = payload
                elif field == 1000:
                    protocols.update(_read_protocols(payload))
        except (ValueError, IndexError) as error:
            raise InputError("is not a schema", found=str(error), allowed="a FileDescriptorSet") from error
        return cls(files, protocols, source)

    def to_bytes(self) -> bytes:
        """The whole schema as a FileDescriptorSet; equal schemas give equal bytes."""
        parts = [delimited(_FILE, raw) for raw in self._raw.values()]
        lines = "\n".join("\t".join((name, *where)) for name, where in self._protocols.items())
        return b"".join(parts) + delimited(_PROTOCOLS, lines.encode())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of `to_bytes`, in hex."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the descriptor files, sorted."""
        return tuple(self._raw)

    @property
    def protocols(self) -> tuple[str, ...]:
        """Wire names of the protocols whose service is known, sorted."""
        return tuple(self._protocols)

    def methods(self, protocol: str) -> tuple[str, ...]:
        """Names of a protocol's methods, in the order of the service.

        Raises:
            UnknownMethodError: no such protocol.
        """
        file, service = self._service(protocol)
        return tuple(m.name for s in self._file(file).service if s.name == service for m in s.method)

    def method(self, protocol: str, method: str) -> Method:
        """The message classes of a method, by the names that a request carries.

        Args:
            protocol: `declaringClassProtocolName`, such as `org.apache.hadoop.hdfs.protocol.ClientProtocol`.
            method: `methodName`.

        Raises:
            UnknownMethodError: no such protocol, or no such method of it. A protocol that speaks Writable, as
                `TaskUmbilicalProtocol` does, has no service and is unknown.
        """
        try:
            return self._methods[protocol, method]
        except KeyError:
            resolved = self._methods[protocol, method] = self._make_method(protocol, method)
            return resolved

    def _make_method(self, protocol: str, method: str) -> Method:
        file, service = self._service(protocol)
        for declared in (m for s in self._file(file).service if s.name == service for m in s.method):
            if declared.name == method:
                request, response = (
                    self.message(kind.lstrip("."), file)
                    for kind in (declared.input_type, declared.output_type)
                )
                return Method(protocol, method, request, response)
        known = ", ".join(self.methods(protocol))
        raise UnknownMethodError("the schema has no such method", place=protocol, found=method, allowed=known)

    def _service(self, protocol: str) -> tuple[str, str]:
        where = self._protocols.get(protocol) or self._by_rule(protocol)
        if where is None or where[0] not in self._raw:
            known = f"{len(self._protocols)} protocols, such as {', '.join(self.protocols[:2])}"
            what = "the schema has no such protocol"
            raise UnknownMethodError(what, file=self._source, found=protocol, allowed=known)
        return where

    def _by_rule(self, protocol: str) -> tuple[str, str] | None:
        """The service by Hadoop's habits of naming; the first file in order of name that has it."""
        last = protocol.rpartition(".")[2]
        bare = last.removesuffix("PB")
        for name in (
            _IRREGULAR.get(last),
            bare + "Service",
            bare,
            bare.removesuffix("Protocol") + "ProtocolService",
        ):
            if name in self._services:
                return self._services[name], name
        return None

    @cached_property
    def _services(self) -> dict[str, str]:
        services: dict[str, str] = {}
        for file in self._raw:
            for service in self._file(file).service:
                services.setdefault(service.name, file)
        return services

    def message(self, full_name: str, root: str | None = None) -> type[Message]:
        """A message class by its full name, such as `hadoop.hdfs.DatanodeIDProto`.

        Args:
            full_name: package and names, dots between, nested ones too.
            root: the file in whose pool it shall be; None means the file that defines it (the first by name).

        Raises:
            UnknownMethodError: no such message or file.
        """
        key = (full_name, root)
        if key not in self._messages:
            home = root or self._homes.get(full_name)
            if home is None or home not in self._raw:
                raise UnknownMethodError("the schema has no such message", found=full_name)
            try:
                descriptor = self._pool(home).FindMessageTypeByName(full_name)
            except KeyError:
                raise UnknownMethodError("has no such message", file=home, found=full_name) from None
            self._messages[key] = message_factory.GetMessageClass(descriptor)
        return self._messages[key]

    @cached_property
    def _homes(self) -> dict[str, str]:
        homes: dict[str, str] = {}
        for file in self._raw:
            parsed = self._file(file)
            for name in _message_names(parsed.message_type, f"{parsed.package}." if parsed.package else ""):
                homes.setdefault(name, file)
        return homes

    def decode_request(self, protocol: str, method: str, data: bytes | None) -> Message:
        """A request out of its bytes.

        Args:
            protocol: declared protocol, by its Java name.
            data: the serialised message; None, where a source did not see it, is refused.

        Raises:
            UnknownMethodError: no such method.
            InputError: the bytes are absent or do not decode.
        """
        return _decode(self.method(protocol, method).request, data)

    def decode_response(self, protocol: str, method: str, data: bytes | None) -> Message:
        """A response out of its bytes; raises as `decode_request` does.

        Args:
            protocol: declared protocol, by its Java name.
            data: the serialised message; None, where a source did not see it, is refused.
        """
        return _decode(self.method(protocol, method).response, data)

    def subset(self, protocols: Iterable[str], messages: Iterable[str] = ()) -> Schema:
        """The part that decodes these protocols: their files and what those import.

        Args:
            protocols: by their Java names.
            messages: full names of further messages; one that is unknown is left out.

        Raises:
            UnknownMethodError: a protocol is unknown.
        """
        chosen = {name: self._service(name) for name in protocols}
        roots = [*(root for root, _ in chosen.values()), *(filter(None, map(self._homes.get, messages)))]
        files = {name: self._raw[name] for root in roots for name in self._closure(root)}
        return Schema(files, chosen, self._source)

    def _file(self, name: str) -> FileDescriptorProto:
        if name not in self._parsed:
            try:
                self._parsed[name] = FileDescriptorProto.FromString(self._raw[name])
            except DecodeError as error:
                raise self._damaged("a descriptor does not decode", name, error) from error
        return self._parsed[name]

    def _damaged(self, what: str, name: str, error: Exception) -> InputError:
        """An error about a descriptor: in the file that the schema came from, where there is one."""
        place = None if self._source is None else name
        return InputError(what, file=self._source or name, place=place, found=str(error))

    def _closure(self, root: str) -> list[str]:
        """The root and all it imports, imports first."""
        order: dict[str, None] = {}
        self._visit(root, order, ())
        return list(order)

    def _visit(self, name: str, order: dict[str, None], path: tuple[str, ...]) -> None:
        if name in order:
            return
        if name in path or name not in self._raw or len(path) > _IMPORTS_LIMIT:
            absent = name not in self._raw
            what = "imports a file that no jar holds" if absent else "imports itself, or too deep"
            remedy = "Add the jar that holds it (hadoop-common, hadoop-hdfs-client or hadoop-yarn-api)"
            where = self._source or (path[-1] if path else None)
            raise InputError(what, file=where, found=name, remedy=remedy)
        for needed in self._file(name).dependency:
            self._visit(needed, order, (*path, name))
        order[name] = None

    def _pool(self, root: str) -> descriptor_pool.DescriptorPool:
        if root not in self._pools:
            pool = descriptor_pool.DescriptorPool()
            for name in self._closure(root):
                try:
                    pool.AddSerializedFile(self._raw[name])
                except TypeError as error:
                    raise self._damaged("a descriptor is refused", name, error) from error
            self._pools[root] = pool
        return self._pools[root]

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same files and protocols."""
        return isinstance(other, Schema) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[object, ...]:
        return Schema.from_bytes, (self.to_bytes(),)


def default_cache() -> Path:
    """Where parsed schemas are kept: below `FROUDE_CACHE`, `$XDG_CACHE_HOME/froude` or `~/.cache/froude`."""
    if place := os.environ.get("FROUDE_CACHE"):
        return Path(place) / "schema"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "froude" / "schema"


def _jar_paths(paths: Iterable[Path | str]) -> Iterator[Path]:
    for path in map(Path, paths):
        yield from sorted(path.glob("*.jar")) if path.is_dir() else (path,)


def _decode(kind: type[Message], data: bytes | None) -> Message:
    if data is None:
        raise InputError("the call has no payload", found=kind.DESCRIPTOR.full_name)
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise InputError(
            "a message does not decode", place=kind.DESCRIPTOR.full_name, found=str(error)
        ) from error


def _message_names(messages: Iterable[DescriptorProto], prefix: str) -> Iterator[str]:
    for message in messages:
        yield prefix + message.name
        yield from _message_names(message.nested_type, f"{prefix}{message.name}.")


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields of a message's top level; a FileDescriptorSet has no others."""
    at = 0
    while at < len(data):
        tag, start = read_varint(data, at)
        if tag & 7 != 2:
            raise ValueError(f"wire type {tag & 7} at offset {at}")
        length, start = read_varint(data, start)
        if length > len(data) - start:
            raise ValueError(f"a field of {length} bytes at offset {at} of {len(data)}")
        yield tag >> 3, data[start : start + length]
        at = start + length


def _name_of(raw: bytes) -> str:
    """A file descriptor's name: its first field in every known writer, else by parsing it whole."""
    if raw[:1] == b"\n" and len(raw) > 1 and raw[1] < 0x80 and len(raw) >= 2 + raw[1]:
        return raw[2 : 2 + raw[1]].decode()
    try:
        return FileDescriptorProto.FromString(raw).name
    except DecodeError as error:
        raise ValueError(str(error)) from error


def _read_protocols(payload: bytes) -> Iterator[tuple[str, tuple[str, str]]]:
    for line in payload.decode().splitlines():
        name, file, service = line.split("\t")
        yield name, (file, service)
