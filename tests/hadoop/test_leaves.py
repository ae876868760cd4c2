"""Leaves name every scalar of a message, and build it again."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.hadoop.distribution import Hadoop
from froude.hadoop.leaves import build, enum_name, field_at, leaves
from froude.hadoop.schema import Schema

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
    assert enum_name(type(create), "cryptoProtocolVersion[0]", 2) == "ENCRYPTION_ZONES"
    assert enum_name(type(create), "src", "/a") is None
    assert field_at(type(create), "masked.perm").number == 1


def test_present_and_empty_submessages_survive(schema: Schema) -> None:
    """A submessage that is set and empty is told from one that is not set."""
    kind = schema.method(DATANODE, "versionRequest").response
    message = kind()
    message.info.storageInfo.SetInParent()  # type: ignore[attr-defined]
    assert leaves(message) == {"info.storageInfo{}": None}
    assert build(kind, leaves(message)) == message
    assert build(kind, {}) == kind()


def test_map_like_lists_are_put_in_order_when_asked(schema: Schema) -> None:
    """The order of elements with a key is made canonical, and only when asked; other lists keep theirs."""
    kind = schema.message("hadoop.hdfs.datanode.BlockReportRequestProto")
    assert leaves(build(kind, {"reports[0].blocks[0]": 9, "reports[0].blocks[1]": 1}), canonical=True) == {
        "reports[0].blocks[0]": 9,
        "reports[0].blocks[1]": 1,
    }
    xattrs = schema.message("hadoop.common.TokenProto")
    assert leaves(xattrs(identifier=b"\xff"))["identifier"] == b"\xff"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"nope": 1}, "nope: is no field here"),
        ({"src": 1}, "src: does not take this value"),
        ({"src": None}, "src: is a single value"),
        ({"src.more": 1}, "src: is a single value"),
        ({"masked": 1}, "masked: is a message"),
        ({"cryptoProtocolVersion[1]": 1}, r"cryptoProtocolVersion\[0\]: is a list with a gap"),
        ({"cryptoProtocolVersion[999999999]": 1}, "gap"),
        ({"cryptoProtocolVersion": 1}, "is a list"),
        ({"a..b": 1}, "is no path"),
        ({"a.": 1}, "is no path"),
        ({"": 1, "src": "/"}, "is no field here|is no path"),
        ({"masked{}": 1}, "is no path"),
        ({"masked{}.perm": 1}, "is no path"),
        ({"masked": 1, "masked.perm": 1}, "given twice"),
        ({"masked.perm": 1, "masked": 1}, "given twice"),
    ],
)
def test_leaves_that_fit_no_message_are_stated(schema: Schema, values: dict[str, object], text: str) -> None:
    """A wrong path, value or gap is an InputError that names the path."""
    with pytest.raises(InputError, match=text):
        build(schema.method(CLIENT, "create").request, values)  # type: ignore[arg-type]
