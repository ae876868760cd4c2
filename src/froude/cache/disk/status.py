"""What a cached disk tells of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from froude.base.errors import TargetError


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a client may do: reads, writes, trims and zeroings are requests; only reads and writes move bytes."""

    iops: float | None = None
    """Requests per second, above 0; None for no limit."""
    bytes_per_s: float | None = None
    """Bytes per second, above 0; None for no limit."""


@dataclass(slots=True)
class Counters:
    """What a cached disk did; they begin at 0 with the process and only grow.

    What happened between two moments is the difference of two of these: mean latency of reads is that of
    `read_s` by that of `reads`.
    """

    hits: int = 0
    """Chunks read that were cached."""
    misses: int = 0
    """Chunks read that were not."""
    reads: int = 0
    read_bytes: int = 0
    read_s: float = 0.0
    """Sum of the reads' latencies, from their arrival to their answer, without what the limits held back."""
    writes: int = 0
    write_bytes: int = 0
    write_s: float = 0.0
    """As `read_s`."""
    trims: int = 0
    flushes: int = 0
    flush_s: float = 0.0
    """As `read_s`."""
    errors: int = 0
    """Requests that were answered with an error."""
    held: int = 0
    """Requests that the limits held back."""
    held_s: float = 0.0
    """Sum of the times that they were held back for."""
    damaged: int = 0
    """Chunks whose checksum did not hold; they were read from the image instead."""
    backing_read_bytes: int = 0
    backing_written_bytes: int = 0
    ssd_written_bytes: int = 0
    """Written to the cache file: what wears the SSD."""


@dataclass(slots=True)
class DiskStatus(Counters):
    """State and counters of a cached disk."""

    image: str = ""
    """Path of what is cached."""
    image_bytes: int = 0
    chunk_bytes: int = 0
    """Size of what is cached or not."""
    generation: int = 0
    """Grows each time that all cached data were given up: at a cold start, at another chunk size."""
    start: str = ""
    """Names this start of the process: counters of two of them are not compared."""
    uptime_s: float = 0.0
    """Seconds since the process began to serve."""
    connections: int = 0
    cache_bytes: int = 0
    """What the cache may hold; while it shrinks, and where it could not, what it still takes, in whole chunks."""
    used_bytes: int = 0
    """What it holds, in whole chunks."""
    allocated_bytes: int = 0
    """What the cache file takes of the SSD, its index included."""
    iops_limit: float | None = None
    """Requests per second that are let through; None for no limit."""
    bytes_per_s_limit: float | None = None
    """Bytes per second that are let through; None for no limit."""
    restored_chunks: int = 0
    """Chunks that were found in the cache file at the start."""
    cold_reason: str | None = None
    """Why none was; None where some were, or the file was new."""
    fault: str | None = None
    """What is wrong with the cache or the image now; None where nothing is."""
    evictions: int = 0
    """Chunks that went for others, or because the cache became smaller."""

    def to_json(self) -> dict[str, Any]:
        """Every field by its name, as the control socket sends them."""
        return asdict(self)


def status_from(answer: Mapping[str, Any], peer: str) -> DiskStatus:
    """The status in an answer; fields that are not known here are passed over, as a newer server may send them.

    Raises:
        TargetError: a field is absent or of another kind.
    """
    values: dict[str, Any] = {}
    for field in fields(DiskStatus):
        value = answer.get(field.name)
        kinds: tuple[type, ...] = (str,) if "str" in str(field.type) else (int, float)
        absent = value is None and "None" in str(field.type)
        if not absent and (not isinstance(value, kinds) or isinstance(value, bool)):
            raise TargetError("answers no status of a disk", file=peer, place=field.name, found=repr(value))
        values[field.name] = value
    return DiskStatus(**values)
