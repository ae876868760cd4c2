"""Counters of a machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from froude.cache.agents import system
from froude.cache.agents.system import connections
from froude.cache.monitor.connections import Connection
from froude.cache.monitor.messages import ProcessSample

_SENT = 200_000


def _proc(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


_PRESSURE = "some avg10=0.00 avg60=0.00 total=2500000\nfull avg10=0.00 avg60=0.00 total=1\n"


def test_this_machine() -> None:
    """Processor time goes on; counters are there."""
    before = system.processor_s()
    sum(range(10**6))
    assert system.processor_s() >= before
    assert system.disks().reads >= 0
    assert system.boot()
    assert not any(address.startswith("127.") for address in system.addresses())


def test_the_best_that_the_kernel_tells(tmp_path: Path) -> None:
    """Delays where they are counted, else the machine's pressure, else busy disks; and which of them it was."""
    processes = [ProcessSample(role="DataNode", pid=1, io_s=1.5), ProcessSample(role="Task", pid=2, io_s=0.5)]
    counting = _proc(tmp_path / "a", sys__kernel__task_delayacct="1\n", pressure__io=_PRESSURE)
    assert system.waited(processes, 9.0, proc=counting) == (2.0, "delays")
    assert system.waited([], 9.0, proc=counting) == (2.5, "pressure")
    assert system.waited(processes, 9.0, proc=_proc(tmp_path / "b", pressure__io=_PRESSURE)) == (
        2.5,
        "pressure",
    )
    assert system.waited(processes, 9.0, proc=tmp_path / "none") == (9.0, "disks")


def test_delays_of_a_process(tmp_path: Path) -> None:
    """The 42nd field of each thread, in hundredths of a second; a name may hold anything."""
    fields = ["S", *map(str, range(4, 42)), "250", "7"]
    stat = f"1 (a) b) {' '.join(fields)}"
    folder = _proc(tmp_path, task__1__stat=stat, task__2__stat=stat)
    assert system._delay_s(folder) == pytest.approx(5.0)


def test_processes_without_a_role() -> None:
    """This one has none."""
    assert all(each.role for each in system.processes())


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
