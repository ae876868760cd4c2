"""One modelled hypervisor: a slow disk, an SSD, and the disks of VMs behind caches that share it.

The slow disk is a loop device over a file, on which `blkio.throttle` of version 1 holds the caches' servers to so many
requests and bytes a second. Parts of it are what the servers cache; the SSD is a folder that is not throttled. Before
each server stand nbdfuse and a loop device with a file system: a block device whose cache can be resized, without any
kernel module. Everything passes by the page cache (`--direct`, `losetup --direct-io=on`), except the file system's own
on top, which belongs to whoever reads the files: put them into a control group with little memory.

The disk can be cut in two ways with the same bytes on it: one server for each VM's part, or one server and one cache for
all parts. Root is needed. Nothing stays behind; what a killed process has left is removed by the next.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from froude.base.errors import MissingError, TargetError
from froude.cache.disk.client import DiskClient
from froude.hadoop.cluster.daemons import reaper_command

NAME = "froude-hypervisor"
_GROUPS = Path("/sys/fs/cgroup")
_PROGRAMS = ("losetup", "mkfs.ext4", "mount", "umount", "nbdfuse")
_SERVER = (os.environ.get("FROUDE_PROGRAM", str(Path(sys.executable).with_name("froude"))), "cache", "disk")
_READY_S = 60.0
_POLL_S = 0.05
_DIRTY_BYTES = 8 << 20
"""Written and not yet on a VM's disk, at most: what a cache of writes may hide."""
_THROTTLES = {"iops": ("read_iops", "write_iops"), "bytes_per_s": ("read_bps", "write_bps")}


@dataclass(frozen=True, slots=True)
class Speed:
    """What the slow disk does; reads and writes are held apart, each to so much."""

    iops: int
    bytes_per_s: int


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a hypervisor."""

    volumes: int
    """Disks of VMs."""
    volume_bytes: int
    """Of each."""
    ssd_bytes: int
    """For all caches together."""
    chunk_bytes: int
    """What a cache holds or not."""
    disk: Speed


@dataclass(frozen=True, slots=True)
class Group:
    """A control group of version 1, of one controller."""

    folder: Path

    @property
    def before(self) -> tuple[str, ...]:
        """Words before a command that starts it in the group."""
        return ("/bin/sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh")

    def set(self, file: str, value: object) -> None:
        """Write one of its files."""
        (self.folder / file).write_text(str(value))

    def number(self, file: str, key: str | None = None) -> int:
        """Read a number: the file's own, or that of a line."""
        words = (self.folder / file).read_text().split()
        return int(words[0] if key is None else words[words.index(key) + 1])


def why_not() -> str | None:
    """What keeps a hypervisor from being modelled here; None where nothing does."""
    if os.geteuid() != 0:
        return "needs root: loop devices, mounts and control groups"
    missing = [each for each in _PROGRAMS if shutil.which(each, path=_path()) is None]
    if missing:
        return f"needs {', '.join(missing)}"
    for controller, file in (
        ("blkio", "blkio.throttle.read_bps_device"),
        ("memory", "memory.limit_in_bytes"),
    ):
        if not (_GROUPS / controller / file).exists():
            return f"needs control groups of version 1: {_GROUPS / controller} has no {file}"
    return None


class Hypervisor:
    """The machine that VMs share; `with Hypervisor(shape) as it: it.split([...])`."""

    def __init__(self, shape: Shape, *, folder: Path | None = None, ssd: Path | None = None) -> None:
        """Describe it.

        Args:
            shape: its parts.
            folder: where the slow disk's file lies.
            ssd: where the caches' files lie: on something fast.
        """
        self.shape = shape
        self.folder = folder or Path("/var/tmp") / NAME
        self._ssd = ssd or Path("/dev/shm") / NAME
        self._whole = contextlib.ExitStack()
        self._attached = contextlib.ExitStack()
        self._disk = ""
        self.blkio = Group(_GROUPS / "blkio" / NAME)
        self.memory = [Group(_GROUPS / "memory" / NAME / f"vm{i}") for i in range(shape.volumes)]
        """Of each VM."""
        self.shared = False
        """Whether there is one cache for all."""
        self.servers: list[subprocess.Popen[bytes]] = []

    @property
    def mounts(self) -> list[Path]:
        """The folder of each VM's disk."""
        return [self.folder / f"vm{i}" for i in range(self.shape.volumes)]

    @property
    def controls(self) -> list[Path]:
        """Control sockets, one a server."""
        return [
            self.folder / f"cache{i}.sock.control" for i in range(1 if self.shared else self.shape.volumes)
        ]

    def __enter__(self) -> Self:
        reason = why_not()
        if reason:
            raise MissingError(reason)
        with self._whole as stack:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = stack.enter_context(_locked(self.folder / "lock"))
            _sweep(self.folder, self._ssd)
            stack.callback(_sweep, self.folder, self._ssd)
            stack.callback(_remove_groups)
            for group in (self.blkio, *self.memory):
                group.folder.mkdir(parents=True, exist_ok=True)
            self._ssd.mkdir(mode=0o700)
            base = self.folder / "disk"
            with base.open("wb") as file:
                file.truncate(self.shape.volumes * self.shape.volume_bytes)
            self._disk = _loop(base)
            stack.callback(_unloop, self._disk)
            for device in self._parts():
                _run("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", device)
                _unloop(device)
            assert lock
            self._whole = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with self._whole:
            self.detach()

    def throttle(self, speed: Speed | None) -> None:
        """Hold the servers to the slow disk's speed; None lets them go.

        Args:
            speed: of the slow disk.
        """
        number = _number(self._disk)
        for name, files in _THROTTLES.items():
            value = 0 if speed is None else getattr(speed, name)
            for file in files:
                self.blkio.set(f"blkio.throttle.{file}_device", f"{number} {value}")

    def split(self, sizes: Sequence[int]) -> None:
        """Attach the VMs' disks, a cache each.

        Args:
            sizes: bytes of each cache.
        """
        with self._attaching(shared=False) as stack:
            for index, (part, size) in enumerate(zip(self._parts(), sizes, strict=True)):
                stack.callback(_unloop, part)
                served = self._served(stack, index, part, size)
                self._mount(stack, index, served)

    def share(self, size: int) -> None:
        """Attach the VMs' disks behind one cache.

        Args:
            size: its bytes.
        """
        with self._attaching(shared=True) as stack:
            whole = _loop(Path(self._disk))
            stack.callback(_unloop, whole)
            served = self._served(stack, 0, whole, size)
            for index in range(self.shape.volumes):
                self._mount(stack, index, served, part=index)

    def detach(self) -> None:
        """Take the VMs' disks away; nothing happens where there are none."""
        self._attached.close()
        self.servers = []

    @contextlib.contextmanager
    def _attaching(self, *, shared: bool) -> Iterator[contextlib.ExitStack]:
        self.detach()
        self.shared = shared
        with contextlib.ExitStack() as stack:
            yield stack
            self._attached = stack.pop_all()

    def _parts(self) -> list[str]:
        size = self.shape.volume_bytes
        return [_loop(Path(self._disk), offset=i * size, size=size) for i in range(self.shape.volumes)]

    def _served(self, stack: contextlib.ExitStack, index: int, image: str, size: int) -> Path:
        """A server before a part of the slow disk, and the file that leads to it."""
        socket, fuse = self.folder / f"cache{index}.sock", self.folder / f"disk{index}"
        words = [*_SERVER, image, "--cache", str(self._ssd / f"cache{index}"), "--size", str(size)]
        words += ["--socket", str(socket), "--chunk", str(self.shape.chunk_bytes), "--direct"]
        log = stack.enter_context((self.folder / f"cache{index}.log").open("ab"))
        server = subprocess.Popen(
            [*reaper_command(), *self.blkio.before, *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        stack.callback(self._forget_cache, index)
        stack.callback(_end, server)
        self.servers.append(server)
        _wait(lambda: _answers(socket.with_name(socket.name + ".control")), server, f"cache {index}")
        fuse.touch()
        way = subprocess.Popen(
            [*reaper_command(), _program("nbdfuse"), str(fuse), f"nbd+unix:///?socket={socket}"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        stack.callback(_end, way)
        stack.callback(_unmount, fuse)
        _wait(lambda: fuse.stat().st_size > 0, way, f"nbdfuse {index}")
        return fuse

    def _mount(self, stack: contextlib.ExitStack, index: int, file: Path, part: int | None = None) -> None:
        size = self.shape.volume_bytes
        device = _loop(file) if part is None else _loop(file, offset=part * size, size=size)
        stack.callback(_unloop, device)
        limits = Path("/sys/class/bdi") / _number(device)
        (limits / "strict_limit").write_text("1")
        (limits / "max_bytes").write_text(str(_DIRTY_BYTES))
        folder = self.mounts[index]
        folder.mkdir(exist_ok=True)
        _run("mount", "-o", "noatime", device, str(folder))
        stack.callback(_unmount, folder)

    def _forget_cache(self, index: int) -> None:
        for file in self._ssd.glob(f"cache{index}*"):
            file.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[bool]:
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise TargetError("another process models a hypervisor there", file=path) from error
        yield True


def _sweep(folder: Path, ssd: Path) -> None:
    """Take away whatever a dead process left."""
    for line in reversed(Path("/proc/mounts").read_text().splitlines()):
        point = line.split()[1]
        if Path(point).is_relative_to(folder):
            _unloop_all(point)  # while it has a name still
            _run("umount", "-l", point)
    _unloop_all(str(folder / "disk"))
    _remove_groups()
    shutil.rmtree(ssd, ignore_errors=True)
    for each in folder.iterdir():
        if each.name != "lock":
            shutil.rmtree(each) if each.is_dir() else each.unlink()


def _unloop_all(file: str) -> None:
    """Detach the devices over a file, those over them first."""
    for device in _run("losetup", "-n", "-O", "NAME", "-j", file).split():
        _unloop_all(device)
        _unloop(device)


def _remove_groups() -> None:
    for controller in ("blkio", "memory"):
        top = _GROUPS / controller / NAME
        for group in (*top.glob("*/"), top):
            with contextlib.suppress(OSError):  # a process is there still, or it is not there
                group.rmdir()


def _loop(file: Path, *, offset: int = 0, size: int = 0) -> str:
    words = ["--direct-io=on", "--offset", str(offset), *(["--sizelimit", str(size)] if size else [])]
    return _run("losetup", *words, "--show", "-f", str(file)).strip()


def _unloop(device: str) -> None:
    """Detach a device, and wait until it is: something that reads it for a moment delays it."""
    backing = Path("/sys/block") / Path(device).name / "loop/backing_file"
    deadline = time.monotonic() + _READY_S
    while backing.exists():
        subprocess.run([_program("losetup"), "-d", device], check=False, capture_output=True)
        if not backing.exists():
            return
        if time.monotonic() > deadline:
            raise TargetError("cannot be detached", file=device)
        time.sleep(_POLL_S)


def _unmount(folder: Path) -> None:
    deadline = time.monotonic() + _READY_S
    while True:
        done = subprocess.run([_program("umount"), str(folder)], check=False, capture_output=True, text=True)
        if done.returncode == 0 or "not mounted" in done.stderr:
            return
        if time.monotonic() > deadline:
            raise TargetError("cannot be unmounted", file=folder, found=done.stderr.strip())
        time.sleep(_POLL_S)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        for child in _children(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, 15)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()  # what is below the reaper falls with it
        process.wait()


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _answers(control: Path) -> bool:
    try:
        with DiskClient(control) as disk:
            disk.stat()
    except MissingError:
        return False
    return True


def _wait(ready: object, process: subprocess.Popen[bytes], what: str) -> None:
    assert callable(ready)
    deadline = time.monotonic() + _READY_S
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise TargetError("did not come up", file=what)
        time.sleep(_POLL_S)


def _number(device: str) -> str:
    return (Path("/sys/block") / Path(device).name / "dev").read_text().strip()


def _path() -> str:
    return os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


def _program(name: str) -> str:
    found = shutil.which(name, path=_path())
    if found is None:
        raise MissingError("is not installed", file=name)
    return found


def _run(*words: str) -> str:
    done = subprocess.run([_program(words[0]), *words[1:]], check=False, capture_output=True, text=True)
    if done.returncode:
        raise TargetError(
            f"failed with exit code {done.returncode}", file=" ".join(words), found=done.stderr.strip()
        )
    return done.stdout
