"""TCP connections of this machine with the bytes that each has carried, from the kernel's socket diagnostics.

Source: sock_diag(7), INET_DIAG_INFO; `tcpi_bytes_acked` and `tcpi_bytes_received` of linux/tcp.h.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from froude.base.errors import MissingError
from froude.cache.monitor.connections import Connection

_ESTABLISHED, _LISTEN = 1, 10
_OPEN = (_ESTABLISHED, 4, 5, 8, 9, 11)
"""States in which bytes may still be counted: established, and those of closing."""
_INFO = 1 << 1
"""The extension that has the counters of bytes."""
_MAPPED = "::ffff:"


def connections(roles: Mapping[int, str], addresses: Collection[str] = ()) -> list[Connection]:
    """Connections that are open now.

    Args:
        roles: of processes, by id; only their sockets are looked up.
        addresses: of this machine to look at; none for all.

    Raises:
        MissingError: the library is not installed, or the kernel does not answer.
    """
    try:
        from pyroute2 import DiagSocket
        from pyroute2.netlink.exceptions import NetlinkError
    except ImportError as error:
        raise MissingError("pyroute2 is not installed", remedy="pip install 'froude[cache]'") from error
    owners = _owners(roles)
    states = sum(1 << state for state in (*_OPEN, _LISTEN))
    try:
        with DiagSocket() as diagnostics:
            diagnostics.bind()
            found = [
                each
                for family in (socket.AF_INET, socket.AF_INET6)
                for each in diagnostics.get_sock_stats(family=family, states=states, extensions=_INFO)
            ]
    except (NetlinkError, OSError) as error:
        raise MissingError(f"the kernel does not tell of connections ({error})") from error
    served = {each["idiag_sport"] for each in found if each["idiag_state"] == _LISTEN}
    return list(_connections(found, owners, served, set(addresses)))


def _connections(
    found: list[Any], owners: Mapping[int, str], served: set[int], addresses: set[str]
) -> Iterator[Connection]:
    for each in found:
        local = each["idiag_src"].removeprefix(_MAPPED)
        information = each.get_attr("INET_DIAG_INFO")
        if each["idiag_state"] == _LISTEN or information is None or (addresses and local not in addresses):
            continue
        peer = each["idiag_dst"].removeprefix(_MAPPED)
        yield Connection(
            key=f"{local}:{each['idiag_sport']} {peer}:{each['idiag_dport']} {each['idiag_inode']}",
            peer=peer,
            incoming=each["idiag_sport"] in served,
            role=owners.get(each["idiag_inode"], ""),
            sent_bytes=int(information["tcpi_bytes_acked"]),
            received_bytes=int(information["tcpi_bytes_received"]),
        )


def _owners(roles: Mapping[int, str]) -> dict[int, str]:
    """The role behind each socket, by its inode."""
    owners = {}
    for pid, role in roles.items():
        folder = Path(f"/proc/{pid}/fd")
        with suppress(OSError):
            for handle in folder.iterdir():
                with suppress(OSError, ValueError):
                    name = os.readlink(handle)  # noqa: PTH115 - resolve() would look for a file
                    if name.startswith("socket:["):
                        owners[int(name[8:-1])] = role
    return owners
