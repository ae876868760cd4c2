"""Classes as node attributes, by the ResourceManager's admin protocol, since REST only shows them.

A node may have many attributes, and an application may ask for one class or another: `OR` of them is the disjunction
that labels lack. They bind only applications that send scheduling requests; nothing of a queue depends on them.
Source: `AdminService.mapAttributesToNodes` of Hadoop 3.4.2 and 3.5.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from froude.hadoop.rpc.connection import Connection
from froude.harvest.live.types import ATTRIBUTE
from froude.messages.schema import Schema

PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB"
METHOD = "mapAttributesToNodes"
PORT = 8033
"""Of a ResourceManager's admin protocol, unless somebody says otherwise."""
_ADD, _REMOVE = 2, 3
_STRING = 1


class AttributeAdmin:
    """Sets the class of nodes at one ResourceManager."""

    def __init__(self, host: str, port: int, schema: Schema, *, user: str) -> None:
        """Nothing is sent yet.

        Args:
            schema: of its release, or of one whose admin protocol is the same.
        """
        self._address = (host, port)
        self._schema = schema
        self._user = user

    def set_classes(self, classes: Mapping[str, str]) -> None:
        """Give nodes their class, or take it away.

        Args:
            classes: by host; empty takes the attribute away.

        Raises:
            TargetError: it does not answer, or refuses: then it has set none, or added all and taken none away.
        """
        requests = attribute_requests(self._schema, classes)
        if not requests:
            return
        with Connection(*self._address, self._schema, PROTOCOL, user=self._user) as connection:
            for request in requests:
                connection.call(METHOD, request)


def attribute_requests(schema: Schema, classes: Mapping[str, str]) -> list[Message]:
    """What is sent to give nodes their class: one request that adds, one that takes away; none for nothing.

    Args:
        classes: by host; empty takes the attribute away.
    """
    given = {host: value for host, value in classes.items() if value}
    taken = {host: "" for host, value in classes.items() if not value}
    return [
        _request(schema, operation, nodes) for operation, nodes in ((_ADD, given), (_REMOVE, taken)) if nodes
    ]


def expression(classes: Sequence[str]) -> str:
    """The placement constraint that asks for a node of one of some classes, as distributed shell reads it.

    Args:
        classes: their names; empty for any node.

    Source: grammar of `PlacementConstraintParser`.
    """
    asked = [f"{ATTRIBUTE}={each}" for each in classes]
    return asked[0] if len(asked) == 1 else f"OR({':'.join(asked)})" if asked else ""


def _request(schema: Schema, operation: int, nodes: Mapping[str, str]) -> Message:
    request: Any = schema.method(PROTOCOL, METHOD).request()
    request.operation = operation
    # A node that has gone meanwhile is no reason to leave the others as they are.
    request.failOnUnknownNodes = False
    prefix, _, name = ATTRIBUTE.partition("/")
    for host, value in nodes.items():
        node = request.nodeToAttributes.add(node=host)
        attribute = node.nodeAttributes.add(attributeType=_STRING, attributeValue=value)
        attribute.attributeKey.attributePrefix = prefix
        attribute.attributeKey.attributeName = name
    message: Message = request
    return message
