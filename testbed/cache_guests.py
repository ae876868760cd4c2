"""Loads that back-ends limit, each with its back-end: a guest in QEMU, the same by libvirt, an export, a group.

Each is a context manager that gives back-end and load; `why_not` says what is missing for it here.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from froude.base.clock import RealClock
from froude.base.errors import FroudeError
from froude.cache.backends.cgroup import CgroupV1, device_of
from froude.cache.backends.libvirt_disk import LibvirtDisk
from froude.cache.backends.load import Watched, scratch_load
from froude.cache.backends.own import OwnDisk
from froude.cache.backends.qemu_disk import QemuDisk
from froude.cache.backends.storage_daemon import ThrottleGroup
from froude.cache.backends.types import Backend, Load, Rate
from froude.cache.monitor.limits import Limits
from froude.hadoop.cluster.daemons import reaper_command
from froude.provision.measure.live.fio import FioJob, run
from froude.provision.measure.live.target import opened, served
from testbed.cache_processes import processes, status_of
from testbed.polling import until

Tried = tuple[Backend, Load]
_MIB = 1 << 20
_BLKIO = Path("/sys/fs/cgroup/blkio")
_SESSION = "qemu:///session"
_BOOT_SECTOR = bytes.fromhex(
    "31C0 8ED8"  # xor ax, ax; mov ds, ax
    "BE 107C"  # mov si, 0x7c10: the packet below
    "B442 CD13"  # mov ah, 0x42; int 0x13: read a sector of the disk that it was started from
    "EBF7"  # and again
    "000000"
    "1000 0100 0080 0000 0100000000000000"  # the packet: one sector, to 0000:8000, number 1
)
"""A whole guest: it reads as fast as its disk lets it, for ever."""
_DOMAIN = """\
<domain type='qemu'><name>froude-test</name><memory unit='MiB'>16</memory><vcpu>1</vcpu>
<os><type arch='x86_64' machine='pc'>hvm</type></os>
<devices><emulator>{qemu}</emulator><disk type='file' device='disk'><driver name='qemu' type='raw'/>
<source file='{image}'/><target dev='vda' bus='virtio'/></disk><memballoon model='none'/></devices></domain>
"""
_LIBVIRT_CONF = """\
security_driver = "none"
cgroup_controllers = []
stdio_handler = "file"
namespaces = []
remember_owner = 0
"""


def _program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def why_not(name: str) -> str | None:
    """What is missing for one of `TRIED`; None where nothing is."""
    needed = {
        "qmp": ("qemu-system-x86_64",),
        "libvirt": ("qemu-system-x86_64", "virsh", "libvirtd"),
        "throttle-group": ("qemu-storage-daemon", "fio"),
        "own": ("fio",),
        "cgroup-v1": (),
    }[name]
    missing = [each for each in needed if _program(each) is None]
    if missing:
        return f"{' and '.join(missing)} not here"
    if name == "cgroup-v1" and (
        os.geteuid() != 0 or not (_BLKIO / "blkio.throttle.read_iops_device").exists()
    ):
        return "not root, or no blkio.throttle of version 1 here"
    return None


def _image(path: Path) -> Path:
    path.write_bytes(_BOOT_SECTOR.ljust(510, b"\0") + b"\x55\xaa" + bytes(_MIB))
    return path


def _started(command: list[str], monitor: Path) -> subprocess.Popen[bytes]:
    child = subprocess.Popen([*reaper_command(), *command], stdin=subprocess.DEVNULL)
    until(lambda: listens(monitor), "the monitor listens")
    return child


def listens(path: Path) -> bool:
    """Whether someone may connect: a socket is there a moment earlier."""
    with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
        client.connect(str(path))
        return True
    return False


@contextmanager
def guest(folder: Path) -> Iterator[Tried]:
    """A virtual machine that reads its disk, emulated, without a kernel and without KVM; by QEMU's monitor."""
    image, socket = _image(folder / "disk.img"), folder / "qmp"
    words = [
        str(_program("qemu-system-x86_64")), "-accel", "tcg", "-m", "16", "-display", "none", "-nodefaults",
        "-no-user-config", "-blockdev", f"driver=file,node-name=f0,filename={image}",
        "-device", "virtio-blk-pci,id=d0,drive=f0", "-qmp", f"unix:{socket},server=on,wait=off",
    ]  # fmt: skip
    child = _started(words, socket)
    disk = QemuDisk(socket, "d0")
    try:
        until(lambda: _reads(disk.counters), "the guest reads")
        yield disk, Watched(disk.counters, RealClock())
    finally:
        child.kill()
        child.wait(30)


def _reads(counters: Callable[[], tuple[float, float]]) -> bool:
    with suppress(FroudeError):
        return counters()[0] > 100
    return False


@contextmanager
def domain(_: Path) -> Iterator[Tried]:
    """The same guest by a libvirt of an unprivileged user's own; root becomes nobody for it."""
    folder = Path(tempfile.mkdtemp(prefix="froude-libvirt-"))  # not below a folder that is root's alone
    user = ["setpriv", "--pdeathsig=KILL", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    user = user if os.geteuid() == 0 else []
    for name in ("run", "config/libvirt", "cache", "bin"):
        (folder / name).mkdir(parents=True)
    (folder / "config/libvirt/qemu.conf").write_text(_LIBVIRT_CONF)
    description, wrapper = folder / "vm.xml", folder / "bin/virsh"
    description.write_text(
        _DOMAIN.format(qemu=_program("qemu-system-x86_64"), image=_image(folder / "disk.img"))
    )
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.join([*user, str(_program("virsh"))])} "$@"\n')
    wrapper.chmod(0o755)
    folder.chmod(0o755)
    (folder / "run").chmod(0o700)
    if user:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, "nobody", "nogroup")
    parts = {"XDG_RUNTIME_DIR": "run", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "HOME": "."}
    around = {name: str(folder / part) for name, part in parts.items()}
    with _environment({**around, "PATH": f"{folder}/bin:{os.environ['PATH']}"}):
        # it ends by itself, too, when nobody has asked for a while
        command = [*user, str(_program("libvirtd")), "--timeout=20"]
        daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        virsh = ["virsh", "-c", _SESSION]
        try:
            until((folder / "run/libvirt/libvirt-sock").exists, "libvirt answers")
            subprocess.run([*virsh, "create", str(description)], check=True, capture_output=True)
            disk = LibvirtDisk("froude-test", "vda", _SESSION)
            until(lambda: _reads(disk.counters), "the guest reads")
            yield disk, Watched(disk.counters, RealClock())
        finally:
            subprocess.run([*virsh, "destroy", "froude-test"], check=False, capture_output=True)
            daemon.kill()
            daemon.wait(30)
            shutil.rmtree(folder)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class _Served:
    """Random reads of a served disk by fio, one at a time."""

    def __init__(self, uri: str) -> None:
        self._target = served(uri, 4 * _MIB)

    def rate(self, seconds: float) -> Rate:
        with opened(self._target) as held:
            done = run(FioJob("randread", 4096, 4 * _MIB, seconds=seconds), held, limit_s=60)
        return Rate(1 / done.seconds, 4096 / done.seconds)


@contextmanager
def export(folder: Path) -> Iterator[Tried]:
    """A client of an export of QEMU's storage daemon, by its throttle group; without any guest."""
    image, monitor, socket = folder / "disk.img", folder / "qmp", folder / "nbd"
    image.write_bytes(bytes(4 * _MIB))
    words = [
        str(_program("qemu-storage-daemon")), "--object", "throttle-group,id=tg0",
        "--blockdev", f"driver=file,node-name=f0,filename={image}",
        "--blockdev", "driver=throttle,node-name=t0,throttle-group=tg0,file=f0",
        "--nbd-server", f"addr.type=unix,addr.path={socket}",
        "--export", "type=nbd,id=e0,node-name=t0,name=,writable=on",
        "--chardev", f"socket,id=c0,path={monitor},server=on,wait=off", "--monitor", "chardev=c0",
    ]  # fmt: skip
    child = _started(words, monitor)
    try:
        yield ThrottleGroup(monitor, "tg0"), _Served(f"nbd+unix:///?socket={socket}")
    finally:
        child.kill()
        child.wait(30)


@contextmanager
def cached(folder: Path) -> Iterator[Tried]:
    """A disk of our own under fio."""
    with processes(folder) as all_of_them, busy(folder, "vm"):
        disk = OwnDisk(all_of_them.disk("vm", image=4 * _MIB, size=4 * _MIB))
        yield disk, Watched(disk.counters, RealClock())


@contextmanager
def busy(folder: Path, name: str) -> Iterator[None]:
    """Fio that reads a disk of `processes` as fast as it can, from when it is served."""
    socket = folder / f"{name}.sock"
    words = [
        "fio", "--name=x", "--thread", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={socket}", "--rw=randread",
        "--bs=16k", "--size=4M", "--time_based", "--runtime=600",
    ]  # fmt: skip
    waiting = [
        "sh",
        "-c",
        f'until [ -S {shlex.quote(str(socket))} ]; do sleep 0.05; done; exec "$@"',
        "sh",
        *words,
    ]
    load = subprocess.Popen(
        [*reaper_command(), "/bin/" + waiting[0], *waiting[1:]], cwd=folder, stdout=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        load.kill()
        load.wait(30)


@contextmanager
def group(folder: Path) -> Iterator[Tried]:
    """A process in a control group of our own, on the disk that a folder lies on."""
    place = _BLKIO / f"froude-test-{os.getpid()}"
    place.mkdir()
    try:
        found = CgroupV1(place, device_of(folder))
        found.apply(Limits(iops=10**6))  # of a file system without a disk of its own it is refused
        found.apply(Limits())
        with scratch_load(place, folder) as load:
            yield found, load
    finally:
        place.rmdir()


TRIED: Mapping[str, Callable[[Path], AbstractContextManager[Tried]]] = {
    "own": cached,
    "qmp": guest,
    "libvirt": domain,
    "throttle-group": export,
    "cgroup-v1": group,
}
"""By the name of the back-end."""


def wait_until_busy(control: Path) -> None:
    """Until a disk's VM reads."""
    until(lambda: status_of(control).reads > 100, "the VM reads")
