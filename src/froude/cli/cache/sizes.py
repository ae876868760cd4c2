"""Sizes as options of the cache's commands take them."""

from __future__ import annotations

from froude.base.errors import InputError
from froude.documents.forms import Size


def size_of(text: str, place: str, *, zero: bool = False) -> int:
    """Bytes; `16K` is 16 KiB, as programs for disks take it.

    Args:
        zero: whether it may be none.

    Raises:
        InputError: it is no size, or none, or larger than the largest that a curve may have.
    """
    from froude.cache.curves import LARGEST

    try:
        return Size(zero=zero, most_bytes=LARGEST).read(
            f"{text}iB" if text.endswith(("K", "M", "G")) else text
        )
    except InputError as error:
        raise InputError(error.message, place=place, found=text, allowed=error.allowed) from error
