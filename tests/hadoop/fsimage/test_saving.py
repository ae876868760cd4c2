"""Images on disk, with what belongs to them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.saving import beside, save_image, transaction_of
from froude.messages.schema import Schema


def test_three_files(schema: Schema, tmp_path: Path) -> None:
    """The image, its MD5 as NameNodes write it, and whose it is; nothing else stays, and they are replaced."""
    path = tmp_path / "new" / "fsimage_0000000000000000042"
    for content in (b"one", b"two"):
        save_image(path, {"A": [content]}, schema, namespace_id=9, layout=-66)
        image = open_image(path, schema)
        assert (image.content("A"), image.layout_version) == (content, -66)
        digest, version = beside(path)
        assert digest.read_text() == f"{hashlib.md5(path.read_bytes()).hexdigest()} *{path.name}\n"
        assert "namespaceID=9\n" in version.read_text()
        assert sorted(path.parent.iterdir()) == sorted([path, digest, version])
    assert transaction_of(path) == 42
    assert transaction_of(tmp_path / "image") == 0


def test_nothing_is_left_of_one_that_fails(schema: Schema, tmp_path: Path) -> None:
    """Neither an image nor a part of one."""

    def pieces() -> object:
        yield b"one"
        raise InputError("ends here")

    with pytest.raises(InputError, match="ends here"):
        save_image(tmp_path / "i", {"A": pieces()}, schema, namespace_id=1)  # type: ignore[dict-item]
    assert list(tmp_path.iterdir()) == []
