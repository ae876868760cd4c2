"""Class files and messages survive the way out and back, whatever is in them."""

from __future__ import annotations

import functools
import math
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.release.distribution import Hadoop
from froude.messages.classfile import decode_modified_utf8, read_class
from froude.messages.leaves import build, leaves
from froude.messages.schema import Schema
from tests.support.hadoop.class_writer import class_file, modified_utf8
from tests.support.seeds import examples

_F = FieldDescriptor
_SCALARS: dict[int, st.SearchStrategy[Any]] = {
    _F.CPPTYPE_INT32: st.integers(-(1 << 31), (1 << 31) - 1),
    _F.CPPTYPE_INT64: st.integers(-(1 << 63), (1 << 63) - 1),
    _F.CPPTYPE_UINT32: st.integers(0, (1 << 32) - 1),
    _F.CPPTYPE_UINT64: st.integers(0, (1 << 64) - 1),
    _F.CPPTYPE_FLOAT: st.floats(width=32, allow_nan=False),
    _F.CPPTYPE_DOUBLE: st.floats(allow_nan=False),
    _F.CPPTYPE_BOOL: st.booleans(),
}


@functools.cache
def release() -> Schema:
    """The default release's schema."""
    return Hadoop.find().schema()


def fill(message: Message, draw: Any, depth: int) -> None:
    """Set some of a message's fields to anything they take."""
    for field in message.DESCRIPTOR.fields:
        if not draw(st.integers(0, 2)):
            continue
        count = draw(st.integers(0, 2)) if field.is_repeated else 1
        for _ in range(count):
            if field.message_type is None:
                value = draw(scalar(field))
                getattr(message, field.name).append(value) if field.is_repeated else setattr(
                    message, field.name, value
                )
            elif depth:
                child = getattr(message, field.name)
                child = child.add() if field.is_repeated else child
                child.SetInParent()
                fill(child, draw, depth - 1)


def scalar(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    """Any value of a field."""
    if field.enum_type is not None:
        return st.sampled_from(sorted(field.enum_type.values_by_number))
    if field.cpp_type == _F.CPPTYPE_STRING:
        return st.binary(max_size=8) if field.type == _F.TYPE_BYTES else st.text(max_size=8)
    return _SCALARS[field.cpp_type]


@settings(max_examples=examples(150))
@given(st.data())
def test_leaves_and_build_are_inverse_over_a_real_release(data: st.DataObject) -> None:
    """Every request and response of a release, filled with anything, comes back equal from its leaves."""
    schema = release()
    protocol = data.draw(st.sampled_from(schema.protocols))
    method = schema.method(protocol, data.draw(st.sampled_from(schema.methods(protocol))))
    kind = data.draw(st.sampled_from([method.request, method.response]))
    message = kind()
    fill(message, data.draw, 3)
    flat = leaves(message)
    assert build(kind, flat) == message
    shuffled = dict(data.draw(st.permutations(list(flat.items()))))
    assert leaves(build(kind, shuffled)) == flat
    assert not any(isinstance(value, float) and math.isnan(value) for value in flat.values())
    canonical = leaves(message, canonical=True)
    assert leaves(build(kind, canonical), canonical=True) == canonical


@given(st.lists(st.text(st.characters(codec=None), max_size=30), max_size=6, unique=True))
def test_string_constants_round_trip(strings: list[str]) -> None:
    """Any texts put into a class file are read out of it, in order."""
    parsed = read_class(class_file("a/B", strings), "x")
    assert [decode_modified_utf8(raw) for raw in parsed.string_constants()] == strings
    assert all(decode_modified_utf8(modified_utf8(text)) == text for text in strings)


@settings(max_examples=examples(300))
@given(st.binary(max_size=120), st.integers(0, 200), st.binary(min_size=1, max_size=4))
def test_damaged_class_files_are_stated(junk: bytes, at: int, patch: bytes) -> None:
    """Junk, and a class file with bytes overwritten, read or raise InputError; nothing else."""
    whole = class_file("a/B", ["one", "two"], ["c/D"], {"Lm;": {"k": "v"}})
    for data in (junk, b"\xca\xfe\xba\xbe" + junk, whole[:at] + patch + whole[at + len(patch) :]):
        try:
            parsed = read_class(data, "x")
            parsed.string_constants()
            parsed.annotation_strings("Lm;")
        except InputError:
            continue


@given(st.binary(max_size=200))
def test_any_bytes_are_a_schema_or_stated(data: bytes) -> None:
    """A schema file that is damaged raises InputError, at once or when it is used."""
    try:
        Schema.from_bytes(data).method("a.b", "c")
    except InputError:
        return
