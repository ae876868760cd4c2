"""Whose fault it is: ours (`LocalProtocolError`), the peer's (`RemoteProtocolError`), or the call's."""

from __future__ import annotations

from froude.base.errors import TargetError


class LocalProtocolError(RuntimeError):
    """Our own code asked for what the connection's state does not allow; nothing was sent."""


class RemoteProtocolError(TargetError):
    """The peer sent what Hadoop RPC version 9 does not allow; the connection is of no more use."""


NAME_THE_ACTIVE = "Name the active one: `hdfs haadmin` and `yarn rmadmin` show it with -getAllServiceState"
"""What a person can do about a standby daemon."""
_REMEDIES = {
    "SIMPLE authentication is not enabled": "The cluster is secure: Froude has no Kerberos yet. Name one without it",
    "StandbyException": NAME_THE_ACTIVE,
}
"""By a part of the exception."""


class RemoteException(TargetError):  # noqa: N818 - Hadoop's own name for it
    """The peer answered a call with an exception.

    Args:
        error_class: its Java class, such as `java.io.FileNotFoundException`.
        message: its message, first line.
        detail: RpcErrorCodeProto's number (1 application, 2 no such method, …), 0 when absent.
        fatal: whether the peer closes the connection after it.
        peer: `host:port`, for the message.
    """

    def __init__(
        self, error_class: str, message: str, *, detail: int = 0, fatal: bool = False, peer: str | None = None
    ) -> None:
        remedy = next((text for part, text in _REMEDIES.items() if part in f"{error_class}: {message}"), None)
        super().__init__(
            f"answered {error_class or 'an unnamed exception'}: {message}", file=peer, remedy=remedy
        )
        self.error_class = error_class
        self.error_message = message
        self.detail = detail
        self.fatal = fatal

    def __reduce__(self) -> tuple[object, ...]:
        parts = {"detail": self.detail, "fatal": self.fatal, "peer": self.file}
        return _rebuild, (self.error_class, self.error_message, parts)


def _rebuild(error_class: str, message: str, parts: dict[str, object]) -> RemoteException:
    return RemoteException(error_class, message, **parts)  # type: ignore[arg-type]
