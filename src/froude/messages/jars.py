"""Jars, read no further than needed: the central directory first, then single members.

The cache's key needs no more than the bytes of the directories: 4 ms for the 64 jars of a release, where
building `zipfile`'s lists takes 43. A jar of Hadoop has thousands of members of which a schema needs a few
dozen, so the directory is walked as it is, and only the wanted members are inflated, each within a bound and
checked against its CRC. ZIP64 archives are refused: no jar of Hadoop needs them.

Source: PKWARE APPNOTE 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (its end).
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import open_regular

MEMBER_LIMIT_BYTES = 16 << 20
"""Largest member that is inflated; Hadoop's largest class file has 0.3 MB."""
DIRECTORY_LIMIT_BYTES = 64 << 20
"""Largest central directory that is read; that of hadoop-client-runtime has 2.5 MB."""
_END = struct.Struct("<4s4H2IH")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_LOCAL = struct.Struct("<4s5H3I2H")
_STORED, _DEFLATED = 0, 8


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a jar."""

    name: str
    method: int
    """Compression: 0 stored, 8 deflated."""
    crc: int
    """CRC-32 of the content."""
    packed: int
    """Bytes in the archive."""
    size: int
    """Bytes when inflated, as the directory claims."""
    offset: int
    """Where its local header begins."""


class Jar:
    """One jar on disk, its directory read.

    Raises:
        InputError: not there, or not a plain zip archive.
    """

    __slots__ = ("_directory", "path", "size")

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        try:
            self._directory, self.size = self._read_directory()
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", file=self.path) from error

    def _read_directory(self) -> tuple[bytes, int]:
        with open_regular(self.path) as file:
            size = file.seek(0, 2)
            # The end record is 22 bytes and at most 65,535 of comment.
            tail_at = max(0, size - (22 + 0xFFFF))
            file.seek(tail_at)
            tail = file.read()
            at = tail.rfind(b"PK\x05\x06")
            if at < 0 or len(tail) - at < _END.size:
                raise InputError("is not a jar", file=self.path, found="no end of a central directory")
            *_, length, offset, _ = _END.unpack_from(tail, at)
            if offset + length > size or length > DIRECTORY_LIMIT_BYTES:
                found = f"a directory of {length} bytes at offset {offset} in a file of {size} bytes"
                raise InputError("is not a plain jar", file=self.path, found=found)
            file.seek(offset)
            return file.read(length), size

    def content_key(self) -> bytes:
        """SHA-256 of name, size and directory.

        The directory holds name, size and CRC-32 of every member, so it changes with any change of content
        that is not made on purpose to collide, and it is 6 % of the bytes.
        """
        return hashlib.sha256(f"{self.path.name}\0{self.size}\0".encode() + self._directory).digest()

    def members(self, wanted: re.Pattern[bytes]) -> Iterable[Member]:
        """The members in whose name `wanted` is found, in the order of the directory.

        Raises:
            InputError: the directory is damaged.
        """
        data, at, end = self._directory, 0, len(self._directory)
        while at + _ENTRY.size <= end:
            (magic, _, _, _, method, _, _, crc, packed, size, n, extra, comment, _, _, _, offset) = (
                _ENTRY.unpack_from(data, at)
            )
            if magic != b"PK\x01\x02":
                raise InputError("has a damaged directory", file=self.path, place=f"directory offset {at}")
            name = data[at + 46 : at + 46 + n]
            if wanted.search(name):
                yield Member(name.decode("utf-8", "replace"), method, crc, packed, size, offset)
            at += 46 + n + extra + comment

    def read(self, members: Iterable[Member]) -> Iterable[tuple[Member, bytes]]:
        """The content of each member, read in one pass over the open file.

        Raises:
            InputError: a member is over the bound, cut short, damaged, or packed in an unknown way.
        """
        with open_regular(self.path) as file:
            for member in members:
                if member.size > MEMBER_LIMIT_BYTES or member.packed > MEMBER_LIMIT_BYTES:
                    raise self._wrong(member, f"{member.size} bytes", f"at most {MEMBER_LIMIT_BYTES} bytes")
                file.seek(member.offset)
                head = file.read(_LOCAL.size)
                if len(head) < _LOCAL.size or head[:4] != b"PK\x03\x04":
                    raise self._wrong(member, "no local header", None)
                *_, name_size, extra_size = _LOCAL.unpack(head)
                if file.read(name_size).decode("utf-8", "replace") != member.name:
                    raise self._wrong(member, "another member's local header", None)
                file.seek(extra_size, 1)
                yield member, self._inflate(member, file.read(member.packed))

    def _inflate(self, member: Member, packed: bytes) -> bytes:
        if member.method not in {_STORED, _DEFLATED}:
            raise self._wrong(member, f"compression {member.method}", "stored or deflated")
        try:
            # One byte over the claim is enough to catch a lie without unpacking a bomb.
            data = (
                packed
                if member.method == _STORED
                else zlib.decompressobj(-15).decompress(packed, member.size + 1)
            )
        except zlib.error as error:
            raise self._wrong(member, str(error), None) from error
        if len(data) != member.size or zlib.crc32(data) != member.crc:
            raise self._wrong(member, f"{len(data)} bytes", f"{member.size} bytes with CRC {member.crc:08x}")
        return data

    def _wrong(self, member: Member, found: str, allowed: str | None) -> InputError:
        return InputError(
            "has a damaged member", file=f"{self.path}!{member.name}", found=found, allowed=allowed
        )
