"""What happened on a connection: the values that the protocol cores give out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from froude.hadoop.rpc.errors import RemoteProtocolError
from froude.hadoop.rpc.headers import KIND_PROTOBUF, SaslState


@dataclass(frozen=True, slots=True)
class Preamble:
    """The client's first seven bytes."""

    version: int
    service_class: int
    sasl: bool
    """Whether the client begins with SASL (0xDF) instead of no authentication (0)."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The connection context: who speaks which protocol."""

    protocol: str
    user: str | None
    """Effective user; None when it follows from a token or a ticket."""
    real_user: str | None
    """Who impersonates the user, where one does."""
    client_id: bytes
    """The sending process's id, 16 bytes from Hadoop's own clients."""


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The client side is through with SASL and may call."""

    method: str
    """`SIMPLE`, `TOKEN` or `KERBEROS`."""
    mechanism: str
    """`""`, `DIGEST-MD5` or `GSSAPI`."""


class Request(NamedTuple):  # like Response: one for every call, and four times as fast as a frozen dataclass
    """A whole call."""

    call_id: int
    client_id: bytes
    retry: int
    """0 for a first attempt, then counting; -1 when the sender gave none."""
    caller_context: str | None
    protocol: str
    """declaringClassProtocolName; may differ from the connection's."""
    method: str
    body: bytes
    """The request message; of a Writable call all that follows the method's name."""
    kind: int = KIND_PROTOBUF
    """2 protobuf, 1 Writable."""


class Response(NamedTuple):
    """A call's result."""

    call_id: int
    body: bytes


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """A call failed; the connection lives on."""

    call_id: int
    error_class: str
    message: str
    detail: int = 0
    """RpcErrorCodeProto's number, 0 when absent."""


@dataclass(frozen=True, slots=True)
class FatalResponse:
    """The server gives the reason and closes; `call_id` may be negative, when no call is to blame."""

    call_id: int
    error_class: str
    message: str
    detail: int = 0


@dataclass(frozen=True, slots=True)
class SaslAuth:
    """One way of authentication that a server offers or a client chooses.

    A choice must repeat the offer field by field, and a server tells an absent field from an empty one.
    """

    method: str
    mechanism: str
    protocol: str | None = None
    server_id: str | None = None
    challenge: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Sasl:
    """One step of authentication, as an observer sees it."""

    from_client: bool
    state: SaslState
    auths: tuple[SaslAuth, ...]
    token: bytes = field(repr=False)
    """What the mechanism sent; a secret's neighbour: not to be recorded."""


@dataclass(frozen=True, slots=True)
class Ping:
    """The client asks whether the connection lives; there is no answer."""


@dataclass(frozen=True, slots=True)
class Undecodable:
    """A frame that passed and could not be read; the next one can."""

    from_client: bool
    reason: str
    size: int
    """Bytes, with the length field."""
    protected: bool = False
    """Whether SASL protects it (QOP integrity or privacy), so that no frame of its connection can be read."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The frames of one direction cannot be told apart any more; its later bytes are only counted."""

    from_client: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The peer broke the protocol; this is a core's last event."""

    error: RemoteProtocolError


@dataclass(frozen=True, slots=True)
class Closed:
    """The peer closed."""

    torn: bool
    """Whether it closed in the middle of a frame or of a handshake."""
    unanswered: int = 0
    """Calls still without an answer."""


Event = (
    Preamble
    | Opened
    | Authenticated
    | Request
    | Response
    | ErrorResponse
    | FatalResponse
    | Sasl
    | Ping
    | Undecodable
    | Lost
    | Broken
    | Closed
)
