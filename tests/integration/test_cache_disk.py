"""A cached disk with the clients of others: fio, nbdcopy, qemu-io, QEMU by QMP, and as a real block device.

What needs no privileges always runs; what needs root and devices of the kernel is skipped with the reason.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from froude.base.units import MIB
from froude.cache.disk.client import DiskClient
from testbed.cache_guests import listens
from testbed.nbd_client import Served, served
from tests.support.integration.measure import has_nbd

pytestmark = pytest.mark.integration
_SIZE = 32 * MIB


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skip where a program is not here."""
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not here: {missing}; make setup-system installs it")


def run(*words: str, timeout_s: float = 120) -> str:
    """What a program prints, which has to end well."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=timeout_s)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A disk of chance."""
    path = tmp_path / "vm.raw"
    path.write_bytes(random.Random(3).randbytes(_SIZE))
    return path


@contextmanager
def resizing(disk: Served) -> Iterator[list[int]]:
    """Resize without a pause until the block ends; gives how often."""
    count, stop = [0], threading.Event()
    chance = random.Random(4)

    def go_on() -> None:
        with DiskClient(disk.control) as client:
            while not stop.is_set():
                size = chance.choice([0, MIB, 4 * MIB, 16 * MIB])
                answer = client.resize(size)
                assert answer["used_bytes"] <= size
                status = client.stat()
                # Fills that are under way count: what is allocated is never more than was agreed, but for the index.
                assert status.allocated_bytes <= size + 2 * MIB
                count[0] += 1

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield count
    finally:
        stop.set()
        thread.join()


def fio(disk: Served, *words: str) -> dict[str, object]:
    """Run fio's nbd engine; gives what it says of its job."""
    command = ["fio", "--name=disk", "--ioengine=nbd", f"--uri={disk.uri()}", "--output-format=json"]
    out = run(*command, f"--size={_SIZE}", "--verify_state_save=0", *words)
    (job,) = json.loads(out[out.index("{") :])["jobs"]
    assert job["error"] == 0
    found: dict[str, object] = job
    return found


@needs("fio")
@pytest.mark.parametrize("words", [[], ["--direct", "--cache-writes"]], ids=["page cache", "direct"])
def test_fio_finds_what_it_wrote_through_resizes(image: Path, words: list[str]) -> None:
    """Every block has its checksum, whatever the cache's size was meanwhile."""
    if not has_nbd():
        pytest.skip("this fio is built without its nbd engine")
    with served(image, "--chunk", "16K", *words, size="4MiB") as disk:
        with resizing(disk) as count:
            blocks = ["--bssplit=4k/60:16k/20:64k/15:256k/5", "--rw=randrw", "--iodepth=16"]
            fio(disk, *blocks, "--io_size=24m", "--verify=crc32c", "--randseed=5")
        assert count[0] >= 10
        with disk.disk() as client:
            assert client.stat().damaged == 0


@needs("fio")
def test_fio_finds_what_it_wrote_before_a_kill(image: Path) -> None:
    """What was answered before kill -9 is there after it, from a cache that is warm."""
    if not has_nbd():
        pytest.skip("this fio is built without its nbd engine")
    job = ["--bs=4k", "--verify=crc32c", "--randseed=6", "--iodepth=8", "--io_size=8m"]
    with served(image, "--chunk", "4K", "--cache-writes", size="16MiB") as disk:
        fio(disk, "--rw=randwrite", "--do_verify=0", *job)
        disk.kill()
    with served(image, "--chunk", "4K", "--cache-writes", size="16MiB") as disk:
        fio(disk, "--rw=randwrite", "--verify_only", *job)
        with disk.disk() as client:
            status = client.stat()
            assert status.restored_chunks > 1000
            assert status.hits > 1000
            assert status.damaged == 0


@needs("nbdcopy", "nbdinfo")
def test_nbdcopy_copies_both_ways(image: Path, tmp_path: Path) -> None:
    """With several connections; nbdinfo sees what the disk can do."""
    other = tmp_path / "other.raw"
    other.write_bytes(random.Random(7).randbytes(_SIZE))
    with served(image, size="8MiB") as disk:
        for _ in range(2):
            run("nbdcopy", disk.uri(), str(tmp_path / "out.raw"))
            assert (tmp_path / "out.raw").read_bytes() == image.read_bytes()
        run("nbdcopy", "--flush", str(other), disk.uri())
        said = json.loads(run("nbdinfo", "--json", disk.uri()))["exports"][0]
        assert said["export-size"] == _SIZE
        able = {"can_flush", "can_fua", "can_multi_conn", "can_trim", "can_zero"}
        assert {name for name in able if said[name]} == able
        disk.stop()
    assert image.read_bytes() == other.read_bytes()


@needs("qemu-io", "qemu-img")
def test_qemu_writes_trims_and_zeroes(image: Path) -> None:
    """Through its own block layer, which asks for FUA and flushes."""
    held = bytearray(image.read_bytes())
    with served(image, size="8MiB") as disk:
        orders = [
            "read -P 0 40000 512",
            "write -P 7 4096 65536",
            "write -f -P 8 100000 5000",
            "write -z 200000 100000",
            "discard 524288 262144",
            "flush",
            "read -P 7 4096 65536",
            "read -P 8 100000 5000",
            "read -P 0 200000 100000",
        ]
        done = subprocess.run(
            ["qemu-io", "-f", "raw", *(part for order in orders for part in ("-c", order)), disk.uri()],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.stdout.count("Pattern verification failed") == 1, done.stdout + done.stderr  # the first
        held[4096 : 4096 + 65536] = b"\7" * 65536
        held[100_000:105_000] = b"\10" * 5000
        held[200_000:300_000] = bytes(100_000)
        held[524_288 : 524_288 + 262_144] = bytes(262_144)
        copy = image.with_name("copy.raw")
        run("qemu-img", "convert", "-f", "raw", "-O", "raw", disk.uri(), str(copy))
        assert copy.read_bytes() == held
        with disk.disk() as client:
            status = client.stat()
            assert status.trims >= 2
            assert status.flushes >= 1


@needs("qemu-system-x86_64")
def test_a_virtual_machine_keeps_its_disk_through_a_resize(image: Path, tmp_path: Path) -> None:
    """QEMU holds it open, told by QMP to read and write; nothing is suspended."""
    pytest.importorskip("qemu.qmp")
    import asyncio

    from qemu.qmp import QMPClient

    async def talk(path: Path, disk: Served) -> str:
        client = QMPClient("vm")
        await client.connect(str(path))
        with disk.disk() as control:
            assert control.stat().connections == 1
            for size in (0, 8 * MIB):
                control.resize(size)
                for order in ("write -P 9 8192 4096", "read -P 9 8192 4096"):
                    line = f'qemu-io d0 "{order}"'
                    await client.execute("human-monitor-command", {"command-line": line})
        state = await client.execute("query-status")
        with contextlib.suppress(EOFError):  # its end may come before the end of the talk
            await client.execute("quit")
            await client.disconnect()
        return str(state["status"])

    with served(image, size="8MiB") as disk:
        machine = ["qemu-system-x86_64", "-S", "-display", "none", "-nodefaults", "-m", "64", "-accel", "tcg"]
        drive = ["-drive", f"file={disk.uri()},format=raw,if=virtio,id=d0,cache=none"]
        qmp = tmp_path / "qmp.sock"
        with subprocess.Popen([*machine, *drive, "-qmp", f"unix:{qmp},server=on,wait=off"]) as vm:
            try:
                _wait(lambda: listens(qmp), vm)
                status = asyncio.run(talk(qmp, disk))
            finally:
                vm.kill()
        assert status == "prelaunch"
        with disk.disk() as control:
            found = control.stat()
            assert (found.writes, found.connections, found.errors) == (2, 0, 0)
            assert found.reads >= 2
    assert image.read_bytes()[8192:12288] == b"\t" * 4096


def _wait(for_it: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while not for_it():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)


@needs("nbdfuse", "fusermount3", "losetup", "mkfs.ext4")
def test_a_real_block_device_lies_over_it(image: Path, tmp_path: Path) -> None:
    """By FUSE and a loop device: a file system keeps its files while the cache is resized, and after it is killed."""
    if os.geteuid() != 0 or not Path("/dev/fuse").exists():
        pytest.skip("FUSE and loop devices need root")
    data = random.Random(8).randbytes(6 * MIB)
    for life in range(2):
        with served(image, size="4MiB") as disk, _device(disk, tmp_path) as device:
            if life == 0:
                run("mkfs.ext4", "-q", device)
            with _mounted(device, tmp_path / "mnt"):
                file = tmp_path / "mnt" / "file"
                if life == 0:
                    file.write_bytes(data)
                    os.sync()
                with disk.disk() as client:
                    client.resize(0)
                    client.resize(8 * MIB)
                assert file.read_bytes() == data
            if life == 0:
                disk.kill()


@contextmanager
def _device(disk: Served, folder: Path) -> Iterator[str]:
    mount = folder / "fuse"
    mount.touch()
    with subprocess.Popen(["nbdfuse", str(mount), disk.uri()]) as fuse:
        try:
            _wait(lambda: mount.stat().st_size == _SIZE, fuse)
            done = subprocess.run(
                ["losetup", "--find", "--show", str(mount)], capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                pytest.skip(f"no loop device can be made here: {done.stderr.strip()}")
            try:
                yield done.stdout.strip()
            finally:
                subprocess.run(["losetup", "--detach", done.stdout.strip()], check=False)
        finally:
            subprocess.run(["fusermount3", "-u", "-z", str(mount)], check=False, capture_output=True)
            fuse.terminate()
            fuse.wait(30)


@contextmanager
def _mounted(device: str, folder: Path) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    run("mount", device, str(folder))
    try:
        yield
    finally:
        run("umount", str(folder))


def test_a_device_is_served_and_one_in_use_is_not(tmp_path: Path) -> None:
    """A loop device as the image: held alone, warm after a stop, cold after a kill; a mounted one is refused."""
    if os.geteuid() != 0 or shutil.which("losetup") is None:
        pytest.skip("loop devices need root")
    image = tmp_path / "vm.raw"
    image.write_bytes(random.Random(9).randbytes(8 * MIB))
    done = subprocess.run(
        ["losetup", "--find", "--show", str(image)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no loop device can be made here: {done.stderr.strip()}")
    device = Path(done.stdout.strip())
    places = {"cache": tmp_path / "c", "size": "2MiB"}
    try:
        _check_device(device, tmp_path, image, places)
    finally:
        subprocess.run(["losetup", "--detach", str(device)], check=True)


def _check_device(device: Path, folder: Path, image: Path, places: dict[str, object]) -> None:
    link = folder / "disk"
    link.symlink_to(device)
    with served(link, **places) as disk:  # type: ignore[arg-type]
        client = disk.client()
        client.write(4096, b"x" * 4096, fua=True)
        client.read(0, MIB)
        with pytest.raises(OSError, match="busy"):
            os.open(device, os.O_RDONLY | os.O_EXCL)
        disk.stop()
    with served(link, **places) as disk:  # type: ignore[arg-type]
        with disk.disk() as control:
            assert control.stat().restored_chunks > 0
        assert disk.client().read(4096, 1) == b"x"
        disk.kill()
    with served(link, **places) as disk, disk.disk() as control:  # type: ignore[arg-type]
        assert "a device does not tell" in str(control.stat().cold_reason)
    with pytest.raises(AssertionError, match=f"is in use; found attached to {device}"), served(image):
        pass
