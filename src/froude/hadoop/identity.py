"""Ask a daemon who it is, by the one call that tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from froude.base.errors import TargetError
from froude.hadoop.connection import Connection
from froude.hadoop.schema import Schema
from froude.hadoop.target import answers_for

_NAMENODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
_RESOURCEMANAGER = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a daemon says it is."""

    id: str
    """An HDFS cluster id, or start time and address of a ResourceManager."""
    release: str = ""
    """Its release, where it tells."""


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
        address: its host and port.
        schema: of its release.
        user: who asks.
        timeout_s: how long to wait for the connection, and for the answer.

    Raises:
        TargetError: it refuses, hangs, answers what it may not, or is of a kind that cannot tell.
    """
    ask = _ASKED.get(service or "namenode")
    if ask is None:
        allowed, asked = ", ".join(_ASKED), answers_for(service)
        remedy = f"Give {asked}={address[0]}:PORT too, which can" if asked in _ASKED else None
        place = f"{address[0]}:{address[1]}"
        raise TargetError("cannot tell who it is", file=place, found=service, allowed=allowed, remedy=remedy)
    protocol, question = ask
    with Connection(*address, schema, protocol, user=user, timeout_s=timeout_s) as connection:
        return question(connection, address)


def asked_protocols(services: Iterable[str]) -> set[str]:
    """The protocols in which daemons of these services are asked who they are."""
    return {_ASKED[service or "namenode"][0] for service in services if (service or "namenode") in _ASKED}


def _namespace(connection: Connection, _: tuple[str, int]) -> Identity:
    answer: Any = connection.call("versionRequest", connection.message("versionRequest"))
    return Identity(str(answer.info.storageInfo.clusterID), str(answer.info.softwareVersion))


def _start_time(connection: Connection, address: tuple[str, int]) -> Identity:
    """A ResourceManager tells its start time in every application id; asking for a new one costs it a number."""
    answer: Any = connection.call("getNewApplication", connection.message("getNewApplication"))
    return Identity(f"{answer.application_id.cluster_timestamp}@{address[0]}:{address[1]}")


_ASKED: dict[str, tuple[str, Callable[[Connection, tuple[str, int]], Identity]]] = {
    "namenode": (_NAMENODE, _namespace),
    "resourcemanager": (_RESOURCEMANAGER, _start_time),
}
"""By service: the protocol, and the question."""
