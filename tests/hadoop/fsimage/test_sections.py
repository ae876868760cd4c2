"""Sections read record by record, whatever they hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.container import Extent, ImageFile, delimited, image_bytes, open_image
from froude.hadoop.fsimage.sections import LAYOUTS, Reader
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images


def _reader(path: Path, schema: Schema, parts: dict[str, list[Any]]) -> Reader:
    return Reader(open_image(images.write(path, schema, parts), schema), schema)


def test_every_section_gives_what_was_written(tmp_path: Path, schema: Schema) -> None:
    """Its head, and its records in their order; a section that the image lacks is empty."""
    parts = images.sections(schema)
    reader = _reader(tmp_path / "i", schema, parts)
    for name, layout in LAYOUTS.items():
        if name == "SNAPSHOT_DIFF":
            continue
        written = parts.get(name, [])
        assert list(reader.messages(name)) == written[bool(layout.head) :]
        if layout.head:
            assert reader.head(name) == (written[0] if written else type(reader.head(name))())


def test_differences_of_snapshots(tmp_path: Path, schema: Schema) -> None:
    """How many follow an entry, and a folder's difference, they say themselves."""
    parts = images.sections(schema)
    read = list(_reader(tmp_path / "i", schema, parts).differences())
    folder, of_folder, one, two, file, of_file = parts["SNAPSHOT_DIFF"]
    assert read == [(folder, of_folder, (one, two)), (file, of_file, ())]


@pytest.mark.parametrize("name", ["INODE", "SNAPSHOT", "STRING_TABLE", "SNAPSHOT_DIFF"])
def test_records_that_are_missing(name: str, tmp_path: Path, schema: Schema) -> None:
    """The head says how many there are; without the last of them the section is damaged."""
    parts = images.sections(schema)
    parts[name] = parts[name][:-1]
    reader = _reader(tmp_path / "i", schema, parts)
    with pytest.raises(InputError, match=f"section {name}: is damaged"):
        list(reader.differences() if name == "SNAPSHOT_DIFF" else reader.messages(name))


def test_bytes_that_are_no_message(tmp_path: Path, schema: Schema) -> None:
    """One error with file and section, wherever a byte is cut off or changed."""
    parts = images.sections(schema)
    data = images.write(tmp_path / "i", schema, parts).read_bytes()
    image = open_image(tmp_path / "i", schema)
    at = image.sections["INODE"]
    failures = 0
    for place in range(at.offset, at.offset + at.length, 7):
        (tmp_path / "j").write_bytes(data[:place] + b"\xff" + data[place + 1 :])
        try:
            list(Reader(open_image(tmp_path / "j", schema), schema).messages("INODE"))
        except InputError as error:
            failures += 1
            assert (error.file, error.place) == (str(tmp_path / "j"), "section INODE")
    assert failures > 10


def test_a_part_of_a_section(tmp_path: Path, schema: Schema) -> None:
    """The first has the head; together they give what the whole gives."""
    parts = images.sections(schema)
    image = open_image(images.write(tmp_path / "i", schema, parts), schema)
    sizes: Callable[[list[Any]], int] = lambda messages: sum(len(delimited(each)) for each in messages)  # noqa: E731
    start, cut = image.sections["INODE"].offset, sizes(parts["INODE"][:4])
    extents = [Extent(start, cut), Extent(start + cut, image.sections["INODE"].length - cut)]
    split = ImageFile(image.path, image.summary, image.sections, {"INODE": tuple(extents)})
    reader = Reader(split, schema)
    assert [each for extent in extents for each in reader.messages("INODE", extent)] == parts["INODE"][1:]


def test_a_head_without_what_it_needs(tmp_path: Path, schema: Schema) -> None:
    """An erasure coding policy without its number would end whoever writes it on."""
    sections = images.sections(schema)
    path = images.write(tmp_path / "i", schema, {**sections, "ERASURE_CODING": []})
    policies = b"\x04\x0a\x02\x18\x01"  # one with a cell size alone
    whole = {name: b"".join(map(delimited, each)) for name, each in sections.items()}
    summary = open_image(path, schema).summary
    path.write_bytes(image_bytes(summary, whole | {"ERASURE_CODING": policies}))
    with pytest.raises(InputError, match=r"no policies\[0\]\.id"):
        Reader(open_image(path, schema), schema).head("ERASURE_CODING")
