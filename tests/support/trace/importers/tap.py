"""The bytes of a tap file."""

from __future__ import annotations

from froude.trace.tape import pack
from testbed import wire


def tap_bytes() -> bytes:
    """A small tap."""
    return b"".join(pack(t, n, k, p) for t, n, k, p in wire.conversation(calls=2, start_s=100.0))  # type: ignore[arg-type]
