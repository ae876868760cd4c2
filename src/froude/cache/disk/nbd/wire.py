"""The numbers of the NBD protocol, and its messages as bytes.

Source: doc/proto.md of the NetworkBlockDevice project.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag
from typing import NamedTuple

GREETING = b"NBDMAGIC" + b"IHAVEOPT"
OPTION_MAGIC = int.from_bytes(b"IHAVEOPT", "big")
_OPTION_REPLY_MAGIC = 0x3E889045565A9
REQUEST_MAGIC = 0x25609513
REPLY_MAGIC = 0x67446698

FIXED_NEWSTYLE, NO_ZEROES = 1, 2
"""Handshake flags, both ways."""

OPTION_HEADER = struct.Struct(">QII")
REQUEST_HEADER = struct.Struct(">IHHQQI")
REPLY_HEADER = struct.Struct(">IIQ")
_OPTION_REPLY = struct.Struct(">QIII")
_EXPORT = struct.Struct(">QH")

OPTION_LIMIT = 16 << 10
"""Bytes of an option: a name is at most 4 KiB, and requests for information are few."""
NAME_LIMIT = 4096
"""Bytes of an export's name; the protocol's own limit."""
PAYLOAD_LIMIT = 32 << 20
"""Bytes that one request may read or write; the protocol asks clients to stay below unless told otherwise."""


class Option(IntEnum):
    """What a client asks before it reads and writes."""

    EXPORT_NAME = 1
    ABORT = 2
    LIST = 3
    INFO = 6
    GO = 7


class OptionReply(IntEnum):
    """How an option is answered; the highest bit is an error."""

    ACK = 1
    SERVER = 2
    INFO = 3
    UNSUPPORTED = 0x80000001
    INVALID = 0x80000003
    UNKNOWN = 0x80000006
    TOO_BIG = 0x80000009


INFO_EXPORT, INFO_BLOCK_SIZE = 0, 3


class Kind(IntEnum):
    """What a request does."""

    READ = 0
    WRITE = 1
    DISCONNECT = 2
    FLUSH = 3
    TRIM = 4
    WRITE_ZEROES = 6


class Flag(IntFlag):
    """How a request is done."""

    FUA = 1
    """Answer only when it is on the medium."""
    NO_HOLE = 2
    """Zeroes take space as data do."""


class Feature(IntFlag):
    """What an export can do: the transmission flags."""

    HAS_FLAGS = 1 << 0
    SEND_FLUSH = 1 << 2
    SEND_FUA = 1 << 3
    SEND_TRIM = 1 << 5
    SEND_WRITE_ZEROES = 1 << 6
    CAN_MULTI_CONN = 1 << 8
    """A flush on one connection covers what was answered on every other."""


class Refusal(IntEnum):
    """The errors that an answer may carry; any other is sent as EIO."""

    EIO = 5
    EINVAL = 22
    ENOSPC = 28


class Request(NamedTuple):
    """One request; a tuple, since there are tens of thousands a second."""

    kind: int
    """One of `Kind`, or a number that is none."""
    flags: int
    cookie: int
    """Names it in its answer."""
    offset: int
    length: int
    data: bytes


class BlockSizes(NamedTuple):
    """What an export tells of the sizes that suit it, bytes."""

    least: int
    best: int
    most: int


# Plain numbers: this is looked at for every request.
_READ, _FLUSH = int(Kind.READ), int(Kind.FLUSH)
_FORBIDDEN_FLAGS = {
    _READ: ~int(Flag.FUA),  # means nothing for a read, and is allowed
    int(Kind.WRITE): ~int(Flag.FUA),
    _FLUSH: ~0,
    int(Kind.TRIM): ~int(Flag.FUA),
    int(Kind.WRITE_ZEROES): ~int(Flag.FUA | Flag.NO_HOLE),
}


def refusal_of(request: Request, size: int) -> int:
    """Why a request cannot be done on a disk of that size, as an error number; 0 where it can.

    Args:
        size: bytes of the disk.
    """
    kind, flags, _, offset, length, _ = request
    if flags & _FORBIDDEN_FLAGS.get(kind, ~0) or kind not in _FORBIDDEN_FLAGS:
        return Refusal.EINVAL
    if kind == _FLUSH:
        return 0
    if length == 0 or (kind == _READ and length > PAYLOAD_LIMIT):
        return Refusal.EINVAL
    if offset + length > size:
        return Refusal.EINVAL if kind in {Kind.READ, Kind.TRIM} else Refusal.ENOSPC
    return 0


def export(size: int, features: int) -> bytes:
    """Size and features of an export."""
    return _EXPORT.pack(size, features)


def option_reply(option: int, reply: OptionReply, data: bytes = b"") -> bytes:
    """An answer to an option."""
    return _OPTION_REPLY.pack(_OPTION_REPLY_MAGIC, option, reply, len(data)) + data


def reply(cookie: int, error: int = 0) -> bytes:
    """The head of an answer to a request; what was read follows it.

    Args:
        error: number of an error; 0 for none.
    """
    return REPLY_HEADER.pack(REPLY_MAGIC, error, cookie)
