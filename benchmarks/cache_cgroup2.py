"""Whether `io.max` of control groups of version 2 holds: measured by our own probe in an emulated guest.

Machines whose block controller belongs to version 1 cannot try it. So a Debian kernel is fetched (as a package, unpacked
and not installed), and boots in QEMU without KVM: its first disk has this Python and Froude, its second one is capped.
Needs apt, QEMU and mkfs.ext4, and no privileges.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.results import Row

_MODULES = (
    "virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "virtio_blk",
)  # fmt: skip
"""In the order in which they need each other."""
_LIMIT_S = 400
_LEFT_OUT = (
    "test",
    "tests",
    "site-packages",
    "config-*",
    "idlelib",
    "ensurepip",
    "lib2to3",
    "tkinter",
    "__pycache__",
)
_SAID = "FOUND "
_IN_GUEST = f"""
import json
from pathlib import Path
from froude.cache.backends.cgroup import cgroup_at, device_of
from froude.cache.backends.load import GroupLoad
from froude.cache.backends.probe import probe

root, disk = Path("/sys/fs/cgroup"), Path("/dev/vdb")
(root / "cgroup.subtree_control").write_text("+io")
(root / "vm").mkdir()
group = cgroup_at("vm", device_of(disk))
found = [probe(group, GroupLoad(group.folder, disk), each, seconds=4) for each in ("iops", "bytes_per_s")]
rows = [[f.backend, f.resource, f.verdict.value, f.asked, f.free_rate, f.held_rate, f.note] for f in found]
print({_SAID!r} + json.dumps(rows))
"""
_INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /new
/bin/busybox mount -t devtmpfs dev /dev
for module in {modules}; do /bin/busybox insmod /$module.ko; done
/bin/busybox sleep 1
/bin/busybox mount -t ext4 /dev/vda /new
/bin/busybox mount -t proc proc /new/proc
/bin/busybox mount -t sysfs sys /new/sys
/bin/busybox mount -t devtmpfs dev /new/dev
/bin/busybox mount -t tmpfs tmp /new/tmp
/bin/busybox mount -t cgroup2 group /new/sys/fs/cgroup
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={path} /bin/busybox chroot /new {python} /guest.py
/bin/busybox poweroff -f
"""


def rows() -> list[Row]:
    """A verdict for requests, and one for bandwidth."""
    missing = [
        each for each in ("apt-get", "dpkg-deb", "qemu-system-x86_64", "mkfs.ext4") if _program(each) is None
    ]
    if missing:
        said = f"untested: {', '.join(missing)} not here"
        return [Row("cgroup-v2: held at its cap", None, "", conditions=said)]
    with tempfile.TemporaryDirectory(prefix="froude-cgroup2-") as name:
        found, kernel = _found(Path(name))
    made = []
    for backend, resource, verdict, asked, free, held, note in found:
        unit = "requests/s" if resource == "iops" else "B/s"
        said = f"{free:,.0f} without it; a process in a group of io.max, Linux {kernel} in an emulated guest"
        aim, conditions = "<= 1.25 x its cap", "; ".join(filter(None, (said, note)))
        measure = f"{backend}: held at a cap of {asked:,} {unit}"
        made.append(Row(measure, round(held, 1), unit, aim, verdict == "holds", conditions=conditions))
    return made


def _found(folder: Path) -> tuple[list[list[Any]], str]:
    """What the guest says, and its kernel."""
    packages = folder / "packages"
    packages.mkdir()
    told = _said("apt-cache", "depends", "linux-image-cloud-amd64")
    image = re.search(r"Depends: (linux-image-\S+)", told)
    assert image is not None, told
    subprocess.run(
        ["apt-get", "download", image[1], "busybox-static"], cwd=packages, check=True, capture_output=True
    )
    unpacked = folder / "unpacked"
    for package in packages.iterdir():
        _said("dpkg-deb", "-x", str(package), str(unpacked))
    (kernel,) = (unpacked / "boot").glob("vmlinuz-*")
    disk = _root_disk(folder)
    second = folder / "second.img"
    second.write_bytes(bytes(16 << 20))
    words = [
        "qemu-system-x86_64", "-accel", "tcg", "-m", "512", "-nodefaults", "-display", "none", "-no-reboot",
        "-serial", "stdio", "-kernel", str(kernel), "-initrd", str(_initrd(folder, unpacked)),
        "-append", "console=ttyS0 quiet panic=-1",
        "-drive", f"file={disk},format=raw,if=virtio", "-drive", f"file={second},format=raw,if=virtio,cache=none",
    ]  # fmt: skip
    done = subprocess.run(
        words, capture_output=True, text=True, errors="replace", timeout=_LIMIT_S, check=False
    )
    said = [line for line in done.stdout.splitlines() if line.startswith(_SAID)]
    if not said:
        raise RuntimeError(f"the guest says nothing: {done.stdout[-2000:]}{done.stderr[-500:]}")
    return json.loads(said[0].removeprefix(_SAID)), kernel.name.removeprefix("vmlinuz-")


def _root_disk(folder: Path) -> Path:
    """A file system with this Python, what our probe imports, and the script."""
    tree, prefix = folder / "tree", Path(sys.base_prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python = tree / str(prefix).lstrip("/")
    shutil.copytree(
        prefix / "lib" / version, python / "lib" / version, ignore=shutil.ignore_patterns(*_LEFT_OUT)
    )
    (python / "bin").mkdir(parents=True)
    binary = python / "bin" / version
    shutil.copy2(prefix / "bin" / version, binary)
    packages = tree / "packages"
    packages.mkdir(parents=True)
    for source in _imported():
        if source.is_dir():
            shutil.copytree(source, packages / source.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, packages / source.name)
    programs = [prefix / "bin" / version, *tree.rglob("*.so")]
    for library in sorted(
        set(re.findall(r"=> (/\S+)|^\s+(/\S+) \(", _said("ldd", *map(str, programs)), re.MULTILINE))
    ):
        path = library[0] or library[1]
        target = tree / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    (tree / "guest.py").write_text(_IN_GUEST)
    for each in ("proc", "sys", "dev", "tmp"):
        (tree / each).mkdir(exist_ok=True)
    disk = folder / "root.img"
    disk.touch()
    os.truncate(disk, 400 << 20)
    _said("mkfs.ext4", "-q", "-d", str(tree), str(disk))
    return disk


def _imported() -> Iterator[Path]:
    """Packages that our probe imports: folders, and modules of one file."""
    program = (
        "import sys, froude.cache.backends.cgroup, froude.cache.backends.load, froude.cache.backends.probe\n"
        "for name, each in list(sys.modules.items()):\n"
        "    file = getattr(each, '__file__', None)\n"
        "    if '.' not in name and file: print(file)\n"
        "    if name.startswith('google.protobuf') and name.count('.') == 1: print(file)\n"
    )
    found = _said(sys.executable, "-c", program).splitlines()
    for file in found:
        folder = Path(file).parent
        if folder.name == "site-packages":
            yield Path(file)
        elif "google" in folder.parts:
            yield folder.parent
        elif "site-packages" in folder.parts or folder.name == "froude":
            yield folder


def _initrd(folder: Path, unpacked: Path) -> Path:
    """busybox, the modules that disks need, and a script that goes on from the first disk."""
    tree = folder / "initrd"
    (tree / "bin").mkdir(parents=True)
    shutil.copy2(unpacked / "bin" / "busybox", tree / "bin" / "busybox")
    for module in _MODULES:
        (file,) = unpacked.rglob(f"{module}.ko")
        shutil.copy2(file, tree / file.name)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python = f"{sys.base_prefix}/bin/{version}"
    (tree / "init").write_text(_INIT.format(modules=" ".join(_MODULES), python=python, path="/packages"))
    (tree / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    busybox = str(tree / "bin" / "busybox")
    packed = subprocess.run([busybox, "cpio", "-o", "-H", "newc"], cwd=tree, input=names.encode(), check=True,
                            capture_output=True).stdout  # fmt: skip
    file = folder / "initrd.gz"
    file.write_bytes(gzip.compress(packed, 1))
    return file


def _program(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def _said(*words: str) -> str:
    program = _program(words[0]) or words[0]
    return subprocess.run([program, *words[1:]], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    for row in rows():
        print(row.measure, row.value, row.met, row.conditions)
