"""Leaves name every scalar of a message, and build it again."""

from __future__ import annotations

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

from froude.base.errors import InputError
from froude.hadoop.release.distribution import Hadoop
from froude.messages.leaves import build, leaves
from froude.messages.schema import Schema

NO_PATH = "is no path"
TWICE = "given twice"


CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
DATANODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"


@pytest.fixture(scope="module")
def schema(hadoop: Hadoop) -> Schema:
    """The default release."""
    return hadoop.schema()


def test_paths_of_fields_submessages_and_lists(schema: Schema) -> None:
    """Fields, submessages, lists of scalars and of messages, enums and bytes each have their form of path."""
    create = schema.method(CLIENT, "create").request(
        src="/a",
        clientName="c",
        createFlag=3,
        createParent=True,
        replication=2,
        blockSize=1,
        cryptoProtocolVersion=[2, 1],
    )
    create.masked.perm = 0o644
    assert leaves(create) == {
        "src": "/a",
        "masked.perm": 0o644,
        "clientName": "c",
        "createFlag": 3,
        "createParent": True,
        "replication": 2,
        "blockSize": 1,
        "cryptoProtocolVersion[0]": 2,
        "cryptoProtocolVersion[1]": 1,
    }
    assert build(type(create), leaves(create)) == create


def test_present_and_empty_submessages_survive(schema: Schema) -> None:
    """A submessage that is set and empty is told from one that is not set."""
    kind = schema.method(DATANODE, "versionRequest").response
    message = kind()
    message.info.storageInfo.SetInParent()  # type: ignore[attr-defined]
    assert leaves(message) == {"info.storageInfo{}": None}
    assert build(kind, leaves(message)) == message
    assert build(kind, {}) == kind()


def test_elements_of_map_like_lists_are_named_by_their_keys_when_asked() -> None:
    """Elements with a key, or of a type ...MapProto, are named by it; those without a name are sorted."""
    kind = mapping_schema().message("test.Maps")
    flat = {
        "pairs[0].key": "b",
        "pairs[0].value": 1,
        "pairs[1].key": "a",
        "acls[0].kind": 2,
        "acls[1].kind": 1,
    }
    plain = {"plain[0].kind": 2, "plain[1].kind": 1}
    message = build(kind, {**flat, **plain})
    assert leaves(message) == {**flat, **plain}
    assert leaves(message, canonical=True) == {
        "pairs[a].key": "a",
        "pairs[b].key": "b",
        "pairs[b].value": 1,
        "acls[0].kind": 1,
        "acls[1].kind": 2,
        **plain,
    }
    assert leaves(build(kind, leaves(message, canonical=True)), canonical=True) == leaves(
        message, canonical=True
    )


@pytest.mark.parametrize(
    "keys", [("a", "a"), ("a", "attempt_1795219336865"), ("a", ""), ("a", "b]"), ("a", "1")]
)
def test_keys_that_are_no_names_leave_numbers(keys: tuple[str, str]) -> None:
    """Two elements of one key, an id, nothing, or what no path can hold: such lists are sorted and numbered."""
    kind = mapping_schema().message("test.Maps")
    message = build(kind, {f"pairs[{number}].key": key for number, key in enumerate(keys)})
    assert set(leaves(message, canonical=True)) == {"pairs[0].key", "pairs[1].key"}


def test_keys_may_hold_dots_and_slashes() -> None:
    """A file's name is a key like any other."""
    kind = mapping_schema().message("test.Maps")
    message = build(kind, {"pairs[dir/job.xml].key": "dir/job.xml", "pairs[dir/job.xml].value": 3})
    assert leaves(message, canonical=True)["pairs[dir/job.xml].value"] == 3


def test_true_maps_go_by_key() -> None:
    """A protobuf map is shown as entries in order of its keys, and built from them, scalars and messages."""
    kind = mapping_schema().message("test.Maps")
    message = kind()
    message.counts["b"] = 2  # type: ignore[attr-defined]
    message.counts["a"] = 1  # type: ignore[attr-defined]
    message.things["t"].kind = 7  # type: ignore[attr-defined]
    message.things["u"].SetInParent()  # type: ignore[attr-defined]
    assert leaves(message) == {
        "counts[0].key": "a",
        "counts[0].value": 1,
        "counts[1].key": "b",
        "counts[1].value": 2,
        "things[0].key": "t",
        "things[0].value.kind": 7,
        "things[1].key": "u",
        "things[1].value{}": None,
    }
    assert build(kind, leaves(message)) == message


def mapping_schema() -> Schema:
    """A file with lists that stand for maps, one that does not, and true maps."""
    field = FieldDescriptorProto
    one, many = field.LABEL_OPTIONAL, field.LABEL_REPEATED
    file = FileDescriptorProto(name="m.proto", package="test", syntax="proto2")
    for name, fields in {
        "Pair": [("key", field.TYPE_STRING), ("value", field.TYPE_INT32)],
        "AclMapProto": [("kind", field.TYPE_INT32)],
        "Thing": [("kind", field.TYPE_INT32)],
    }.items():
        message = file.message_type.add(name=name)
        for number, (title, kind) in enumerate(fields, 1):
            message.field.add(name=title, number=number, type=kind, label=one)
    maps = file.message_type.add(name="Maps")
    lists = ["pairs:.test.Pair", "acls:.test.AclMapProto", "plain:.test.Thing"]
    for number, (title, _, kind_name) in enumerate((text.partition(":") for text in lists), 1):
        maps.field.add(name=title, number=number, type=field.TYPE_MESSAGE, type_name=kind_name, label=many)
    for number, title in ((4, "counts"), (5, "things")):
        entry = maps.nested_type.add(name=f"{title.title()}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=field.TYPE_STRING, label=one)
        if title == "counts":
            entry.field.add(name="value", number=2, type=field.TYPE_INT32, label=one)
        else:
            entry.field.add(
                name="value", number=2, type=field.TYPE_MESSAGE, type_name=".test.Thing", label=one
            )
        whole = f".test.Maps.{entry.name}"
        maps.field.add(name=title, number=number, type=field.TYPE_MESSAGE, type_name=whole, label=many)
    return Schema({"m.proto": file.SerializeToString()}, {})


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"nope": 1}, "nope: is no field here"),
        ({"src": 1}, "src: does not take this value"),
        ({"src": None}, "src: is a single value"),
        ({"src.more": 1}, "src: "),
        ({"masked": 1}, "masked: is a message"),
        ({"cryptoProtocolVersion[1]": 1}, r"cryptoProtocolVersion\[0\]: is a list with a gap"),
        ({"cryptoProtocolVersion[999999999]": 1}, "gap"),
        ({"createFlag": 10**30}, "createFlag: does not take this value"),
        ({"cryptoProtocolVersion": 1}, "is a list"),
        ({"a..b": 1}, NO_PATH),
        ({"a.": 1}, NO_PATH),
        ({"": 1, "src": "/"}, f"is no field here|{NO_PATH}"),
        ({"masked{}": 1}, NO_PATH),
        ({"masked{}.perm": 1}, NO_PATH),
        ({"masked": 1, "masked.perm": 1}, TWICE),
        ({"masked.perm": 1, "masked": 1}, TWICE),
    ],
)
def test_leaves_that_fit_no_message_are_stated(schema: Schema, values: dict[str, object], text: str) -> None:
    """A wrong path, value or gap is an InputError that names the path."""
    with pytest.raises(InputError, match=text):
        build(schema.method(CLIENT, "create").request, values)  # type: ignore[arg-type]
