"""Caps that are measured: QEMU on a guest that reads, its storage daemon, the kernel's control groups, the own disk.

Without privileges: QEMU and its daemon, where they are installed. As root: control groups, where they throttle. What is
not here is skipped with its reason.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from froude.base.clock import RealClock
from froude.base.errors import FroudeError
from froude.cache.backends.cgroup import CgroupV1, device_of
from froude.cache.backends.libvirt_disk import LibvirtDisk
from froude.cache.backends.load import GroupLoad, Watched, buffered, scratch_load
from froude.cache.backends.probe import probe
from froude.cache.backends.qemu_disk import QemuDisk
from froude.cache.backends.storage_daemon import ThrottleGroup
from froude.cache.backends.types import Rate, Verdict
from froude.cache.monitor.limits import Limits
from froude.hadoop.daemons import reaper_command
from froude.storage.fio import FioJob, run
from froude.storage.target import opened, served
from tests.integration.cache_processes import until

pytestmark = pytest.mark.integration
_QEMU = shutil.which("qemu-system-x86_64")
_DAEMON = shutil.which("qemu-storage-daemon")
_FIO = shutil.which("fio")
_VIRSH, _LIBVIRTD = shutil.which("virsh"), shutil.which("libvirtd", path="/usr/sbin:/sbin:/usr/bin")
_SESSION = "qemu:///session"
_BLKIO = Path("/sys/fs/cgroup/blkio")
_BOOT_SECTOR = bytes.fromhex(
    "31C0 8ED8"  # xor ax, ax; mov ds, ax
    "BE 107C"  # mov si, 0x7c10: the packet below
    "B442 CD13"  # mov ah, 0x42; int 0x13: read a sector of the disk that it was started from
    "EBF7"  # and again
    "000000"
    "1000 0100 0080 0000 0100000000000000"  # the packet: one sector, to 0000:8000, number 1
)
"""A whole guest: it reads as fast as its disk lets it, for ever."""


def _started(command: list[str], socket: Path) -> subprocess.Popen[bytes]:
    child = subprocess.Popen([*reaper_command(), *command], stdin=subprocess.DEVNULL)
    until(socket.exists, "the monitor is there")
    return child


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[QemuDisk]:
    """A virtual machine that reads its disk, emulated, without a kernel and without KVM."""
    image, socket = tmp_path / "disk.img", tmp_path / "qmp"
    image.write_bytes(_BOOT_SECTOR.ljust(510, b"\0") + b"\x55\xaa" + bytes(1 << 20))
    words = [
        str(_QEMU), "-accel", "tcg", "-m", "16", "-display", "none", "-nodefaults", "-no-user-config",
        "-blockdev", f"driver=file,node-name=f0,filename={image}", "-device", "virtio-blk-pci,id=d0,drive=f0",
        "-qmp", f"unix:{socket},server=on,wait=off",
    ]  # fmt: skip
    child = _started(words, socket)
    disk = QemuDisk(socket, "d0")

    def reads() -> bool:
        with suppress(FroudeError):
            return disk.counters()[0] > 100
        return False

    try:
        until(reads, "the guest reads")
        yield disk
    finally:
        child.kill()
        child.wait(30)


@pytest.mark.skipif(_QEMU is None, reason="QEMU is not here")
def test_a_guest_is_held_by_qemu(guest: QemuDisk) -> None:
    """Both caps are measured on the guest's own reads, and lifted again."""
    load = Watched(guest.counters, RealClock())
    for resource in ("iops", "bytes_per_s"):
        assert probe(guest, load, resource).verdict is Verdict.HOLDS
    assert guest.read_back() == Limits()


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


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> Iterator[LibvirtDisk]:
    """The same guest by a libvirt of an unprivileged user's own; root becomes nobody for it."""
    folder = Path(tempfile.mkdtemp(prefix="froude-libvirt-"))  # not below a folder that is root's alone
    user = (
        ["setpriv", "--pdeathsig=KILL", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        if os.geteuid() == 0
        else []
    )
    for name in ("run", "config/libvirt", "cache", "bin"):
        (folder / name).mkdir(parents=True)
    (folder / "config/libvirt/qemu.conf").write_text(_LIBVIRT_CONF)
    image, description = folder / "disk.img", folder / "vm.xml"
    image.write_bytes(_BOOT_SECTOR.ljust(510, b"\0") + b"\x55\xaa" + bytes(1 << 20))
    description.write_text(_DOMAIN.format(qemu=_QEMU, image=image))
    (folder / "bin/virsh").write_text(f'#!/bin/sh\nexec {shlex.join([*user, str(_VIRSH)])} "$@"\n')
    (folder / "bin/virsh").chmod(0o755)
    folder.chmod(0o755)
    (folder / "run").chmod(0o700)
    if user:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, "nobody", "nogroup")
    for name, part in {
        "XDG_RUNTIME_DIR": "run",
        "XDG_CONFIG_HOME": "config",
        "XDG_CACHE_HOME": "cache",
    }.items():
        monkeypatch.setenv(name, str(folder / part))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", f"{folder}/bin:{os.environ['PATH']}")
    # it ends by itself, too, when nobody has asked for a while
    command = [*user, str(_LIBVIRTD), "--timeout=20"]
    daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until((folder / "run/libvirt/libvirt-sock").exists, "libvirt answers")
        subprocess.run(["virsh", "-c", _SESSION, "create", str(description)], check=True, capture_output=True)
        yield LibvirtDisk("froude-test", "vda", _SESSION)
        subprocess.run(["virsh", "-c", _SESSION, "destroy", "froude-test"], check=True, capture_output=True)
    finally:
        daemon.kill()
        daemon.wait(30)
        shutil.rmtree(folder)


@pytest.mark.skipif(None in {_QEMU, _VIRSH, _LIBVIRTD}, reason="virsh, libvirtd or QEMU is not here")
def test_a_guest_is_held_by_libvirt(domain: LibvirtDisk) -> None:
    """As by QEMU itself, of which nobody but libvirt has the monitor."""
    until(lambda: domain.counters()[0] > 100, "the guest reads")
    assert probe(domain, Watched(domain.counters, RealClock()), "iops").verdict is Verdict.HOLDS
    assert domain.read_back() == Limits()


class _Served:
    """Random reads of a served disk by fio, one at a time."""

    def __init__(self, uri: str) -> None:
        self._target = served(uri, 4 << 20)

    def rate(self, seconds: float) -> Rate:
        with opened(self._target) as held:
            done = run(FioJob("randread", 4096, 4 << 20, seconds=seconds), held, limit_s=60)
        return Rate(1 / done.seconds, 4096 / done.seconds)


@pytest.mark.skipif(_DAEMON is None or _FIO is None, reason="qemu-storage-daemon or fio is not here")
def test_a_throttle_group_of_the_storage_daemon(tmp_path: Path) -> None:
    """A client of an export is held while it runs, without any guest."""
    image, monitor, export = tmp_path / "disk.img", tmp_path / "qmp", tmp_path / "nbd"
    image.write_bytes(bytes(4 << 20))
    words = [
        str(_DAEMON), "--object", "throttle-group,id=tg0",
        "--blockdev", f"driver=file,node-name=f0,filename={image}",
        "--blockdev", "driver=throttle,node-name=t0,throttle-group=tg0,file=f0",
        "--nbd-server", f"addr.type=unix,addr.path={export}",
        "--export", "type=nbd,id=e0,node-name=t0,name=,writable=on",
        "--chardev", f"socket,id=c0,path={monitor},server=on,wait=off", "--monitor", "chardev=c0",
    ]  # fmt: skip
    child = _started(words, monitor)
    try:
        group = ThrottleGroup(monitor, "tg0")
        found = probe(group, _Served(f"nbd+unix:///?socket={export}"), "iops")
        assert found.verdict is Verdict.HOLDS
        assert group.read_back() == Limits()
    finally:
        child.kill()
        child.wait(30)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[CgroupV1]:
    """A control group of our own, on the disk that the temporary folder lies on."""
    folder = _BLKIO / f"froude-test-{os.getpid()}"
    try:
        folder.mkdir()
        if not (folder / "blkio.throttle.read_iops_device").exists():
            raise OSError
    except OSError:
        pytest.skip("not root, or no blkio.throttle of version 1 here")
    found = CgroupV1(folder, device_of(tmp_path))
    try:
        found.apply(Limits(iops=10**6))
        found.apply(Limits())
        yield found
    except FroudeError:
        pytest.skip(f"{found.device} cannot be throttled: no disk of its own")
    finally:
        folder.rmdir()


def test_a_group_is_held_by_the_kernel(group: CgroupV1, tmp_path: Path) -> None:
    """Requests and bandwidth of a process in it; one outside is not held."""
    with scratch_load(group.folder, tmp_path) as load:
        free = GroupLoad(None, load.path).rate(0.3).iops
        found = probe(group, load, "iops")
        group.apply(Limits(iops=50))
        outside = GroupLoad(None, load.path).rate(0.3).iops
        group.apply(Limits())
    assert found.verdict is Verdict.HOLDS
    assert outside > 100 or free < 200


def test_buffered_writes_leave_the_group(group: CgroupV1, tmp_path: Path) -> None:
    """What the kernel writes back is not charged to who wrote it, and the probe finds that out."""
    found = buffered(group.folder, group.device, tmp_path)
    assert found.verdict is Verdict.IGNORED
    assert "evade the cap" in found.note
