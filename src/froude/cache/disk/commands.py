"""The control protocol of a cached disk: bytes in, commands out; answers as bytes.

A Unix socket, one JSON object a line each way, UTF-8, a line at most `LINE_LIMIT` bytes. A connection may send as
many commands as it likes; they are answered in their order. The socket is there as soon as the disk serves, and only
its owner may use it. An answer is a JSON object; one that has the key `error` tells what was wrong, and then nothing
was done: `{"error": {"message": ..., "place": ..., "found": ..., "allowed": ...}}`.

`{"cmd": "stat"}`
    All fields of `DiskStatus`.
`{"cmd": "resize", "bytes": N}`
    The cache may hold N bytes (0 or more; whole chunks of it are used). The answer comes when what is too much has
    been given back to the SSD, so that another cache may grow by it: `{"cache_bytes": N, "used_bytes": ...,
    "dropped_chunks": ...}`. Clients are served meanwhile.
`{"cmd": "limit", "iops": N | null, "bytes_per_s": N | null}`
    New limits, at once; null for none, a key that is absent leaves that limit as it is. Answer: both limits.
`{"cmd": "curve"}`
    The miss-ratio curve of the reads so far; with `"forget": true` what was counted is forgotten after the
    answer, so that the next curve tells of what comes. Answer: `{"chunk_bytes": ..., "curve": {...}}`; a curve of 0
    accesses before the first read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from froude.base.errors import FroudeError, InputError
from froude.cache.disk.status import Limits

LINE_LIMIT = 1 << 16
"""Bytes of a command, its line feed included."""
LARGEST = 1 << 60
"""Of any number in a command: more is a mistake."""


@dataclass(frozen=True, slots=True)
class Stat:
    """Asks for the status."""


@dataclass(frozen=True, slots=True)
class Resize:
    """Asks for another size."""

    size_bytes: int
    """What the cache may hold."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Asks for other limits."""

    changes: Mapping[str, float | None]
    """New values by name; those that are absent stay."""

    def applied(self, now: Limits) -> Limits:
        """The limits after it."""
        return Limits(self.changes.get("iops", now.iops), self.changes.get("bytes_per_s", now.bytes_per_s))


@dataclass(frozen=True, slots=True)
class Curve:
    """Asks for the miss-ratio curve."""

    forget: bool = False
    """Whether counting begins anew after it."""


Command = Stat | Resize | Limit | Curve

_KEYS = {"stat": (), "resize": ("bytes",), "limit": ("iops", "bytes_per_s"), "curve": ("forget",)}


def parse_command(line: bytes) -> Command:
    """The command in a line.

    Args:
        line: with or without its line feed.

    Raises:
        InputError: it is no command, or a value of it is not allowed.
    """
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError("is not JSON", found=repr(line[:80])) from error
    name = said.get("cmd") if isinstance(said, dict) else None
    if not isinstance(name, str) or name not in _KEYS:
        raise InputError("is no command", place="cmd", found=repr(name), allowed=_KEYS)
    foreign = [key for key in said if key not in {"cmd", *_KEYS[name]}]
    if foreign:
        raise InputError("is not known", place=foreign[0], allowed=", ".join(("cmd", *_KEYS[name])))
    if name == "resize":
        return Resize(int(_number(said, "bytes", least=0, whole=True)))
    if name == "limit":
        return Limit({key: _limit(said, key) for key in _KEYS["limit"] if key in said})
    if name == "curve":
        forget = said.get("forget", False)
        if not isinstance(forget, bool):
            raise InputError("is not allowed", place="forget", found=repr(forget), allowed="true, false")
        return Curve(forget)
    return Stat()


def _limit(said: Mapping[str, Any], key: str) -> float | None:
    return None if said[key] is None else _number(said, key, least=1)


def _number(said: Mapping[str, Any], key: str, *, least: float, whole: bool = False) -> float:
    value = said.get(key)
    kinds = (int,) if whole else (int, float)
    # NaN compares false; true is an int to Python.
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= LARGEST:
        allowed = f"a{' whole' * whole} number from {least:g} to 2^60{' or null' * (not whole)}"
        raise InputError("is not allowed", place=key, found=repr(value)[:80], allowed=allowed)
    return value


def answer_line(answer: Mapping[str, Any] | FroudeError) -> bytes:
    """An answer as it is sent."""
    fields = {"error": answer.parts()} if isinstance(answer, FroudeError) else answer
    return json.dumps(fields).encode() + b"\n"
