"""A token storage as the real ResourceManager sends it."""

from __future__ import annotations

REAL = (
    b'HDTS\x00\x01\x00\x14\n\r\n\t\x08\x01\x10\xef\xe7\xfd\x8c\xa14\x10\x01\x10\xd1\x99\xc2"\x14\xccR\xc3\x13<L\x14'
    b"\x1c\xfc=\x9b^\x7f\xd5\xc3\xdf+0\xe2\x11\x10YARN_AM_RM_TOKEN\x00\x00"
)
"""As 3.5.0 sent it with an application master, of a ResourceManager that is long gone."""
