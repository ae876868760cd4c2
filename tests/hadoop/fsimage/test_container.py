"""Images taken apart and put together; a real one is in the integration tests."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.experiment.session import Hadoop
from froude.hadoop.fsimage.container import Image, delimited, first_of, kind, read_image
from froude.hadoop.schema import Schema


@pytest.fixture(scope="module")
def schema(hadoop: Hadoop) -> Schema:
    """Of the default release."""
    return hadoop.schema()


def image(schema: Schema, **sections: bytes) -> Image:
    """Of these sections."""
    return Image(kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=7), sections)


@given(contents=st.dictionaries(st.text("ABC_", min_size=1, max_size=5), st.binary(max_size=300), max_size=4))
def test_what_is_written_is_read(schema: Schema, contents: dict[str, bytes]) -> None:
    """Sections in their order, and the rest of the summary; writing it again gives the same bytes."""
    data = image(schema, **contents).to_bytes()
    assert data.startswith(b"HDFSIMG1")
    again = read_image(data, schema, name="i")
    assert list(again.sections.items()) == list(contents.items())
    assert again.summary.layoutVersion == 7
    assert again.to_bytes() == data


@given(data=st.data())
def test_a_damaged_image_is_one_clear_error(schema: Schema, data: st.DataObject) -> None:
    """Cut anywhere, or with a byte changed; or it reads as another image, for only its parts are checked here."""
    whole = image(schema, NS_INFO=b"abc", INODE=b"defg").to_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(InputError, match=r"^i"):
        read_image(whole[:at], schema, name="i")
    changed = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
    try:
        read_image(changed, schema, name="i")
    except InputError as error:
        assert error.file == "i"


def test_what_cannot_be_rewritten_is_refused(schema: Schema) -> None:
    """A compressed one, and one with sections within sections."""
    packed: Any = image(schema)
    packed.summary.codec = "org.apache.hadoop.io.compress.GzipCodec"
    with pytest.raises(InputError, match=r"is compressed; found org\.apache"):
        read_image(packed.to_bytes(), schema, name="i")
    split = image(schema, INODE=b"abcd").to_bytes()
    summary: Any = kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=7)
    summary.sections.add(name="INODE", offset=8, length=4)
    summary.sections.add(name="INODE_SUB", offset=8, length=4)
    tail = delimited(summary)
    data = split[:12] + tail + len(tail).to_bytes(4, "big")
    with pytest.raises(InputError, match="section INODE_SUB: is split, or damaged"):
        read_image(data, schema, name="i")


def test_the_first_message_of_a_section(schema: Schema) -> None:
    """And what follows it."""
    nodes = kind(schema, "INodeSection")
    first, rest = first_of(delimited(nodes(lastInodeId=5)) + b"rest", nodes, name="i")
    assert (first.lastInodeId, rest) == (5, b"rest")
    for damaged in (b"", b"\x05", b"\x02\xff\xff"):
        with pytest.raises(InputError, match="i:INodeSection: is damaged"):
            first_of(damaged, nodes, name="i")
