"""Ask a daemon who it is, by the one call that tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from froude.base.errors import TargetError
from froude.hadoop.rpc.connection import Connection
from froude.hadoop.rpc.namespace import namespace_in, resourcemanager_id
from froude.hadoop.rpc.target import answers_for
from froude.messages.schema import Schema

_VERSION = "versionRequest"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a daemon says it is."""

    id: str
    """An HDFS cluster id, or start time and address of a ResourceManager."""
    release: str = ""
    """Its release, where it tells."""
    passive: str = ""
    """As of `Namespace`."""


def ask_identity(
    service: str,
    address: tuple[str, int],
    schema: Schema,
    *,
    user: str | None = None,
    timeout_s: float = 10.0,
) -> Identity:
    """A daemon's identity, as it tells it.

    Args:
        service: what it is; empty means a NameNode.
        timeout_s: how long to wait for the connection, and for the answer.

    Raises:
        TargetError: it refuses, hangs, answers what it may not, or is of a kind that cannot tell.
    """
    check_askable(service, address)
    protocol = _ASKED[service or "namenode"].protocol
    with Connection(*address, schema, protocol, user=user, timeout_s=timeout_s) as connection:
        return identity_on(connection, service)


def identity_on(connection: Connection, service: str) -> Identity:
    """Who answers on a connection, which may be for another protocol of the same daemon.

    Args:
        service: of the daemon, one that can be asked.

    Raises:
        TargetError: it refuses, hangs, or answers what it may not.
    """
    ask = _ASKED[service or "namenode"]
    request = connection.schema.method(ask.protocol, ask.method).request()
    return ask.identity(connection.call(ask.method, request, protocol=ask.protocol), connection.address)


def check_askable(service: str, address: tuple[str, int]) -> None:
    """Refuse a service whose daemons have no call that tells who they are.

    Raises:
        TargetError: it cannot tell; with the server that can be asked in its place.
    """
    if question_for(service) is None:
        allowed, asked = ", ".join(_ASKED), answers_for(service)
        remedy = f"Give {asked}={address[0]}:PORT too, which can" if asked in _ASKED else None
        place = f"{address[0]}:{address[1]}"
        raise TargetError("cannot tell who it is", file=place, found=service, allowed=allowed, remedy=remedy)


def asked_protocols(services: Iterable[str]) -> set[str]:
    """The protocols in which daemons of these services are asked who they are."""
    return {ask.protocol for ask in _asked(services)}


def asked_methods(services: Iterable[str]) -> dict[str, int]:
    """The calls that asking daemons of these services costs, by method."""
    return {ask.method: 1 for ask in _asked(services)}


def question_for(service: str) -> Question | None:
    """The call that asks a daemon who it is; None for a service that has no such call."""
    return _ASKED.get(service or "namenode")


def _asked(services: Iterable[str]) -> list[Question]:
    return [ask for ask in map(question_for, services) if ask is not None]


def _namespace(answer: Any, _: tuple[str, int]) -> Identity:
    namespace = namespace_in(_VERSION, answer)
    return Identity(*namespace)


def _start_time(answer: Any, address: tuple[str, int]) -> Identity:
    """Asking a ResourceManager for a new application costs it a number."""
    return Identity(resourcemanager_id(answer, f"{address[0]}:{address[1]}"))


class Question(NamedTuple):
    """How a daemon is asked who it is."""

    protocol: str
    method: str
    identity: Callable[[Any, tuple[str, int]], Identity]
    """Reads the answer of a daemon at an address."""


_ASKED: dict[str, Question] = {
    "namenode": Question("org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol", _VERSION, _namespace),
    "resourcemanager": Question(
        "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB", "getNewApplication", _start_time
    ),
}
"""By service."""
