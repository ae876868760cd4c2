"""Who targets are, asked before their traffic is recorded."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target, target_at
from froude.messages.schema import Schema
from froude.trace.capture import identity
from froude.trace.capture.identity import with_identities
from froude.trace.capture.legs import Listener
from froude.trace.capture.settings import CaptureSettings
from tests.support.hadoop.rpc.double import daemon

_PROTOCOL = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"


@pytest.fixture(scope="module")
def schema(hadoop: Any) -> Schema:
    """The default release's messages."""
    message_schema: Schema = hadoop.schema()
    return message_schema


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody who is silent is waited for."""
    monkeypatch.setattr(identity, "_TIMEOUT_S", 0.2)


def namenode(schema: Schema, name: str, asked: list[str]) -> Callable[[ServerConnection, Request], bytes]:
    """What a NameNode of that cluster answers; it notes who was asked."""

    def answer(core: ServerConnection, request: Request) -> bytes:
        asked.append(name)
        message: Any = schema.method(_PROTOCOL, request.method).response()
        message.info.storageInfo.clusterID, message.info.softwareVersion = name, f"release of {name}"
        return core.respond(request.call_id, message.SerializePartialToString())

    return answer


@pytest.fixture
def silent() -> Iterator[tuple[str, int]]:
    """A target that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()


def settings(*targets: Target, **more: Any) -> CaptureSettings:
    """A capture before these targets."""
    return CaptureSettings(tuple(Listener("h", target=target) for target in targets), Path("/t"), **more)


def test_targets_that_tell_are_known_by_their_ids(schema: Schema, silent: tuple[str, int]) -> None:
    """Each is asked once, however many listeners it has; one that does not tell stays as it is."""
    asked: list[str] = []
    with daemon(namenode(schema, "CID-1", asked)) as one, daemon(namenode(schema, "CID-2", asked)) as two:
        first, second, quiet = (target_at("namenode", each, "") for each in (one, two, silent))
        known = with_identities(settings(quiet, first, second, first), schema)
    ids = [listener.target.id for listener in known.listeners]
    assert ids == ["", "CID-1", "CID-2", "CID-1"]
    assert [listener.target.address for listener in known.listeners] == [
        each.address for each in (quiet, first, second, first)
    ]
    assert asked == ["CID-1", "CID-2"]
    assert (known.source_id, known.release) == ("CID-1", "release of CID-1")


def test_what_is_known_is_not_asked_and_not_changed(schema: Schema) -> None:
    """Neither a target's id, nor what the user said of source and release."""
    asked: list[str] = []
    with daemon(namenode(schema, "CID-1", asked)) as address:
        told = settings(target_at("namenode", address, "CID-9"))
        known = with_identities(told, schema)
        assert asked == []
        assert known.listeners == told.listeners
        assert (known.source_id, known.release) == ("CID-9", "")
        said = settings(target_at("namenode", address, ""), source_id="mine", release="3.1.4")
        known = with_identities(said, schema)
    assert known.listeners[0].target.id == "CID-1"
    assert (known.source_id, known.release) == ("mine", "3.1.4")


def refusing(core: ServerConnection, request: Request) -> bytes:
    """A NameNode that wants a ticket for the question."""
    return core.fail(request.call_id, "org.apache.hadoop.security.AccessControlException", "no")


def test_a_capture_of_targets_that_do_not_tell_goes_on(schema: Schema) -> None:
    """One that refuses, one of a kind that cannot, one that is not there, one without an address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        gone = taken.getsockname()
    with daemon(refusing) as address:
        targets = [
            target_at("namenode", address, ""),
            target_at("nodemanager", address, ""),
            target_at("namenode", gone, ""),
            Target("namenode", "nowhere"),
        ]
        asked = settings(*targets)
        assert with_identities(asked, schema) == asked
