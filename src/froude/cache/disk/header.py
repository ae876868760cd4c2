"""The head of a cache's index: what it is the cache of, and whether it may be believed after a restart.

Cached data are as old as the last moment at which the cache knew of every write to the image. Three things tell
whether that is now:

- The image is the same one, by device and inode number (or the number of the attached device) and size.
- Nobody else has written to it. An image file's change time (ctime, which no program can set) is noted at a clean stop
  and must be the same. While it runs, the server notes up to when its own writes explain the change time: `until`.
- The cache is not older than the image. After a crash of the whole machine the image may have lost writes that were not
  flushed, so that a cache that was not stopped cleanly is believed only by the boot of the kernel that it ran under.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from froude.cache.disk.status import Limits
from froude.cache.disk.table import BLOCK, Buffer

HEADER_BYTES = BLOCK
MAGIC = b"froude disk cache index 1\n"
_UNTIL = struct.Struct("<Q")
_UNTIL_AT = HEADER_BYTES - _UNTIL.size
_KEPT = struct.Struct("<QQddQ")
_KEPT_AT = _UNTIL_AT - _KEPT.size
_GRACE_NS = 20_000_000
"""How much later than its start a write may change the image's change time: the kernel's clock ticks, and locks."""


@dataclass(frozen=True, slots=True)
class ImageState:
    """What an image is, as far as the system tells."""

    name: str
    """Says which file or device it is, whatever its path."""
    size_bytes: int
    mark: int | None
    """Changes with every write: nanoseconds of the change time of a file, sectors written of a device; None where
    nothing tells."""
    dated: bool
    """Whether the mark is a time."""


@dataclass(frozen=True, slots=True)
class Granted:
    """What a cache may take and its clients may do."""

    size_bytes: int
    limits: Limits


@dataclass(frozen=True, slots=True)
class Header:
    """The head of an index."""

    generation: int
    """Of the records that count."""
    chunk_bytes: int
    """Size of a slot."""
    chunk_chosen: bool
    """Whether the size was chosen from measured requests, which need not be measured again."""
    image: str
    """`ImageState.name`."""
    image_bytes: int
    mark: int | None
    """`ImageState.mark` when this was written."""
    boot: str
    """Of the kernel that ran then."""
    clean: bool
    """Whether the server ended with everything written."""


def cold_reason(header: Header, until_ns: int, image: ImageState, boot: str) -> str | None:
    """Why the records below a head cannot be believed; None where they can.

    Args:
        until_ns: up to when own writes explain the change time.
    """
    if (header.image, header.image_bytes) != (image.name, image.size_bytes):
        return "the cache is of another image"
    if header.clean:
        if image.mark is None or header.mark is None:
            return "nothing tells whether the image was changed"
        if not image.dated and (not boot or header.boot != boot):
            return "a device counts anew, and may have another name, since the machine was restarted"
        return None if image.mark == header.mark else "the image was changed"
    if not boot or header.boot != boot:
        return "the machine was restarted before the cache was closed"
    if not image.dated or image.mark is None or header.mark is None:
        return "the server was killed, and a device does not tell whether it was written to since"
    latest = max(header.mark, until_ns)
    return None if header.mark <= image.mark <= latest else "the image was changed"


def write_header(buffer: Buffer, header: Header) -> None:
    """Write the head into the first `HEADER_BYTES` of an index; `until` stays, and what is in force."""
    body = json.dumps(asdict(header)).encode()
    text = MAGIC + xxh3_64_hexdigest(body).encode() + b"\n" + body + b"\n"
    buffer[:_KEPT_AT] = text.ljust(_KEPT_AT, b"\0")


def read_header(buffer: Buffer | bytes) -> Header | None:
    """The head of an index; None where there is none that is whole."""
    text = bytes(buffer[:_KEPT_AT])
    if not text.startswith(MAGIC):
        return None
    check, _, rest = text[len(MAGIC) :].partition(b"\n")
    body = rest.partition(b"\n")[0]
    if xxh3_64_hexdigest(body).encode() != check:
        return None
    said = json.loads(body)
    known = {field.name for field in fields(Header)}
    return Header(**said) if isinstance(said, Mapping) and set(said) == known else None


def keep(buffer: Buffer, asked: Granted, now: Granted) -> None:
    """Note what is in force, for the next life.

    Args:
        asked: what this life was begun with.
    """
    limits = now.limits
    body = _KEPT.pack(_digest(asked), now.size_bytes, limits.iops or 0.0, limits.bytes_per_s or 0.0, 0)
    buffer[_KEPT_AT:_UNTIL_AT] = body[:-8] + struct.pack("<Q", xxh3_64_intdigest(body))


def kept(buffer: Buffer | bytes, asked: Granted) -> Granted | None:
    """What was in force at the end of an earlier life that was begun with the same; None where there is none.

    Others may have been promised what such a life had given up: beginning again with what was asked at first would take
    it from them.

    Args:
        asked: what this life is begun with.
    """
    found = bytes(buffer[_KEPT_AT:_UNTIL_AT])
    was, size, iops, bandwidth, check = _KEPT.unpack(found)
    if check != xxh3_64_intdigest(found[:-8] + bytes(8)) or was != _digest(asked):
        return None
    return Granted(size, Limits(iops or None, bandwidth or None))


def _digest(asked: Granted) -> int:
    return int(xxh3_64_intdigest(repr(asked).encode()))


def explain(buffer: Buffer, now_ns: int) -> None:
    """Note that a write of ours begins now, or has just ended.

    Args:
        now_ns: since 1970.
    """
    # Half of the grace is left when it is renewed, so that most writes store nothing.
    if now_ns + _GRACE_NS > read_until(buffer):
        _UNTIL.pack_into(buffer, _UNTIL_AT, now_ns + 2 * _GRACE_NS)


def read_until(buffer: Buffer) -> int:
    """Up to when own writes explain the change time, in nanoseconds since 1970."""
    found: int = _UNTIL.unpack_from(buffer, _UNTIL_AT)[0]
    return found
