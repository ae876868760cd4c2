"""This machine's counters: processors, disks, waiting for disks, processes that have a role, and their connections.

TCP connections come with the bytes that each has carried, from the kernel's socket diagnostics.

Source: sock_diag(7), INET_DIAG_INFO; `tcpi_bytes_acked` and `tcpi_bytes_received` of linux/tcp.h.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from froude.base.errors import MissingError
from froude.cache.monitor.connections import Connection
from froude.cache.monitor.messages import ProcessSample, Transfers
from froude.cache.monitor.topology import role_of

_ESTABLISHED, _LISTEN = 1, 10
_OPEN = (_ESTABLISHED, 4, 5, 8, 9, 11)
"""States in which bytes may still be counted: established, and those of closing."""
_INFO = 1 << 1
"""The extension that has the counters of bytes."""
_MAPPED = "::ffff:"
_PROC = Path("/proc")
_DELAY = 42 - 3
"""Where a process's delays by disks stand behind its name: the 42nd field of all, and its state is the third."""
_TICKS_PER_S = 100.0
"""Of the clock that /proc counts in, on every Linux that Python runs on."""


class Disks(Transfers):
    """All disks of the machine together."""

    busy_s: float
    """Time with a request under way, summed over disks."""


def processor_s() -> float:
    """Processor time spent so far, all cores, without idling and waiting."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq)


def disks() -> Disks:
    """Counters of the whole disks, so that nothing counts twice with its partitions."""
    counters = psutil.disk_io_counters(perdisk=True, nowrap=True) or {}
    whole = [each for name, each in counters.items() if _is_whole(name)]
    return Disks(
        reads=sum(each.read_count for each in whole),
        writes=sum(each.write_count for each in whole),
        read_bytes=sum(each.read_bytes for each in whole),
        write_bytes=sum(each.write_bytes for each in whole),
        busy_s=sum(getattr(each, "busy_time", 0) for each in whole) / 1000,
    )


def waited(processes: list[ProcessSample], busy_s: float, *, proc: Path = _PROC) -> tuple[float, str]:
    """Time that processes waited for disks so far, and how that is known: the best that this kernel tells.

    Delays of processes are the time that they slept for a disk, each for itself; the pressure of the machine is the
    time that any of them did; a busy disk is busy for whomever.

    Args:
        proc: in place of /proc, for tests.
    """
    if _first(proc / "sys/kernel/task_delayacct") == "1" and processes:
        return sum(each.io_s or 0.0 for each in processes), "delays"
    for line in _text(proc / "pressure/io").splitlines():
        words = dict(word.split("=") for word in line.split()[1:])
        if line.startswith("some ") and words.get("total", "").isdecimal():
            return int(words["total"]) / 1e6, "pressure"
    return busy_s, "disks"


def processes(*, proc: Path = _PROC) -> list[ProcessSample]:
    """Processes that have a role, with what they used so far."""
    found = []
    counts_delays = _first(proc / "sys/kernel/task_delayacct") == "1"
    for each in psutil.process_iter(["pid"]):
        with suppress(psutil.Error, OSError):
            role = role_of(each.cmdline())
            if role:
                times, pid = each.cpu_times(), each.pid
                read, written = _io(proc / str(pid))
                delay = _delay_s(proc / str(pid)) if counts_delays else None
                found.append(
                    ProcessSample(
                        role=role, pid=pid, cpu_s=times.user + times.system, io_s=delay,
                        read_bytes=read, write_bytes=written,
                    )
                )  # fmt: skip
    return found


def addresses() -> tuple[str, ...]:
    """By which other machines know this one: all but loopback and those of one link."""
    found = {
        each.address
        for interface in psutil.net_if_addrs().values()
        for each in interface
        if each.family in {socket.AF_INET, socket.AF_INET6} and "%" not in each.address
    }
    return tuple(sorted(each for each in found if not each.startswith("127.") and each != "::1"))


def boot() -> str:
    """Another word after each boot: counters begin anew with it."""
    return _first(_PROC / "sys/kernel/random/boot_id") or str(psutil.boot_time())


def _io(folder: Path) -> tuple[int, int]:
    """Bytes from and to disks, where we may know."""
    fields = dict(line.split(": ", 1) for line in _text(folder / "io").splitlines() if ": " in line)
    return int(fields.get("read_bytes", 0)), int(fields.get("write_bytes", 0))


def _delay_s(folder: Path) -> float:
    """Summed over its threads: the kernel counts for each by itself."""
    total = 0
    with suppress(OSError):
        for thread in (folder / "task").iterdir():
            fields = _text(thread / "stat").rpartition(") ")[2].split()
            total += int(fields[_DELAY]) if len(fields) > _DELAY else 0
    return total / _TICKS_PER_S


def _is_whole(name: str) -> bool:
    return Path(f"/sys/block/{name}").exists() and not name.startswith(("loop", "ram", "zram", "dm-", "md"))


def _first(path: Path) -> str:
    return _text(path).strip()


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


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
