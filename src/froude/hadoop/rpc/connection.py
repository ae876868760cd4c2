"""A connection to a daemon: the shell around `rpc.client` that owns a socket.

`Connection` makes one call at a time and waits for its answer. Players have a driver of their own.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
import uuid
from collections.abc import Iterator
from typing import Self

from google.protobuf.message import DecodeError, EncodeError, Message

from froude.base.errors import TargetError
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.errors import RemoteException
from froude.hadoop.rpc.events import (
    Authenticated,
    Broken,
    Closed,
    ErrorResponse,
    Event,
    FatalResponse,
    Response,
)
from froude.hadoop.rpc.headers import MAX_CALL_ID
from froude.hadoop.rpc.sasl import DigestMd5Client, Token
from froude.hadoop.rpc.states import State
from froude.messages.schema import Schema

_READ_BYTES = 256 << 10


class Connection:
    """A blocking connection; a context manager. One thread at a time may use it."""

    _socket: socket.socket | None = None

    def __init__(  # noqa: PLR0913 - each is one fact of a connection
        self,
        host: str,
        port: int,
        schema: Schema,
        protocol: str,
        *,
        user: str | None = None,
        real_user: str | None = None,
        token: Token | None = None,
        sasl: bool = False,
        caller_context: str | None = None,
        client_id: bytes | None = None,
        source: str | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        """Prepare a connection; nothing is sent yet.

        Args:
            protocol: wire name of the protocol that the connection is opened for.
            user: effective user; None takes none with a token, else the current one (`HADOOP_USER_NAME`,
            `USER`).
            token: authenticate by it (DIGEST-MD5).
            sasl: begin with SASL also without a token, as a client of a daemon with security on does.
            client_id: 16 bytes; None makes a fresh one.
            timeout_s: longest wait for the connection, and for each answer.
        """
        self.address = (host, port)
        self.peer = f"{host}:{port}"
        self.schema = schema
        self.protocol = protocol
        self.client_id = client_id or uuid.uuid4().bytes
        self.source = source
        self.timeout_s = timeout_s
        self.core = ClientConnection(
            protocol,
            client_id=self.client_id,
            user=user or (None if token else current_user()),
            real_user=real_user,
            sasl=sasl,
            mechanisms=[DigestMd5Client(token, os.urandom(24))] if token else (),
            caller_context=caller_context,
        )
        self._last_id = -1

    def next_id(self) -> int:
        """A call id that this connection has not used yet."""
        self._last_id = (self._last_id + 1) & MAX_CALL_ID
        return self._last_id

    def encode(self, message: Message) -> bytes:
        """A request's bytes.

        Raises:
            ValueError: a required field is not set.
        """
        try:
            return message.SerializeToString()
        except EncodeError as error:
            raise ValueError(f"{message.DESCRIPTOR.full_name}: {error}") from error

    def decode(self, kind: type[Message], body: bytes) -> Message:
        """A response out of its bytes.

        Raises:
            TargetError: they do not decode.
        """
        try:
            return kind.FromString(body)
        except DecodeError as error:
            name = kind.DESCRIPTOR.full_name
            raise TargetError(
                f"answered bytes that are no {name}", file=self.peer, found=str(error)
            ) from error

    def raise_for(self, event: Event) -> None:
        """Raise what an event means for a waiting call, if it means failure."""
        match event:
            case ErrorResponse():
                raise RemoteException(event.error_class, event.message, detail=event.detail, peer=self.peer)
            case FatalResponse():
                raise RemoteException(
                    event.error_class, event.message, detail=event.detail, fatal=True, peer=self.peer
                )
            case Broken():
                event.error.file = self.peer
                raise event.error
            case Closed():
                raise TargetError("closed the connection before it answered", file=self.peer)
            case _:
                return

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Connect, and authenticate if asked.

        Raises:
            TargetError: refused, hung, reset, or not a Hadoop RPC port.
            RemoteException: authentication was refused.
        """
        with self._stated("connecting"):
            origin = (self.source, 0) if self.source else None
            self._socket = socket.create_connection(self.address, self.timeout_s, origin)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.sendall(self.core.open())
        if self.core.state is not State.READY:
            deadline = time.monotonic() + self.timeout_s
            while not any(
                isinstance(event, Authenticated) for event in self._events(deadline, "authenticating")
            ):
                pass

    def call(
        self,
        method: str,
        request: Message,
        *,
        protocol: str | None = None,
        call_id: int | None = None,
        retry: int = 0,
    ) -> Message:
        """Make one call and wait for its answer.

        Args:
            protocol: declared protocol, when it is not the connection's.
            call_id: None takes the next free one. To repeat a call on a new connection give that connection
                the same `client_id`, and the same id here.
            retry: how often it was sent before.

        Raises:
            UnknownMethodError: the schema does not have the method.
            RemoteException: the daemon answered an exception.
            TargetError: the daemon hung, closed, reset, or broke the protocol; the connection is closed.
        """
        known = self.schema.method(protocol or self.protocol, method)
        call_id = self.next_id() if call_id is None else call_id
        if self._socket is None:
            raise TargetError("the connection is not open", file=self.peer)
        with self._stated(f"calling {method}"):
            self._socket.settimeout(self.timeout_s)
            self._socket.sendall(
                self.core.request(call_id, method, self.encode(request), protocol=protocol, retry=retry)
            )
        deadline = time.monotonic() + self.timeout_s
        while True:
            for event in self._events(deadline, f"calling {method}"):
                if isinstance(event, Response) and event.call_id == call_id:
                    return self.decode(known.response, event.body)

    def message(self, method: str, **fields: object) -> Message:
        """A request for a method, its top-level fields set."""
        return self.schema.method(self.protocol, method).request(**fields)

    def close(self) -> None:
        """Close the socket; calling it twice does no harm."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _events(self, deadline: float, what: str) -> list[Event]:
        """Wait for bytes and read them; raises for every event that means failure."""
        assert self._socket is not None
        with self._stated(what):
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            data = self._socket.recv(_READ_BYTES)
            events = self.core.receive(data) if data else self.core.receive_end()
            if reply := self.core.data_to_send():
                self._socket.sendall(reply)
            for event in events:
                self.raise_for(event)
        return events

    @contextlib.contextmanager
    def _stated(self, what: str) -> Iterator[None]:
        """Turn what the system says into `TargetError`, and close after all but an ordinary exception."""
        try:
            yield
        except OSError as error:
            self.close()
            raise stated(error, self.peer, what, self.timeout_s) from error
        except TargetError as error:
            if not isinstance(error, RemoteException) or error.fatal:
                self.close()
            raise


def stated(error: OSError, peer: str, what: str, timeout_s: float) -> TargetError:
    """What the operating system said of a peer, in words.

    Args:
        peer: whom it was about, as `host:port`.
        what: what was going on, such as `connecting`.
        timeout_s: seconds that were waited for, told when the error is a timeout.

    Returns:
        The error, for the caller to raise.
    """
    if isinstance(error, TimeoutError):
        return TargetError(f"did not answer in {timeout_s:g} s while {what}", file=peer)
    if isinstance(error, ConnectionRefusedError):
        return TargetError(
            "refused the connection", file=peer, remedy="Is the daemon up, and is this its RPC port?"
        )
    if isinstance(error, (ConnectionResetError, BrokenPipeError)):
        return TargetError(f"reset the connection while {what}", file=peer)
    return TargetError(f"cannot be reached while {what} ({error.strerror or error})", file=peer)


def current_user() -> str:
    """Who a client without security says it is: `HADOOP_USER_NAME`, then the system's user."""
    return os.environ.get("HADOOP_USER_NAME") or os.environ.get("USER") or _system_user()


def _system_user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid{os.getuid()}"
