"""A machine as a tree of files, with a disk sdx that nobody uses, and ways to use it."""

from __future__ import annotations

from pathlib import Path

from froude.base.block_devices import Device

DISK = Device(Path("/dev/sdx"), "8:16", 1 << 30)
ROOT_MOUNT = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"


def blank(path: Path) -> list[str]:
    """Nothing is written on the device."""
    return []


def mount(tree: Path) -> None:
    """Mount the disk where the name has a space."""
    mounts = tree / "proc/self/mountinfo"
    mounts.write_text(f"{ROOT_MOUNT}40 22 8:16 / /my\\040data rw - ext4 /dev/sdx rw\n")


def mount_by_name(tree: Path) -> None:
    """Mount the disk as btrfs does, under a number of its own."""
    mounts = tree / "proc/self/mountinfo"
    mounts.write_text(f"{ROOT_MOUNT}40 22 0:44 /sub /pool rw shared:9 - btrfs /dev/sdx rw\n")


def idle_machine(root: Path) -> Path:
    """A machine's /sys and /proc below a folder, with a disk sdx that nothing uses."""
    disk = root / "sys/devices/block/sdx"
    (disk / "holders").mkdir(parents=True)
    (disk / "queue").mkdir()
    for name, text in {"size": "2097152", "ro": "0", "dev": "8:16"}.items():
        (disk / name).write_text(text + "\n")
    for folder, name in (("dev/block", "8:16"), ("class/block", "sdx")):
        (root / "sys" / folder).mkdir(parents=True)
        (root / "sys" / folder / name).symlink_to(disk)
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mountinfo").write_text(ROOT_MOUNT)
    (root / "proc/swaps").write_text("Filename Type Size Used Priority\n")
    return root
