"""Calls of a play written down as they happen, in a spool that a player can afford; read back afterwards.

The spool is a flat file: texts once, then numbers; a record is some 60 bytes and the two messages. It is read
as far as it is whole, so a play that was killed keeps its calls. Secrets are redacted before they get there: a spool
that is left behind holds none.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.channel import PlayedCall
from froude.emulation.programs.events import NodeId
from froude.emulation.settings import Record
from froude.trace.redact import Redactor

_MAGIC = b"froude-spool-2\n"
_TEXT = struct.Struct("<BII")
_CALL = struct.Struct("<BIIIHIIIIddBdiiIH")
_KIND_TEXT, _KIND_CALL = 1, 2
_LIMIT_BYTES = 128 << 20
_ALWAYS, _ONE_IN = 3, 20
_MESSAGE_BYTES = 1024


class Spool:
    """Writes calls to a file; a `core.Journal`."""

    def __init__(self, out: BinaryIO, record: Record, seeds: Seeds, redactor: Redactor) -> None:
        """Begin a spool."""
        self._out = out
        self._redactor = redactor
        self._record = record
        self._seeds = seeds.child("sample")
        self._texts: dict[str, int] = {}
        out.write(_MAGIC)

    def wants(self, node: NodeId) -> bool:
        """Whether this node's calls are written down."""
        if self._record is not Record.SAMPLED:
            return self._record is Record.FULL
        return node.number < _ALWAYS or self._seeds.child(node.type, node.number).value % _ONE_IN == 0

    def call(self, played: PlayedCall) -> None:
        """Write one call, its messages redacted; one that cannot be is left out."""
        request, response = self._redacted(played)
        names = (played.node.type, played.service, played.protocol, played.method)
        texts = [self._text(name) for name in names]
        error = 0 if played.error is None else self._text(played.error) + 1
        message = (played.message or "").encode("utf-8", "replace")[:_MESSAGE_BYTES]
        answered_s = played.answered_s
        head = _CALL.pack(
            _KIND_CALL, played.node.number, played.channel, played.call_id, played.retry, *texts, played.intended_s,
            played.sent_s, answered_s is not None, answered_s or 0.0, _size(request), _size(response),
            error, len(message),
        )  # fmt: skip
        self._out.write(b"".join((head, request or b"", response or b"", message)))

    def _redacted(self, played: PlayedCall) -> tuple[bytes | None, bytes | None]:
        redactor, request, response = self._redactor, played.request, played.response
        try:
            if request is not None:
                request = redactor.request(played.protocol, played.method, request)
            if response is not None:
                response = redactor.response(played.protocol, played.method, response)
        except InputError:  # a message that does not decode may hold anything
            return None, None
        return request, response

    def _text(self, text: str) -> int:
        number = self._texts.get(text)
        if number is None:
            number = self._texts[text] = len(self._texts)
            data = text.encode("utf-8", "replace")[:4096]
            self._out.write(_TEXT.pack(_KIND_TEXT, number, len(data)) + data)
        return number


def spool_of(first: Path, player: int) -> Path:
    """The spool of one of several players.

    Args:
        player: its number, from 0.
    """
    return first if player == 0 else first.with_name(f"{first.name}.{player}")


def _size(message: bytes | None) -> int:
    return -1 if message is None else len(message)


def read_spool(path: Path) -> Iterator[PlayedCall]:
    """The calls of a spool, as far as it is whole, in order of their answers.

    Raises:
        InputError: it is no spool.
    """
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise InputError("is no spool of a play", file=path)
        texts: dict[int, str] = {}
        while kind := file.read(1):
            if kind[0] == _KIND_TEXT:
                head = file.read(_TEXT.size - 1)
                if len(head) < _TEXT.size - 1:
                    return
                _, number, size = _TEXT.unpack(kind + head)
                texts[number] = file.read(min(size, _LIMIT_BYTES)).decode("utf-8", "replace")
            else:
                call = _read_call(file, kind, texts)
                if call is None:
                    return
                yield call


def _read_call(file: BinaryIO, kind: bytes, texts: dict[int, str]) -> PlayedCall | None:
    head = file.read(_CALL.size - 1)
    if len(head) < _CALL.size - 1:
        return None
    (_, number, channel, call_id, retry, node_type, service, protocol, method, intended_s, sent_s, answered, answered_s,
     request_size, response_size, error, message_size) = _CALL.unpack(kind + head)  # fmt: skip
    request = file.read(max(0, request_size))
    response = file.read(response_size) if response_size >= 0 else None
    message = file.read(message_size)
    if len(request) < request_size or len(message) < message_size or len(response or b"") < response_size:
        return None
    return PlayedCall(
        NodeId(texts.get(node_type, ""), number), channel, call_id, retry, texts.get(service, ""),
        texts.get(protocol, ""), texts.get(method, ""), intended_s, sent_s,
        answered_s if answered else None, request if request_size >= 0 else None, response,
        texts.get(error - 1) if error else None, message.decode("utf-8", "replace") if error else None,
    )  # fmt: skip
