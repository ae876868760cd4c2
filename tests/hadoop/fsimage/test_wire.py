"""Messages taken apart by whole columns: what is not odd is what protobuf reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.hadoop.fsimage.inode_rows import flat_inode
from froude.hadoop.fsimage.wire import Source, Splitter, Taken, varints
from froude.messages.schema import Schema

NUMBERS = ("replication", "modificationTime", "permission", "blockType", "erasureCodingPolicyID")
WANTED = (*NUMBERS, "blocks", "fileUC")
VALUES = st.one_of(st.integers(0, 300), st.integers(0, (1 << 64) - 1))


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


FIELDS = st.one_of(
    st.builds(lambda tag, value: bytes([tag]) + varint(value), st.sampled_from([8, 16, 24, 32, 80, 88, 96]), VALUES),
    st.builds(lambda value: bytes([41]) + value, st.binary(min_size=8, max_size=8)),
    st.builds(
        lambda tag, value: bytes([tag]) + varint(len(value)) + value,
        st.sampled_from([50, 58, 66, 74]),
        st.binary(max_size=9),
    ),
    st.binary(max_size=3),
)  # fmt: skip
"""Those of a file, in any order and number, and a few bytes that are none."""


def file_class(schema: Schema) -> Any:
    """The class of files in inodes, in which what is a message is bytes."""
    inode: Any = flat_inode(schema)
    return type(inode().file)


def taken(messages: list[bytes], schema: Schema) -> tuple[bytes, Taken]:
    """All of them, one behind the other."""
    data, ends = b"".join(messages), np.cumsum([len(each) for each in messages], dtype=np.int64)
    starts = ends - np.array([len(each) for each in messages], np.int64)
    return data, Splitter(file_class(schema), WANTED).take(Source.of(data), starts, ends)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(FIELDS, max_size=8).map(b"".join), min_size=1, max_size=12))
def test_what_is_not_odd_is_what_protobuf_reads(schema: Schema, messages: list[bytes]) -> None:
    """Whatever the bytes are."""
    data, found = taken(messages, schema)
    for row in np.flatnonzero(~found.odd).tolist():
        whole = file_class(schema).FromString(messages[row])
        for name in NUMBERS:
            assert found.columns[name].values[row] == getattr(whole, name)
            assert found.columns[name].present[row] == whole.HasField(name)
        opened, several = found.columns["fileUC"], found.several["blocks"]
        assert data[int(opened.values[row]) : opened.ends[row]] == whole.fileUC
        own = several.owners == row
        places = zip(several.starts[own].tolist(), several.ends[own].tolist(), strict=True)
        assert [data[start:end] for start, end in places] == list(whole.blocks)


def test_usual_messages_are_not_odd(schema: Schema) -> None:
    """Else all would be left to protobuf; a field that is not wanted, or comes twice, is."""
    whole = file_class(schema)(replication=3, permission=1 << 63, modificationTime=(1 << 64) - 1, fileUC=b"x")
    whole.blocks.extend([b"a", b"", b"abc"])
    usual = whole.SerializeToString()
    odd = [whole.__class__(acl=b"a").SerializeToString(), b"\x08\x01\x08\x01", b"\x08\x01" * 300, usual[:-1]]
    messages = [usual, b"", *odd, usual]
    data, found = taken(messages, schema)
    assert found.odd.tolist() == [False, False, True, True, True, True, False]
    blocks = found.several["blocks"]
    assert blocks.owners.tolist() == [0, 0, 0, 6, 6, 6]
    assert data[blocks.starts[5] : blocks.ends[5]] == b"abc"


@given(st.lists(VALUES, min_size=1))
def test_varints(values: list[int]) -> None:
    """Of any length up to ten bytes; those that are longer or too large are told."""
    parts = [varint(value) for value in values]
    starts = np.cumsum([0, *map(len, parts[:-1])], dtype=np.int64)
    numbers, sizes = varints(Source.of(b"".join(parts)), starts)
    assert (numbers.tolist(), sizes.tolist()) == (values, [len(each) for each in parts])
    for wrong in (b"\xff" * 10 + b"\x01", b"\xff" * 9 + b"\x02"):
        assert varints(Source.of(wrong), np.zeros(1, np.int64))[1][0] > len(wrong)


def test_a_class_with_needed_fields(schema: Schema) -> None:
    """A message without one is odd, though protobuf may read it."""
    splitter = Splitter(flat_inode(schema), ("type", "id"))
    source = Source.of(b"\x08\x01\x10\x07\x08\x01")
    found = splitter.take(source, np.array([0, 4]), np.array([4, 6]))
    assert found.odd.tolist() == [False, True]


def test_damaged_is_for_protobuf(schema: Schema) -> None:
    """Nothing is raised here; it is odd, and protobuf says what is wrong."""
    _, found = taken([b"\x32\x05a"], schema)
    assert found.odd.all()
    try:
        file_class(schema).FromString(b"\x32\x05a")
    except DecodeError:
        return
    raise AssertionError
