"""Addresses and ports of our own: Linux answers on all of 127/8, so every node can have one."""

from __future__ import annotations

import random
import socket
from collections.abc import Sequence

from froude.base.errors import InputError, MissingError

FIRST_NODE = 10
"""Node i is 127.a.b.(10+i); the NameNode is 127.a.b.1, the ResourceManager .2, the JobHistoryServer .3."""

NAMENODE = ("127.0.0.1", 8020)
"""Where clients look for a NameNode on this machine that they are told nothing else of."""

NAMENODE_HTTP = ("127.0.0.1", 9870)
"""Its web server, likewise."""

MOST_NODES = 240
"""What fits behind one a.b."""


def node_address(network: str, index: int) -> str:
    """The address of a node: that of its DataNode and of its NodeManager.

    Args:
        network: such as `127.3.7`.
        index: from 0 on.
    """
    return f"{network}.{FIRST_NODE + index}"


def free_network(hosts: Sequence[int], rng: random.Random | None = None) -> str:
    """A prefix `127.a.b` on which none of these hosts is in use by another cluster of ours.

    A cluster holds its network by listening on 127.a.b.1; two that start at once draw from 64,000.

    Args:
        hosts: last numbers of the addresses needed, 1 to 254.
        rng: where the draw comes from; by default the system's.

    Raises:
        MissingError: no such address can be bound (not Linux, or no loopback).
    """
    rng = rng or random.SystemRandom()
    for _ in range(64):
        prefix = f"127.{rng.randint(1, 254)}.{rng.randint(1, 254)}"
        if all(_can_bind(f"{prefix}.{host}", 0) for host in hosts):
            return prefix
    remedy = "Froude needs Linux, which answers on all of 127/8"
    raise MissingError("no loopback address of its own could be bound", found="127.a.b.1", remedy=remedy)


def free_ports(addresses: Sequence[str], count: int, *, preferred: Sequence[int] = ()) -> list[int]:
    """Ports that are free on every one of these addresses, and different from each other.

    Args:
        preferred: taken where they are free everywhere, so that two clusters look alike.

    Raises:
        MissingError: none could be found.
    """
    if len(preferred) == count and all(_can_bind(a, port) for a in addresses for port in preferred):
        return list(preferred)
    ports: list[int] = []
    for _ in range(50 * count):
        with socket.socket() as probe:
            probe.bind((addresses[0], 0))
            port = int(probe.getsockname()[1])
        if port not in ports and all(_can_bind(address, port) for address in addresses):
            ports.append(port)
        if len(ports) == count:
            return ports
    raise MissingError(
        "no free ports", found=", ".join(addresses[:3]), remedy="Stop something that listens there"
    )


def check_free(address: tuple[str, int]) -> None:
    """Refuse an address that something listens on.

    Raises:
        InputError: something does.
    """
    # As daemons bind: connections that have just ended keep no port.
    if not _can_bind(*address, reuse=True):
        remedy = "End what listens there, or leave `--ports fixed` out"
        raise InputError("is taken", file=f"{address[0]}:{address[1]}", remedy=remedy)


def answers(address: tuple[str, int], *, timeout_s: float = 1.0) -> bool:
    """Whether something accepts connections there.

    Args:
        timeout_s: seconds the connection may take to come about.
    """
    try:
        with socket.create_connection(address, timeout_s):
            return True
    except OSError:
        return False


def _can_bind(address: str, port: int, *, reuse: bool = False) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
        try:
            probe.bind((address, port))
        except OSError:
            return False
        return True
