"""Frames of a connection that an observer reads."""

from __future__ import annotations


def framed(payload: bytes) -> bytes:
    """A payload behind its length."""
    return len(payload).to_bytes(4, "big") + payload
