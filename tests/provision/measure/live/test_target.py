"""What a user's word means as a target, what is refused, and that a file leaves nothing behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from froude.base.block_devices import Device
from froude.base.errors import GuardError, InputError, MissingError
from froude.base.units import GIB, MIB
from froude.provision.measure.live import target as module
from froude.provision.measure.live.target import (
    StorageKind,
    StorageTarget,
    device_target,
    find_target,
    opened,
    served,
)
from tests.support.base.machine import DISK, blank, mount, mount_by_name

NO_SPACE = "too little space"


def test_a_folder_means_a_new_file_in_it(tmp_path: Path) -> None:
    """By its resolved name, in whole MiB; nothing is created by looking."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    target = find_target(str(tmp_path / "link"), size=3 * MIB + 5)
    assert (target.kind, target.name) == (StorageKind.FILE, str((tmp_path / "real").resolve()))
    assert (target.region_bytes, target.capacity) == (3 * MIB, None)
    assert {path.name for path in tmp_path.rglob("*")} == {"real", "link"}


def test_an_existing_file_is_never_touched(tmp_path: Path) -> None:
    """Nor by way of a link."""
    precious = tmp_path / "precious"
    precious.write_text("data")
    (tmp_path / "link").symlink_to(precious)
    for name in ("precious", "link"):
        with pytest.raises(GuardError, match="already exists"):
            find_target(str(tmp_path / name))
    assert precious.read_text() == "data"


@pytest.mark.parametrize("text", ["/nowhere/at/all", "nowhere/x", "mistyped", "/dev/null", "a\0b"])
def test_no_place_to_measure(text: str) -> None:
    """Absent folders (their parents may lie on another disk), character devices, impossible names."""
    with pytest.raises(InputError):
        find_target(text)


def test_a_link_that_turns_in_a_circle(tmp_path: Path) -> None:
    """Is no folder."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InputError):
        find_target(str(tmp_path / "a"), size=MIB)


def test_flags_of_devices_do_not_fit_folders(tmp_path: Path) -> None:
    """They are named, since somebody meant a device."""
    with pytest.raises(InputError, match="--destroy is for devices"):
        find_target(str(tmp_path), destroy="/dev/sdx")
    with pytest.raises(InputError, match="--read-only"):
        find_target(str(tmp_path), read_only=True)


def test_space_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size and a margin: a tenth of it or 256 MiB, whichever is more."""

    def free(mebibytes: int) -> None:
        figures = os.statvfs_result((4096, 4096, 0, 0, mebibytes * 256, 0, 0, 0, 0, 255))
        monkeypatch.setattr(module.os, "statvfs", lambda path: figures)

    free(1280)
    assert find_target(str(tmp_path)).region_bytes == GIB
    free(1279)
    with pytest.raises(MissingError, match=NO_SPACE):
        find_target(str(tmp_path))
    free(10 * 1024)
    with pytest.raises(MissingError, match=NO_SPACE):
        find_target(str(tmp_path), size=10 * GIB - 300 * MIB)
    with pytest.raises(InputError, match="too small"):
        find_target(str(tmp_path), size=4096)


def test_a_device_needs_its_name_typed(tree: Path) -> None:
    """Exactly its resolved name: not another's, not a prefix, not nothing."""
    for typed in (None, "", "/dev/sd", "/dev/sdy", "sdx", "/dev/sdx "):
        with pytest.raises(GuardError, match="--destroy /dev/sdx, typed out"):
            device_target(DISK, destroy=typed, root=tree, signatures=blank)
    target = device_target(DISK, destroy="/dev/sdx", root=tree, signatures=blank)
    assert target == StorageTarget(StorageKind.DEVICE, "/dev/sdx", GIB, GIB, "8:16")


def test_a_device_in_use_is_refused_whatever_is_typed(tree: Path) -> None:
    """Wiping is named only where old data alone is in the way."""
    with pytest.raises(GuardError, match=r"holds ext4.*wipefs --all /dev/sdx"):
        device_target(DISK, destroy="/dev/sdx", root=tree, signatures=lambda path: ["ext4"])
    mount(tree)
    with pytest.raises(GuardError, match="mounted on /my data") as refused:
        device_target(DISK, destroy="/dev/sdx", root=tree, signatures=lambda path: ["ext4"])
    assert "wipefs" not in str(refused.value)


def test_reads_of_a_device_are_harmless(tree: Path) -> None:
    """A mounted one may be read, and the note says by whom it is used besides."""
    mount_by_name(tree)
    target = device_target(DISK, read_only=True, root=tree)
    assert target.read_only
    assert any("mounted on /pool" in note for note in target.notes)
    with pytest.raises(InputError, match="cannot both"):
        device_target(DISK, read_only=True, destroy="/dev/sdx", root=tree)


def test_a_part_of_a_device_is_said_to_be_one(tree: Path) -> None:
    """Short seeks and free flash make it look better than it is."""
    target = device_target(DISK, size=64 * MIB, destroy="/dev/sdx", root=tree, signatures=blank)
    assert (target.region_bytes, target.capacity, len(target.notes)) == (64 * MIB, GIB, 1)
    with pytest.raises(InputError, match="smaller than that"):
        device_target(DISK, size=2 * GIB, destroy="/dev/sdx", root=tree, signatures=blank)


def test_the_file_has_no_name(tmp_path: Path) -> None:
    """It can be reached through its handle alone, and is gone with it: also after a kill."""
    with opened(StorageTarget(StorageKind.FILE, str(tmp_path), MIB)) as held:
        assert list(tmp_path.iterdir()) == []
        assert Path(f"/proc/self/fd/{held.handles[0]}").stat().st_size == MIB
        assert f"--filename=/proc/self/fd/{held.handles[0]}" in held.arguments
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(held.handles[0])


def test_without_o_direct_the_note_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page cache is used then, and nobody mistakes its speed for the disk's."""
    real = os.open

    def refusing(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument")
        return real(path, flags, mode)

    monkeypatch.setattr(module.os, "open", refusing)
    with opened(StorageTarget(StorageKind.FILE, str(tmp_path), MIB)) as held:
        assert not held.direct
        assert "--direct=0" in held.arguments
        assert "page cache" in held.notes[0]


@pytest.mark.parametrize(
    ("code", "kind"), [(errno.EBUSY, GuardError), (errno.EACCES, MissingError), (errno.ENXIO, MissingError)]
)
def test_the_kernel_has_the_last_word(
    code: int, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device is opened exclusively; what holds it after all is a refusal, not a crash."""
    asked = []

    def refusing(path: str, flags: int) -> int:
        asked.append(flags)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(module.os, "open", refusing)
    with pytest.raises(kind), opened(StorageTarget(StorageKind.DEVICE, "/dev/sdx", MIB)):
        pass
    assert asked[0] & os.O_EXCL
    with pytest.raises(kind), opened(StorageTarget(StorageKind.DEVICE, "/dev/sdx", MIB, read_only=True)):
        pass
    assert not asked[1] & (os.O_EXCL | os.O_RDWR | os.O_WRONLY)


def test_a_name_that_means_another_device_now() -> None:
    """What was opened must be what was checked."""
    null = StorageTarget(StorageKind.DEVICE, "/dev/null", MIB, MIB, "8:16", read_only=True)
    with pytest.raises(GuardError, match="another device now; found 1:3; allowed: 8:16"), opened(null):
        pass


def test_a_folder_in_memory_is_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of them take O_DIRECT and would pass for a very good disk."""
    monkeypatch.setattr(module, "file_system", lambda number: "tmpfs")
    assert "in memory (tmpfs)" in find_target(str(tmp_path), size=MIB).notes[0]


def test_a_served_address() -> None:
    """Is for a server that the caller started; fio's own engine speaks to it."""
    with opened(served("nbd+unix:///?socket=/x", 5 * MIB)) as held:
        assert held.arguments == ("--ioengine=nbd", "--uri=nbd+unix:///?socket=/x")
        assert (held.handles, held.target.region_bytes) == ((), 5 * MIB)


def test_a_whole_device_is_whole_mebibytes(tree: Path) -> None:
    """Its last bytes may not make one; that is not a part."""
    odd = Device(DISK.path, DISK.number, GIB + 1000)
    assert device_target(odd, destroy="/dev/sdx", root=tree, signatures=blank).notes == ()
