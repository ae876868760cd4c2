"""The tokens in a container's launch context: Hadoop's token storage, read from bytes.

Source: org.apache.hadoop.security.Credentials (readTokenStorageStream, readFields), Token.readFields, WritableUtils
(variable-length numbers).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from froude.base.errors import InputError
from froude.hadoop.rpc.sasl import Token
from froude.messages.schema import Schema

_MAGIC = b"HDTS"
_WRITABLE, _PROTOBUF = 0, 1
_MOST_TOKENS = 1000
_PLACE = "the tokens of a launch context"
MASTER = "YARN_AM_RM_TOKEN"
"""Kind of the token by which an application master proves itself to the ResourceManager."""


@dataclass(frozen=True, slots=True)
class StoredToken:
    """One token of a storage."""

    kind: str
    """Such as `YARN_AM_RM_TOKEN`."""
    service: str
    """Whom it opens; empty where the holder knows."""
    token: Token


def read_credentials(data: bytes, schema: Schema) -> list[StoredToken]:
    """The tokens of a storage; its other secrets are left.

    Args:
        data: as a launch context carries it.
        schema: of the release, for storages written as protobuf.

    Raises:
        InputError: it is no such storage, or is cut short.
    """
    if len(data) < 5 or not data.startswith(_MAGIC):
        raise InputError("is no token storage", place=_PLACE, found=data[:5].hex(), allowed="HDTS first")
    form = data[4]
    try:
        if form == _WRITABLE:
            return _Writable(data).tokens()
        if form == _PROTOBUF:
            return _of_protobuf(data[5:], schema)
    except (IndexError, DecodeError) as error:
        raise InputError("a token storage is cut short", place=_PLACE) from error
    raise InputError("is written in an unknown form", place=_PLACE, found=form, allowed="0 or 1")


def _of_protobuf(data: bytes, schema: Schema) -> list[StoredToken]:
    """A storage as one delimited message."""
    size = shift = at = 0
    while data[at] & 0x80:
        size |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    size |= data[at] << shift
    message: Any = schema.message("hadoop.common.CredentialsProto").FromString(data[at + 1 : at + 1 + size])
    return [
        StoredToken(each.token.kind, each.token.service, Token(each.token.identifier, each.token.password))
        for each in message.tokens
    ]


class _Writable:
    """A storage in Java's own form."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = len(_MAGIC) + 1

    def tokens(self) -> list[StoredToken]:
        number = self._number()
        if not 0 <= number <= _MOST_TOKENS:
            allowed = f"0 to {_MOST_TOKENS}"
            raise InputError(
                "has an impossible number of tokens", place=_PLACE, found=number, allowed=allowed
            )
        found = []
        for _ in range(number):
            self._bytes()  # the alias under which the storage keeps it
            token = Token(self._bytes(), self._bytes())
            kind, service = (self._bytes().decode("utf-8", "replace") for _ in range(2))
            found.append(StoredToken(kind, service, token))
        return found

    def _bytes(self) -> bytes:
        size = self._number()
        if not 0 <= size <= len(self._data) - self._at:
            raise IndexError(size)
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self) -> int:
        """A number of one byte, or of as many as its first byte says."""
        first = self._data[self._at]
        self._at += 1
        if first < 0x80:
            return first
        first -= 0x100
        if first >= -112:
            return first
        size = -112 - first if first >= -120 else -120 - first
        if size > len(self._data) - self._at:
            raise IndexError(size)
        self._at += size
        value = int.from_bytes(self._data[self._at - size : self._at], "big")
        return value if first >= -120 else ~value
