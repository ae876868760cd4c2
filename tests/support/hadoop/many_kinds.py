"""A message with every kind of field, and random ones of it, for tests of what reads them."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.message import Message
from hypothesis import strategies as st

_LABELS = {
    "*": FieldDescriptorProto.LABEL_REPEATED,
    "#": FieldDescriptorProto.LABEL_REPEATED,
    "!": FieldDescriptorProto.LABEL_REQUIRED,
}
"""`#` is packed."""
_NUMBERS = (
    "int64",
    "uint64",
    "int32",
    "uint32",
    "sint64",
    "sint32",
    "fixed64",
    "sfixed64",
    "fixed32",
    "sfixed32",
)
_FIELDS = {
    "Inner": ["!int32 id", "string name", "*Inner inner", "Empty nothing"],
    "Empty": [],
    "WordMapProto": ["string word", "int64 number", "*WordMapProto more"],
    "Keyed": ["bytes before", "string key", "Inner value"],
    "ColourMapProto": ["Colour colour", "string text"],
    "Many": [
        *(f"{kind} a_{kind}" for kind in (*_NUMBERS, "double", "float", "bool", "string", "bytes")),
        *(f"*{kind} many_{kind}" for kind in ("int64", "bool", "string", "bytes", "double", "Colour")),
        *(f"#{kind} packed_{kind}" for kind in ("int32", "bool", "float", "fixed64", "Colour")),
        "Colour colour",
        "Inner inner",
        "*Inner inners",
        "Empty empty",
        "*WordMapProto words",
        "*Keyed keyed",
        "*ColourMapProto colours",
        "Inner far",
    ],
}


def _schema() -> descriptor_pool.DescriptorPool:
    file = FileDescriptorProto(name="many.proto", package="many", syntax="proto2")
    colour = file.enum_type.add(name="Colour")
    for number, name in ((0, "BLACK"), (3, "RED"), (-1, "NONE")):
        colour.value.add(name=name, number=number)
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for number, text in enumerate(fields, 1):
            _add(message, text, number if number < len(fields) else 300)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)  # type: ignore[no-untyped-call]
    return pool


def _add(message: DescriptorProto, text: str, number: int) -> None:
    kind, name = text.split()
    label = _LABELS.get(kind[0], FieldDescriptorProto.LABEL_OPTIONAL)
    field = message.field.add(name=name, number=number, label=label)
    field.options.packed = kind[0] == "#"
    if not field.options.packed:
        field.ClearField("options")
    kind = kind.lstrip("*!#")
    if kind in _FIELDS:
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".many.{kind}"
    elif kind == "Colour":
        field.type, field.type_name = FieldDescriptorProto.TYPE_ENUM, ".many.Colour"
    else:
        field.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind.upper()}")


MANY: type[Message] = message_factory.GetMessageClass(_schema().FindMessageTypeByName("many.Many"))

_VALUES: dict[str, list[Any]] = {
    "int64": [0, 1, -1, 127, 128, 1 << 40, -(1 << 63), (1 << 63) - 1],
    "int32": [0, 5, -1, 300, -(1 << 31), (1 << 31) - 1],
    "uint64": [0, 255, (1 << 64) - 1],
    "uint32": [0, 1 << 20, (1 << 32) - 1],
    "double": [0.0, -1.5, 1e300],
    "float": [0.0, 0.5, 1.9560878276824951],
    "bool": [True, False],
    "string": ["", "a", "HADOOP_HOME", "dn-0", "key with space", "ünï", "id-12345"],
    "bytes": [b"", b"\x00\xff", b"raw"],
    "Colour": [0, 3, -1],
}
_SAME_AS = {"sint": "int", "fixed": "uint", "sfixed": "int"}


def _values(kind: str) -> st.SearchStrategy[Any]:
    for name, other in sorted(_SAME_AS.items(), key=lambda item: -len(item[0])):
        if kind.startswith(name):
            kind = kind.replace(name, other)
    return st.sampled_from(_VALUES[kind])


@st.composite
def messages(draw: st.DrawFn, name: str = "Many", depth: int = 0) -> dict[str, Any]:
    """The fields of a random message."""
    fields: dict[str, Any] = {}
    for text in _FIELDS[name]:
        kind, field = text.split()
        if kind[0] != "!" and not draw(st.booleans() if depth else st.sampled_from([True, False, False])):
            continue
        bare = kind.lstrip("*!#")
        if bare in _FIELDS and depth > 2:
            continue
        value = messages(bare, depth + 1) if bare in _FIELDS else _values(bare)
        fields[field] = draw(st.lists(value, min_size=1, max_size=3) if kind[0] in "*#" else value)
    return fields
