"""Lets calls onto a connection once the server at its other end has shown that it is the target that was admitted.

An address proves nothing: a tunnel, a relay or another daemon may answer there, and on the next connection a different
one. So each connection of a play begins with a proof, the cheapest that its service has:

- A NameNode, or a ResourceManager for its clients, is asked by one call of its own; others wait for the answer.
- A ResourceManager's tracker names itself only in the answer to a registration. Calls go to it one at a time until an
  answer shows that it is the right one, and on the first connection only one node speaks. A heartbeat that is answered
  as that of a known node is a proof as well, since the node was registered at the target before.
- A ResourceManager's scheduler proves in the SASL handshake that it knows the token that the target issued (`rspauth`).

Source: ResourceTrackerService.registerNodeManager, nodeHeartbeat; NameNodeRpcServer.versionRequest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from froude.base.errors import GuardError, TargetError
from froude.emulation.programs.events import Endpoint
from froude.hadoop.rpc.identity import question_for
from froude.hadoop.rpc.target import Target, same_daemon
from froude.messages.schema import Schema

_TRACKER, _SCHEDULER = "resourcemanager-tracker", "resourcemanager-scheduler"
_REGISTER, _HEARTBEAT = "registerNodeManager", "nodeHeartbeat"
_NORMAL = 0  # NodeActionProto
_TRACKER_PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"


class FirstCall(NamedTuple):
    """The call that asks a server who it is."""

    protocol: str
    method: str
    body: bytes


class Identification:
    """The proofs of one play's targets; see the module."""

    def __init__(self, schema: Schema) -> None:
        """Make ready."""
        self._schema = schema

    def first_call(self, endpoint: Endpoint) -> FirstCall | None:
        """The call that a connection begins with; None where its service is not asked.

        Raises:
            GuardError: the connection cannot show who answers: a scheduler's without a token, or a service without
                any proof.
        """
        target = endpoint.target
        asked = question_for(target.service)
        if asked is not None:
            request = self._schema.method(asked.protocol, asked.method).request
            return FirstCall(asked.protocol, asked.method, request().SerializeToString())
        if target.service == _TRACKER or (target.service == _SCHEDULER and endpoint.token is not None):
            return None
        raise GuardError("cannot show who it is", file=target.address, found=target.service)

    def shows_by_answers(self, endpoint: Endpoint) -> bool:
        """Whether the proof is in the answers to nodes' own calls."""
        return endpoint.target.service == _TRACKER

    def shown(self, target: Target, method: str | None, body: bytes | memoryview) -> bool:
        """Whether an answer shows that a server is a target.

        Args:
            method: of a node's own call; None for the answer to `first_call`.

        Returns:
            False where the answer does not name its server.

        Raises:
            GuardError: it is another daemon.
            InputError: the answer cannot be read.
        """
        if method is None:
            asked = question_for(target.service)
            assert asked is not None
            answer = self._schema.decode_response(asked.protocol, asked.method, bytes(body))
            found = asked.identity(answer, (target.host, target.port or 0)).id
        elif method == _REGISTER:
            found = str(self._answer(method, body).rm_identifier or "")
            if not found:  # a node that it refuses is not told
                return False
        else:
            return method == _HEARTBEAT and self._answer(method, body).nodeAction == _NORMAL
        if not same_daemon(target.service, found, target.id):
            raise GuardError(
                "is another daemon than the one that was named",
                file=target.address,
                place=target.service,
                found=found,
                allowed=target.id,
                remedy="The play ended there. Name the address of the right one with --target SERVICE=HOST:PORT",
            )
        return True

    def _answer(self, method: str, body: bytes | memoryview) -> Any:
        return self._schema.decode_response(_TRACKER_PROTOCOL, method, bytes(body))


def not_identified(target: Target, error: str, message: str) -> TargetError:
    """The failure of a play whose target refuses to be asked who it is."""
    return TargetError("does not show who it is", file=target.address, found=f"{error}: {message}")
