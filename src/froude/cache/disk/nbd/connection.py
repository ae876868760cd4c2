"""One connection of an NBD server: bytes in, requests out; no socket, no clock.

Fixed newstyle handshake; the options EXPORT_NAME, GO, INFO, LIST and ABORT, every other is refused, as the protocol
provides: clients go on without. Answers are simple ones, in any order. What the peer does wrong ends in `Broken`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum, auto

from froude.cache.disk.nbd import wire
from froude.cache.disk.nbd.wire import (
    FIXED_NEWSTYLE,
    NAME_LIMIT,
    NO_ZEROES,
    OPTION_HEADER,
    OPTION_LIMIT,
    PAYLOAD_LIMIT,
    REQUEST_HEADER,
    REQUEST_MAGIC,
    BlockSizes,
    Kind,
    Option,
    OptionReply,
    Request,
)

_MOST_OPTIONS = 64
"""A client needs a handful; more is a peer that keeps us busy."""
_INFO_REQUEST = struct.Struct(">H")
_LENGTH = struct.Struct(">I")
_OLD_ZEROES = bytes(124)


@dataclass(frozen=True, slots=True)
class Export:
    """The one disk that is served; its name is empty, which is what clients ask for by default."""

    size: int
    """Bytes."""
    features: int
    """`wire.Feature`s."""
    sizes: BlockSizes


class State(Enum):
    """Where a connection stands."""

    FLAGS = auto()
    OPTIONS = auto()
    TRANSMISSION = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class Left:
    """The client said that it leaves; nothing more comes."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The peer broke the protocol; the connection is of no more use."""

    reason: str


Event = Request | Left | Broken


class ServerConnection:
    """One connection, seen from the server."""

    __slots__ = ("_buffer", "_export", "_no_zeroes", "_options", "_out", "_position", "_state")

    def __init__(self, export: Export) -> None:
        self._export = export
        self._state = State.FLAGS
        self._buffer = bytearray()
        self._position = 0
        """Where in the buffer the next message begins; what lies before has been read."""
        self._out = [wire.GREETING + struct.pack(">H", FIXED_NEWSTYLE | NO_ZEROES)]
        self._no_zeroes = False
        self._options = 0

    @property
    def state(self) -> State:
        """Where the connection stands."""
        return self._state

    @property
    def buffered(self) -> int:
        """Bytes received and not yet part of an event."""
        return len(self._buffer) - self._position

    def data_to_send(self) -> bytes:
        """What the handshake wants sent; empty in between."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def receive_data(self, data: bytes | memoryview) -> None:
        """Take what came from the peer; `next_event` tells what it means."""
        if self._position:
            del self._buffer[: self._position]
            self._position = 0
        self._buffer += data

    def next_event(self) -> Event | None:
        """The next event; None when more bytes are needed."""
        while True:
            if self._state is State.TRANSMISSION:
                return self._request()
            if self._state is State.CLOSED:
                return None
            step = self._flags() if self._state is State.FLAGS else self._option()
            if step is not True:
                return step or None

    def _take(self, count: int) -> bytes | None:
        """So many bytes, if they have come."""
        end = self._position + count
        if end > len(self._buffer):
            return None
        data = bytes(memoryview(self._buffer)[self._position : end])
        self._position = end
        return data

    def _broken(self, reason: str) -> Broken:
        self._state = State.CLOSED
        return Broken(reason)

    def _flags(self) -> Broken | bool:
        """The client's flags; true when they were taken, false when they have not come."""
        data = self._take(4)
        if data is None:
            return False
        flags = int.from_bytes(data, "big")
        if flags & ~(FIXED_NEWSTYLE | NO_ZEROES):
            return self._broken(f"client flags {flags:#x} are not known")
        self._no_zeroes = bool(flags & NO_ZEROES)
        self._state = State.OPTIONS
        return True

    def _option(self) -> Left | Broken | bool:
        """One option; true when it was answered, false when it has not come."""
        if self.buffered < OPTION_HEADER.size:
            return False
        magic, option, length = OPTION_HEADER.unpack_from(self._buffer, self._position)
        if magic != wire.OPTION_MAGIC:
            return self._broken("an option does not begin with IHAVEOPT")
        if length > OPTION_LIMIT:
            return self._broken(f"an option of {length} bytes; at most {OPTION_LIMIT}")
        if self.buffered < OPTION_HEADER.size + length:
            return False
        self._position += OPTION_HEADER.size
        data = self._take(length) or b""
        self._options += 1
        if self._options > _MOST_OPTIONS:
            return self._broken(f"more than {_MOST_OPTIONS} options")
        return self._answered(option, data)

    def _answered(self, option: int, data: bytes) -> Left | Broken | bool:
        if option == Option.EXPORT_NAME:
            return self._by_name(data)
        if option == Option.ABORT:
            self._out.append(wire.option_reply(option, OptionReply.ACK))
            self._state = State.CLOSED
            return Left()
        if option == Option.LIST:
            self._listed(data)
        elif option in {Option.INFO, Option.GO}:
            self._informed(option, data)
        else:
            self._out.append(wire.option_reply(option, OptionReply.UNSUPPORTED))
        return True

    def _by_name(self, name: bytes) -> Broken | bool:
        """The oldest way in: there is no answer that says no, so that only the connection can end."""
        if name:
            return self._broken(f"no export has the name {name[:40]!r}")
        padding = b"" if self._no_zeroes else _OLD_ZEROES
        self._out.append(wire.export(self._export.size, self._export.features) + padding)
        self._state = State.TRANSMISSION
        return True

    def _listed(self, data: bytes) -> None:
        if data:
            self._out.append(wire.option_reply(Option.LIST, OptionReply.INVALID))
            return
        self._out.append(wire.option_reply(Option.LIST, OptionReply.SERVER, _LENGTH.pack(0)))
        self._out.append(wire.option_reply(Option.LIST, OptionReply.ACK))

    def _informed(self, option: int, data: bytes) -> None:
        """INFO and GO: the export's name, then which facts the client would like to have."""
        name = _name_of(data)
        if name is None or len(name) > NAME_LIMIT:
            reply = OptionReply.INVALID if name is None else OptionReply.TOO_BIG
            self._out.append(wire.option_reply(option, reply))
            return
        if name:
            self._out.append(wire.option_reply(option, OptionReply.UNKNOWN))
            return
        facts = struct.pack(">H", wire.INFO_EXPORT) + wire.export(self._export.size, self._export.features)
        sizes = struct.pack(">HIII", wire.INFO_BLOCK_SIZE, *self._export.sizes)
        self._out += [wire.option_reply(option, OptionReply.INFO, each) for each in (facts, sizes)]
        self._out.append(wire.option_reply(option, OptionReply.ACK))
        if option == Option.GO:
            self._state = State.TRANSMISSION

    def _request(self) -> Event | None:
        position, buffer = self._position, self._buffer
        body = position + REQUEST_HEADER.size
        if body > len(buffer):
            return None
        magic, flags, kind, cookie, offset, length = REQUEST_HEADER.unpack_from(buffer, position)
        if magic != REQUEST_MAGIC:
            return self._broken("a request does not begin with its magic number")
        if kind == Kind.DISCONNECT:
            self._state = State.CLOSED
            return Left()
        data = b""
        if kind == Kind.WRITE:
            if length > PAYLOAD_LIMIT:
                return self._broken(f"a write of {length} bytes; at most {PAYLOAD_LIMIT}")
            end = body + length
            if end > len(buffer):
                return None
            data = bytes(memoryview(buffer)[body:end])
            body = end
        self._position = body
        return Request(kind, flags, cookie, offset, length, data)


def _name_of(data: bytes) -> bytes | None:
    """The name in an INFO or GO; None where the lengths in it do not add up."""
    if len(data) < _LENGTH.size + _INFO_REQUEST.size:
        return None
    (length,) = _LENGTH.unpack_from(data)
    name = data[_LENGTH.size : _LENGTH.size + length]
    rest = data[_LENGTH.size + length :]
    if len(name) != length or len(rest) < _INFO_REQUEST.size:
        return None
    (count,) = _INFO_REQUEST.unpack_from(rest)
    return name if len(rest) == _INFO_REQUEST.size * (1 + count) else None
