"""Images taken apart and put together; a real one is in the integration tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.input_limits import InputLimits, within_limits
from froude.hadoop.fsimage.codecs import CODECS
from froude.hadoop.fsimage.container import delimited, first_of, image_bytes, kind, open_image
from froude.messages.schema import Schema

_ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def summary(schema: Schema, codec: str = "") -> Any:
    """Of an image, without places."""
    made: Any = kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=(1 << 32) - 66)
    if codec:
        made.codec = codec
    return made


@_ONE_FOLDER
@given(
    contents=st.dictionaries(st.text("ABC_", min_size=1, max_size=5), st.binary(max_size=300), max_size=4),
    codec=st.sampled_from(["", *CODECS]),
)
def test_what_is_written_is_read(
    schema: Schema, tmp_path: Path, contents: dict[str, bytes], codec: str
) -> None:
    """Sections in their order, and the rest of the summary, whatever compresses them."""
    path = tmp_path / "i"
    path.write_bytes(
        image_bytes(summary(schema, codec), {f"{name}x": each for name, each in contents.items()})
    )
    again = open_image(path, schema)
    assert (again.layout_version, again.codec) == (-66, codec)
    assert {name[:-1]: again.content(name) for name in again.sections} == contents
    assert list(again.sections) == [f"{name}x" for name in contents]


@_ONE_FOLDER
@given(data=st.data(), codec=st.sampled_from(["", *CODECS]))
def test_a_damaged_image_is_one_clear_error(
    schema: Schema, tmp_path: Path, data: st.DataObject, codec: str
) -> None:
    """Cut anywhere, or with a byte changed; or it reads as another image, for only its parts are checked here."""
    whole = image_bytes(summary(schema, codec), {"NS_INFO": b"abc", "INODE": b"defg" * 9})
    at = data.draw(st.integers(0, len(whole) - 1))
    path = tmp_path / "i"
    path.write_bytes(whole[:at])
    with pytest.raises(InputError, match="/i"):
        open_image(path, schema)
    path.write_bytes(whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :])
    try:
        image = open_image(path, schema)
        for name in image.sections:
            image.content(name)
    except InputError as error:
        assert error.file == str(path)


def test_parts_of_sections(schema: Schema, tmp_path: Path) -> None:
    """They are apart from the sections that they are parts of, and can be read on their own."""
    whole: Any = summary(schema)
    whole.sections.add(name="INODE", offset=8, length=4)
    whole.sections.add(name="INODE_SUB", offset=8, length=1)
    whole.sections.add(name="INODE_SUB", offset=9, length=3)
    tail = delimited(whole)
    path = tmp_path / "i"
    path.write_bytes(b"HDFSIMG1abcd" + tail + len(tail).to_bytes(4, "big"))
    image = open_image(path, schema)
    assert list(image.sections) == ["INODE"]
    assert [b"".join(image.pieces("INODE", part)) for part in image.parts["INODE"]] == [b"a", b"bcd"]
    assert image.content("NOWHERE") == b""


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([("A", 8, 4), ("B", 10, 2)], "section B: is damaged; found it lies over another"),
        ([("A", 8, 4), ("A", 12, 0)], "section A: is damaged; found it stands twice"),
        ([("A", 0, 4)], "section A: is damaged; found 4 bytes from 0"),
        ([("A", 8, 1 << 40)], "section A: is damaged"),
    ],
)
def test_places_that_cannot_be(
    schema: Schema, tmp_path: Path, places: list[tuple[str, int, int]], found: str
) -> None:
    """Over each other, twice, or outside of the file."""
    wrong: Any = summary(schema)
    for name, offset, length in places:
        wrong.sections.add(name=name, offset=offset, length=length)
    tail = delimited(wrong)
    path = tmp_path / "i"
    path.write_bytes(b"HDFSIMG1abcd" + tail + len(tail).to_bytes(4, "big"))
    with pytest.raises(InputError, match=found):
        open_image(path, schema)


def test_what_is_no_image(schema: Schema, tmp_path: Path) -> None:
    """Nothing, something else, or a codec of somebody's own."""
    path = tmp_path / "i"
    with pytest.raises(InputError, match=r"i: .*No such file"):
        open_image(path, schema)
    path.write_bytes(b"\x89PNG and more of it")
    with pytest.raises(InputError, match="is no image"):
        open_image(path, schema)
    own = image_bytes(summary(schema), {"A": b"a"})
    odd: Any = summary(schema, "com.example.Codec")
    odd.sections.add(name="A", offset=8, length=1)
    tail = delimited(odd)
    path.write_bytes(own[:9] + tail + len(tail).to_bytes(4, "big"))
    with pytest.raises(InputError, match=r"unknown way; found com\.example\.Codec; allowed: DefaultCodec"):
        open_image(path, schema).content("A")


def test_what_is_no_file(schema: Schema, tmp_path: Path) -> None:
    """A pipe is not waited for, a device not opened."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(InputError) as caught:
            open_image(path, schema)
        assert caught.value.file == str(path)


def test_an_empty_summary_is_none(schema: Schema, tmp_path: Path) -> None:
    """The lengths before a compressed block can look like the end of an image that has nothing in it."""
    (tmp_path / "i").write_bytes(b"HDFSIMG1" + bytes([0, 0, 0, 3, 0, 0, 0, 4]))
    with pytest.raises(InputError, match="FileSummary: is damaged; found no ondiskVersion, layoutVersion"):
        open_image(tmp_path / "i", schema)


def test_the_first_message_of_a_section(schema: Schema) -> None:
    """And what follows it."""
    nodes = kind(schema, "INodeSection")
    first, rest = first_of(delimited(nodes(lastInodeId=5)) + b"rest", nodes, name="i")
    assert (first.lastInodeId, rest) == (5, b"rest")
    for damaged in (b"", b"\x05", b"\x02\xff\xff"):
        with pytest.raises(InputError, match="i:INodeSection: is damaged"):
            first_of(damaged, nodes, name="i")


def test_a_section_that_expands_without_end(schema: Schema, tmp_path: Path) -> None:
    """A few bytes that become gigabytes are refused before they are; where it is meant, a flag allows it."""
    path = tmp_path / "i"
    path.write_bytes(image_bytes(summary(schema, CODECS[3]), {"INODE": bytes(4 << 20)}))
    with pytest.raises(InputError, match=r"i:section INODE: .* --max expansion="):
        open_image(path, schema).content("INODE")
    with within_limits(InputLimits(expansion=4 << 20)):
        assert open_image(path, schema).content("INODE") == bytes(4 << 20)


def test_a_length_beyond_the_file(schema: Schema) -> None:
    """Of 2^63 bytes."""
    with pytest.raises(InputError, match="is damaged"):
        first_of(b"\xff" * 9 + b"\x7f", kind(schema, "FileSummary"), name="i")
