"""Java class files: the constant pool, and as much of the rest as names a class's interfaces and annotations.

Hadoop's generated message classes carry their serialised descriptors in string constants, and the interfaces
of its RPC protocols carry their wire names in an annotation. Both are read here straight from the class file,
so no Java, no protoc and no `.proto` file is needed. The bytes may come from any jar: every offset is checked
against the end of the file, and what does not fit raises `InputError` with the class and the offset.

Source: The Java Virtual Machine Specification, chapter 4 (4.4 constant pool, 4.4.7 modified UTF-8, 4.7.16
RuntimeVisibleAnnotations).
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cached_property

from froude.base.errors import InputError

MAGIC = 0xCAFEBABE
_UTF8, _STRING, _CLASS = 1, 8, 7
_WIDE = frozenset((5, 6))
# Size of each constant behind its tag byte (JVMS table 4.4-A); Utf8 (1) carries its own length. Long and
# Double (5, 6) take two places of the pool (4.4.5).
_SIZES = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    7: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
# What 4.4.7 forbids inside a Utf8 constant: a plain NUL and the four-byte forms of standard UTF-8.
_FORBIDDEN = re.compile(rb"[\x00\xf0-\xff]")
_U2 = struct.Struct(">H")


@dataclass(frozen=True)
class ClassFile:
    """One class file, its pool walked, the rest read on demand."""

    name: str
    """Where it lies, for messages: `some.jar!org/example/Thing.class`."""
    data: bytes
    utf8: dict[int, tuple[int, int]]
    """Pool index of each Utf8 constant -> (offset, length) in `data`."""
    references: dict[int, tuple[int, int]]
    """Pool index of each Class or String constant -> (tag, index of its Utf8)."""
    body_offset: int
    """Where the pool ends and `access_flags` begins."""

    def raw(self, index: int) -> bytes:
        """The modified UTF-8 bytes of a Utf8 constant.

        Raises:
            InputError: the pool has no Utf8 constant there.
        """
        if index not in self.utf8:
            raise self.wrong("names a constant that is not there", found=f"index {index}")
        offset, length = self.utf8[index]
        return self.data[offset : offset + length]

    def text(self, index: int) -> str:
        """The text of a Utf8 constant; raises as `raw` and `decode_modified_utf8` do."""
        try:
            return decode_modified_utf8(self.raw(index))
        except ValueError as error:
            raise self.wrong(str(error), offset=self.utf8[index][0]) from error

    def class_name(self, index: int) -> str:
        """The binary name (`org/example/Thing`) behind a Class constant.

        Raises:
            InputError: the pool has no Class constant there.
        """
        tag, target = self.references.get(index, (0, 0))
        if tag != _CLASS:
            raise self.wrong("names a class that is not there", found=f"index {index}")
        return self.text(target)

    def string_constants(self) -> list[bytes]:
        """The raw bytes of every String constant, in the order of the pool, which is that of first use."""
        return [self.raw(target) for tag, target in self.references.values() if tag == _STRING]

    @cached_property
    def _header(self) -> tuple[str, tuple[str, ...], int]:
        this_class, _, count = _unpack(self, ">HHH", self.body_offset + 2)
        indexes = _unpack(self, f">{count}H", self.body_offset + 8)
        return (
            self.class_name(this_class),
            tuple(map(self.class_name, indexes)),
            self.body_offset + 8 + 2 * count,
        )

    @property
    def this_class(self) -> str:
        """The binary name of the class."""
        return self._header[0]

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Binary names of the direct interfaces, in order."""
        return self._header[1]

    def annotation_strings(self, descriptor: str) -> dict[str, str]:
        """String elements of the class's run-time visible annotation of that type; empty without one.

        Args:
            descriptor: the annotation's type as the file writes it, `Lorg/example/Mark;`.

        Raises:
            InputError: the class file ends early or names constants that are not there.
        """
        offset = _skip_members(self, _skip_members(self, self._header[2]))
        (count,) = _unpack(self, ">H", offset)
        offset += 2
        for _ in range(count):
            name, length = _unpack(self, ">HI", offset)
            if self.text(name) == "RuntimeVisibleAnnotations":
                return _annotation_strings(self, offset + 6, descriptor)
            offset += 6 + length
        return {}

    def wrong(self, message: str, *, offset: int | None = None, found: object = None) -> InputError:
        """An error that names this class and the offset.

        Args:
            offset: byte of the file where that was seen, from 0; None for the file as a whole.
            found: what stands there, where it helps to see it.

        Returns:
            The error, for the caller to raise.
        """
        place = None if offset is None else f"offset {offset}"
        return InputError(message, file=self.name, place=place, found=found)


def read_class(data: bytes, name: str) -> ClassFile:
    """Walk the constant pool of one class file; linear in its size.

    Args:
        name: `jar!member`, for messages.

    Raises:
        InputError: not a class file, cut short, or with a constant of an unknown kind.

    Source: JVMS 4.1, 4.4.
    """
    utf8: dict[int, tuple[int, int]] = {}
    references: dict[int, tuple[int, int]] = {}
    shell = ClassFile(name, data, utf8, references, 0)
    magic, _, count = _unpack(shell, ">IIH", 0)
    if magic != MAGIC:
        raise shell.wrong("is not a Java class file", offset=0, found=f"{magic:08x}")
    offset, index, end = 10, 1, len(data)
    u2 = _U2.unpack_from
    while index < count:
        if offset + 3 > end:
            raise shell.wrong("ends inside its constant pool", offset=offset, found=f"{end} bytes")
        tag = data[offset]
        if tag == _UTF8:
            length = u2(data, offset + 1)[0]
            utf8[index] = (offset + 3, length)
            offset += 3 + length
        elif tag in _SIZES:
            if tag in {_STRING, _CLASS}:
                references[index] = (tag, u2(data, offset + 1)[0])
            offset += 1 + _SIZES[tag]
            index += tag in _WIDE
        else:
            raise shell.wrong("has a constant of an unknown kind", offset=offset, found=f"tag {tag}")
        index += 1
    if offset > end:
        raise shell.wrong("ends inside its constant pool", offset=offset, found=f"{end} bytes")
    return ClassFile(name, data, utf8, references, offset)


def decode_modified_utf8(raw: bytes) -> str:
    """Text of Java's modified UTF-8: NUL as C0 80, supplementary characters as two three-byte surrogates.

    Raises:
        ValueError: a byte sequence that 4.4.7 does not allow.
    """
    if raw.isascii() and b"\0" not in raw:
        return raw.decode("ascii")
    if _FORBIDDEN.search(raw):
        raise ValueError("has text that is not modified UTF-8")
    try:
        halves = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ValueError("has text that is not modified UTF-8") from error
    if halves.isascii() or max(halves) < "\ud800":
        return halves
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _unpack(file: ClassFile, form: str, offset: int) -> tuple[int, ...]:
    try:
        return struct.unpack_from(form, file.data, offset)
    except struct.error as error:
        raise file.wrong("is cut short", offset=offset, found=f"{len(file.data)} bytes") from error


def _skip_members(file: ClassFile, offset: int) -> int:
    """Pass over a table of fields or methods (JVMS 4.5, 4.6: both are built alike)."""
    (members,) = _unpack(file, ">H", offset)
    offset += 2
    for _ in range(members):
        attributes = _unpack(file, ">HHHH", offset)[3]
        offset += 8
        for _ in range(attributes):
            offset += 6 + _unpack(file, ">HI", offset)[1]
    return offset


def _annotation_strings(file: ClassFile, offset: int, descriptor: str) -> dict[str, str]:
    """String elements of one annotation; elements of nested kinds end the search, as ours have none."""
    (count,) = _unpack(file, ">H", offset)
    offset += 2
    for _ in range(count):
        kind, pairs = _unpack(file, ">HH", offset)
        offset += 4
        strings: dict[str, str] = {}
        for _ in range(pairs):
            name, tag, value = _unpack(file, ">HBH", offset)
            # JVMS 4.7.16.1: primitives, strings and classes are one index long, an enum two, the rest is
            # nested.
            if chr(tag) not in "BCDFIJSZsce":
                return strings if file.text(kind) == descriptor else {}
            if chr(tag) == "s":
                strings[file.text(name)] = file.text(value)
            offset += 7 if chr(tag) == "e" else 5
        if file.text(kind) == descriptor:
            return strings
    return {}
