"""Sizes in options of the cache's commands."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.cli.cache.sizes import size_of


@pytest.mark.parametrize(
    ("text", "size"),
    [("4 GB", 4 * 10**9), ("512MiB", 512 << 20), ("16K", 16 << 10), ("2G", 2 << 30), ("7", 7)],
)
def test_a_size_is_read(text: str, size: int) -> None:
    """With a unit, with the letter that programs for disks take, or in bytes."""
    assert size_of(text, "--size") == size


@pytest.mark.parametrize("text", ["5 s", "-1", "1.5", "K", "many", "0", "9999999999 PB"])
def test_what_is_no_size_is_told_with_its_option(text: str) -> None:
    """And none is a size only where it may be."""
    with pytest.raises(InputError, match=r"^--size: "):
        size_of(text, "--size")
    assert size_of("0", "--size", zero=True) == 0
