"""The secret of a service: read from a file, compared without telling how much of it was right."""

from __future__ import annotations

import hmac
import stat
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import read_bounded

_SHORTEST, _LONGEST = 16, 4096
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_token(path: Path) -> str:
    """The secret in a file: its first line.

    Args:
        path: of the file, which only its owner may read.

    Raises:
        InputError: not there, readable by others, too short, or no text.
    """
    data = read_bounded(path, limit_bytes=_LONGEST)
    if path.stat().st_mode & _OTHERS:
        raise InputError("can be read by others", file=path, remedy=f"chmod 600 {path}")
    try:
        token = data.decode("ascii").split("\n", 1)[0].strip()
    except UnicodeDecodeError as error:
        raise InputError("is no text", file=path, allowed="letters, digits and signs") from error
    if len(token) < _SHORTEST or not token.isprintable() or " " in token:
        allowed = f"{_SHORTEST} or more letters, digits and signs"
        raise InputError("holds no secret", file=path, found=f"{len(token)} characters", allowed=allowed)
    return token


def allows(token: str, header: str | None) -> bool:
    """Whether a request may be served.

    Args:
        header: its `Authorization` header; None where it has none.
    """
    kind, _, told = (header or "").partition(" ")
    return kind.lower() == "bearer" and hmac.compare_digest(told.strip().encode(), token.encode())
