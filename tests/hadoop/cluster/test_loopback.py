"""Addresses and ports of our own."""

from __future__ import annotations

import random
import socket

import pytest

from froude.base.errors import InputError
from froude.hadoop.cluster import loopback


def test_preferred_ports_are_taken_where_they_are_free() -> None:
    """Two clusters look alike unless something listens there already."""
    prefix = loopback.free_network([10, 11])
    addresses = [f"{prefix}.10", f"{prefix}.11"]
    wanted = loopback.free_ports(addresses, 2)
    assert loopback.free_ports(addresses, 2, preferred=wanted) == wanted
    with socket.socket() as taken:
        taken.bind((addresses[1], wanted[0]))
        taken.listen()
        assert wanted[0] not in loopback.free_ports(addresses, 2, preferred=wanted)


def test_an_address_that_is_taken_is_named() -> None:
    """One whose connections have just ended is free: a daemon could bind it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with pytest.raises(InputError, match=f"127\\.0\\.0\\.1:{address[1]}: is taken"):
            loopback.check_free(address)
        with socket.create_connection(address):
            server.accept()[0].close()
    loopback.check_free(address)


def test_a_network_in_use_is_not_taken() -> None:
    """The draw goes on until every address can be bound; the same draw gives the same network."""
    first = loopback.free_network([1, 10], random.Random(3))
    assert loopback.free_network([1, 10], random.Random(3)) == first


def test_ports_are_free_on_every_address() -> None:
    """A port taken on one of them is no choice."""
    addresses = ["127.9.9.10", "127.9.9.11"]
    ports = loopback.free_ports(addresses, 3)
    assert len(set(ports)) == 3
    with socket.socket() as taken:
        taken.bind((addresses[1], ports[0]))
        assert not loopback._can_bind(addresses[1], ports[0])
        assert ports[0] not in loopback.free_ports(addresses, 3)
