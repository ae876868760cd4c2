"""A slow disk for those who are root: a loop device with a file system, and a control group that caps what uses it.

A hard disk's model: so many requests a second, whatever their place. The programs that read it must be in the group, and
pass by the page cache.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from froude.cache.backends.cgroup import CgroupV1
from froude.cache.monitor.limits import Limits

_BLKIO = Path("/sys/fs/cgroup/blkio")


@dataclass(frozen=True)
class SlowDisk:
    """A mounted disk."""

    folder: Path
    """Where it is mounted."""
    group: Path | None
    """Of those who use it; None where it is no slow one."""


def why_not() -> str | None:
    """Why there can be none here; None where there can."""
    if os.geteuid() != 0:
        return "not root"
    if not (_BLKIO / "blkio.throttle.read_iops_device").exists():
        return "no blkio.throttle of version 1 here"
    found = subprocess.run(["losetup", "--find"], capture_output=True, check=False)
    return None if found.returncode == 0 else "no loop device here"


def _run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def slow_disk(folder: Path, *, size: int, iops: int) -> Iterator[SlowDisk]:
    """A disk of a size, that does so many reads, and so many writes, a second.

    Args:
        folder: for its file and mount point.
        size: bytes.
        iops: of each.
    """
    backing, mount, group = folder / "slow.img", folder / "slow", _BLKIO / f"froude-slow-{os.getpid()}"
    backing.touch()
    os.truncate(backing, size)
    with ExitStack() as stack:
        device = _run("losetup", "--find", "--show", str(backing))
        stack.callback(subprocess.run, ["losetup", "--detach", device], capture_output=True, check=False)
        _run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", device)
        mount.mkdir()
        _run("mount", device, str(mount))
        stack.callback(_run, "umount", str(mount))
        group.mkdir()
        stack.callback(group.rmdir)
        number = Path(device).stat().st_rdev
        CgroupV1(group, f"{os.major(number)}:{os.minor(number)}").apply(Limits(iops=iops))
        yield SlowDisk(mount, group)


def in_group(group: Path | None, command: list[str]) -> list[str]:
    """A command that joins a group before it begins.

    Args:
        group: None for none.
        command: program and arguments.
    """
    if group is None:
        return command
    return ["/bin/sh", "-c", 'echo $$ > "$0"/cgroup.procs && exec "$@"', str(group), *command]


def filled(path: Path, size: int) -> Path:
    """A file whose blocks are all there: holes are read without a disk.

    Args:
        path: of it.
        size: bytes; whole MiB.
    """
    with path.open("wb") as file:
        for _ in range(size >> 20):
            file.write(os.urandom(1 << 20))
        file.flush()
        os.fsync(file.fileno())
    return path
