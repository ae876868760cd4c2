"""The guard on a real block device, a loop device over a file: the kernel's own word on what is in use."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from froude.base.errors import GuardError
from froude.base.units import MIB
from froude.provision.measure.live.target import find_target, opened

pytestmark = pytest.mark.integration


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    """A blank device of 16 MiB that nobody uses; it goes as soon as nobody has it open."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("losetup", "wipefs"))):
        pytest.skip("loop devices need root, losetup and wipefs")
    image = tmp_path / "image"
    image.touch()
    os.truncate(image, 16 * MIB)
    result = subprocess.run(
        ["losetup", "--find", "--show", str(image)], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        pytest.skip(f"no loop device can be made here: {result.stderr.strip()}")
    name = result.stdout.strip()
    try:
        yield name
    finally:
        subprocess.run(["losetup", "--detach", name], check=True)


def test_a_blank_device_is_held_while_it_is_measured(device: str, tmp_path: Path) -> None:
    """By its resolved name, past the page cache; nobody else gets it exclusively meanwhile."""
    (tmp_path / "link").symlink_to(device)
    target = find_target(str(tmp_path / "link"), destroy=device)
    assert (target.name, target.capacity, target.region_bytes) == (device, 16 * MIB, 16 * MIB)
    with opened(target) as held:
        assert held.direct
        with pytest.raises(OSError, match="busy"):
            os.open(device, os.O_RDONLY | os.O_EXCL)


def test_one_that_is_held_is_refused(device: str) -> None:
    """What the guard cannot see in /proc, such as a mount of another namespace, holds it exclusively all the same."""
    target = find_target(device, destroy=device)
    holder = os.open(device, os.O_RDWR | os.O_EXCL)
    try:
        with pytest.raises(GuardError, match="in use"), opened(target):
            pass
    finally:
        os.close(holder)


def test_one_with_data_is_refused(device: str) -> None:
    """A swap signature, never used; reads of it are harmless."""
    with Path(device).open("r+b") as out:
        out.seek(4096 - 10)
        out.write(b"SWAPSPACE2")
        out.seek(1024)
        out.write((1).to_bytes(4, "little") + (4095).to_bytes(4, "little"))
    with pytest.raises(GuardError, match="holds swap"):
        find_target(device, destroy=device)
    with opened(find_target(device, read_only=True)) as held:
        assert "--readonly" in held.arguments
