"""Real processes of `froude cache` for tests: disks, an agent, a controller; and a relay between agent and disk."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import requests

from froude.cache.disk.client import DiskClient
from froude.cache.disk.status import DiskStatus
from froude.hadoop.cluster.daemons import reaper_command
from testbed.polling import until
from testbed.slow_disk import in_group

SECRET = "a-secret-of-the-tests"
_MAIN = "from froude.cli.entry import main; main()"


@dataclass
class Processes:
    """What a test has started in a folder."""

    folder: Path
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def froude(self, *words: str, group: Path | None = None) -> subprocess.Popen[str]:
        """One of our commands, which falls with the test; in a control group, where one is named."""
        command = [*reaper_command(), *in_group(group, [sys.executable, "-c", _MAIN, *words])]
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        child = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self.started.append(child)
        return child

    def disk(self, name: str, *more: str, image: int | Path, size: int, group: Path | None = None) -> Path:
        """A cached disk, over a new image of a size, or one that is there; gives its control socket."""
        path = image if isinstance(image, Path) else self.folder / f"{name}.img"
        if not isinstance(image, Path):
            path.touch()
            os.truncate(path, image)
        control = self.folder / f"{name}.control"
        words = [
            "cache",
            "disk",
            str(path),
            "--cache",
            f"{name}.cache",
            "--size",
            f"{size}B",
            "--chunk",
            "16KiB",
        ]
        self.froude(*words, "--socket", f"{name}.sock", "--control", str(control), *more, group=group)
        until(control.exists, f"{name} serves")
        return control

    def agent(self, name: str, vms: Mapping[str, Path], *, space: int, **more: object) -> str:
        """A hypervisor's agent; gives its address."""
        settings = {"probe": False, "curve_every": "0.3 s", "curve_window": "30 s", **more}
        fields = {
            "froude": "cache-agent/1", "kind": "hypervisor", "name": name, "token": str(self.token()),
            "ssd": {"space": space, "iops": 100_000}, "vms": {vm: {"cache": str(at)} for vm, at in vms.items()},
            **settings,
        }  # fmt: skip
        return self.serving("agent", f"{name}.json", fields)

    def controller(self, hypervisors: Mapping[str, str], **more: object) -> str:
        """A controller; gives its address."""
        fields = {
            "froude": "cache-controller/1", "token": str(self.token()), "state": "state", "interval": "0.5 s",
            "window": "10 s", "policy": "exact", "granule": "64 KiB", "least_gain": 0,
            "hypervisors": {name: {"agent": at} for name, at in hypervisors.items()}, **more,
        }  # fmt: skip
        return self.serving("serve", "controller.json", fields)

    def serving(self, command: str, file: str, fields: Mapping[str, object]) -> str:
        """One of our servers; gives its address once it answers."""
        (self.folder / file).write_text(json.dumps(fields))
        child = self.froude("cache", command, file, "--json")
        assert child.stdout is not None
        lines = ""
        while not lines.endswith("}\n"):
            line = child.stdout.readline()
            assert line, f"{command} ended: {lines}"
            lines += line
        return str(json.loads(lines)["address"])

    def token(self) -> Path:
        """The file of the secret."""
        path = self.folder / "token"
        if not path.exists():
            path.write_text(SECRET)
            path.chmod(0o600)
        return path

    def kill_last(self) -> None:
        """End what was started last as kill -9 does: the reaper's child, and the reaper with it."""
        _kill([self.started.pop()])

    def end(self) -> None:
        """End all, the latest first."""
        _kill(self.started)


def _kill(children: list[subprocess.Popen[str]]) -> None:
    """Kill reapers, and wait until what falls with them has ended: its files are closed then."""
    below = [each for child in children for each in psutil.Process(child.pid).children(recursive=True)]
    for child in children:
        child.kill()
        child.wait(30)
        if child.stdout is not None:
            child.stdout.close()
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive


@contextmanager
def processes(folder: Path) -> Iterator[Processes]:
    """Processes that end with the block."""
    all_of_them = Processes(folder)
    try:
        yield all_of_them
    finally:
        all_of_them.end()


def ask(address: str, path: str, *, method: str = "GET", body: object = None) -> Any:
    """A request with the secret; its JSON.

    Raises:
        AssertionError: it was refused.
    """
    headers = {"Authorization": f"Bearer {SECRET}"}
    answer = requests.request(method, f"{address}/{path}", json=body, headers=headers, timeout=30)
    assert answer.ok, answer.text
    return answer.json()


def status_of(control: Path) -> DiskStatus:
    """What a disk tells of itself."""
    with DiskClient(control) as disk:
        return disk.stat()


def size_of(control: Path) -> int:
    """What a disk's cache may hold."""
    return status_of(control).cache_bytes


class Relay:
    """Between an agent and a disk's control socket: holds resizes back until it is told what to do with them."""

    _NONE = 1 << 62

    def __init__(self, path: Path, control: Path) -> None:
        """Pass on everything, for now."""
        self._control = control
        self.held = threading.Event()
        """A resize has come and waits."""
        self._hold = self._NONE
        self._go = threading.Event()
        self._drop = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self, above: int) -> None:
        """Hold the next resize back that is beyond a size."""
        self._go.clear()
        self.held.clear()
        self._hold = above

    def release(self, *, drop: bool) -> None:
        """Pass it on now, or never; and what comes after it at once."""
        self._hold, self._drop = self._NONE, drop
        self._go.set()

    def close(self) -> None:
        """End it."""
        self._go.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass_on, args=(connection,), daemon=True).start()

    def _pass_on(self, connection: socket.socket) -> None:
        with (
            connection,
            connection.makefile("rb") as lines,
            socket.socket(socket.AF_UNIX) as disk,
            suppress(OSError),
        ):
            disk.connect(str(self._control))
            with disk.makefile("rb") as answers:
                for line in lines:
                    if json.loads(line).get("bytes", 0) > self._hold:
                        self.held.set()
                        self._go.wait()
                        if self._drop:
                            return
                    disk.sendall(line)
                    connection.sendall(answers.readline())
