"""Connections of this machine, by its kernel."""

from __future__ import annotations

import os
import socket

import pytest

from froude.cache.agents.sockets import connections
from froude.cache.monitor.connections import Connection

_SENT = 200_000


@pytest.fixture
def pair() -> tuple[list[Connection], int, int]:
    """The kernel's word on a connection between two addresses of loopback, after some bytes; and both ports."""
    with socket.create_server(("127.0.7.2", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.7.2", port), source_address=("127.0.7.1", 0)) as client:
            serving, _ = server.accept()
            with serving:
                client.sendall(bytes(_SENT))
                left = _SENT
                while left:
                    left -= len(serving.recv(left))
                found = connections({os.getpid(): "DataNode"}, ("127.0.7.1", "127.0.7.2"))
                return found, client.getsockname()[1], port


def test_both_ends_with_their_bytes(pair: tuple[list[Connection], int, int]) -> None:
    """The client's end went out, the server's came in; each counts what it got, and knows its process's role."""
    found, client_port, port = pair
    mine = [each for each in found if str(port) in each.key and str(client_port) in each.key]
    (incoming,) = [each for each in mine if each.incoming]
    (outgoing,) = [each for each in mine if not each.incoming]
    assert (incoming.peer, incoming.role, incoming.received_bytes) == ("127.0.7.1", "DataNode", _SENT)
    assert (outgoing.peer, outgoing.role) == ("127.0.7.2", "DataNode")
    assert outgoing.sent_bytes >= _SENT  # the kernel counts the first handshake's step as a byte


def test_other_addresses_are_left_out() -> None:
    """A VM's agent tells of its own addresses only; without a role there is none."""
    with socket.create_server(("127.0.7.3", 0)) as server, socket.create_connection(server.getsockname()):
        assert connections({}, ("127.0.7.9",)) == []
        (first, *_) = connections({}, ("127.0.7.3",))
        assert first.role == ""
