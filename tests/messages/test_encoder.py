"""Generated encoders write what protobuf writes, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.messages.encoder import MOST_LEAVES, Slot, encoder, varint
from froude.messages.leaves import build
from testbed.recorded import schema

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 65), 1 << 65), st.floats(), st.text(), st.binary()
)
ODD_TEXT = "\ud800"


def kind(method: str) -> Any:
    """A request of ClientProtocol."""
    return schema().method(CLIENT, method).request


@pytest.mark.parametrize(
    "number", [0, 1, 127, 128, 4095, 4096, 16383, 16384, (1 << 21) - 1, 1 << 21, (1 << 28) - 1]
)
def test_varints(number: int) -> None:
    """Seven bits a byte, the low ones first; also of the largest numbers."""
    for value in (number, number << 30, (1 << 64) - 1 - number):
        data = varint(value)
        assert sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data)) == value
        assert [byte >> 7 for byte in data] == [1] * (len(data) - 1) + [0]


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
