"""Generated encoders write what protobuf writes, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.messages.encoder import MOST_LEAVES, Encoded, Slot, by_protobuf, encoder, encoding
from froude.messages.leaves import build
from froude.messages.wire import delimited
from testbed.recorded import schema

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 65), 1 << 65), st.floats(), st.text(), st.binary()
)
ODD_TEXT = "\ud800"


def kind(method: str) -> Any:
    """A request of ClientProtocol."""
    return schema().method(CLIENT, method).request


@given(
    src=st.text() | ODD,
    number=st.integers(0, 1 << 64) | ODD,
    flag=st.booleans() | ODD,
    pool=st.text() | ODD,
    file_id=ODD,
)
@example(src=ODD_TEXT, number=0, flag=True, pool="", file_id=0)
def test_varying_values_are_written_as_protobuf_does(
    src: Any, number: Any, flag: Any, pool: Any, file_id: Any
) -> None:
    """In nested messages and lists, next to constants; None for what protobuf would take otherwise, or refuse."""
    leaves: dict[str, Any] = {
        "src": Slot(0), "clientName": "me", "previous.poolId": Slot(3), "previous.blockId": Slot(1),
        "previous.generationStamp": 7, "excludeNodes[0].id.ipAddr": "", "fileId": Slot(4), "favoredNodes[0]": Slot(0),
        "favoredNodes[1]": "b", "flags[0]": 1,
    }  # fmt: skip
    del leaves["excludeNodes[0].id.ipAddr"]
    values = (src, number, flag, pool, file_id)
    made = encoder(kind("addBlock"), leaves, 5)
    assert made is not None
    given = {path: values[leaf.number] if isinstance(leaf, Slot) else leaf for path, leaf in leaves.items()}
    body = made.encode(*values)
    try:
        expected = build(kind("addBlock"), given).SerializeToString()
    except (InputError, ValueError):
        expected = None
    if body is None:
        assert not all(
            type(value) is wanted for value, wanted in zip(values, (str, int, bool, str, int), strict=True)
        ) or (expected is None)
    else:
        assert body == expected


def test_what_is_rare_has_no_encoder() -> None:
    """A required field that is missing, an unknown one, a constant that does not fit, and too many leaves."""
    for leaves in (
        {},
        {"src": Slot(0), "nonsense": 1},
        {"src": 5},
        {"src": {}},
        {"src[0]": "a"},
        {"src": 10**30},
    ):
        assert encoder(kind("getFileInfo"), leaves, 1) is None  # type: ignore[arg-type]
    many = {f"favoredNodes[{number}]": "a" for number in range(MOST_LEAVES)}
    assert encoder(kind("addBlock"), {"src": "a", "clientName": "b", **many}, 0) is None
    assert encoder(kind("delete"), {"src": "a", "recursive": 10**30}, 0) is None


@given(pool=st.text(), block=st.integers(0, 1 << 63), hosts=st.lists(st.text(), max_size=3))
def test_fields_that_are_encoded_stand_where_they_belong(pool: str, block: int, hosts: list[str]) -> None:
    """A submessage within one, and all elements of a list; no bytes leave them out."""
    previous = build(
        kind("addBlock")().previous.__class__, {"poolId": pool, "blockId": block, "generationStamp": 1}
    )
    fields = kind("addBlock").DESCRIPTOR.fields_by_name
    favoured = b"".join(delimited(fields["favoredNodes"].number, host.encode()) for host in hosts)
    leaves: dict[str, Any] = {
        "src": "/a",
        "clientName": Slot(0),
        "previous": Encoded(1),
        "favoredNodes": Encoded(2),
    }
    for body in (b"", previous.SerializeToString()):
        given = ("me", delimited(fields["previous"].number, body) if body else b"", favoured)
        built = kind("addBlock")(src="/a", clientName="me", favoredNodes=hosts)
        if body:
            built.previous.CopyFrom(previous)
        made = encoder(kind("addBlock"), leaves, 3)
        assert made is not None
        assert (
            made.encode(*given) == built.SerializeToString() == by_protobuf(kind("addBlock"), leaves, given)
        )
    assert made.encode("me", "text", b"") is None


def test_what_is_rare_is_left_to_protobuf() -> None:
    """More leaves than an encoder writes, next to an encoded field; a value that does not fit is stated."""
    many = {f"favoredNodes[{number}]": "a" for number in range(MOST_LEAVES)}
    id_ = kind("addBlock").DESCRIPTOR.fields_by_name["previous"].message_type.fields_by_name["blockId"]
    leaves = {
        "src": "a",
        "clientName": Slot(0),
        "previous.poolId": "p",
        "previous.generationStamp": 1,
        **many,
    }
    encode = encoding(kind("addBlock"), {**leaves, "previous.blockId": Encoded(1)}, 2)
    body = encode("b", bytes([id_.number << 3, 5]))
    assert (
        body
        == build(kind("addBlock"), {**leaves, "clientName": "b", "previous.blockId": 5}).SerializeToString()
    )
    with pytest.raises(InputError):
        encode(5, b"")


@given(st.floats() | st.floats(width=32) | ODD)
def test_floats_of_32_bits_are_rounded_as_protobuf_does(progress: Any) -> None:
    """One that is too large, or no number, is left to protobuf."""
    request = schema().method("org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB", "allocate").request
    made = encoder(request, {"response_id": 3, "progress": Slot(0)}, 1)
    assert made is not None
    body = made.encode(progress)
    if body is not None:
        assert body == build(request, {"response_id": 3, "progress": progress}).SerializeToString()
    else:
        assert type(progress) is not float or not abs(progress) < 3.4e38
