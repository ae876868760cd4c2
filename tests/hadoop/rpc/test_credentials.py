"""Token storages: what the real ResourceManager sends, other forms, and bytes that are none."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.rpc.credentials import MASTER, read_credentials
from testbed.recorded import schema
from tests.support.hadoop.credentials import REAL

NO_STORAGE = "no token storage"
CUT = "cut short"


def test_a_real_storage() -> None:
    """One token, for the scheduler; its secrets are not shown."""
    (stored,) = read_credentials(REAL, schema())
    assert (stored.kind, stored.service) == (MASTER, "")
    assert (len(stored.token.identifier), len(stored.token.password)) == (20, 20)
    assert "password" not in repr(stored)


def test_long_values() -> None:
    """Lengths of more than one byte."""
    long = b"\x8e\x01\x2c" + b"i" * 300  # -114: two bytes follow
    data = b"HDTS\x00\x01\x01a" + long + b"\x8f\x80" + b"p" * 128 + b"\x01k\x01s\x00"
    (stored,) = read_credentials(data, schema())
    assert (len(stored.token.identifier), len(stored.token.password), stored.kind) == (300, 128, "k")


def test_a_storage_written_as_protobuf() -> None:
    """The other form that Hadoop reads."""
    message = schema().message("hadoop.common.CredentialsProto")()
    token = message.tokens.add(alias="a").token  # type: ignore[attr-defined]
    token.identifier, token.password, token.kind, token.service = b"i", b"p", MASTER, "s"
    raw = message.SerializeToString()
    (stored,) = read_credentials(b"HDTS\x01" + bytes([len(raw)]) + raw, schema())
    assert (stored.kind, stored.token.identifier) == (MASTER, b"i")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", NO_STORAGE),
        (b"XXXX\x00\x00", NO_STORAGE),
        (b"HDTS\x07\x00", "unknown form"),
        (REAL[:40], CUT),
        (b"HDTS\x00\x8d\x7f\xff\xff", "impossible number"),
        (b"HDTS\x01\x05\xff", CUT),
    ],
)
def test_what_is_no_storage(data: bytes, what: str) -> None:
    """One clear error."""
    with pytest.raises(InputError, match=what):
        read_credentials(data, schema())


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    """They are read, or refused."""
    with contextlib.suppress(InputError):
        read_credentials(b"HDTS" + data, schema())
