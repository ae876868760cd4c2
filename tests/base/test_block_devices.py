"""The guard reads /proc and /sys as they are on a machine, here as a tree of files: every use of a disk is seen."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from froude.base import block_devices as guard
from froude.base.block_devices import (
    device_at,
    file_system,
    loops_over,
    mounts_of,
    users_of,
    uses_of,
    written_on,
)
from froude.base.errors import GuardError, InputError, MissingError
from tests.support.base.machine import DISK, blank, mount, mount_by_name


def _mounted_by_another_name(tree: Path) -> None:
    (tree / "sys/class/block/dm-0").mkdir()
    (tree / "sys/class/block/dm-0/dev").write_text("8:16\n")
    (tree / "proc/self/mountinfo").write_text("40 22 0:44 / /pool rw - btrfs /dev/dm-0 rw\n")


def _swap(tree: Path) -> None:
    (tree / "proc/swaps").write_text("Filename Type Size Used Priority\n/dev/sdx partition 9 0 -2\n")


def _partition(tree: Path) -> None:
    (tree / "sys/class/block/sdx/partition").write_text("1\n")


def _partitioned(tree: Path) -> None:
    (tree / "sys/class/block/sdx/sdx1").mkdir()
    (tree / "sys/class/block/sdx/sdx1/partition").write_text("1\n")


def _held(tree: Path) -> None:
    (tree / "sys/class/block/sdx/holders/md0").mkdir()


def _locked(tree: Path) -> None:
    (tree / "sys/class/block/sdx/ro").write_text("1\n")


def _opened(tree: Path) -> None:
    (tree / "proc/4242/fd").mkdir(parents=True)
    (tree / "proc/4242/comm").write_text("qemu\n")
    (tree / "proc/4242/fd/7").symlink_to("/dev/sdx")


def test_an_idle_blank_disk_has_no_uses(tree: Path) -> None:
    """Another disk's mounts and the folders that every disk has do not count."""
    (tree / "proc/17/fd").mkdir(parents=True)
    (tree / "proc/17/fd/0").symlink_to("/dev/null")
    assert uses_of(DISK, root=tree, signatures=blank) == []


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (mount, "mounted on /my data"),
        (mount_by_name, "mounted on /pool"),
        (_mounted_by_another_name, "mounted on /pool"),
        (_swap, "used as swap"),
        (_partition, "is itself a partition"),
        (_partitioned, "has partition sdx1"),
        (_held, "held by md0"),
        (_locked, "read-only"),
        (_opened, "open in process 4242 (qemu)"),
    ],
)
def test_every_use_is_seen(tree: Path, make: Callable[[Path], None], said: str) -> None:
    """Each alone is a reason, and is named."""
    make(tree)
    assert uses_of(DISK, root=tree, signatures=blank) == [said]


def test_what_is_written_on_it_counts(tree: Path) -> None:
    """An unmounted file system is somebody's data."""
    assert uses_of(DISK, root=tree, signatures=lambda path: ["ext4"]) == ["holds ext4"]


def test_what_cannot_be_looked_at_is_not_blank(tree: Path) -> None:
    """A probe that fails is an error, unless there are reasons enough without it."""

    def fails(path: Path) -> list[str]:
        raise GuardError("cannot be looked at")

    with pytest.raises(GuardError, match="cannot be looked at"):
        uses_of(DISK, root=tree, signatures=fails)
    _swap(tree)
    assert uses_of(DISK, root=tree, signatures=fails) == ["used as swap"]


def test_without_the_mounts_nothing_is_let_pass(tree: Path) -> None:
    """A /proc that cannot be read is no proof that nothing is mounted."""
    (tree / "proc/self/mountinfo").unlink()
    with pytest.raises(GuardError, match="nothing can be checked"):
        uses_of(DISK, root=tree, signatures=blank)


def test_a_kernel_without_swap(tree: Path) -> None:
    """Has no list of it, and so no swap."""
    (tree / "proc/swaps").unlink()
    assert uses_of(DISK, root=tree, signatures=blank) == []


def test_size_of_a_device(tree: Path) -> None:
    """In sectors of 512 bytes; one without a medium, or unknown, is refused."""
    assert device_at(DISK.path, "8:16", root=tree) == DISK
    with pytest.raises(GuardError, match="not known to /sys"):
        device_at(DISK.path, "8:32", root=tree)
    (tree / "sys/class/block/sdx/size").write_text("0\n")
    with pytest.raises(InputError, match="no size"):
        device_at(DISK.path, "8:16", root=tree)


def test_mounts_and_file_systems(tree: Path) -> None:
    """What is mounted where, and of which type; empty for what is not."""
    assert mounts_of(DISK, root=tree) == []
    assert file_system("8:1", root=tree) == "ext4"
    assert file_system("8:16", root=tree) == ""


def test_signatures_come_from_wipefs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its JSON, its silence on a blank device, its failure, its absence."""
    listing = {"signatures": [{"type": "gpt"}, {"type": "PMBR"}, {"type": "gpt"}]}
    said = subprocess.CompletedProcess([], 0, json.dumps(listing), "")
    monkeypatch.setattr(guard.subprocess, "run", lambda *words, **options: said)
    monkeypatch.setattr(guard.shutil, "which", lambda *words, **options: "/usr/sbin/wipefs")
    assert written_on(DISK.path) == ["PMBR", "gpt"]
    said.stdout = ""
    assert written_on(DISK.path) == []
    said.stdout = "[1]"
    with pytest.raises(GuardError, match=r"found \[1\]"):
        written_on(DISK.path)
    said.returncode = 1
    with pytest.raises(GuardError, match="/dev/sdx: "):
        written_on(DISK.path)
    monkeypatch.setattr(guard.shutil, "which", lambda *words, **options: None)
    with pytest.raises(MissingError, match="wipefs"):
        written_on(DISK.path)


def test_a_loop_device_over_a_file_is_found(tree: Path, tmp_path: Path) -> None:
    """Whoever writes to it writes to the file."""
    image = tmp_path / "vm.raw"
    assert loops_over(image, root=tree) == []
    for name, file in (("loop0", "/other"), ("loop3", str(image))):
        folder = tree / "sys/block" / name / "loop"
        folder.mkdir(parents=True)
        (folder / "backing_file").write_text(f"{file}\n")
    assert loops_over(image, root=tree) == ["/dev/loop3"]


def test_what_lies_on_a_device_does_not_make_it_used(tree: Path) -> None:
    """A virtual machine's disk holds a file system, and partitions."""
    assert users_of(DISK, root=tree) == []
    mount(tree)
    assert users_of(DISK, root=tree) == ["mounted on /my data"]
