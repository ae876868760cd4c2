"""Addresses and ports of our own."""

import socket

from froude.hadoop import loopback


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
